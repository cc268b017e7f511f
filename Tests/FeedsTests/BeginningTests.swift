import Bytes
import Model
import Platform
import TestSupport
import Testing
import Threads

@testable import Feeds

/// Feeds that begin before all of them is read.
@Suite struct BeginningTests {
    /// Opens once.
    private let gate = Monitor(false)
    private func open() { gate.change { $0 = true } }

    private static func entries(_ numbers: Range<Int>) -> String {
        numbers.map { "<item><title>\($0)</title><enclosure url='https://h/\($0).mp4' type='video/mp4'/></item>" }
            .joined()
    }

    /// An RSS feed of 2,100 items. The last 100 arrive once the gate is open.
    private func long(_ end: String = "</channel></rss>", failure: BytesError? = nil) -> ScriptedProvider {
        ScriptedProvider { [gate] url, _ throws(BytesError) in
            guard url.hasSuffix("1.xml") else {
                return MadeSource(url: url, "<rss><channel>\(Self.entries(3_000..<3_010))</channel></rss>")
            }
            return MadeSource(url: url, failure: failure) { piece in
                switch piece {
                case 0: return "<rss><channel><title>Long</title>" + Self.entries(0..<2_000)
                case 1:
                    _ = gate.wait(upTo: .seconds(60)) { $0 ? true : nil }
                    return Self.entries(2_000..<2_100) + end
                default: return nil
                }
            }
        }
    }

    private func names(_ items: any ItemList) -> [String] {
        (0..<items.count).map { String(items[$0].url.dropFirst("https://h/".count).dropLast(4)) }
    }

    private var early: FeedOptions {
        var options = FeedOptions()
        options.beginsEarly = true
        return options
    }

    @Test func longFeedIsShownAfterItsFirstItems() throws {
        let feed = try loadFeed(sources: ["https://s/1.xml"], provider: long(), options: early)
        let (first, all) = ((0..<64).map { "\($0)" }, (0..<2_100).map { "\($0)" })
        #expect(feed.title == "Long")
        #expect(names(feed.items) == first)
        let pages = try #require(feed.pages)
        #expect(pages.isArriving && (pages as? FeedPages)?.next == "https://s/1.xml" && feed.next != nil)
        open()
        let rest = try #require(try pages.load())
        #expect(names(rest.items) == all)
        #expect(rest.added == 2_036 && rest.next == nil && rest.warnings.isEmpty && !pages.isArriving)
        // The handed-over items keep their places.
        #expect(names(feed.items) == first)
        #expect(try pages.load() == nil)
    }

    @Test func itsNextPageFollows() throws {
        let next = "<atom:link xmlns:atom='http://www.w3.org/2005/Atom' rel='next' href='2.xml'/></channel></rss>"
        let feed = try loadFeed(sources: ["https://s/1.xml"], provider: long(next), options: early)
        open()
        let pages = try #require(feed.pages)
        #expect(try pages.load()?.next == "https://s/2.xml")
        #expect(try pages.load().map { names($0.items).count } == 2_110)
    }

    @Test func interruptedRestIsReported() throws {
        let failure = BytesError(verb: .read, url: "https://s/1.xml", reason: .dropped)
        let feed = try loadFeed(sources: ["https://s/1.xml"], provider: long("", failure: failure), options: early)
        open()
        let rest = try #require(try feed.pages?.load())
        #expect(rest.items.count == 2_100 && rest.warnings.count == 1 && rest.next == nil)
    }

    /// A feed in another order, or only in part, is read whole, and so are fields that the end of a feed can change.
    @Test func feedsThatNeedAllItemsAreReadWhole() throws {
        open()
        for change: (inout FeedOptions) -> Void in [
            { $0.shuffle = 1 }, { $0.order = .newest }, { $0.limit = 150 }, { $0.beginsEarly = false },
        ] {
            var options = early
            change(&options)
            let feed = try loadFeed(sources: ["https://s/1.xml"], provider: long(), options: options)
            #expect(feed.items.count == options.limit ?? 2_100 && feed.pages == nil)
        }
        let items = (0..<200).map { "\"https://h/\($0).mp4\"" }.joined(separator: ",")
        let manifest = ScriptedProvider(["https://s/1.json": "{\"items\": [\(items)]}"])
        let feed = try loadFeed(sources: ["https://s/1.json"], provider: manifest, options: early)
        #expect(feed.items.count == 200 && feed.pages == nil)
    }

    // MARK: Late sources

