import Feeds
import Model

extension Feed {
    /// The feed with one more file of subtitles, before their own, for all items and those of further pages.
    func with(_ captions: CaptionLink) -> Feed {
        var feed = self
        feed.items = SubtitledList(items: items, captions: captions)
        feed.pages = pages.map { SubtitledPages(pages: $0, captions: captions) }
        return feed
    }
}

/// The further pages of such a feed. Any thread that may block; only `isArriving` never blocks.
private final class SubtitledPages: FurtherPages {
    private let pages: any FurtherPages
    private let captions: CaptionLink

    init(pages: any FurtherPages, captions: CaptionLink) { (self.pages, self.captions) = (pages, captions) }

    var isArriving: Bool { pages.isArriving }

    func load() throws(FeedsError) -> FeedPages.Page? {
        var page = try pages.load()
        if let items = page?.items { page?.items = SubtitledList(items: items, captions: captions) }
        return page
    }

    func keep(_ item: Item) -> any ItemList { SubtitledList(items: pages.keep(item), captions: captions) }

    func cancel() { pages.cancel() }
}

/// Items that all have one more file of subtitles, before their own. A value.
private struct SubtitledList: ItemList {
    let items: any ItemList
    let captions: CaptionLink

    var count: Int { items.count }

    subscript(index: Int) -> Item {
        var item = items[index]
        item.captions.insert(captions, at: 0)
        return item
    }

    func id(at index: Int) -> Item.ID { items.id(at: index) }
}

extension CaptionLink {
    /// A file that the user names: a path or a URL.
    init(named text: String) {
        let isURL = URLParts(text)?.scheme != nil
        self.init(url: isURL ? text : FileURL.url(path: FileURL.absolute(Array(text.utf8))))
    }
}
