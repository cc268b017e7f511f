import Feeds
import Model
import Player
import UI

/// What is made ready of the items near the one in view.
extension Browser {
    /// How many items after the current one get the beginnings of their files prefetched.
    private static var prefetched: Int { 10 }

    func keepWarm(_ wanted: [Item.ID]) -> [Event] {
        let rules = feed.rules(since: state.items)
        let isShown = { [state] (item: Item) in !state.covers(item) && rules?.hides(item) != true }
        let pages = wanted.compactMap { id in
            state.page(of: id).map { PlayerPool.Page(index: $0, item: state.items[$0]) }
        }.filter { isShown($0.item) }
        let events = pool.keepWarm(pages, around: state.current, now: clock.now)
        // While keys pass pages, nothing is wanted of those.
        guard !wanted.isEmpty else { return forPage(events) }
        let offsets = PlayerPool.itemsNear.clamped(to: -state.current..<state.items.count - state.current)
        let near = offsets.map { (item: state.items[state.current + $0], offset: $0) }
        fetches.note(pages.map(\.item) + near.map(\.item))
        library.link?.recall(near.map(\.item))
        wantAvatars()
        pool.prefetch(near.filter { 0...Self.prefetched ~= $0.offset && isShown($0.item) }.map(\.item))
        return forPage(events + pool.wantStills(of: near, isHidden: { !isShown($0) }))
    }

    /// The rules for what is hidden have changed. The lists that follow them come a moment later.
    func closeHidden() -> [Event] {
        guard let rules = feed.rules(since: state.items) else { return [] }
        return forPage(pool.withdraw(where: rules.hides, now: clock.now))
    }

    /// Names the creators near the page in view, where the terminal can show their avatars.
    func wantAvatars() {
        let offsets = PlayerPool.avatarsNear.filter { 0..<state.items.count ~= state.current + $0 }
        let isShown = state.options.showsAvatars && !output.isPlain
        pool.wantAvatars(of: isShown ? offsets.map { (item: state.items[state.current + $0], offset: $0) } : [])
    }

    /// The grid shows these items.
    func wantStills(ofTiles shown: Range<Int>) -> [Event] {
        library.link?.recall(shown.map { state.items[$0] })
        // Those nearest to the chosen one come first.
        let chosen = state.feed.grid?.chosen ?? shown.lowerBound
        return forPage(
            pool.wantStills(
                of: shown.map { (item: state.items[$0], offset: $0 - chosen) }, areInView: true, isHidden: state.covers)
        )
    }
}

extension PlayerReport {
    /// The same, with whether the file's tags name the item: players do not know how titles are made.
    func naming(_ item: Item?) -> PlayerReport {
        guard case .opened(var facts) = self, let item else { return self }
        facts.tags.nameItem = item.title.map { $0 == ClipTitle.of(item.url) } ?? true
        return .opened(facts)
    }
}
