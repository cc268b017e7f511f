import Feeds
import Model
import UI

/// The feed that stands behind a part of it, until the user comes back. A value.
struct WholeFeed {
    var items: any ItemList & Sendable
    var pages: FeedPages?
    /// The page at which it was left.
    var index: Int
    /// How long its clips stay cached.
    var retention: Asset.Retention
}

/// The clips of one creator, or with one topic.
extension Browser {
    /// Reads a part of the feed, from its service or out of what is loaded, on a thread of its own.
    func open(_ part: FeedPart) {
        guard let watched = state.content?.item else { return }
        loader.load(part, of: whole?.items ?? state.items, at: library.link?.endpoint, keeping: watched)
    }

    func show(_ part: FeedPart, _ feed: Feed) {
        guard state.takes(part) else { return }
        if whole == nil {
            whole = WholeFeed(
                items: state.items, pages: pages, index: state.current, retention: pool.retention)
            // A creator or topic that the user opens is not the home feed, even if it was found in one.
            pool.retention = .lasting
        } else {
            pages?.cancel()
        }
        pages = feed.pages
        pageAhead = PageAhead(distance: pageAhead.distance)
        handle(Event.part(part, feed.items))
        warn(of: feed.warnings)
    }

    /// The grid shows these items.
    func wantStills(ofTiles shown: Range<Int>) -> [Event] {
        library.link?.recall(shown.map { state.items[$0] })
        // Those nearest to the chosen one come first.
        let chosen = state.grid?.chosen ?? shown.lowerBound
        return forPage(
            pool.wantStills(
                of: shown.map { (item: state.items[$0], offset: $0 - chosen) }, areInView: true, isHidden: state.hides))
    }

    /// Comes back to the whole feed, where it was left.
    func closePart() -> [Event] {
        guard let whole else { return [] }
        pages?.cancel()
        // A page that was on its way when the part was opened is read again.
        pool.retention = whole.retention
        (pages, pageAhead, self.whole) = (whole.pages, PageAhead(distance: pageAhead.distance), nil)
        return [.wholeFeed(whole.items, title: title, at: whole.index)]
    }
}
