import Testing

@testable import TermGraphics

@Suite struct ToleranceSearchTests {
    /// Runs a search over updates of `bytes(tolerance)`. Returns the accepted trial, and how many there were.
    private func search(
        least: Double, room: Int, from first: Double, _ bytes: (Double) -> Int
    ) -> (tolerance: Double, bytes: Int, trials: Int) {
        var search = ToleranceSearch(least: least, room: room)
        var (tolerance, trials) = (first, 0)
        while true {
            trials += 1
            let cost = bytes(tolerance)
            guard let next = search.next(after: tolerance, bytes: cost) else { return (tolerance, cost, trials) }
            #expect(next >= least && next <= 1)
            tolerance = next
        }
    }

    @Test(arguments: [2.0, 3, 4, 5], [0.25, 0.6, 1])
    func theBudgetIsUsedToATenth(power: Double, first: Double) {
        for room in [2_000, 9_000, 40_000] {
            let found = search(least: 0.05, room: room, from: max(first, 0.05)) { tolerance in
                // No update is larger than all of the screen.
                Int(min(400 * powered(1 / max(tolerance, 0.02), power), 300_000))
            }
            #expect(found.bytes <= room && found.trials <= ToleranceSearch.trials + 1, "\(found)")
            #expect(Double(found.bytes) >= 0.9 * Double(room) || found.tolerance == 0.05, "\(found)")
        }
    }

    @Test func fittingUpdateIsMadeOnce() {
        let found = search(least: 0.25, room: 5_000, from: 0.25) { _ in 700 }
        #expect(found.tolerance == 0.25 && found.trials == 1)
    }

    @Test func precisionComesBackWhenThereIsRoom() {
        let found = search(least: 0.25, room: 5_000, from: 0.9) { tolerance in Int(1_000 / tolerance) }
        #expect(found.tolerance == 0.25)
    }

    @Test func coarsestToleranceIsTheLastResort() {
        let found = search(least: 0, room: 100, from: 0) { _ in 5_000 }
        #expect(found.tolerance == 1 && found.trials <= ToleranceSearch.trials + 1)
    }

    /// A cliff, as there is where many cells have the same error.
    @Test func aCliffIsFoundFromItsFittingSide() {
        let found = search(least: 0.1, room: 1_000, from: 0.5) { $0 < 0.4 ? 50_000 : 10 }
        #expect(found.bytes == 10 && found.tolerance <= 0.5)
    }

    /// What the room is left for then, see `RowCosts`.
    @Test func cliffReportsAFinerTolerance() {
        var search = ToleranceSearch(least: 0.1, room: 1_000)
        var tolerance = 0.5
        while let next = search.next(after: tolerance, bytes: tolerance < 0.4 ? 50_000 : 10) { tolerance = next }
        #expect(search.finer.map { $0 < 0.4 } ?? false)
        var used = ToleranceSearch(least: 0.1, room: 1_000)
        #expect(used.next(after: 0.5, bytes: 950) == nil && used.finer == nil)
    }

    @Test(arguments: [(1_000, 0..<9), (200, 4..<5), (430, 3..<6), (300, 3..<5), (120, nil), (100, nil)])
    func rowsOfTheMiddleAreFiner(room: Int, rows: Range<Int>?) {
        let costs = RowCosts(rows: 9)
        for row in 0..<9 { costs.newest[row] = 100 }
        costs.noteTooLarge()
        for row in 0..<9 { costs.newest[row] = 10 }
        #expect(costs.middle(total: 90, room: room) == rows)
    }

    private func powered(_ base: Double, _ power: Double) -> Double {
        (0..<Int(power)).reduce(1) { product, _ in product * base }
    }
}
