import Foundation
import Logging
import Model
import TestSupport
import Testing
import UI

@testable import App

@Suite struct LogTests {
    private static let recovery = TraceEvent.recover(item: "v1", check: "worker", attempt: 2, why: "it hangs")
    private static let page = TraceEvent.page(item: nil, from: 0, to: 1)
    private static let picture = TraceEvent.picture(
        item: "v1", pts: .milliseconds(40), bytes: 10, cells: 5, took: .microseconds(1_500))

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
        (TraceEvent.error(what: "play", why: ""), Logger.Level.error),
        (.gaveUp(item: "v1", check: "hung", attempt: 3, why: ""), .error), (recovery, .warning),
        (.watchdog(item: "v1", check: "hung", attempt: 0, why: ""), .warning),
        (.worker(item: nil, pid: 1, state: .exit, status: nil), .warning),
        (.worker(item: nil, pid: 1, state: .killed, status: nil), .debug),
        (.worker(item: nil, pid: 1, state: .spawn, status: nil), .debug), (.stall(item: "v1"), .notice),
        (.end(status: 0), .info), (page, .debug), (picture, .trace),
    ])
    func problemsHaveAHigherLevelThanNormalEvents(event: TraceEvent, level: Logger.Level) {
        #expect(LogEntry.level(of: event) == level)
    }

    @Test func aLogLineHasAllFieldsOfTheEvent() {
        #expect(LogEntry.text(of: Self.recovery) == "recover item=v1 check=worker attempt=2 why=it hangs")
        let picture = "picture item=v1 pts=0.04 bytes=10 cells=5 ms=1.5"
        #expect(LogEntry.text(of: Self.picture) == picture)
        #expect(LogEntry.text(of: .feed(source: "s", items: 2, next: nil)) == "feed source=s items=2")
    }

    @Test func eventsBelowTheLogLevelAreNotLogged() throws {
        let journal = try journal(level: "warning")
        journal.record(Self.picture)
        journal.record(Self.page)
        journal.record(Self.recovery)
        journal.warn("the second of two")
        let lines = try lines()
        #expect(lines.count == 2)
        #expect(lines.first?.hasSuffix(" warning: recover item=v1 check=worker attempt=2 why=it hangs") == true)
        #expect(lines.last?.hasSuffix(" warning: the second of two") == true)
    }

    @Test func everyEventIsThereAtTheLowestLevel() throws {
        let journal = try journal(level: "trace")
        for event in [Self.picture, Self.page, .error(what: "play", why: "")] { journal.record(event) }
        #expect(try lines().count == 3)
    }

    @Test func aLogLineHasNoLineBreaksOrControlCharacters() throws {
        try journal(level: "warning").record(.error(what: "play", why: "a\n\u{1B}[2Jb"))
        let lines = try lines()
        #expect(lines.count == 1 && lines[0].hasSuffix("error: error what=play why=a \u{FFFD}b"))
    }

    @Test func theTraceHasEventsBelowTheLogLevel() throws {
        let trace = folder.path + "/trace"
        let journal = try journal(level: "error", trace: trace)
        journal.record(Self.page)
        journal.end(status: 130)
        let text = try String(contentsOfFile: trace, encoding: .utf8)
        #expect(text.contains(#""ev":"page","from":0,"to":1}"#) && text.contains(#""ev":"end","status":130}"#))
        #expect(try lines().isEmpty)
    }

    @Test func complaintIsRecordedAndShown() throws {
        let journal = try journal(level: "error")
        let shown = [
            journal.complaint(of: "comments", "no answer"),
            journal.complaint(of: "cache", "the disk is full", as: .remark),
        ].map { if case .notice(let text, let kind) = $0 { "\(text), \(kind)" } else { "" } }
        #expect(shown == ["no answer, failure", "the disk is full, remark"])
        let lines = try lines()
        #expect(lines.first?.hasSuffix(" error: error what=comments why=no answer") == true)
        #expect(lines.last?.hasSuffix(" error: error what=cache why=the disk is full") == true)
    }

    /// Several processes may write it.
    @Test func aLogLineHasTheProcess() throws {
        try journal(level: "info").note("as it should be")
        let words = try #require(try lines().first).split(separator: " ", maxSplits: 2)
        #expect(words.count == 3 && words[1] == "\(getpid())" && words[2] == "info: as it should be")
        try journal(level: "notice").note("more of it")
        #expect(try lines().count == 1)
    }

    @Test func unknownLevelLogsWarnings() throws {
        let journal = try journal(level: "loud")
        journal.record(.stall(item: "v1"))
        journal.record(Self.recovery)
        #expect(try lines().map { $0.contains(" warning: recover ") } == [true])
    }

    @Test func traceHasThePicturesOfOneRun() throws {
        let trace = folder.path + "/trace"
        #expect(try !journal(level: "trace").writesPictures)
        for status in [7, 8] as [Int32] {
            let journal = try journal(level: "error", trace: trace)
            #expect(journal.writesPictures)
            journal.record(Self.picture)
            journal.end(status: status)
        }
        let lines = try String(contentsOfFile: trace, encoding: .utf8).split(separator: "\n")
        #expect(lines.count == 2 && lines.last?.hasSuffix(#""ev":"end","status":8}"#) == true)
    }

    @Test func aNamedLogThatCannotBeWrittenIsAnError() throws {
        let file = try folder.write("file", [0])
        #expect(throws: AppError("cannot open the log '\(file)/flick.log': not a directory")) {
            let report = ReportSettings(log: file + "/flick.log")
            _ = try Journal(report, file: LogFile(path: report.logPath), clock: ProcessClock())
        }
    }

    @Test func runWithoutErrorsWritesNoLog() throws {
        let report = ReportSettings(stateFolder: folder.path + "/state")
        #expect(report.logPath == folder.path + "/state/flick.log")
        let journal = try Journal(report, file: LogFile(path: report.logPath), clock: ProcessClock())
        journal.record(Self.page)
        #expect(!FileManager.default.fileExists(atPath: report.logPath))
        journal.record(.gaveUp(item: "v1", check: "hung", attempt: 3, why: ""))
        #expect(FileManager.default.fileExists(atPath: report.logPath))
    }

    @Test func theDefaultLogBecomesTheOlderOneAtItsLimit() throws {
        let (one, other) = (LogFile(path: path, limit: 100), LogFile(path: path, limit: 100))
        for number in 0..<30 { (number.isMultiple(of: 3) ? other : one).append("line \(number) of some length\n") }
        let older = try String(contentsOfFile: path + ".1", encoding: .utf8).split(separator: "\n").map(String.init)
        // Among both writers, no recent line is lost or repeated.
        #expect(
            older + (try lines()) == (30 - older.count - (try lines().count)..<30).map { "line \($0) of some length" })
        for file in [path, path + ".1"] {
            #expect(try FileManager.default.attributesOfItem(atPath: file)[.size] as? Int ?? 0 < 125)
        }
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path + "/a/b").count == 2)
    }

    @Test func aLogThatTheUserNamedIsNeverCut() throws {
        let report = ReportSettings(log: path)
        for _ in 0..<3 { report.logFile.append(String(repeating: "x", count: LogFile.most) + "\n") }
        #expect(try lines().count == 3)
        #expect(!FileManager.default.fileExists(atPath: path + ".1"))
    }
}
