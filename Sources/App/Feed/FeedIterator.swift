import Feeds
import Model

/// Goes through the items of a feed, over all its pages, and prints warnings on
/// standard error. A value; blocks while a page is read.
struct FeedIterator {
    private let pages: (any FurtherPages)?
    private var items: any ItemList
    private var index = 0
    private(set) var withoutMedia: Int

    init(_ feed: Feed) {
        (pages, items, withoutMedia) = (feed.pages, feed.items, feed.withoutMedia)
        for warning in feed.warnings { printError("flick: \(warning)") }
    }

    /// The next item; nil at the end.
    ///
    /// - Parameter beforePage: called before another page is read, as that may take long.
    mutating func next(beforePage: () -> Void = {}) throws(AppError) -> Item? {
        while index >= items.count {
            beforePage()
            guard let pages, let page = try Self.more(of: pages) else { return nil }
            for warning in page.warnings { printError("flick: \(warning)") }
            items = page.items
            withoutMedia += page.withoutMedia
        }
        defer { index += 1 }
        return items[index]
    }

    private static func more(of pages: any FurtherPages) throws(AppError) -> FeedPages.Page? {
        do throws(FeedsError) { return try pages.load() } catch { throw AppError("Couldn't load more: \(error)") }
    }
}
