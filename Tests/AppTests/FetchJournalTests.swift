import Bytes
import Foundation
import Model
import TestSupport
import Testing

@testable import App

@Suite struct FetchJournalTests {
    private func fetch(asset: String, to: Int64? = 99) -> Fetch {
        Fetch(
            asset: asset, url: "https://cdn.example/1.ts", from: 0, to: to, got: 100, source: .network, status: 206,
            time: .milliseconds(12))
    }

    @Test func aFetchIsOneLineOfTheTrace() {
        let line = String(
            decoding: TraceFile.line(FetchJournal.event(fetch(asset: "x"), item: "v1"), at: .seconds(1)), as: UTF8.self)
        #expect(
            line
                == #"{"t":1,"ev":"fetch","item":"v1","url":"https://cdn.example/1.ts","from":0,"to":99,"got":100,"source":"network","status":206,"ms":12}"#
                + "\n")
        let open = String(
            decoding: TraceFile.line(FetchJournal.event(fetch(asset: "x", to: nil), item: nil), at: .zero),
            as: UTF8.self)
        #expect(open.contains(#""to":null"#) && !open.contains("item"))
    }

    @Test func theTraceOfAFeedHasNoSecrets() {
        #expect(
            SourceName.text("https://me:pass@h.example/f.json?token=x&page=2 file:///a%20b/f.json -")
                == "https://h.example/f.json?token=…&page=2 file:///a%20b/f.json -")
    }

    @Test func theItemsOfTheLatestURLsAreKnown() {
        var items = WantedItems()
        items.note(Item(id: "a", url: "u0"))
        for number in 1...WantedItems.limit { items.note(Item(id: "\(number)", url: "u\(number)")) }
        #expect(items.id(ofURL: "u0") == nil)
        #expect(items.id(ofURL: "u1") == "1")
        items.note(Item(id: "again", url: "u1"))
        items.note(Item(id: "new", url: "new"))
        #expect(items.id(ofURL: "u1") == "again" && items.id(ofURL: "u2") == nil)
    }

    @Test func aFetchIsInTraceAndLog() throws {
        let folder = TemporaryFolder()
        let trace = folder.path + "/trace"
        let report = ReportSettings(trace: trace, logLevel: "debug", log: folder.path + "/log")
        let journal = FetchJournal(
            try Journal(report, file: LogFile(path: report.logPath), clock: ProcessClock()))
        #expect(journal.writesFetches)
        journal.note([Item(id: "v1", url: "https://example.org/1.m3u8")])
        journal.record(fetch(asset: "https://example.org/1.m3u8"))
        journal.record(cacheError: "the disk is full; nothing more is kept")
        let lines = try String(contentsOfFile: trace, encoding: .utf8)
        #expect(lines.contains(#""ev":"fetch","item":"v1""#))
        #expect(lines.contains(#""ev":"error","what":"cache","why":"the disk is full"#))
        #expect(try String(contentsOfFile: folder.path + "/log", encoding: .utf8).contains(" debug: fetch item=v1 "))
    }

    @Test(arguments: ["debug", "warning"]) func withoutATraceTheLogLevelDecidesWhetherFetchesAreReported(level: String)
        throws
    {
        let folder = TemporaryFolder()
        let report = ReportSettings(trace: nil, logLevel: level, log: folder.path + "/log")
        let journal = try Journal(report, file: LogFile(path: report.logPath), clock: ProcessClock())
        #expect(FetchJournal(journal).writesFetches == (level == "debug"))
    }
}
