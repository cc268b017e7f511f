import Model
import Testing

@testable import UI

/// Effects and reports name items by id; the state knows which page shows each.
struct ItemTests {
    @Test func ownClipHasNoFollowButton() {
        for (columns, rows) in [(80, 24), (200, 60), (40, 12)] {
            for own in [false, true] {
                let item = Item(
                    id: "i", url: "file:///i.mp4", title: "Sea", creator: .init(id: "c", name: "Mira"), own: own)
                let page = Page([item], columns: columns, rows: rows)
                page.play()
                #expect((PageLayout(page.state, index: 0).follow == nil) == own)
                #expect(page.state.menu.contains { $0.action == .follow } != own)
                #expect(page.type("f") == (own ? [] : [.follow("i", true)]))
            }
        }
    }

    /// A folder stands in for the creator.
    @Test func clipInAFolderHasAFollowButton() {
        for (columns, rows) in [(80, 24), (200, 60), (40, 12)] {
            let item = Item(id: "i", url: "file:///Sea/i.mp4", title: "Otters", folder: "Sea")
            let page = Page([item], columns: columns, rows: rows)
            page.play()
            #expect(page.screen.contains { $0.contains("Sea") && $0.contains("+ Follow") })
            #expect(page.state.menu.contains { $0.action == .follow })
            #expect(page.type("f") == [.follow("i", true)])
            #expect(page.screen.contains { $0.contains("Sea") && $0.contains("Following") })
            let bare = Page([Item(id: "i", url: "file:///i.mp4", title: "Otters")], columns: columns, rows: rows)
            bare.play()
            #expect(PageLayout(bare.state, index: 0).follow == nil)
            #expect(!bare.state.menu.contains { $0.action == .follow })
        }
    }

    @Test func everyItemOfAnEffectIsFoundByItsID() {
        let page = Page()
        for (id, index) in [("v1", 0), ("v2", 1)] {
            #expect(page.state.page(of: id) == index)
            #expect(page.state.item(id) == Page.feed[index])
        }
        page.type("G")
        #expect(page.orders == [.play("v4"), .keepWarm(["v4", "v3"])])
        #expect(page.state.page(of: "v4") == 3 && page.state.item("v3") == Page.feed[2])
    }

    @Test func reportsOfItemsThatAreNotNearTheOneInViewChangeNothing() {
        let page = Page()
        page.send(.player("v4", .failed("no")))
        page.send(.player("elsewhere", .failed("no")))
        #expect(Set(page.state.clips.keys) == ["v1", "v2"])
        page.type("G")
        page.send(.player("v1", .playing))
        #expect(!page.state.isPaused && page.state.clips["v1"] == nil)
    }

    @Test func anItemThatIsInTheFeedTwiceIsOpenedOnceAndShownByBothPages() {
        let twice = [Page.feed[0], Page.feed[0], Page.feed[1]]
        let page = Page(twice)
        #expect(page.orders.contains(.keepWarm(["v1"])))
        page.play()
        #expect(page.press(.down) == [.play("v1"), .keepWarm(["v1", "v2"])])
        #expect(page.state.clip.facts != nil && page.state.page(of: "v1") == 1)
    }

    @Test func refreshKeepsTheStateOfEachItem() {
        let page = Page()
        page.play()
        page.send(.player("v2", .picture(PixelSize(width: 80, height: 48))))
        let new = Item(id: "n", url: "file:///n")
        page.send(.feed([new] + Page.feed, title: nil))
        #expect(page.state.current == 1 && page.state.clip.isRendering)
        #expect(page.state.clips["v2"]?.hasStill == true && page.state.page(of: "v2") == 2)
        #expect(page.state.page(of: "n") == 0)
    }

    @Test func thePlayingItemIsPausedWhenTheFeedBecomesEmpty() {
        let page = Page()
        page.play()
        #expect(page.send(.feed([Item](), title: nil)) == [.pause("v1"), .keepWarm([])])
        #expect(page.state.currentID == nil && page.state.clips.isEmpty)
        #expect(page.type(" ") == [])
    }

    @Test func aFailureIsRememberedAHundredPagesAway() {
        let page = Page((0..<300).map { Item(id: "\($0)", url: "file:///\($0).mp4") })
        page.send(.player("0", .failed("no")))
        for _ in 0..<State.failureReach {
            page.press(.down)
            page.wait(.milliseconds(400))
        }
        #expect(page.state.clips["0"]?.failure != nil)
        page.press(.down)
        #expect(page.state.clips["0"] == nil)
    }
}
