import Model
import Testing

@testable import UI

/// A feed that gets longer while it is watched.
struct GrowthTests {
    private let more = Page.feed + (0..<20).map { Item(id: "more\($0)", url: "file:///more\($0).mp4") }

    /// All but the first row, which shows the number of items.
    private func seen(_ page: Page) -> [String] { Array(page.screen.dropFirst()) }

    @Test func nothingMovesWhenTheFeedGrowsInTheMiddleOfASnap() {
        let (grown, same) = (Page(), Page())
        for page in [grown, same] {
            page.play()
            page.press(.down)
            page.wait(.milliseconds(60))
        }
        #expect(grown.state.pager.isSnapping)
        #expect(grown.send(.more(more)) == [.keepWarm(["v2", "v3", "v1"])])
        same.send(.tick)
        for _ in 0..<30 {
            #expect(grown.state.pager.position == same.state.pager.position)
            #expect(seen(grown) == seen(same))
            for page in [grown, same] { page.wait(.milliseconds(7)) }
        }
        #expect(grown.state.current == 1 && !grown.state.pager.isMoving)
    }

    @Test func nothingMovesWhenTheFeedGrowsUnderADrag() {
        let (grown, same) = (Page(), Page())
        for page in [grown, same] {
            page.play()
            page.mouse(.press(.left), 20, 20)
            page.wait(.milliseconds(30))
            page.mouse(.drag, 20, 15)
        }
        grown.send(.more(more))
        same.send(.tick)
        for page in [grown, same] {
            page.mouse(.drag, 20, 9)
            page.wait(.milliseconds(10))
        }
        #expect(grown.state.pager.position == same.state.pager.position && seen(grown) == seen(same))
        for page in [grown, same] {
            page.mouse(.release(.left), 20, 9)
            page.wait(.seconds(1))
        }
        #expect(grown.state.current == same.state.current && seen(grown) == seen(same))
    }

    @Test func aFailedPageIsNotShownAsTheEndOfTheFeed() {
        let page = Page()
        page.type("G")
        page.play()
        page.send(.moreFailed)
        #expect(page.press(.down) == [.loadMore])
        page.wait(.milliseconds(300))
        #expect(page.screen.contains { $0.contains("Couldn't load") })
        page.wait(.seconds(5))
        page.send(.more(Page.feed))
        #expect(page.press(.down) == [])
        page.wait(.milliseconds(300))
        #expect(page.screen.contains { $0.contains("This is the last clip") })
    }

    @Test func theLastPageLeadsOnOnceTheFeedHasGrown() {
        let page = Page()
        page.type("G")
        page.play()
        page.type(" ")
        #expect(page.press(.down) == [])
        page.send(.more(more))
        #expect(page.state.current == 3 && page.state.isPaused)
        #expect(page.press(.down).contains(.play("more0")))
        page.wait(.seconds(1))
        #expect(page.state.content?.item.id == "more0")
    }

    @Test func pageStateDoesNotGrowWithTheFeed() {
        let page = Page()
        page.send(.more((0..<5_000).map { Item(id: "\($0)", url: "file:///\($0).mp4") }))
        for _ in 0..<1_000 {
            page.press(.down)
            page.wait(.milliseconds(400))
            page.send(.player(page.state.currentID ?? "", .failed("no")))
        }
        #expect(page.state.current == 1_000)
        #expect(page.state.clips.count <= State.failureReach + 3 && page.state.contents.count <= 3)
    }

    // MARK: Files that come and go

    @Test func clipsThatComeMoveNothing() {
        let page = Page()
        page.type("G")
        page.play()
        let before = seen(page)
        #expect(page.send(.changed(more, hasLost: false)) == [.keepWarm(["v4", "more0", "v3"])])
        #expect(page.state.current == 3 && seen(page) == before)
        #expect(page.press(.down).contains(.play("more0")))
    }

    @Test func clipsThatGoLeaveTheCurrentOneInView() {
        let page = Page()
        page.type("G")
        page.play()
        let title = page.state.feed.title
        let left = Array(Page.feed.dropFirst(2))
        page.send(.changed(left, hasLost: true))
        #expect(page.state.current == 1 && page.state.currentID == "v4" && page.state.feed.title == title)
        #expect(page.state.clip.isPlaying)
        // The clip in view goes, too: the one that takes its place plays.
        #expect(page.send(.changed(Array(left.dropLast()), hasLost: true)).contains(.play("v3")))
        #expect(page.state.currentID == "v3")
    }

    @Test func anEmptyFolderFillsAgain() {
        let page = Page()
        page.play()
        page.send(.changed([Item](), hasLost: true))
        #expect(page.state.currentID == nil)
        page.wait(.seconds(1))
        #expect(page.send(.changed(more, hasLost: false)).contains(.play("v1")))
    }
}