    /// Two sources that answer at once, and one behind the gate.
    private func mixed(late: String = #"{"items": ["https://h/c1.mp4", "https://h/a1.mp4", "https://h/c2.mp4"]}"#)
        -> ScriptedProvider
    {
        ScriptedProvider { [gate] url, _ throws(BytesError) in
            func items(_ name: String) -> String {
                "{\"title\": \"\(name)\", \"items\": [\((1...20).map { "\"https://h/\(name)\($0).mp4\"" }.joined(separator: ","))]}"
            }
            switch url {
            case "https://a/1.json": return MadeSource(url: url, items("a"))
            case "https://b/1.json": return MadeSource(url: url, items("b"))
            default:
                _ = gate.wait(upTo: .seconds(60)) { $0 ? true : nil }
                if late.isEmpty { throw BytesError(verb: .open, url: url, reason: .status(503)) }
                return MadeSource(url: url, late)
            }
        }
    }

    private static let sources = ["https://c/1.json", "https://a/1.json", "https://b/1.json"]

    private func home(_ provider: ScriptedProvider, patience: Duration) throws -> (first: [String], pages: FeedPages) {
        var options = early
        options.mix = FeedOptions.Mix { $0.map { _ in false } }
        options.mix?.patience = patience
        let feed = try loadFeed(sources: Self.sources, provider: provider, options: options)
        #expect(feed.source.split(separator: " ").count == 3 && feed.title == "a, b, …")
        return (names(feed.items), try #require(feed.pages as? FeedPages))
    }

    @Test func lateSourceIsMixedIntoItemsNotShownYet() throws {
        let (first, pages) = try home(mixed(), patience: .seconds(60))
        #expect(first == ["a1", "b1", "a2", "b2", "a3", "b3", "a4", "b4"] && pages.isArriving)
        open()
        let page = try #require(try pages.load())
        let all = names(page.items)
        // "a1" is shown already.
        #expect(Array(all.prefix(8)) == first && all.count == 42 && all[8..<14].contains("c1"))
        #expect(page.added == 34 && page.next == nil && page.warnings.isEmpty && !pages.isArriving)
        #expect(try pages.load() == nil)
    }

    @Test func sourceAfterTheDeadlineIsAppended() throws {
        let (first, pages) = try home(mixed(), patience: .zero)
        let page = try #require(try pages.load())
        #expect(names(page.items).prefix(8) == first[...] && page.items.count == 40)
        #expect(page.warnings.count == 1 && page.warnings[0].contains("https://c/1.json"))
        #expect(page.next == "https://c/1.json" && !pages.isArriving)
        open()
        let end = try #require(try pages.load())
        #expect(names(end.items).suffix(2) == ["c1", "c2"] && end.items.count == 42 && end.next == nil)
    }

    /// The other source has further pages before and after it.
    @Test func sourceThatJoinsBetweenPagesStays() throws {
        let provider = ScriptedProvider { [gate] url, _ throws(BytesError) in
            guard let number = Int(url.dropFirst("https://a/".count).prefix { $0 != "." }), url.hasPrefix("https://a/")
            else {
                _ = gate.wait(upTo: .seconds(60)) { $0 ? true : nil }
                return MadeSource(url: url, #"{"items": ["https://h/c1.mp4"]}"#)
            }
            let next = "https://a/\(number + 1).json"
            return MadeSource(url: url, #"{"items": ["https://h/a\#(number).mp4"], "next": "\#(next)"}"#)
        }
        var options = early
        options.mix = FeedOptions.Mix { $0.map { _ in false } }
        options.mix?.patience = .zero
        let sources = ["https://c/1.json", "https://a/1.json"]
        let pages = try #require(try loadFeed(sources: sources, provider: provider, options: options).pages)
        var all: [String] = []
        func load() throws { all = names(try #require(try pages.load()).items) }
        for _ in 0..<3 { try load() }
        #expect(all == ["a1", "a2", "a3"])
        open()
        // Until its thread has read it, pages of the other one come.
        let joins = try holds(within: .seconds(10)) {
            try load()
            return all.last == "c1"
        }
        #expect(joins)
        let before = all
        for _ in 0..<2 { try load() }
        #expect(all == before + ["a\(before.count)", "a\(before.count + 1)"])
    }

    @Test func lateFailureIsReported() throws {
        let (_, pages) = try home(mixed(late: ""), patience: .seconds(60))
        open()
        let page = try #require(try pages.load())
        #expect(page.items.count == 40 && page.warnings.count == 1 && page.warnings[0].contains("503"))
        #expect(page.next == nil)
    }

    @Test func aFeedWithoutAnyAnswerFails() {
        open()
        let provider = ScriptedProvider { url, _ throws(BytesError) in
            throw BytesError(verb: .open, url: url, reason: .status(503))
        }
        var options = early
        options.mix = FeedOptions.Mix { $0.map { _ in false } }
        let result = Result { try loadFeed(sources: Self.sources, provider: provider, options: options) }
        #expect(throws: FeedsError.self) { try result.get() }
    }
}
