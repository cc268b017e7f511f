/// Where a feed opens that was watched before. A value.
enum FeedStart: Equatable, Sendable {
    /// At its first item: nothing is known of it, or it was watched to its end.
    case top
    /// At its first item: this many came since the feed was watched, and none of them was seen.
    case new(Int)
    /// At the item that was watched last, on this page, from 0.
    case resumed(Int)

    /// - Parameters:
    ///   - page: where the item that was watched last is now.
    ///   - earlier: where the feed had it when it was watched; nil if unknown. Items that came before it have moved it.
    ///   - unseen: how many items at the beginning of the feed, one after the other, were never seen.
    ///   - isOver: whether that item was played to its end, and no other follows.
    init(page: Int, earlier: Int?, unseen: Int, isOver: Bool) {
        // Items at the beginning that are not new were skipped on purpose: with `--start`, or in a list.
        let new = min(unseen, earlier.map { page - $0 } ?? 0)
        self = if new > 0 { .new(new) } else if isOver || page == 0 { .top } else { .resumed(page) }
    }

    /// From 0.
    var page: Int { if case .resumed(let page) = self { page } else { 0 } }
}
