import Feeds
import Model
import Testing

@testable import App

/// The items of a feed with further pages, one by one.
@Suite struct FeedIteratorTests {
    private let items = ["a", "b", "c"].map { Item(id: $0, url: "file:///clips/\($0).mp4") }

    /// A feed of two items, whose further pages answer like this.
    private func feed(_ answers: ScriptedPages.Answer...) -> Feed {
        var feed = Feed(title: nil, items: Array(items.prefix(2)), pages: ScriptedPages(answers), source: "")
        feed.withoutMedia = 4
        return feed
    }

    /// All three items.
    private func page(withoutMedia: Int) -> ScriptedPages.Answer {
        .success(
            FeedPages.Page(url: "page", items: items, added: 1, next: "page", warnings: [], withoutMedia: withoutMedia))
    }

    @Test func itemsOfAllPagesComeInOrder() throws {
        // The second page adds no item.
        var iterator = FeedIterator(feed(page(withoutMedia: 2), page(withoutMedia: 1)))
        var (ids, pages): ([Item.ID], [Int]) = ([], [])
        while let item = try iterator.next(beforePage: { pages.append(ids.count) }) { ids.append(item.id) }
        #expect(ids == ["a", "b", "c"])
        #expect(pages == [2, 3, 3])
        #expect(iterator.withoutMedia == 7)
    }

    @Test func pageThatFailsIsRequestedAgain() throws {
        var iterator = FeedIterator(feed(.failure(.noSources), page(withoutMedia: 0)))
        var ids = [try iterator.next()?.id, try iterator.next()?.id]
        var failure: AppError?
        do throws(AppError) { _ = try iterator.next() } catch { failure = error }
        #expect(failure?.message == "Couldn't load more: \(FeedsError.noSources)")
        ids.append(try iterator.next()?.id)
        #expect(ids == ["a", "b", "c"])
    }
}
