import Model

/// Finding a clip among the loaded ones. The feed itself stays whole.
extension State {
    mutating func openFilter(now: Duration) -> [Effect] {
        guard items.count > 0 else { return [] }
        let effects = letGo(now: now) + commitScrub(now: now)
        guard items.count > 0 else { return effects }
        view.open(.filter)
        typing = Typing(.filter)
        return effects
    }

    /// The place of the chosen clip in the list: at first the current clip's while all are listed, else the first.
    var chosenMatch: Int {
        guard let filter = typing?.filter else { return 0 }
        return filter.chosen ?? (filter.isEmpty ? current : 0)
    }

    mutating func moveFilter(by count: Int, pages: Bool) {
        guard let filter = typing?.filter else { return }
        let step = pages ? max(SheetLayout(self).body.rows - 1, 1) : 1
        let chosen = min(max(chosenMatch + count * step, 0), max(filter.count(of: items.count) - 1, 0))
        typing?.filter?.chosen = chosen
    }

    /// Looks at some more items, and reads those that the list shows.
    mutating func advanceFilter() {
        guard typing?.filter != nil else { return }
        typing?.filter?.scan(feed.items)
        let chosen = chosenMatch
        typing?.filter?.prepare(feed.items, around: chosen, reach: SheetLayout.maxFound)
    }

    /// Goes to the chosen clip's page.
    mutating func goToChosen(now: Duration) -> [Effect] {
        guard let filter = typing?.filter, chosenMatch < filter.count(of: items.count) else { return [] }
        let index = filter.index(at: chosenMatch)
        leaveField()
        return index == pager.target ? [] : jump(to: index, now: now)
    }
}
