import Model
import TestSupport
import Testing

@testable import UI

/// Keys that come while pages slide: every one counts, and only open clips play before the page where they end.
struct PassingTests {
    private func page(_ count: Int = 100, at start: Int = 0) -> Page {
        var options = Options()
        options.startIndex = start
        let page = Page((0..<count).map { Item(id: "\($0)", url: "file:///\($0).mp4") }, options: options)
        page.play()
        return page
    }

    private func played(_ effects: [Effect]) -> [Item.ID] {
        effects.compactMap { if case .play(let item) = $0 { item } else { nil } }
    }

    @Test(arguments: [0, 30, 100]) func eightPressesAreEightPages(interval: Int) {
        let page = page()
        for _ in 0..<8 {
            page.press(.down)
            page.wait(.milliseconds(interval))
        }
        page.wait(.milliseconds(300 - interval))
        #expect(page.state.current == 8 && page.state.pager.position == 8)
        #expect(draw(page.state, now: page.now).pages.map(\.item) == ["8"])
    }

    @Test func aPageThatPassesCanBeLiked() throws {
        let page = page()
        for _ in 0..<8 { page.press(.down) }
        let effects = page.type("l")
        guard case .react(let id, let reaction)? = effects.last else {
            Issue.record("\(effects)")
            return
        }
        #expect(id == "8" && reaction.isLiked && page.state.item(id)?.id == "8")
    }

    /// Random keys at random times: the page is where they add up to, at most 0.3 s after the last one.
    @Test(arguments: 0..<50) func anyKeysAddUp(seed: Int) {
        var generator = SeededRandom(state: UInt64(seed) &* 104_729 &+ 7)
        let page = page(at: 50)
        var wanted = 50
        for _ in 0..<Int.random(in: 1...60, using: &generator) {
            let isNext = Int.random(in: 0..<3, using: &generator) > 0
            page.press(isNext ? .down : .up)
            wanted = min(max(wanted + (isNext ? 1 : -1), 0), 99)
            #expect(page.state.current == wanted)
            page.wait(.milliseconds(.random(in: 0...150, using: &generator)))
        }
        page.press(.up)
        // Ticks are a millisecond apart at least.
        page.wait(.milliseconds(301))
        #expect(page.state.pager.position == Double(wanted - 1))
        #expect(!page.state.pager.isMoving)
    }

    /// A key that repeats 30 times a second, for three seconds: the first page plays, then only the last one.
    @Test func aHeldKeyStartsOnlyTheFirstAndTheLastPlayer() {
        let page = page(200)
        var effects: [Effect] = []
        for _ in 0..<90 {
            effects += page.press(.down)
            effects += page.wait(.milliseconds(33))
            // Two pages are in view at most, and their texts are ready.
            let inView = page.state.indicesInView
            #expect(inView.count <= 2 && inView.allSatisfy { page.state.contents[$0] != nil })
        }
        #expect(played(effects) == ["1"])
        #expect(effects.contains(.pause("1")))
        let after = page.wait(.milliseconds(300))
        #expect(played(after) == ["90"])
        #expect(after.contains(.keepWarm(["90", "91", "89"])))
        #expect(page.state.pager.position == 90)
        // No item but those near the page in view is remembered.
        #expect(Set(page.state.clips.keys) == ["89", "90", "91"])
    }

    @Test func thePageWhereTheKeysEndPlaysBeforeItIsInView() {
        let page = page()
        for _ in 0..<8 { page.press(.down) }
        #expect(played(page.wait(.milliseconds(119))).isEmpty)
        #expect(played(page.wait(.milliseconds(1))) == ["8"])
        #expect(page.state.pager.isMoving)
    }

    /// A slide that ends sooner than that starts its player when it ends.
    @Test func aPageInViewWaitsForNothing() {
        let page = page()
        page.press(.down)
        page.wait(.milliseconds(60))
        page.press(.up)
        page.press(.down)
        let after = page.wait(.milliseconds(100))
        #expect(!page.state.pager.isMoving && played(after) == ["1"])
    }

    @Test func aClipThatIsOpenPlaysAtOnce() {
        let page = page()
        page.press(.down)
        let facts = ClipFacts(duration: nil, isSeekable: true, hasVideo: true, hasAudio: true)
        page.send(.player("2", .opened(facts)))
        page.wait(.milliseconds(60))
        #expect(played(page.press(.down)) == ["2"])
    }

