import Feeds
import Foundation
import Model
import Testing

@testable import App

/// Feeds whose items all have one more file of subtitles, which the user names.
@Suite struct SubtitledFeedTests {
    private let users = CaptionLink(url: "file:///subtitles/users.srt")
    private let own = CaptionLink(url: "https://h.example/own.vtt", language: "en")

    /// The second item has its own subtitles.
    private var items: [Item] {
        var items = ["a", "b"].map { Item(id: $0, url: "https://h.example/\($0).mp4") }
        items[1].captions = [own]
        return items
    }

    private func captions(_ list: any ItemList) -> [[CaptionLink]] { (0..<list.count).map { list[$0].captions } }

    @Test func subtitlesOfTheUserComeBeforeThoseOfTheFeed() {
        let feed = Feed(title: "T", items: items, source: "s").with(users)
        #expect(captions(feed.items) == [[users], [users, own]])
        #expect((0..<2).map { feed.items.id(at: $0) } == ["a", "b"] && feed.items[1].id == "b")
        #expect(feed.title == "T" && feed.source == "s" && feed.pages == nil)
    }

    @Test func furtherPagesHaveTheSubtitlesToo() throws {
        let page = FeedPages.Page(url: "second", items: items, added: 1, next: "third", warnings: ["odd"])
        let pages = ScriptedPages([.success(page), .failure(.noSources)], items: items, isArriving: true)
        let subtitled = try #require(Feed(title: nil, items: items, pages: pages, source: "").with(users).pages)
        #expect(subtitled.isArriving)
        let kept = subtitled.keep(Item(id: "c", url: "https://h.example/c.mp4"))
        #expect(captions(kept) == [[users], [users], [users, own]] && kept.id(at: 0) == "c")
        let found = try #require(try subtitled.load())
        #expect(captions(found.items) == [[users], [users, own]])
        #expect(found.url == "second" && found.added == 1 && found.next == "third" && found.warnings == ["odd"])
        #expect(throws: FeedsError.noSources) { try subtitled.load() }
        #expect(try subtitled.load() == nil && pages.cancels == 0)
        subtitled.cancel()
        #expect(pages.cancels == 1)
        let others = Feed(title: nil, items: items, pages: ScriptedPages(), source: "").with(users)
        #expect(others.pages?.isArriving == false)
    }

    @Test func subtitlesAreNamedByAPathOrAURL() {
        #expect(CaptionLink(named: "https://h.example/a.vtt").url == "https://h.example/a.vtt")
        #expect(CaptionLink(named: "/subtitles/a b.srt").url == "file:///subtitles/a%20b.srt")
        let folder = FileManager.default.currentDirectoryPath
        #expect(CaptionLink(named: "a.srt").url == FileURL.url(path: "\(folder)/a.srt".utf8))
    }
}
