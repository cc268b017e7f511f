import Model

/// Finding a clip among the loaded ones. The feed itself stays whole.
extension State {
    mutating func openFilter(now: Duration) -> [Effect] {
        guard items.count > 0 else { return [] }
        let effects = letGo(now: now) + commitScrub(now: now)
        guard items.count > 0 else { return effects }
        sheet = .filter
        (sheetLine, keyHintUntil) = (0, nil)
        filter = Filter()
        typing = Typing(purpose: .filter, field: TextField(keepsLines: false))
        return effects
    }

    mutating func moveFilter(by count: Int, pages: Bool) {
        let step = pages ? max(SheetLayout(self).body.rows - 1, 1) : 1
        filter?.move(by: count * step)
    }

    /// Looks at some more items, and reads those that the list shows.
    mutating func advanceFilter() {
        guard filter != nil else { return }
        filter?.scan(items)
        filter?.prepare(items, around: SheetLayout.maxFound)
    }

    /// Goes to the chosen clip's page.
    mutating func goToChosen(now: Duration) -> [Effect] {
        guard let filter, filter.matches.indices.contains(filter.chosen) else { return [] }
        let index = filter.matches[filter.chosen]
        leaveField()
        return index == pager.target ? [] : jump(to: index, now: now)
    }
}
