import Feeds
import Model
import UI

// The feed: showing it, reading it again, and adding its further pages.
extension Browser {
    /// - Parameter point: where it goes on, if it is the first one.
    func show(_ feed: Feed, from point: ReturnPoint) {
        whole?.pages?.cancel()
        pages?.cancel()
        if let whole { pool.retention = whole.retention }
        (pages, whole, title) = (feed.pages, nil, feed.title)
        pageAhead = PageAhead(distance: pageAhead.distance)
        recordFeed(feed)
        follow(feed)
        if state.items.count == 0 {
            state.options.startIndex = settings.startIndex(from: point)
            goOn(at: point, of: feed.items.count)
        }
        handle(Event.service(takesComments: library.link?.takesComments ?? false))
        handle(Event.feed(feed.items, title: feed.title))
        warn(of: feed.warnings)
    }

    func recordFeed(_ feed: Feed) {
        library.link?.source = LibrarySource([FeedSource(feed.source)]) == nil ? SourceName.text(feed.source) : ""
        library.link?.endpoint = feed.engagement
        source = feed.source
        handle(Event.cachedFeed(age: feed.cachedAge))
        recordPage(feed.source, items: feed.items.count, next: feed.next)
    }

    /// Follows what comes to the feed's folders and goes from them, in place of those of the feed before. A feed with
    /// further pages is left as it is: its list is that of its pages.
    func follow(_ feed: Feed) {
        follower?.end()
        follower = nil
        guard !feed.folders.isEmpty, feed.pages == nil else { return }
        let (new, inbox) = (FolderFollower(feed.folders, items: feed.items), inbox)
        guard new.begin(changed: { inbox.post(.folders(new, $0)) }) else {
            return journal.warn("feed: its folders are not watched for changes: out of threads")
        }
        follower = new
    }

    /// Files came to the folders, or went.
    func receive(_ change: FolderFollower.Change) {
        recordPage(source, items: change.items.count, next: nil)
        if let whole {
            // The part that stands in the feed's place stays as it is.
            let left = whole.index < whole.items.count ? whole.items.id(at: whole.index) : nil
            let index = left.flatMap { change.items.index(of: $0, near: whole.index) }
            self.whole = WholeFeed(
                items: change.items, pages: whole.pages,
                index: index ?? max(0, min(whole.index, change.items.count - 1)), retention: whole.retention)
        } else {
            handle(Event.changed(change.items, hasLost: change.lost > 0))
        }
        if change.new > 0 {
            handle(Event.notice(change.new == 1 ? "1 new clip" : "\(change.new) new clips", .remark))
        }
    }

    /// The feed begins: long clips go on where they were left, and a toast says why it does not begin at its first
    /// item.
    func goOn(at point: ReturnPoint, of count: Int) {
        handle(pool.goOn(at: point.places, now: clock.now))
        switch point.start {
        case .top: break
        case .new(let count): handle(Event.notice("\(count) new"))
        case .resumed(let page):
            let words = "Resumed at \(page + 1) of \(count)"
            handle(Event.notice(state.offering(.first, "first", after: words)))
        }
        if let start = settings.start, count > 0, start >= count {
            handle(Event.notice("No item \(start + 1); started at the last, \(count)", .failure))
        }
    }

    private func recordPage(_ source: String, items: Int, next: String?) {
        journal.record(.feed(source: SourceName.text(source), items: items, next: next.map(SourceName.text)))
    }

    /// Reports what of a feed was left out, or is old. All warnings go to the
    /// log; the user sees their number and the first one.
    func warn(of warnings: [String]) {
        guard let first = warnings.first else { return }
        for warning in warnings.dropFirst() { journal.warn("feed: \(warning)") }
        // The count comes first, because a narrow page cuts the end.
        let text = warnings.count > 1 ? "\(warnings.count) problems, first: \(first)" : first
        handle(journal.complaint(of: "feed", text, as: .remark))
    }

    /// Reads the feed again, unless it is being read.
    func reload() {
        if let part = state.part { return open(part) }
        guard !isReading else { return }
        isReading = true
        loader.load(keeping: state.content?.item)
    }

    /// The number of items after the current one, or the chosen one of a grid.
    var itemsLeft: Int { state.items.count - 1 - (state.grid?.chosen ?? state.current) }

    /// Loads the next page when the user comes near the end, and what is arriving of the feed at once.
    func loadAhead() {
        guard let pages, pageAhead.begins(left: pages.isArriving ? 0 : itemsLeft, now: clock.now) else { return }
        loader.loadMore(of: pages)
    }

    /// Handles a further page of the feed, or the failure to load it.
    func receive(_ result: Result<FeedPages.Page?, FeedsError>) {
        switch result {
        case .success(let page):
            pageAhead.loaded()
            if page?.next == nil { pages = nil }
            guard let page else { return }
            recordPage(page.url, items: page.added, next: page.next)
            handle(Event.more(page.items))
            warn(of: page.warnings)
        case .failure(let error):
            handle(Event.moreFailed)
            let isFirst = pageAhead.failed(left: itemsLeft, now: clock.now)
            if isFirst {
                handle(journal.complaint(of: "feed", "Couldn't load more: \(error)"))
            } else {
                journal.warn("feed: \(error)")
            }
        }
    }
}
