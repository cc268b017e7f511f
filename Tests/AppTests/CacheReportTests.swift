import Engagement
import Feeds
import Foundation
import Model
import TestSupport
import Testing

@testable import App
@testable import Bytes
@testable import Cache

@Suite struct CacheReportTests {
    private let people = CacheReport(json: false, now: 1_000_000)
    private let json = CacheReport(json: true, now: 1_000_000)
    private let status = CacheInspection.Status(
        folder: "/home/u/.cache/flick", bytes: 337_641_472, limit: 524_288_000, entries: 50, offlineBytes: 10_485_760,
        offlineEntries: 2, version: 3, isSealed: true)
    private let entries = [
        CacheInspection.Entry(
            url: "https://example.org/v/otters.mp4", bytes: 13_002_342, length: 13_002_342, type: "video/mp4",
            lastUsed: 989_000, retention: .lasting, isWhole: true),
        CacheInspection.Entry(
            url: "https://example.org/v/a\u{1B}[2J.mp4", bytes: 5_242_880, length: 80_000_000, type: nil,
            lastUsed: 999_990, retention: .home, isWhole: false),
        CacheInspection.Entry(
            url: "https://example.org/live", bytes: 900, length: nil, type: "video/mp2t", lastUsed: 0,
            retention: .lasting,
            isWhole: false),
    ]

    @Test func theStatusHasALineForEachFigure() {
        #expect(
            people.status(status) == """
                folder     /home/u/.cache/flick
                cached     312 MB of 500 MB (62 %) in 48 entries
                offline    10 MB in 2 entries
                encrypted  yes
                version    3

                """)
        #expect(
            json.status(status)
                == #"{"folder":"/home/u/.cache/flick","bytes":337641472,"limit":524288000,"entries":50,"offline_bytes":10485760,"offline_entries":2,"version":3,"encrypted":true}"#
                + "\n")
    }

    @Test func theListIsInColumns() {
        #expect(
            people.list(entries) == """
                     SIZE  CACHED  LAST USED  TYPE        ADDRESS
                    12 MB  all     3 h ago    video/mp4   'https://example.org/v/otters.mp4'
                   5.0 MB  6 %     just now   -           'https://example.org/v/a\u{FFFD}[2J.mp4'
                900 bytes  -       11 d ago   video/mp2t  'https://example.org/live'

                """)
        #expect(people.list([]) == "the cache is empty\n")
    }

    /// On a terminal no line wraps, and clips have their titles.
    @Test func listFitsTheTerminal() {
        var report = people
        report.columns = 60
        report.titles = ["https://example.org/v/otters.mp4": "Otters\u{1B}[2J at play"]
        let lines = report.list(entries).split(separator: "\n").map(String.init)
        #expect(lines[0].hasSuffix("TYPE        CLIP"))
        #expect(lines[1].hasSuffix("video/mp4   Otters\u{FFFD} at play"))
        #expect(lines[2].hasSuffix("'https:/…\u{FFFD}[2J.mp4'") && lines.allSatisfy { $0.count <= 60 }, "\(lines)")
        var json = json
        json.titles = report.titles
        #expect(json.list([entries[0]]).contains(#""title":"Otters\u001b[2J at play""#))
    }

    /// A signature in an address changes, and the cache's address has none.
    @Test func clipsThatWereOnlyFetchedHaveTheirTitles() throws {
        let folder = TemporaryFolder()
        let path = folder.path + "/flick.db"
        let urls = ["https://example.org/v/otters.mp4?Signature=1&Expires=2", "https://example.org/other.mp4"]
        let items = urls.map { Item(id: $0, url: $0, title: "Otters") }
        try Store(path: path).apply(
            items.map { item in
                .fetched(
                    LibraryItem(
                        key: ItemKey(item), url: item.url, json: ItemJSON.line(item, source: "s"), feed: item.feed,
                        source: "s"))
            })
        #expect(cachedTitles(of: entries, library: path) == ["https://example.org/v/otters.mp4": "Otters"])
        #expect(cachedTitles(of: entries, library: nil).isEmpty && cachedTitles(of: [], library: path).isEmpty)
    }

    @Test func numbersOfADamagedIndexDoNotTrap() {
        var entry = entries[1]
        (entry.bytes, entry.length, entry.lastUsed) = (.max, 1, -.infinity)
        #expect(people.list([entry]).contains("99 %"))
        #expect(!json.list([entry]).isEmpty)
    }

    @Test func theListIsOneObjectPerLine() {
        let lines = json.list(entries).split(separator: "\n", omittingEmptySubsequences: false)
        #expect(lines.count == 4 && lines[3].isEmpty)
        #expect(
            lines[0] == #"{"url":"https://example.org/v/otters.mp4","bytes":13002342,"length":13002342,"whole":true,"#
                + #""type":"video/mp4","last_used":989000,"retention":"lasting"}"#)
        #expect(lines[1].hasSuffix(#""whole":false,"type":null,"last_used":999990,"retention":"home"}"#))
        #expect(
            lines[2]
                == #"{"url":"https://example.org/live","bytes":900,"length":null,"whole":false,"type":"video/mp2t","last_used":0,"retention":"lasting"}"#
        )
        #expect(lines.allSatisfy { !$0.contains("\u{1B}") })
        #expect(json.list([]).isEmpty)
    }

    @Test func damageIsReportedWithItsConsequence() {
        #expect(people.damage(entries[0], badBytes: 524_288) == "'https://example.org/v/otters.mp4': 512 KB damaged\n")
        #expect(json.damage(entries[2], badBytes: 3) == #"{"url":"https://example.org/live","bad_bytes":3}"# + "\n")
        var result = CacheInspection.Verification(entries: 48, bytes: 327_155_712, badBytes: 524_288, dropped: 1)
        #expect(
            people.verification(result)
                == "read 312 MB in 48 entries: 512 KB damaged and removed; will be downloaded again\n")
        #expect(
            json.verification(result) == #"{"entries":48,"bytes":327155712,"bad_bytes":524288,"dropped":1}"# + "\n")
        result = CacheInspection.Verification(entries: 1, bytes: 1_024, badBytes: 0, dropped: 0)
        #expect(people.verification(result) == "read 1.0 KB in 1 entry: no damage found\n")
    }

    @Test func clearReportsHowMuchWasFreed() {
        #expect(people.cleared(524_288_000) == "freed 500 MB\n")
        #expect(json.cleared(0) == "{\"freed\":0}\n")
    }
}