    @Test func aPausedPageDoesNotPlayWhenTheSlideEnds() {
        let page = page()
        for _ in 0..<8 { page.press(.down) }
        page.type(" ")
        let after = page.wait(.seconds(1))
        #expect(played(after).isEmpty && after.contains(.keepWarm(["8", "9", "7"])))
        #expect(page.type(" ") == [.play("8")])
    }

    @Test func aFeedThatChangesWhilePagesPassPlaysThePageInView() {
        let page = page()
        for _ in 0..<8 { page.press(.down) }
        page.send(.feed([Item](), title: nil))
        #expect(played(page.wait(.seconds(1))).isEmpty)
        page.send(.feed((0..<20).map { Item(id: "\($0)", url: "file:///\($0).mp4") }, title: nil))
        #expect(page.state.currentID.map { page.orders.contains(.play($0)) } == true)
    }

    @Test func aSwipeOnATouchpadTurnsOnePage() {
        let page = page()
        // 60 notches in half a second.
        for _ in 0..<60 {
            page.mouse(.wheelDown, 10, 10)
            page.wait(.milliseconds(8))
        }
        page.wait(.milliseconds(300))
        #expect(page.state.current == 1)
    }
}

/// The hint at the key for help.
struct KeyHintTests {
    private func page(_ change: (inout Options) -> Void) -> Page {
        var options = Options()
        change(&options)
        let page = Page(options: options)
        page.play()
        return page
    }

    /// A newcomer needs four keys; later the one that lists all of them is enough.
    @Test func theFirstRunNamesFourKeysOnce() {
        let page = page { $0.isFirstRun = true }
        #expect(page.screen[0].contains(" ↓ next   l like   ? keys   q quit "))
        page.wait(.seconds(5))
        page.press(.function(12))
        #expect(page.screen[0].contains(" ? keys ") && !page.screen[0].contains("next"))
    }

    @Test func theFirstRunHasItForFourSeconds() {
        let page = page { $0.isFirstRun = true }
        #expect(page.screen[0].contains(" ? keys "))
        page.wait(.milliseconds(3_990))
        #expect(page.screen[0].contains(" ? keys "))
        page.wait(.milliseconds(20))
        #expect(!page.screen[0].contains("keys"))
    }

    @Test func anUnknownKeyBringsItAndTheKeySheetEndsIt() {
        let page = page { _ in }
        #expect(!page.screen[0].contains("keys"))
        page.press(.function(12))
        #expect(page.screen[0].contains(" ? keys "))
        page.type("?")
        page.type("?")
        #expect(!page.screen[0].contains("keys"))
    }

    /// There is no next clip after the last one, and nothing to like on an error page.
    @Test func theFirstRunNamesOnlyWhatWorksNow() {
        var options = Options()
        options.isFirstRun = true
        let single = Page([Page.feed[0]], options: options)
        #expect(single.screen[0].contains(" l like   ? keys   q quit ") && !single.screen[0].contains("next"))
        let failed = Page(options: options)
        failed.send(.player("v1", .failed("broken")))
        #expect(failed.screen[0].contains(" ↓ next   ? keys   q quit ") && !failed.screen[0].contains("like"))
        options.startIndex = 3
        #expect(!Page(options: options).screen[0].contains("next"))
    }

    @Test func hintNamesTheBoundKey() {
        let page = page {
            $0.keys = KeyMap(changing: [.help: [.function(1)]])
            $0.isFirstRun = true
        }
        #expect(page.screen[0].contains(" F1 keys "))
    }

    @Test func withoutSuchAKeyThereIsNoHint() {
        let page = page {
            $0.keys = KeyMap(changing: [.help: []])
            $0.isFirstRun = true
        }
        page.press(.function(12))
        #expect(!page.screen[0].contains("keys"))
    }

    @Test func aFeedThatComesLateHasItToo() {
        var options = Options()
        options.isFirstRun = true
        let page = Page([], options: options)
        page.wait(.seconds(10))
        page.send(.feed(Page.feed, title: nil))
        #expect(page.screen[0].contains(" ? keys "))
    }
}
