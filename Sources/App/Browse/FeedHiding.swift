import Feeds
import Model
import Ranking
import UI

/// What the user hides, in the feed in view and in those that were left.
extension FeedSession {
    /// Hides something in all feeds from now on, or no longer.
    func hide(_ rule: HideRule, _ hides: Bool, on state: State, now: Duration) -> [Event] {
        loader.hidden.set(rule, hides: hides)
        library?.hide(rule, hides, now: now)
        return applyRules(on: state)
    }

    /// Deletes an item of the user's own from its service and all feeds, or brings it back.
    func delete(_ item: Item, _ deletes: Bool, on state: State, now: Duration) -> [Event] {
        guard let library, library.takesComments(on: item) else {
            return [.notice("This clip's server cannot delete it", .failure)]
        }
        library.delete(item, deletes, now: now)
        loader.hidden.delete(item, deletes)
        return applyRules(on: state)
    }

    /// Shows an item of this session's deleted ones, or no longer.
    func show(deleted id: Item.ID, _ isShown: Bool, on state: State) -> [Event] {
        loader.hidden.showDeleted(id, isShown)
        return applyRules(on: state)
    }

    /// The rules have changed: looks again at the feed in view and at those that were left. The lists come as an
    /// `Arrival`.
    func applyRules(on state: State) -> [Event] {
        var lists: [(any ItemList, index: Int)] = [(state.items, state.current)]
        if let whole { lists.append((whole.items, whole.index)) }
        lists += left.values.map { ($0.feed.items, $0.index) }
        let outdated = lists.compactMap { items, index in
            (items as? VisibleList).flatMap { isCurrent($0) ? nil : (list: $0, index: index) }
        }
        if !outdated.isEmpty { loader.lookAgain(at: outdated) }
        return [.hidden(loader.hidden.own, configured: loader.hidden.configured)] + hidePlaces()
    }

    /// The rules, if a list was made by earlier ones.
    func rules(since items: any ItemList) -> HiddenRules? {
        isCurrent(items) ? nil : loader.hidden.snapshot.rules
    }

    /// Whether a list was made by the rules of now.
    func isCurrent(_ items: any ItemList) -> Bool {
        (items as? VisibleList).map { $0.generation == loader.hidden.generation } ?? true
    }

    /// Looks again at a place that was read by earlier rules, or without the clip that the user turned to meanwhile;
    /// false: there is no need.
    func looksAgain(at place: Place, _ feed: Feed, from point: ReturnPoint, on state: State) -> Bool {
        if !isCurrent(feed.items) {
            loader.lookAgain(at: place, feed, from: point)
        } else if isAt(place), let held = point.held, let item = missing(from: feed, on: state), item.id != held {
            loader.keep(item, in: place, feed)
        } else {
            return false
        }
        return true
    }

    /// The clip in view, if a feed with pages lacks it.
    private func missing(from feed: Feed, on state: State) -> Item? {
        guard whole == nil, feed.pages != nil, let item = state.content?.item else { return nil }
        let isHidden = loader.hidden.snapshot.rules.hides(item)
        return isHidden || feed.items.index(of: item.id, near: state.current) != nil ? nil : item
    }

    /// Feeds were looked at again.
    func receive(_ lists: [VisibleList], on state: State) -> [Event] {
        var events: [Event] = []
        for list in lists where isCurrent(list) {
            let further: (any FurtherPages)? = list.feed.hasMore ? list.feed : nil
            func index(_ items: any ItemList, _ index: Int) -> Int? {
                guard let old = items as? VisibleList, old.feed === list.feed else { return nil }
                return list.index(at: old.place(of: index))
            }
            if let index = index(state.items, state.current) {
                pages = further
                events.append(.visible(list, at: index))
            }
            if let whole, let index = index(whole.items, whole.index) {
                self.whole = WholeFeed(items: list, pages: further, index: index, retention: whole.retention)
            }
            for (place, was) in left {
                guard let index = index(was.feed.items, was.index) else { continue }
                var feed = was.feed
                (feed.items, feed.pages) = (list, further)
                left[place] = LeftPlace(feed: feed, index: index, item: index < list.count ? list.id(at: index) : nil)
            }
        }
        return events
    }
}
