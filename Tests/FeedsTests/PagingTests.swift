import Bytes
import Foundation
import Model
import Synchronization
import TestSupport
import Testing
import Threads

@testable import Feeds

/// A provider of manifests that are made on request.
final class ScriptedProvider: ByteProvider {
    private let requests = Mutex<[ByteRequest]>([])
    var asked: [ByteRequest] { requests.withLock { $0 } }
    private let answer: @Sendable (_ url: String, _ attempt: Int) throws(BytesError) -> any ByteSource

    init(_ answer: @escaping @Sendable (_ url: String, _ attempt: Int) throws(BytesError) -> any ByteSource) {
        self.answer = answer
    }

    func forget() { requests.withLock { $0 = [] } }

    /// The same text every time, by URL.
    convenience init(_ pages: [String: String]) {
        self.init { url, _ throws(BytesError) in
            guard let page = pages[url] else { throw BytesError(verb: .open, url: url, reason: .system(ENOENT)) }
            return MadeSource(url: url, page)
        }
    }

    func open(_ request: ByteRequest, cancellation: Cancellation) throws(BytesError) -> any ByteSource {
        let attempt = requests.withLock { requests in
            requests.append(request)
            return requests.count { $0.url == request.url }
        }
        guard URLAccessPolicy.allows(request.url, from: request.asset.url) else {
            throw BytesError(verb: .open, url: request.url, reason: .forbidden)
        }
        return try answer(request.url, attempt)
    }
}

/// A source that makes its bytes while they are read, piece by piece, forwards only.
final class MadeSource: ByteSource {
    let url: String
    let length: Int64? = nil
    let isSeekable = false
    private struct Rest {
        var bytes: [UInt8] = []
        var begin: Int64 = 0
        var part = 0
    }
    private let rest = Mutex(Rest())
    private let make: @Sendable (Int) -> String?
    private let failure: BytesError?

    /// `make` returns a piece by its number from 0; nil at the end, or at `failure`.
    init(url: String, failure: BytesError? = nil, _ make: @escaping @Sendable (Int) -> String?) {
        self.url = url
        self.failure = failure
        self.make = make
    }

    convenience init(url: String, failure: BytesError? = nil, _ text: String) {
        self.init(url: url, failure: failure) { $0 == 0 ? text : nil }
    }

    func read(
        at offset: Int64, into buffer: UnsafeMutableRawBufferPointer, cancellation: Cancellation
    ) throws(BytesError) -> Int {
        let piece = rest.withLock { rest -> [UInt8]? in
            while rest.begin + Int64(rest.bytes.count) <= offset {
                guard let more = make(rest.part) else { return nil }
                rest.begin += Int64(rest.bytes.count)
                rest.bytes = Array(more.utf8)
                rest.part += 1
            }
            guard offset >= rest.begin else { return [] }
            return Array(rest.bytes[Int(offset - rest.begin)...].prefix(buffer.count))
        }
        guard let piece else {
            if let failure { throw failure }
            return 0
        }
        buffer.copyBytes(from: piece)
        return piece.count
    }
}

@Suite struct PagingTests {
    private func urls(_ items: any ItemList) -> [String] { (0..<items.count).map { items[$0].url } }

    private func all(_ feed: Feed) throws -> [String] {
        var items = feed.items
        while let page = try feed.pages?.load() { items = page.items }
        return urls(items)
    }

    @Test func pagesFollowEachOther() throws {
        let provider = ScriptedProvider([
            "https://h/feed.json": #"{"title": "T", "items": ["1.mp4", "2.mp4"], "next": "more/2?c=a"}"#,
            "https://h/more/2?c=a": #"{"items": ["3.mp4"], "next": "3"}"#, "https://h/more/3": #"["/4.mp4"]"#,
        ])
        let feed = try loadFeed(sources: ["https://h/feed.json"], provider: provider)
        #expect(feed.next == "https://h/more/2?c=a" && feed.title == "T")
        let page = try #require(try feed.pages?.load())
        #expect(page.added == 1 && page.url == "https://h/more/2?c=a" && page.next == "https://h/more/3")
        #expect(try all(feed) == ["1.mp4", "2.mp4", "more/3.mp4", "4.mp4"].map { "https://h/\($0)" })
        #expect(try feed.pages?.load() == nil)
        // Earlier lists do not change.
        #expect(feed.items.count == 2 && page.items.count == 3)
        let requests = provider.asked
        #expect(requests.allSatisfy { $0.role == .feed })
        #expect(requests.map(\.asset.url) == ["https://h/feed.json", "https://h/feed.json", "https://h/more/2?c=a"])
    }