@Suite struct SetupCheckups {
    private let folder = TemporaryFolder()

    private func configuration(_ text: String) throws -> [Checkup] {
        Checkup.configuration(
            ConfigFile(path: try folder.write("config.toml", text.utf8), mustExist: true, home: nil))
    }

    @Test func aConfigurationWithoutMistakesIsOneLine() throws {
        let path = folder.path + "/config.toml"
        #expect(
            try configuration("cache.size = '1GB'") == [
                Checkup(subject: "configuration", verdict: .good, found: path, advice: nil)
            ])
        unlink(path)
        #expect(
            Checkup.configuration(ConfigFile(path: path, mustExist: false, home: nil)) == [
                Checkup(
                    subject: "configuration", verdict: .good, found: "\(path) does not exist; using the defaults",
                    advice: nil)
            ])
    }

    @Test func theListOfSourcesIsCheckedToo() throws {
        let config = folder.path + "/config.toml"
        func checkups(_ text: String) throws -> [Checkup] {
            try folder.write("config.toml.sources", text.utf8)
            return Checkup.sources(SourceFile(beside: config))
        }
        #expect(Checkup.sources(SourceFile(beside: config)).isEmpty)
        #expect(
            try checkups("/a\n/b\n") == [
                Checkup(subject: "sources", verdict: .good, found: "\(config).sources, 2", advice: nil)
            ])
        #expect(
            try checkups("/a\nweight = 50\nwieght = 2\n") == [
                Checkup(
                    subject: "sources", verdict: .limited, found: "\(config).sources line 2: the weight is 50",
                    advice: "expected a number from 0.1 to 10"),
                Checkup(
                    subject: "sources", verdict: .limited, found: "\(config).sources line 3: unknown key 'wieght'",
                    advice: "did you mean weight?"),
            ])
        try folder.write("config.toml.sources", [0xFF])
        let unreadable = Checkup.sources(SourceFile(beside: config))
        #expect(unreadable.count == 1 && unreadable[0].verdict == .limited && unreadable[0].found.contains("UTF-8"))
    }

    @Test func everyMistakeIsALineWithItsRemedy() throws {
        let path = folder.path + "/config.toml"
        #expect(
            try configuration("[cache]\nsise = 1\nlow_water = 7\n") == [
                Checkup(
                    subject: "configuration", verdict: .limited, found: "\(path) line 2: unknown key 'cache.sise'",
                    advice: "did you mean cache.size?"),
                Checkup(
                    subject: "configuration", verdict: .missing, found: "\(path) line 3: cache.low_water is 7",
                    advice: "expected a number from 0.1 to 1"),
            ])
    }

    @Test func doctorReportsTheCache() throws {
        #expect(Checkup.cache(nil).verdict == .limited)
        let path = folder.path + "/cache"
        #expect(
            Checkup.cache(CacheOptions(folder: path))
                == Checkup(
                    subject: "cache", verdict: .good,
                    found: "\(path) does not exist yet; it will be created on first use",
                    advice: nil
                ))
        try folder.folder("cache")
        #expect(
            Checkup.cache(CacheOptions(folder: path)).found.hasPrefix("\(path), 0 bytes of "))
        let file = try folder.write("file", [0])
        #expect(Checkup.cache(CacheOptions(folder: file)).verdict == .limited)
        let below = Checkup.cache(CacheOptions(folder: file + "/a/b"))
        #expect(below.verdict == .limited && below.found.hasPrefix("\(file)/a/b cannot be created: "))
    }
}
