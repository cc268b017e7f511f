import Model
import TestSupport
import Testing

@testable import Player

@Suite struct PreloadPlanTests {
    /// The places around `page` of a feed of `count` items, whose ids are their numbers.
    static func places(_ page: Int, count: Int = 1_000, ahead: Int = 6, behind: Int = 4) -> [PreloadPlan.Place] {
        (page - behind...page + ahead).filter { $0 >= 0 && $0 < count }
            .map { PreloadPlan.Place(id: "\($0)", offset: $0 - page) }
    }

    private func plan(at page: Int, now: Duration = .zero, limits: PreloadPlan.Limits = .init()) -> PreloadPlan {
        var plan = PreloadPlan(limits: limits)
        plan.note(.moved(Self.places(page, ahead: limits.ahead, behind: limits.behind)), now: now)
        plan.note(.claimed("\(page)"), now: now)
        return plan
    }

    private func opens(_ pages: Int...) -> [PreloadPlan.Action] { pages.map { .open("\($0)") } }
    private func closes(_ pages: Int..., why: PreloadPlan.Reason = .window) -> [PreloadPlan.Action] {
        pages.map { .close("\($0)", why) }
    }

    /// Opens and prepares everything, and returns what was opened in order.
    private func fill(_ plan: inout PreloadPlan, now: Duration) -> [Item.ID] {
        var opened: [Item.ID] = []
        while true {
            let actions = plan.actions(now: now, mayOpen: 100)
            if actions.isEmpty { return opened }
            for case .open(let id) in actions {
                opened.append(id)
                plan.note(.prepared(id), now: now)
            }
        }
    }

    private func filled(at page: Int, limits: PreloadPlan.Limits = .init()) -> PreloadPlan {
        var plan = plan(at: page, limits: limits)
        plan.note(.prepared("\(page)"), now: .zero)
        _ = fill(&plan, now: .zero)
        return plan
    }

    @Test func nearPagesAreOpenedFirstTheNextBeforeTheLast() {
        var plan = plan(at: 10)
        plan.note(.prepared("10"), now: .zero)
        #expect(fill(&plan, now: .zero) == ["11", "9", "12", "8", "13", "7", "14", "6", "15", "16"])
    }

    /// Even in the moment after a turn, in which pages that have gone keep their clips.
    @Test func hiddenClipsAreClosedAtOnceAndNotOpened() {
        var plan = filled(at: 10)
        plan.note(.moved(Self.places(11)), now: .zero)
        plan.note(.withdrawn(["11", "13", "17", "20"]), now: .milliseconds(1))
        #expect(plan.actions(now: .milliseconds(1), mayOpen: 0) == closes(13, 11, why: .hidden))
        #expect(!fill(&plan, now: .seconds(1)).contains("17"))
        // It is there again.
        plan.note(.moved(Self.places(10)), now: .seconds(2))
        #expect(fill(&plan, now: .seconds(2)) == ["11", "13", "6"])
        plan.note(.moved(Self.places(100)), now: .seconds(3))
        #expect(plan.actions(now: .seconds(3), mayOpen: 0).contains(.close("11", .window)))
    }

    @Test func atMostFourAreBeingOpenedAndTheOneInViewCounts() {
        var plan = plan(at: 10)
        #expect(plan.actions(now: .zero, mayOpen: 100) == opens(11, 9, 12))
        plan.note(.prepared("10"), now: .zero)
        #expect(plan.actions(now: .zero, mayOpen: 100) == opens(8))
        plan.note(.failed("9"), now: .zero)
        plan.note(.prepared("8"), now: .zero)
        #expect(plan.actions(now: .zero, mayOpen: 1) == opens(13))
        #expect(plan.actions(now: .zero, mayOpen: 1) == opens(7))
        #expect(plan.actions(now: .zero, mayOpen: 1) == [])
    }

    @Test func lateClipsAreClosedAndRetriedWithGrowingPauses() {
        var plan = plan(at: 0, limits: .init(ahead: 1, behind: 0))
        plan.note(.prepared("0"), now: .zero)
        var now = Duration.zero
        var seen: [(Duration, PreloadPlan.Action)] = []
        while now < .seconds(100) {
            seen += plan.actions(now: now, mayOpen: 4).map { (now, $0) }
            guard let next = plan.nextChange(after: now) else { break }
            now = next
        }
        #expect(seen.map(\.0) == [0, 2, 7, 9, 19, 21].map { .seconds($0) })
        #expect(seen.map(\.1) == (0..<3).flatMap { _ in opens(1) + closes(1, why: .late) })
        // When the user turns to it, it is opened like any other clip.
        plan.note(.claimed("1"), now: now)
        plan.note(.prepared("1"), now: now)
        plan.note(.claimed("0"), now: now)
        #expect(plan.isReady("1"))
    }