    @Test func anEmptyFirstPageLeadsToTheNext() throws {
        let provider = ScriptedProvider([
            "https://h/a.json": #"{"items": [], "next": "b"}"#, "https://h/b": #"{"items": [], "next": "c"}"#,
            "https://h/c": #"["1.mp4"]"#,
        ])
        let feed = try loadFeed(sources: ["https://h/a.json"], provider: provider)
        #expect(urls(feed.items) == ["https://h/1.mp4"] && feed.pages == nil)
    }

    @Test func aCycleOfPagesEnds() throws {
        let provider = ScriptedProvider([
            "https://h/a.json": #"{"items": ["1.mp4"], "next": "b"}"#,
            "https://h/b": #"{"items": ["2.mp4"], "next": "c"}"#,
            "https://h/c": #"{"items": ["3.mp4"], "next": "b"}"#,
        ])
        #expect(try all(try loadFeed(sources: ["https://h/a.json"], provider: provider)).count == 3)
        let itself = ScriptedProvider(["https://h/a.json": #"{"items": ["1.mp4"], "next": "a.json"}"#])
        #expect(try loadFeed(sources: ["https://h/a.json"], provider: itself).pages == nil)
    }

    @Test(arguments: [#"[]"#, #"["1.mp4"]"#]) func pagesWithoutNewItemsEndTheFeed(items: String) throws {
        let provider = ScriptedProvider { url, _ in
            MadeSource(
                url: url, #"{"items": \#(url == "https://h/a.json" ? #"["1.mp4"]"# : items), "next": "\#(url)x"}"#)
        }
        let feed = try loadFeed(sources: ["https://h/a.json"], provider: provider)
        let page = try #require(try feed.pages?.load())
        #expect(page.added == 0 && page.next == nil && page.items.count == 1)
        #expect(page.warnings.count == 1)
        #expect(try feed.pages?.load() == nil)
        #expect(provider.asked.count == 1 + SourcePages.emptyLimit)
    }

    @Test(
        .timeLimit(.minutes(1)),
        arguments: [
            // Enough items, the same one again and again, nothing that may be
            // played. A feed of texts takes long in a debug build.
            ("<rss><channel>", "<item><enclosure url='%.mp4'/></item>", 5, 5),
            ("<rss><channel>", "<item><enclosure url='1.mp4'/><guid>1</guid></item>", 5, 5),
            ("#EXTM3U\n#EXTINF:1,a\na.mp4\n", "file:///etc/%.mp4\n", 5, 1),
            ("#EXTM3U\n#EXTINF:1,a\na.mp4\n", "%.mp4\n", 5, 5),
            ("[\"1.mp4\"", ",\"file:///etc/passwd\"", 5, 1),
        ])
    func endlessPageEnds(head: String, entry: String, limit: Int, count: Int) throws {
        // Other entries, and the same ones at the same places, would be new: their page is the first.
        let provider = ScriptedProvider { url, _ in
            MadeSource(url: url) { number in
                number == 0
                    ? head
                    : (0..<100).map { entry.replacingOccurrences(of: "%", with: "\(number * 100 + $0)") }.joined()
            }
        }
        let feed = try loadFeed(sources: ["https://h/feed"], provider: provider, options: FeedOptions(limit: limit))
        #expect(feed.items.count == count)
        #expect(feed.warnings.contains { $0.contains("stopped reading") } == (count < limit), "\(feed.warnings)")
    }

    @Test func pageEndsAfterAMinuteWithoutNewItems() {
        var idle = IdleEntries()
        let start = ContinuousClock.now
        idle.note(isNew: false, now: start)
        idle.note(isNew: false, now: start + .seconds(59))
        #expect(!idle.isOver)
        idle.note(isNew: true, now: start + .seconds(59))
        idle.note(isNew: false, now: start + .seconds(60))
        idle.note(isNew: false, now: start + .seconds(119))
        #expect(!idle.isOver)
        idle.note(isNew: false, now: start + .seconds(120))
        #expect(idle.isOver)
    }

    @Test func aFailedPageIsReadAgain() throws {
        let provider = ScriptedProvider { url, attempt throws(BytesError) in
            if url == "https://h/a.json" { return MadeSource(url: url, #"{"items": ["1.mp4"], "next": "b"}"#) }
            switch attempt {
            case 1: throw BytesError(verb: .open, url: url, reason: .system(ECONNREFUSED))
            case 2:
                let cut = BytesError(verb: .read, url: url, reason: .system(ECONNRESET))
                return MadeSource(url: url, failure: cut, #"{"items": ["2.mp4", "3.mp4", "4."#)
            default: return MadeSource(url: url, #"{"items": ["2.mp4", "3.mp4", "4.mp4"], "next": "c"}"#)
            }
        }
        let feed = try loadFeed(sources: ["https://h/a.json"], provider: provider)
        for _ in 0..<2 { #expect(throws: FeedsError.self) { try feed.pages?.load() } }
        let page = try #require(try feed.pages?.load())
        #expect(urls(page.items) == (1...4).map { "https://h/\($0).mp4" })
        #expect(page.next == "https://h/c")
    }

    /// The list of recent items forgets the two uses on the first page one after the other.
    @Test func repetitionIsNoticedAfterOlderUsesAreForgotten() {
        let clip = Item(id: "clip", url: "https://h/clip.mp4")
        var recent = RecentItems()
        var fillers = 0
        func fill(_ count: Int) {
            for _ in 0..<count {
                _ = recent.distinct(Item(id: "\(fillers)", url: "https://h/\(fillers).mp4"), page: 1)
                fillers += 1
            }
        }
        #expect(recent.distinct(clip, page: 1)?.id == "clip")
        fill(1)
        #expect(recent.distinct(clip, page: 1)?.id == "clip~2")
        fill(RecentItems.reach - 2)
        // The second use is still remembered.
        #expect(recent.distinct(clip, page: 2) == nil)
        fill(2)
        #expect(recent.distinct(clip, page: 2) != nil)
        fill(1)
        #expect(recent.distinct(clip, page: 3) == nil)
    }

    @Test func itemsOfABrokenPageAreNotRepeated() throws {
        // More items than the list of recent ones remembers.
        let items = (0..<RecentItems.reach + 1_000).map { "\"\($0).mp4\"" }
        let provider = ScriptedProvider { url, attempt throws(BytesError) in
            if url == "https://h/a.json" { return MadeSource(url: url, #"{"items": ["first.mp4"], "next": "b"}"#) }
            let cut = attempt < 4 ? BytesError(verb: .read, url: url, reason: .system(ECONNRESET)) : nil
            return MadeSource(
                url: url, failure: cut, #"{"items": [\#(items.joined(separator: ","))\#(cut == nil ? "]}" : ",")"#)
        }
        let feed = try loadFeed(sources: ["https://h/a.json"], provider: provider)
        for _ in 0..<3 {
            #expect(throws: FeedsError.self) { try feed.pages?.load() }
            #expect((feed.pages as? FeedPages)?.items.count == 1)
        }
        let page = try #require(try feed.pages?.load())
        #expect(page.added == items.count && page.items.count == 1 + items.count)
        #expect(
            page.items[0].url == "https://h/first.mp4"
                && page.items[items.count].url == "https://h/\(items.count - 1).mp4")
    }

    @Test func nextNeverLeadsFromTheNetworkToFiles() throws {
        for next in ["file:///etc/passwd", "ftp://h/x", "data:,x"] {
            let provider = ScriptedProvider([
                "https://h/a.json": #"{"items": ["1.mp4"], "next": "\#(next)", "engagement": "\#(next)"}"#
            ])
            let feed = try loadFeed(sources: ["https://h/a.json"], provider: provider)
            #expect(feed.pages == nil && feed.next == nil && feed.engagement == nil)
            #expect(feed.warnings.count == 2)
        }
        // A local manifest may lead to the network, whose pages must not lead back.
        let provider = ScriptedProvider([
            "file:///m/a.json": #"{"items": ["1.mp4"], "next": "https://h/b"}"#,
            "https://h/b": #"{"items": ["file:///etc/passwd", "2.mp4"], "next": "file:///m/a.json"}"#,
        ])
        #expect(
            try all(try loadFeed(sources: ["file:///m/a.json"], provider: provider)) == [
                "file:///m/1.mp4", "https://h/2.mp4",
            ])
    }

    @Test func repetitionsOfEarlierPagesAreSkippedAndIdsKeptApart() throws {
        let provider = ScriptedProvider([
            "https://h/a.json":
                #"{"items": [{"id": "a", "url": "1"}, {"id": "a", "url": "1"}, {"id": "b", "url": "2"}], "next": "b"}"#,
            "https://h/b": #"{"items": [{"id": "b", "url": "2"}, {"id": "b", "url": "3"}, {"id": "a~2", "url": "4"}]}"#,
        ])
        let feed = try loadFeed(sources: ["https://h/a.json"], provider: provider)
        let page = try #require(try feed.pages?.load())
        #expect((0..<page.items.count).map { page.items[$0].id } == ["a", "a~2", "b", "b~2", "a~2~2"])
        #expect(urls(page.items) == [1, 1, 2, 3, 4].map { "https://h/\($0)" })
    }

    @Test func limitAndShuffleHoldAcrossPages() throws {
        let pages = Dictionary(
            uniqueKeysWithValues: (0..<5).map { page in
                let items = (0..<10).map { "\"\(page * 10 + $0).mp4\"" }.joined(separator: ",")
                return ("https://h/\(page).json", #"{"items": [\#(items)], "next": "\#(page + 1).json"}"#)
            })
        let limited = try loadFeed(
            sources: ["https://h/0.json"], provider: ScriptedProvider(pages), options: FeedOptions(limit: 25))
        #expect(try all(limited).count == 25)
        let shuffled = try loadFeed(
            sources: ["https://h/0.json"], provider: ScriptedProvider(pages), options: FeedOptions(shuffle: 7))
        let first = urls(shuffled.items)
        var items = shuffled.items
        for _ in 0..<4 { items = try #require(try shuffled.pages?.load()).items }
        #expect(Array(urls(items).prefix(10)) == first && first != first.sorted())
        #expect(Set(urls(items)).count == 50)
    }

    @Test func allSourcesAreReadToTheirEnds() throws {
        let provider = ScriptedProvider([
            "https://h/a.json": #"{"items": ["1.mp4"], "next": "a2"}"#,
            "https://h/a2": #"{"items": ["5.mp4"], "next": "a3"}"#,
            "https://h/a3": #"["6.mp4"]"#,
            "https://h/b.json": #"{"items": ["3.mp4", "4.mp4"], "next": "b2"}"#, "https://h/b2": #"["7.mp4"]"#,
        ])
        let sources = ["https://h/a.json", "https://h/2.mp4", "https://h/b.json"]
        let feed = try loadFeed(sources: sources, provider: provider)
        #expect(feed.next == "https://h/a2" && feed.items.count == 4)
        #expect(try all(feed) == (1...7).map { "https://h/\($0).mp4" })
        #expect(try feed.pages?.load() == nil && (feed.pages as? FeedPages)?.next == nil)
        let limited = try loadFeed(sources: sources, provider: provider, options: FeedOptions(limit: 6))
        #expect(try all(limited) == (1...6).map { "https://h/\($0).mp4" })
        let shuffled = try loadFeed(sources: sources, provider: provider, options: FeedOptions(shuffle: 3))
        let (first, whole) = (urls(shuffled.items), try all(shuffled))
        #expect(Array(whole.prefix(4)) == first && Set(whole).count == 7)
        #expect(try loadFeed(sources: sources, provider: provider, options: FeedOptions(limit: 4)).pages == nil)
    }

    @Test func aFailingManifestDoesNotBlockTheOthers() throws {
        let provider = ScriptedProvider { url, attempt throws(BytesError) in
            switch url {
            case "https://h/a.json": return MadeSource(url: url, #"{"items": ["1.mp4"], "next": "a2"}"#)
            case "https://h/b.json": return MadeSource(url: url, #"{"items": ["2.mp4"], "next": "b2"}"#)
            case "https://h/b2": return MadeSource(url: url, #"["3.mp4"]"#)
            default:
                guard attempt > 2 else { throw BytesError(verb: .read, url: url, reason: .system(ECONNRESET)) }
                return MadeSource(url: url, #"["4.mp4"]"#)
            }
        }
        let pages = try #require(
            try loadFeed(sources: ["https://h/a.json", "https://h/b.json"], provider: provider).pages)
        #expect(throws: FeedsError.self) { try pages.load() }
        #expect(urls(try #require(try pages.load()).items) == (1...3).map { "https://h/\($0).mp4" })
        #expect(throws: FeedsError.self) { try pages.load() }
        #expect(urls(try #require(try pages.load()).items) == (1...4).map { "https://h/\($0).mp4" })
    }

    @Test func theItemInViewStaysWhenTheFeedIsReadAgain() throws {
        let provider = ScriptedProvider([
            "https://h/a.json": #"{"items": ["1.mp4"], "next": "b"}"#, "https://h/b": #"["2.mp4", "9.mp4"]"#,
        ])
        let pages = try #require(try loadFeed(sources: ["https://h/a.json"], provider: provider).pages)
        let watched = Item(id: ItemID.hash(of: "https://h/9.mp4"), url: "https://h/9.mp4")
        #expect(urls(pages.keep(watched)) == ["https://h/9.mp4", "https://h/1.mp4"])
        #expect(urls(try #require(try pages.load()).items) == [9, 1, 2].map { "https://h/\($0).mp4" })
        #expect(urls(pages.keep(Item(id: ItemID.hash(of: "https://h/1.mp4"), url: "https://h/1.mp4"))).count == 3)
        // The user has turned to another one meanwhile: the first stays in the list.
        let next = Item(id: ItemID.hash(of: "https://h/8.mp4"), url: "https://h/8.mp4")
        #expect(urls(pages.keep(next)) == [8, 9, 1, 2].map { "https://h/\($0).mp4" })
    }

    @Test func serversAreQueriedOnlyIfTheNameDoesNotDecide() throws {
        let provider = ScriptedProvider([
            "https://h/feed": #" {"items": ["a.mp4"]}"#, "https://h/clip": "\u{0}\u{0}ftyp",
        ])
        for name in ["a.mp4", "a.mpd", "a.webm#t"] {
            #expect(try Source.parse("https://h/\(name)", provider: provider) == .clip("https://h/\(name)"))
        }
        #expect(
            try Source.parse("https://h/a.json?c=/x.mp4", provider: provider) == .feed("https://h/a.json?c=/x.mp4"))
        #expect(provider.asked.isEmpty)
        #expect(try Source.parse("https://h/feed", provider: provider) == .feed("https://h/feed"))
        #expect(try Source.parse("https://h/clip", provider: provider) == .clip("https://h/clip"))
    }
}

/// The page that links to an item, for `URLAccessPolicy`.
@Suite struct LeaderTests {
    private static let pages = [
        "http://a.example/1": #"{"items": ["http://x.example/1", "http://x.example/2"], "next": "http://b.example/2"}"#,
        "http://b.example/2": #"{"items": ["http://x.example/3"], "next": "http://b.example/3"}"#,
        "http://b.example/3": #"{"items": ["http://x.example/4"]}"#,
        "file:///1.json": #"{"items": ["http://x.example/0"], "next": "http://a.example/1"}"#,
    ]

    private func leaders(_ source: String, _ provider: ScriptedProvider) throws -> [String?] {
        var feed = try loadFeed(sources: [source], provider: provider)
        while let page = try feed.pages?.load() { feed.items = page.items }
        return (0..<feed.items.count).map { feed.items[$0].feed }
    }

    @Test func theFirstPageDecidesForAllItems() throws {
        let provider = ScriptedProvider(Self.pages)
        let first = "http://a.example/1"
        #expect(try leaders(first, provider) == [first, first, first, first])
        #expect(
            provider.asked.suffix(2).map(\.asset) == [first, "http://b.example/2"].map { Asset(url: $0, feed: first) })
    }

    @Test func afterALocalPageTheFirstPageFromTheNetworkDecides() throws {
        let first = "http://a.example/1"
        #expect(
            try leaders("file:///1.json", ScriptedProvider(Self.pages))
                == ["file:///1.json", first, first, first, first])
    }

    @Test func clipsNamedByTheUserHaveNoFeed() throws {
        #expect(try leaders("http://a.example/clip.mp4", ScriptedProvider([:])) == [nil])
    }

    @Test func theRuleForPrivateHostsAppliesToManifests() throws {
        let provider = ScriptedProvider(["http://a.example/f.json": #"["http://10.0.0.1/a", "http://x.example/b"]"#])
        func count(_ rule: URLAccessPolicy.PrivateHosts) throws -> Int {
            try loadFeed(
                sources: ["http://a.example/f.json"], provider: provider, options: FeedOptions(privateHosts: rule)
            ).items.count
        }
        #expect(try count(.sameOrigin) == 1)
        #expect(try count(.always) == 2)
    }
}
