import Foundation
import Logging
import Model
import TestSupport
import Testing

@testable import App

@Suite struct LogTests {
    private let folder = TemporaryFolder()

    private func journal(level: String, trace: String? = nil) throws -> Journal {
        let report = ReportSettings(trace: trace, logLevel: level, log: path)
        return try Journal(report, file: LogFile(path: path), clock: ProcessClock())
    }

    private var path: String { folder.path + "/a/b/flick.log" }
    private func lines() throws -> [String] {
        try String(contentsOfFile: path, encoding: .utf8).split(separator: "\n").map(String.init)
    }

    @Test(arguments: [
        (TraceEvent("error", ["what": .text("play")]), Logger.Level.error), (TraceEvent("gave_up"), .error),
        (TraceEvent("recover"), .warning), (TraceEvent("watchdog"), .warning),
        (TraceEvent("worker", ["state": .text("exit")]), .warning),
        (TraceEvent("worker", ["state": .text("killed")]), .debug),
        (TraceEvent("worker", ["state": .text("spawn")]), .debug), (TraceEvent("stall"), .notice),
        (TraceEvent("start"), .info), (TraceEvent("page"), .debug), (TraceEvent("picture"), .trace),
    ])
    func troubleIsLouderThanWork(event: TraceEvent, level: Logger.Level) {
        #expect(LogEntry.level(of: event) == level)
    }

    @Test func anEntryHoldsWhatTheTraceHolds() {
        let event = TraceEvent(
            "recover", item: "v1", ["check": .text("worker"), "attempt": .integer(2), "ms": .number(1.5), "x": .null])
        #expect(LogEntry.text(of: event) == "recover item=v1 check=worker attempt=2 ms=1.5")
    }

    @Test func onlyWhatIsLoudEnoughIsLogged() throws {
        let journal = try journal(level: "warning")
        journal.tell(TraceEvent("picture"))
        journal.tell(TraceEvent("page"))
        journal.tell(TraceEvent("recover", ["why": .text("it hangs")]))
        journal.warn("the second of two")
        let lines = try lines()
        #expect(lines.count == 2)
        #expect(lines.first?.hasSuffix(" warning: recover why=it hangs") == true)
        #expect(lines.last?.hasSuffix(" warning: the second of two") == true)
    }

    @Test func everyEventIsThereAtTheLowestLevel() throws {
        let journal = try journal(level: "trace")
        for name in ["picture", "page", "error"] { journal.tell(TraceEvent(name)) }
        #expect(try lines().count == 3)
    }

    @Test func aLineIsOneLineAndHarmless() throws {
        try journal(level: "warning").tell(TraceEvent("error", ["why": .text("a\n\u{1B}[2Jb")]))
        let lines = try lines()
        #expect(lines.count == 1 && lines[0].hasSuffix("error: error why=a \u{FFFD}b"))
    }

    @Test func theTraceHoldsWhatTheLogDoesNot() throws {
        let trace = folder.path + "/trace"
        let journal = try journal(level: "error", trace: trace)
        journal.tell(TraceEvent("page", ["from": .integer(0), "to": .integer(1)]))
        journal.end(status: 130)
        let text = try String(contentsOfFile: trace, encoding: .utf8)
        #expect(text.contains(#""ev":"page","from":0,"to":1}"#) && text.contains(#""ev":"end","status":130}"#))
        #expect(try lines().isEmpty)
    }

    @Test func aLogThatWasAskedForAndCannotBeIsAnError() throws {
        let file = try folder.write("file", [0])
        #expect(throws: AppError("cannot open the log '\(file)/flick.log': Not a directory")) {
            let report = ReportSettings(log: file + "/flick.log")
            _ = try Journal(report, file: LogFile(path: report.logPath), clock: ProcessClock())
        }
    }

    @Test func aQuietRunLeavesNoLogThatNobodyAskedFor() throws {
        let report = ReportSettings(stateFolder: folder.path + "/state")
        #expect(report.logPath == folder.path + "/state/flick.log")
        let journal = try Journal(report, file: LogFile(path: report.logPath), clock: ProcessClock())
        journal.tell(TraceEvent("page"))
        #expect(!FileManager.default.fileExists(atPath: report.logPath))
        journal.tell(TraceEvent("gave_up"))
        #expect(FileManager.default.fileExists(atPath: report.logPath))
    }
}