    @Test func stalledViewStopsPreloadingWithoutPenalty() {
        var plan = plan(at: 0, limits: .init(ahead: 1, behind: 0))
        func actions(at seconds: Int) -> [PreloadPlan.Action] { plan.actions(now: .seconds(seconds), mayOpen: 4) }
        #expect(actions(at: 0) == opens(1))
        for second in [1, 10, 20] {
            plan.note(.viewStalled(true), now: .seconds(second))
            #expect(actions(at: second + 1) == closes(1, why: .late) && actions(at: second + 7) == [])
            plan.note(.viewStalled(false), now: .seconds(second + 8))
            #expect(actions(at: second + 8) == opens(1))
        }
        #expect(actions(at: 30) == closes(1, why: .late) && plan.nextChange(after: .seconds(30)) == .seconds(35))
    }

    @Test func readyClipsAreHandedOverAndTakenBack() {
        var plan = filled(at: 10)
        #expect(plan.isReady("11") && !plan.isReady("10"))
        plan.note(.claimed("11"), now: .seconds(1))
        #expect(!plan.isReady("11") && plan.isReady("10"))
        // One that was left before it was ready has two seconds for that.
        plan.note(.claimed("999"), now: .seconds(1))
        plan.note(.claimed("11"), now: .seconds(2))
        #expect(plan.opening == ["999"])
    }

    @Test func clipLeftWhileItOpensHasTwoSecondsFromThenOn() {
        var plan = plan(at: 10)
        #expect(plan.actions(now: .zero, mayOpen: 0) == [])
        plan.note(.claimed("11"), now: .milliseconds(1_500))
        #expect(plan.actions(now: .milliseconds(3_499), mayOpen: 0) == [])
        #expect(plan.actions(now: .milliseconds(3_500), mayOpen: 0) == closes(10, why: .late))
    }

    @Test func windowMovesAtOnceAndThenOnceInThreeTenths() {
        var plan = filled(at: 10)
        func turn(to page: Int, at now: Int) -> [PreloadPlan.Action] {
            plan.note(.moved(Self.places(page)), now: .milliseconds(now))
            plan.note(.claimed("\(page)"), now: .milliseconds(now))
            return plan.actions(now: .milliseconds(now), mayOpen: 100)
        }
        #expect(turn(to: 11, at: 1_000) == closes(6) + opens(17))
        plan.note(.prepared("17"), now: .milliseconds(1_010))
        #expect(turn(to: 12, at: 1_100) == [])
        #expect(turn(to: 13, at: 1_299) == [])
        #expect(plan.nextChange(after: .milliseconds(1_299)) == .milliseconds(1_300))
        #expect(plan.actions(now: .milliseconds(1_300), mayOpen: 100) == closes(8, 7) + opens(18, 19))
        #expect(turn(to: 14, at: 1_600) == closes(9) + opens(20))
    }

    /// The pages that have players once everything is open, beside the one in view.
    private func window(_ page: Int, isRemote: Bool = true, _ events: PreloadPlan.Event...) -> [Int] {
        var plan = PreloadPlan()
        let places = Self.places(page, ahead: 12, behind: 12).map { place in
            PreloadPlan.Place(id: place.id, offset: place.offset, isRemote: isRemote)
        }
        for event in [.moved(places), .claimed("\(page)"), .prepared("\(page)")] + events {
            plan.note(event, now: .zero)
        }
        _ = fill(&plan, now: .zero)
        return plan.ready.compactMap { Int($0) }.sorted()
    }

    @Test func slowPaceOpensMoreClipsAndFastPaceFewer() {
        #expect(window(20) == Array(16...19) + Array(21...26))
        #expect(window(20, .pace(.slow)) == Array(14...19) + Array(21...29))
        #expect(window(20, .pace(.fast)) == [19] + Array(21...23))
    }

