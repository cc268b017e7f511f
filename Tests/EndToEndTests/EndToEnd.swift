import Foundation
import TestSupport
import Testing

/// All tests that start flick. They run one after the other, because each needs the machine to itself.
@Suite(.serialized, .timeLimit(.minutes(5)))
enum EndToEnd {
    /// Which painter writes the screen in tests that do not choose one:
    /// FLICK_TEST_OUTPUT, else what suits the terminal.
    static let output: [String] =
        ProcessInfo.processInfo.environment["FLICK_TEST_OUTPUT"].map { ["--output", $0] } ?? []
}
