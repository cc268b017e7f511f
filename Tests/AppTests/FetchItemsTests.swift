import Bytes
import Engagement
import Feeds
import Model
import Ranking
import TestSupport
import Testing

@testable import App

/// What `flick fetch` chooses, remembers and prints. The transfers are in `WholeFileTests`.
@Suite struct FetchItemsTests {
    private static let items = (0..<6).map { number in
        Item(
            id: "i\(number)", url: "https://h.example/\(number).mp4", title: "Title \(number)",
            feed: "https://h.example/feed.json")
    }
    private let folder = TemporaryFolder()
    private var path: String { folder.path + "/flick.db" }

    private final class FailingPages: FurtherPages {
        var isArriving: Bool { false }
        func load() throws(FeedsError) -> FeedPages.Page? { throw .noSources }
        func keep(_ item: Item) -> any ItemList { [item] }
        func cancel() {}
    }

    // MARK: The choice

    @Test func unseenItemsAreChosenFirstAndHiddenOnesNever() throws {
        let seen = [Self.items[0], Self.items[2]].map { item in
            LibraryItem(key: ItemKey(item), url: item.url, json: "{}", feed: item.feed, source: "s")
        }
        try Store(path: path).apply(seen.map { .seen($0, at: 1) })
        let feed = Feed(title: nil, items: Self.items, source: "s")
        let hidden = HiddenRules([HideRule(clip: Self.items[1])])
        let (choice, failure) = try choose(from: feed, limit: 4, hidden: hidden, libraryPath: path)
        #expect(choice.items.map(\.id) == ["i3", "i4", "i5", "i0"] && failure == nil)
        // Nothing is remembered.
        let all = try choose(from: feed, limit: 4, hidden: hidden, libraryPath: nil).choice
        #expect(all.items.map(\.id) == ["i0", "i2", "i3", "i4"])
    }

    @Test func itemsBeforeAnUnreadablePageAreFetched() throws {
        let feed = Feed(title: nil, items: Array(Self.items.prefix(2)), pages: FailingPages(), source: "s")
        let (choice, failure) = try choose(from: feed, limit: 4, hidden: HiddenRules(), libraryPath: nil)
        #expect(choice.items.map(\.id) == ["i0", "i1"])
        #expect(failure?.message.hasPrefix("Couldn't load more: nothing to play") == true)
        // The page is not needed.
        #expect(try choose(from: feed, limit: 2, hidden: HiddenRules(), libraryPath: nil).failure == nil)
    }

    // MARK: The library

    @Test func fetchedItemIsRememberedWithItsFeed() {
        let item = Self.items[3]
        let feed = Feed(
            title: nil, items: [item], engagement: "https://h.example/api",
            source: "https://me:secret@h.example/feed.json")
        let source = "https://h.example/feed.json"
        #expect(
            LibraryItem(fetched: item, from: feed)
                == LibraryItem(
                    key: ItemKey(item), url: item.url, json: ItemJSON.line(item, source: source), feed: item.feed,
                    source: source, endpoint: "https://h.example/api"))
        // A list of the library changes nothing of where its items are from.
        let saved = LibraryItem(fetched: item, from: Feed(title: nil, items: [item], source: "library:saved"))
        #expect(saved.source.isEmpty && saved.feed == source && saved.endpoint == nil)
    }

    // MARK: Lines

    private func captions(_ count: Int, missing: Int = 0, why: String? = nil) -> KeptCaptions {
        var captions = KeptCaptions()
        (captions.count, captions.missing, captions.why) = (count, missing, why)
        return captions
    }

    private func line(_ result: WholeFile, _ captions: KeptCaptions = KeptCaptions(), json: Bool = false) -> String {
        FetchReport.text(result, captions, of: Self.items[3], number: 7, json: json)
    }

    @Test(
        arguments: [
            (.whole(bytes: 2_048, fetched: 0), "already downloaded, 2.0 KB"),
            (.whole(bytes: 2_048, fetched: 1_024), "downloaded, 2.0 KB"),
            (.stream, "skipped: streams cannot be downloaded"),
            (.tooLarge(bytes: 3_072), "skipped: no room for its 3.0 KB; see cache.size"),
            (.failed("gone\nfor good"), "incomplete: gone for good"),
        ] as [(WholeFile, String)])
    func resultIsInWords(result: WholeFile, words: String) {
        #expect(line(result) == "7\t\(words)\tTitle 3")
    }

    @Test func subtitlesAreCounted() {
        let whole = WholeFile.whole(bytes: 2_048, fetched: 1_024)
        #expect(line(whole, captions(2)) == "7\tdownloaded, 2.0 KB, subtitles: 2\tTitle 3")
        #expect(
            line(whole, captions(1, missing: 2, why: "gone"))
                == "7\tdownloaded, 2.0 KB, subtitles: 1 of 3: gone\tTitle 3")
    }

    @Test func objectHasWhatIsKnown() {
        let start = #"{"id":"i3","url":"https://h.example/3.mp4","state":"#
        let whole = WholeFile.whole(bytes: 2_048, fetched: 1_024)
        #expect(
            line(whole, captions(1, missing: 2, why: "gone"), json: true) == start
                + #""whole","bytes":2048,"fetched":1024,"subtitles":1,"subtitles_missing":2,"subtitles_why":"gone"}"#)
        #expect(line(whole, json: true) == start + #""whole","bytes":2048,"fetched":1024}"#)
        #expect(line(.tooLarge(bytes: 3_072), json: true) == start + #""too_large","bytes":3072}"#)
        #expect(line(.failed("gone"), json: true) == start + #""failed","why":"gone"}"#)
        #expect(line(.stream, json: true) == start + #""stream"}"#)
    }
}