    @Test func memoryAndDataSaverWinOverASlowPace() {
        #expect(window(20, .pace(.slow), .memory(isShort: true)) == [21])
        #expect(window(20, .pace(.slow), .savesData(true)) == [21, 22])
        #expect(window(20, .savesData(true), .memory(isShort: true)) == [21])
        // What is on the disk costs no data, and is opened as usual.
        #expect(window(20, isRemote: false, .pace(.slow), .savesData(true)) == Array(16...19) + Array(21...26))
        #expect(window(20, .savesData(true), .savesData(false)) == Array(16...19) + Array(21...26))
    }

    @Test func dataSaverClosesWhatIsFarAway() {
        var plan = PreloadPlan()
        let places = Self.places(10).map { PreloadPlan.Place(id: $0.id, offset: $0.offset, isRemote: true) }
        for event in [.moved(places), .claimed("10"), .prepared("10")] as [PreloadPlan.Event] {
            plan.note(event, now: .zero)
        }
        _ = fill(&plan, now: .zero)
        plan.note(.savesData(true), now: .seconds(1))
        // The page before stays, which was in view a moment ago.
        let actions = plan.actions(now: .seconds(1), mayOpen: 4)
        #expect(actions == closes(16, 15, 6, 14, 7, 13, 8, why: .data))
    }

