import Foundation
import TestSupport

/// `flick probe` and `flick preview`, 5,000 times each (or FLICK_COMMAND_RUNS), half of them while both cores are busy.
/// No run may fail, and none may hide a decoder that was silent: such a decoder is replaced after 1.5 s.
func commands(_ report: inout Report, _ programs: Programs, _ clips: Clips) throws {
    let count = ProcessInfo.processInfo.environment["FLICK_COMMAND_RUNS"].flatMap { Int($0) } ?? 5_000
    report.section("Commands: \(count) runs of probe and of preview, half of them with both cores busy")
    guard let demo = try Clips.demo().first else { throw NotMeasured("there is no demo clip in Assets/demo") }
    let clip = "Assets/demo/\(demo)"
    let subcommands = [
        ["probe", clip],
        ["preview", "--surface", "half", "--color", "truecolor", "--size", "80x24", clip],
    ]
    for isBusy in [false, true] {
        let load = isBusy ? try BusyCores() : nil
        defer { load?.end() }
        for arguments in subcommands {
            let name = "\(arguments[0]), \(isBusy ? "both cores busy" : "idle machine")"
            let runs = try (0..<count / 2).map { _ in try CommandRun([programs.flick] + arguments) }
            let failed = runs.filter { !$0.hasWorked }
            report.figure("\(name): failures", Double(failed.count), "of \(runs.count)", atMost: 0)
            if let first = failed.first {
                report.omit("\(name): longest run", "one failed: \(first.errors)")
            } else {
                report.note("\(name): p50", runs.map(\.time).median, "ms")
                report.figure("\(name): longest run", runs.map(\.time).max() ?? .nan, "ms", atMost: 1_500)
            }
        }
    }
}

/// One run of a command.
private struct CommandRun {
    /// From its start to its end, in milliseconds.
    let time: Double
    /// It has exited with 0 and printed something.
    let hasWorked: Bool
    /// What it has printed to standard error, in one line.
    let errors: String

    init(_ arguments: [String]) throws {
        let start = ContinuousClock.now
        let result = try Command.run(arguments, setting: ["TERM": "xterm-256color"])
        time = (ContinuousClock.now - start) / .milliseconds(1)
        hasWorked = result.status == 0 && !result.output.isEmpty
        errors = result.errors.split(separator: "\n").joined(separator: " ")
    }
}
