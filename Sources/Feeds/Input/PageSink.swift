import Model

/// Takes the items of one page of a feed, one after the other, into a spool:
/// makes their ids unique, and counts what is left out.
struct PageSink {
    /// Hands the page so far to the reader that waits for its first items. A value.
    struct HandOver {
        /// How many items there must be.
        let items: Int
        let give: (FeedPage) -> Void
    }

    /// The page's properties besides its items.
    var page: FeedPage
    /// Why the spool takes no more items; reading on makes no sense then.
    private(set) var failure: FeedsError?
    /// The last items, as the spool knows them.
    private(set) var recent: RecentItems
    /// nil if the whole page is wanted at once.
    var handOver: HandOver?
    /// Whether what the feed calls sensitive is left out.
    var skipsSensitive = false
    /// The creators whose items are wanted; nil for all items.
    var creators: Set<String>?
    /// How many items in the spool are enough; nil: all of the page.
    var limit: Int?
    private var idle = IdleEntries()
    private let spool: ItemSpool
    private let number: Int
    /// Where the page's items begin in the spool, and what was known before them.
    private let start: Int
    private let before: RecentItems
    /// The number of items read of the page.
    private var place = 0

    /// - Parameters:
    ///   - url: where the page was found.
    ///   - number: of the page: an item that an earlier page has in `recent` is a repetition.
    init(at url: String, into spool: ItemSpool, recent: RecentItems, number: Int) {
        page = FeedPage(url: url)
        self.spool = spool
        self.number = number
        self.recent = recent
        before = recent
        start = spool.count
    }

    /// Whether nothing more of the page is wanted: the spool takes no more, there are enough items, or the page
    /// continues without new ones.
    var isEnded: Bool { failure != nil || limit.map { spool.count >= $0 } ?? false || idle.isOver }

    /// An entry came. Warns once if the page continues without new items.
    private mutating func note(isNew: Bool) {
        guard !idle.isOver else { return }
        idle.note(isNew: isNew, now: .now)
        if idle.isOver { page.warnOfEnd("stopped reading: the last \(idle.count) entries contained nothing new") }
    }

    /// The next item. `remarks` say what of it was left out.
    mutating func add(_ item: Item, remarks: [String] = []) {
        for remark in remarks { page.warn("item \(place): \(remark)") }
        place += 1
        guard !skipsSensitive || !item.isSensitive else {
            // A user who hides sensitive items needs no warning for each.
            page.skipped += 1
            return note(isNew: false)
        }
        if let creators, !creators.contains(item.creator?.key ?? "") {
            page.skipped += 1
            return note(isNew: false)
        }
        guard failure == nil, let distinct = recent.distinct(item, page: number) else { return note(isNew: false) }
        do throws(FeedsError) {
            try spool.append(distinct)
            page.added += 1
            note(isNew: true)
            if page.added == handOver?.items { handOver?.give(page) }
        } catch {
            failure = error
        }
    }

    /// The next item cannot be used.
    mutating func skip(_ why: String) {
        page.skipped += 1
        page.warn("item \(place) is skipped: \(why)")
        place += 1
        note(isNew: false)
    }

    /// The next item has nothing to play: feeds have texts as well.
    mutating func leaveOut() {
        page.withoutMedia += 1
        place += 1
        note(isNew: false)
    }

    /// Forgets all items of the page.
    mutating func forgetItems() {
        page.forgetItems()
        recent = before
        place = 0
        rewrite { _ in nil }
    }

    /// Changes the page's items, or removes those for which `change` returns nil.
    mutating func rewrite(_ change: (Item) -> Item?) {
        guard failure == nil else { return }
        do throws(FeedsError) { try spool.rewrite(from: start, change) } catch { failure = error }
    }
}

extension PageSink {
    /// Reads a stream of JSON whose values `body` parses. Blocks while the stream does.
    ///
    /// Invalid JSON and a premature end are errors only before the first item, and warnings after it.
    mutating func readJSON(
        _ stream: ByteStream, _ body: (inout JSONParser, inout PageSink) throws(JSONError) -> Void
    ) throws(FeedsError) {
        var parser = JSONParser(stream)
        do throws(JSONError) {
            try body(&parser, &self)
            try parser.end()
        } catch {
            if let failure { throw failure }
            // An error in a part that is no longer needed does not count.
            if stream.failure == nil, !isEnded {
                guard page.added > 0 else { throw .notJSON(page.url, error) }
                page.warn("the rest is not JSON: \(error)")
            }
        }
        if let failure = stream.failure {
            page.failure = failure
            guard page.added > 0 else { throw .unreadable(failure) }
        }
    }
}

/// Distinguishes an endless page without new items from a long one. A value.
struct IdleEntries {
    /// After this many entries in a row without a new item, or this long, a page counts as ended.
    static let countLimit = 20_000
    static let timeLimit: Duration = .seconds(60)

    /// How many entries in a row had no new item.
    private(set) var count = 0
    private(set) var isOver = false
    private var since: ContinuousClock.Instant?

    mutating func note(isNew: Bool, now: @autoclosure () -> ContinuousClock.Instant) {
        guard !isNew else { return (count, since) = (0, nil) }
        count += 1
        let now = now()
        let first = since ?? now
        since = first
        isOver = isOver || count >= Self.countLimit || now - first >= Self.timeLimit
    }
}