    @Test func shortMemoryLeavesTheNextAloneAndTheFarthestGoFirst() {
        var plan = filled(at: 10)
        plan.note(.memory(isShort: true), now: .seconds(1))
        #expect(
            plan.actions(now: .seconds(1), mayOpen: 100) == closes(16, 15, 6, 14, 7, 13, 8, 12, 9, why: .memory))
        #expect(plan.isReady("11"))
        plan.note(.memory(isShort: false), now: .seconds(9))
        #expect(fill(&plan, now: .seconds(9)) == ["9", "12", "8", "13", "7", "14", "6", "15", "16"])
    }

    @Test func fastScrollerHasFewerClipsAhead() {
        var plan = filled(at: 10)
        plan.note(.pace(.fast), now: .seconds(1))
        #expect(plan.actions(now: .seconds(1), mayOpen: 100) == closes(16, 15, 6, 14, 7, 8, why: .pace))
    }

    @Test func leftPageStaysBrieflyWithoutPreloadingBehind() {
        var plan = filled(at: 10, limits: .init(ahead: 2, behind: 0))
        plan.note(.moved(Self.places(11, ahead: 2, behind: 1)), now: .seconds(1))
        plan.note(.claimed("11"), now: .seconds(1))
        #expect(plan.actions(now: .seconds(1), mayOpen: 100) == opens(13))
        #expect(plan.isReady("10"))
        plan.note(.moved(Self.places(12, ahead: 2, behind: 1)), now: .seconds(2))
        plan.note(.claimed("12"), now: .seconds(2))
        #expect(plan.actions(now: .seconds(2), mayOpen: 0) == closes(10))
    }

    @Test func jumpGivesUpTheWholeWindowAtOnce() {
        var plan = filled(at: 10)
        plan.note(.moved(Self.places(500)), now: .seconds(1))
        plan.note(.claimed("500"), now: .seconds(1))
        let actions = plan.actions(now: .seconds(1), mayOpen: 100)
        #expect(actions.count == 11 + 3)
        #expect(actions.suffix(3) == opens(501, 499, 502)[...])
        #expect(plan.ready == [])
    }

    @Test func brokenClipIsNotOpenedAgainWhileItIsNear() {
        var plan = plan(at: 10)
        _ = plan.actions(now: .zero, mayOpen: 100)
        plan.note(.failed("11"), now: .zero)
        for id in ["9", "10", "12"] { plan.note(.prepared(id), now: .zero) }
        _ = fill(&plan, now: .seconds(60))
        #expect(plan.nextChange(after: .seconds(60)) == nil)
        #expect(!plan.isReady("11") && plan.isReady("12"))
        // It is opened when the user asks for that.
        plan.note(.claimed("11"), now: .seconds(61))
        plan.note(.reopened("11"), now: .seconds(61))
        plan.note(.prepared("11"), now: .seconds(61))
        plan.note(.claimed("10"), now: .seconds(61))
        #expect(plan.isReady("11"))
    }

    @Test func itemOnSeveralPagesIsOpenedOnce() {
        var plan = PreloadPlan(limits: .init(ahead: 2, behind: 2))
        plan.note(
            .moved([-2, -1, 0, 1, 2].map { PreloadPlan.Place(id: $0.isMultiple(of: 2) ? "a" : "b", offset: $0) }),
            now: .zero)
        plan.note(.claimed("a"), now: .zero)
        #expect(plan.actions(now: .zero, mayOpen: 100) == [.open("b")])
    }

    @Test func repeatedEventsTriggerNoPlanning() {
        var plan = filled(at: 10)
        #expect(!plan.mayAct(now: .seconds(1), mayOpen: 4))
        // The plan receives these after every picture.
        plan.note(.prepared("10"), now: .seconds(1))
        plan.note(.memory(isShort: false), now: .seconds(1))
        plan.note(.pace(.usual), now: .seconds(1))
        plan.note(.claimed("10"), now: .seconds(1))
        plan.note(.moved(Self.places(10)), now: .seconds(1))
        #expect(!plan.mayAct(now: .seconds(1), mayOpen: 4))
        plan.note(.reopened("11"), now: .seconds(1))
        #expect(plan.mayAct(now: .seconds(1), mayOpen: 0))
        let none = plan.actions(now: .seconds(1), mayOpen: 0)
        #expect(none == [] && !plan.mayAct(now: .milliseconds(2_999), mayOpen: 4))
        #expect(plan.mayAct(now: .seconds(3), mayOpen: 0))
    }

    /// A plan that looks only when something can have happened does all that one does which always looks.
    @Test(arguments: 0..<10) func skippedPlanningMissesNoAction(seed: UInt64) throws {
        var random = SeededRandom(state: seed)
        var (plan, other) = (PreloadPlan(), PreloadPlan())
        var (page, now, idle) = (50, Duration.zero, 0)
        for _ in 0..<3_000 {
            now += .milliseconds([0, 0, 1, 40, 299, 300, 2_000, 5_000].randomElement(using: &random) ?? 0)
            let (opening, ready) = (plan.opening.sorted(), plan.ready.sorted())
            let event: PreloadPlan.Event?
            switch Int.random(in: 0..<17, using: &random) {
            case 0:
                page = max(page + ([1, 1, 1, 2, -1, 30, -30].randomElement(using: &random) ?? 0), 0)
                event = .moved(Self.places(page))
            case 1: event = .moved(Bool.random(using: &random) ? [] : Self.places(page))
            case 2, 3: event = .claimed("\(page)")
            case 4: event = .memory(isShort: .random(using: &random))
            case 5: event = .pace([.slow, .usual, .fast].randomElement(using: &random) ?? .usual)
            case 6: event = ready.randomElement(using: &random).map { .reopened($0) }
            case 7: event = (ready + opening).randomElement(using: &random).map { .failed($0) }
            case 8...10: event = opening.randomElement(using: &random).map { .prepared($0) }
            case 11, 12: event = .prepared("\(page)")
            case 13: event = .viewStalled(.random(using: &random))
            case 14: event = .savesData(.random(using: &random))
            default: event = nil
            }
            if let event {
                plan.note(event, now: now)
                other.note(event, now: now)
            }
            let mayOpen = Int.random(in: 0...2, using: &random)
            if !plan.mayAct(now: now, mayOpen: mayOpen) { idle += 1 }
            other.changes += 1
            let (actions, others) = (
                plan.actions(now: now, mayOpen: mayOpen), other.actions(now: now, mayOpen: mayOpen)
            )
            try #require(actions == others)
            other.changes += 1
            try #require(plan.nextChange(after: now) == other.nextChange(after: now))
            try #require(
                plan.opening.sorted() == other.opening.sorted() && plan.ready.sorted() == other.ready.sorted())
        }
        #expect(idle > 300)
    }

    /// Thousands of random events, beside a model that knows only what was opened and closed.
    @Test(arguments: 0..<20) func randomEventsNeverBreakTheBounds(seed: UInt64) {
        var random = SeededRandom(state: seed)
        let limits = PreloadPlan.Limits(
            ahead: .random(in: 0...7, using: &random), behind: .random(in: 0...5, using: &random),
            concurrent: .random(in: 1...4, using: &random))
        var plan = PreloadPlan(limits: limits)
        var (page, count, now) = (50, 200, Duration.zero)
        /// The players that there are: whether they are being opened, since when.
        var players: [Item.ID: Duration?] = [:]
        var claimed: Item.ID?

        func places() -> [PreloadPlan.Place] {
            Self.places(page, count: count, ahead: max(limits.ahead, 1), behind: max(limits.behind, 1))
        }
        func act(mayOpen: Int) -> Int {
            let actions = plan.actions(now: now, mayOpen: mayOpen)
            var others = players.keys.filter { $0 != claimed }.count
            for action in actions {
                switch action {
                case .open(let id):
                    #expect(players[id] == nil, "opened twice")
                    players[id] = .some(now)
                    others += 1
                case .close(let id, let why):
                    #expect(players.removeValue(forKey: id) != nil && id != claimed, "closed what was not open")
                    let next = "\(page + 1)"
                    let isNext = id == next && page + 1 < count && why != .late && limits.ahead > 0
                    #expect(!isNext || others == 1, "the next one was evicted before others: \(why)")
                    others -= 1
                }
            }
            let opening = players.values.count { $0 != nil }
            #expect(opening <= limits.concurrent || !actions.contains { if case .open = $0 { true } else { false } })
            let (ahead, behind) = (max(limits.ahead, 1), max(limits.behind, 1))
            let window = PreloadPlan.Limits.most(of: ahead) + PreloadPlan.Limits.most(of: behind) + 1
            #expect(players.count <= window + 1, "over the window")
            #expect(players.allSatisfy { $0.key == claimed || ($0.value.map { now < $0 + .seconds(2) } ?? true) })
            return actions.count
        }

        for _ in 0..<3_000 {
            now += .milliseconds(Int.random(in: 0...400, using: &random))
            let opening = players.filter { $0.value != nil }.map(\.key).sorted()
            switch Int.random(in: 0..<12, using: &random) {
            case 0...3:
                let steps = [1, 1, 1, -1, 2, -2, 30, -40]
                page = min(max(page + steps.randomElement(using: &random)!, 0), count - 1)
                plan.note(.moved(places()), now: now)
                // While pages pass by, none is claimed.
                guard Int.random(in: 0..<4, using: &random) > 0 else { break }
                let left = claimed
                claimed = "\(page)"
                guard left != claimed else { break }
                plan.note(.claimed("\(page)"), now: now)
                if players["\(page)"] == nil { players["\(page)"] = .some(now) }
                if let left, players[left] != .some(nil) { players[left] = .some(now) }
            case 4...8:
                guard let id = opening.randomElement(using: &random) else { break }
                players[id] = .some(nil)
                plan.note(Bool.random(using: &random) ? .prepared(id) : .failed(id), now: now)
            case 9:
                let ready = players.filter { $0.value == nil }.map(\.key).sorted()
                guard let id = ready.randomElement(using: &random) else { break }
                players[id] = .some(now)
                plan.note(.reopened(id), now: now)
            case 10: plan.note(.memory(isShort: .random(using: &random)), now: now)
            default:
                plan.note(.pace([.slow, .usual, .fast].randomElement(using: &random)!), now: now)
                count = .random(in: page + 1...page + 200, using: &random)
                plan.note(.moved(places()), now: now)
            }
            _ = act(mayOpen: .random(in: 0...4, using: &random))
        }
        // It settles, with every page of the window open: in another part of the feed, where no clip was closed.
        (page, count) = (5_000, 6_000)
        now += .seconds(1)
        plan.note(.moved(places()), now: now)
        plan.note(.memory(isShort: false), now: now)
        plan.note(.pace(.usual), now: now)
        plan.note(.claimed("\(page)"), now: now)
        if claimed != "\(page)", let left = claimed, players[left] != .some(nil) { players[left] = .some(now) }
        claimed = "\(page)"
        players["\(page)"] = .some(nil)
        plan.note(.prepared("\(page)"), now: now)
        var rounds = 0
        while rounds < 200 {
            rounds += 1
            let done = act(mayOpen: 4)
            for id in players.filter({ $0.value != nil }).map(\.key) {
                players[id] = .some(nil)
                plan.note(.prepared(id), now: now)
            }
            if done > 0 { continue }
            guard let next = plan.nextChange(after: now) else { break }
            now = next
        }
        #expect(rounds < 200)
        let wanted = Set(
            Self.places(page, count: count, ahead: limits.ahead, behind: limits.behind).map(\.id))
        #expect(wanted.isSubset(of: players.keys), "\(wanted.subtracting(players.keys))")
        let kept = Set(places().map(\.id))
        #expect(Set(players.keys).isSubset(of: kept), "a leak: \(Set(players.keys).subtracting(kept))")
    }
}
