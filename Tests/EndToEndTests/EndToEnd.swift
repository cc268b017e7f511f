import Foundation
import TestSupport
import Testing

/// Everything that starts flick: one after the other, as each wants a machine to itself.
@Suite(.serialized, .timeLimit(.minutes(5)))
enum EndToEnd {
    /// Who writes the screen in tests to which it does not matter: FLICK_TEST_OUTPUT, else what suits the terminal.
    static let output: [String] =
        ProcessInfo.processInfo.environment["FLICK_TEST_OUTPUT"].map { ["--output", $0] } ?? []
}
