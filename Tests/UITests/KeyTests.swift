import Model
import TerminalInput
import Testing

@testable import UI

/// Keys through `update`, as a person would press them.
struct KeyTests {
    private func playing(_ options: Options = Options()) -> Page {
        let page = Page(options: options)
        page.play()
        return page
    }

    @Test func thePageBeginsByPlayingItsFirstItem() {
        let page = Page()
        #expect(page.orders.contains(.play("v1")))
        #expect(page.orders.contains(.keepWarm(["v1", "v2"])))
        #expect(page.orders.contains(.setLoop(true)))
    }

    @Test(arguments: [Key.down, .character("j"), .pageDown])
    func aPageIsTurned(key: Key) {
        let page = playing()
        #expect(page.press(key) == [.play("v2"), .keepWarm(["v2", "v3", "v1"])])
        #expect(page.traces == ["key", "page"])
        page.wait(.milliseconds(140))
        _ = page.send(.tick)
        page.now += .milliseconds(20)
        page.send(.tick)
        #expect(page.traces == ["settled"])
        #expect(page.press(.up) == [.play("v1"), .keepWarm(["v1", "v2"])])
    }

    @Test func pagingPastAnEndShowsANotice() {
        let page = playing()
        #expect(page.press(.up) == [])
        #expect(page.state.toasts.current != nil)
        page.type("G")
        #expect(page.state.current == 3)
        page.type("g")
        #expect(page.state.current == 0)
    }

    @Test func spacePausesAtOnceAndShowsIt() {
        let page = playing()
        #expect(page.type(" ") == [.pause("v1")])
        page.wait(.seconds(3))
        #expect(page.screen[0].contains("❚❚ paused"))
        #expect(page.type(" ") == [.play("v1")])
        page.send(.player("v1", .playing))
        page.wait(.seconds(3))
        #expect(!page.screen[0].contains("paused"))
    }

    @Test func theNextPagePlaysEvenIfThisOneWasPaused() {
        let page = playing()
        page.type(" ")
        #expect(page.press(.down).contains(.play("v2")))
        #expect(!page.state.isPaused)
    }

    @Test func theNextPageBeginsWithoutWhatWasOpenOnThisOne() {
        let page = Page(columns: 80, rows: 24)
        page.play()
        page.type("e")
        #expect(page.state.view.isExpanded)
        page.press(.down)
        #expect(!page.state.view.isExpanded)
        page.type("?")
        page.type("j")
        // The item in view has left the feed.
        page.send(.feed(Page.feed.filter { $0.id != "v2" }, title: nil))
        #expect(page.state.view.sheet == nil && page.state.view.line == 0)
        page.press(.up)
        page.wait(.seconds(1))
        page.play()
        page.type("4")
        page.press(.right)
        #expect(page.state.seeking.scrub != nil)
        page.type("G")
        #expect(page.state.seeking.scrub == nil && page.state.seeking.target == nil)
    }

    @Test func firstAndLastAreLinesWhileASheetIsOpen() {
        let page = playing()
        page.type("?")
        page.type("G")
        let last = page.state.view.line
        #expect(page.state.view.sheet == .help && page.state.current == 0 && last > 5)
        page.type("j")
        #expect(page.state.view.line == last)
        page.press(.home)
        #expect(page.state.view.sheet == .help && page.state.view.line == 0)
        page.type("M")
        page.press(.end)
        #expect(page.state.view.line == page.state.menu.count - 1)
    }

    /// It looks like a button, and is one.
    @Test func aClickOnTheKeyHintShowsTheKeys() throws {
        let page = playing()
        page.type("~")
        let frame = try #require(page.state.keyHintFrame)
        #expect(page.screen[0].contains("? keys"))
        page.mouse(.press(.left), frame.column + 1, 0)
        page.mouse(.release(.left), frame.column + 1, 0)
        page.wait(.seconds(1))
        #expect(page.state.view.sheet == .help && !page.state.isPaused)
    }

    @Test func theLikeKeyLikesAndUnlikes() {
        let page = playing()
        page.type("l")
        #expect(page.state.reactions["v1"].isLiked == true)
        page.wait(.seconds(1))
        #expect(page.screen.contains { $0.contains("♥ 1.2K") } && page.screen.contains { $0.contains(" liked ") })
        page.type("l")
        page.wait(.seconds(1))
        #expect(page.screen.contains { $0.contains(" like ") })
        #expect(!page.screen.contains { $0.contains(" liked ") })
    }

    @Test func likesAndDislikesExcludeEachOther() {
        let page = playing()
        page.type("l")
        page.type("d")
        #expect(page.state.reactions["v1"].isLiked == false)
        #expect(page.state.reactions["v1"].isDisliked == true)
        page.type("l")
        #expect(page.state.reactions["v1"].isDisliked == false)
    }

    @Test func scrubbingPreviewsThenSeeksOnce() {
        let page = playing()
        #expect(page.press(.right) == [.preview("v1", to: .seconds(5))])
        page.wait(.milliseconds(100))
        #expect(page.press(.shiftRight) == [.preview("v1", to: .seconds(6))])
        #expect(page.wait(.milliseconds(199)) == [])
        #expect(page.wait(.milliseconds(2)) == [.seek("v1", to: .seconds(6))])
        #expect(page.wait(.seconds(1)) == [])
        #expect(page.press(.altRight) == [.preview("v1", to: .seconds(20))])
    }

    @Test func aScrubIsForgottenWhenThePageIsLeft() {
        let page = playing()
        page.press(.right)
        page.press(.down)
        let later = page.wait(.seconds(1))
        #expect(!later.contains { if case .seek = $0 { true } else { false } })
    }

    @Test func digitsSeekToTenths() {
        let page = playing()
        #expect(page.type("4") == [.seek("v1", to: .seconds(8))])
        #expect(page.screen[22].contains(" 0:08 / 0:20 "))
    }

    @Test func speedAndVolumeStayInBounds() {
        let page = playing()
        for _ in 0..<30 { page.type("]") }
        #expect(page.orders == [.setSpeed(4)])
        for _ in 0..<30 { page.type("[") }
        #expect(page.orders == [.setSpeed(0.25)])
        #expect(page.press(.backspace) == [.setSpeed(1)])
        #expect(page.type("m") == [.setVolume(0)])
        #expect(page.type("m") == [.setVolume(1)])
        for _ in 0..<30 { page.type("-") }
        #expect(page.orders == [.setVolume(0)])
    }

    @Test func sharingCopiesTheLink() {
        let page = playing()
        #expect(page.type("y") == [.share("v1"), .copy("https://example.org/v1")])
        page.wait(.milliseconds(300))
        // The terminal reports the result.
        #expect(page.state.toasts.current == nil)
    }

    @Test func aCopiedLinkHasNoPasswordOrSignatureUnlessThatIsAsked() {
        let item = Item(id: "s", url: "https://me:pw@h/v.mp4?v=1&X-Amz-Signature=abc&token=x#t=5")
        for (isAsked, link) in [(false, "https://h/v.mp4?v=1#t=5"), (true, item.url)] {
            var options = Options()
            options.copiesSecrets = isAsked
            let page = Page([item], options: options)
            #expect(page.type("y") == [.share("s"), .copy(link)])
        }
    }

    @Test func aReactionIsToBeRemembered() {
        let page = Page()
        #expect(page.type("l") == [.react("v1", Reaction(isLiked: true, isDisliked: false, isSaved: false))])
        #expect(page.type("d") == [.react("v1", Reaction(isLiked: false, isDisliked: true, isSaved: false))])
        #expect(page.type("s") == [.react("v1", Reaction(isLiked: false, isDisliked: true, isSaved: true))])
        #expect(page.type("f") == [.follow("v1", true)])
        #expect(page.type("f") == [.follow("v1", false)])
    }

    /// What is remembered of an item says what its page says.
    @Test func rememberedCountsHaveTheUsersOwnInThem() {
        let page = Page()
        page.play()
        page.type("l")
        page.type("s")
        let item = page.state.reactions.withOwnCounts(Page.feed[0])
        #expect(item.stats == Item.Stats(likes: 1_235, dislikes: 3, comments: 45, saves: 10, shares: 2))
        #expect(page.state.reactions.withOwnCounts(Page.feed[3]) == Page.feed[3])
        // A list of the library has them so.
        let list = Page([item])
        list.state.feed.places = Places([.source, .saved], current: .saved)
        list.send(.remembered(["v1": Reaction(isLiked: true, isDisliked: false, isSaved: true)], follows: []))
        #expect(list.state.reactions.withOwnCounts(item) == item)
    }

    @Test func storedReactionsAreShownUnlessTheUserChangedThem() {
        let page = Page()
        page.type("l")
        page.type("l")
        page.type("y")
        let liked = Reaction(isLiked: true, isDisliked: false, isSaved: false)
        let creator = Page.feed[0].creator?.key ?? ""
        page.send(.remembered(["v1": liked, "v2": liked], follows: [creator]))
        #expect(!page.state.reactions[Page.feed[0].id].isLiked && page.state.reactions[Page.feed[0].id].wasShared)
        #expect(page.state.reactions[Page.feed[1].id] == liked)
        #expect(page.state.reactions.follows(Page.feed[0]))
        page.type("f")
        page.send(.remembered([:], follows: [creator]))
        #expect(!page.state.reactions.follows(Page.feed[0]))
    }

    /// The feed counts nine likes. If its service receives the user's own like, the count includes it from the next
    /// reading on.
    @Test(arguments: [false, true])
    func ownReactionIsCountedOnce(isCounted: Bool) {
        let page = Page()
        page.send(.service(takesComments: isCounted))
        page.send(.feed(Page.feed, title: nil))
        let liked = Reaction(isLiked: true, isDisliked: false, isSaved: false)
        let (own, other) = (Page.feed[0], Page.feed[1])
        page.send(.remembered([other.id: liked], follows: []))
        #expect(page.state.reactions.count(9, of: \.isLiked, to: other.id) == (isCounted ? 9 : 10))
        page.type("l")
        #expect(page.state.reactions.count(9, of: \.isLiked, to: own.id) == 10)
        page.send(.feed(Page.feed, title: nil))
        #expect(page.state.reactions.count(10, of: \.isLiked, to: own.id) == (isCounted ? 10 : 11))
        #expect(page.state.reactions.count(0, of: \.isLiked, to: own.id) == 1)
        page.type("l")
        #expect(page.state.reactions.count(10, of: \.isLiked, to: own.id) == (isCounted ? 9 : 10))
        #expect(page.state.reactions.count(nil, of: \.isLiked, to: own.id) == nil)
        #expect(page.state.reactions.count(.max, of: \.isSaved, to: own.id) == .max - 1)
    }

    @Test func aRefusedFollowIsTakenBackInTheServicesWords() {
        let page = Page()
        let creator = Page.feed[0].creator?.key ?? ""
        for before in [false, true] {
            page.type("f")
            #expect(page.state.reactions.follows(Page.feed[0]) == !before)
            page.send(.followRefused(creator, before, why: "sign in\u{7}"))
            #expect(page.state.reactions.follows(Page.feed[0]) == before)
            #expect(page.state.toasts.current?.text == GlyphLine("Change not saved: sign in\u{FFFD}"))
            if !before { page.type("f") }
        }
    }

    @Test func theKeyOfASheetOpensAndClosesIt() {
        let page = playing()
        for (key, title) in [
            ("?", "Keys"), ("T", "Trust"), ("I", "Diagnostics"), ("M", "This clip"),
        ] {
            page.type(Character(key))
            #expect(page.screen.contains { $0.contains(" \(title) ─") }, "\(key)")
            page.type(Character(key))
            #expect(page.state.view.sheet == nil)
        }
        page.type("?")
        page.press(.escape)
        #expect(page.state.view.sheet == nil)
    }

    /// It failed while it was paused.
    @Test func retriedClipIsNotPausedAnyMore() {
        let page = playing()
        page.type(" ")
        page.send(.player("v1", .failed("not media")))
        page.type("r")
        #expect(!page.state.isPaused)
        page.send(.player("v1", .playing))
        #expect(page.type(" ") == [.pause("v1")])
    }

    @Test func theMenuDoesWhatItsKeysDo() {
        let page = playing()
        page.type("M")
        for _ in 0..<3 { page.press(.down) }
        page.press(.enter)
        #expect(page.state.view.sheet == nil)
        #expect(page.state.reactions["v1"].isSaved == true)
    }

    @Test func failedPageIsRetriedAndTheFeedContinues() {
        let page = playing()
        page.send(.player("v1", .failed("not media")))
        #expect(page.screen.contains { $0.contains("Not media") })
        #expect(page.type("r") == [.retry("v1"), .play("v1"), .refresh])
        #expect(page.state.toasts.current?.text.text == "Retrying")
        #expect(!page.screen.contains { $0.contains("Not media") })
        page.send(.player("v1", .failed("not media")))
        #expect(page.press(.down).contains(.play("v2")))
    }

    @Test(arguments: [(80, 24), (40, 12)])
    func failedPageShowsTheReasonAfterALongAddress(columns: Int, rows: Int) {
        let page = Page(columns: columns, rows: rows)
        let address = "http://video.example/" + String(repeating: "0123456789", count: 10) + ".mp4"
        page.send(
            .player(
                "v1",
                .failed("cannot open '\(address)': the server did not respond within 15 s", advice: "try again later")))
        #expect(page.screen.contains { $0.contains("15 s") })
        #expect(page.screen.contains { $0.contains("Enter retry") })
    }

    @Test func endedClipAdvancesOnlyWithAutoAdvance() {
        let page = playing()
        #expect(page.send(.player("v1", .ended)) == [])
        #expect(page.state.isPaused)
        #expect(page.type(" ") == [.seek("v1", to: .zero), .play("v1")])
        page.play()
        page.type("A")
        #expect(page.orders == [.setLoop(false)])
        #expect(page.send(.player("v1", .ended)) == [.play("v2"), .keepWarm(["v2", "v3", "v1"])])
    }

    @Test func autoAdvanceLeavesAStillImageAfterFiveSeconds() {
        let page = Page()
        page.type("A")
        page.send(
            .player(
                "v1",
                .opened(
                    ClipFacts(
                        duration: nil, isSeekable: true, hasVideo: true, hasAudio: false, isStill: true))))
        page.wait(.seconds(6))
        #expect(page.state.currentID == "v1", "its picture has not come yet")
        page.send(.player("v1", .firstFrame))
        page.wait(.milliseconds(4_900))
        #expect(page.state.currentID == "v1")
        // A pause restarts the time.
        page.type(" ")
        page.wait(.seconds(6))
        page.type(" ")
        page.wait(.milliseconds(4_900))
        #expect(page.state.currentID == "v1")
        #expect(page.wait(.milliseconds(200)).contains(.play("v2")))
        #expect(page.state.currentID == "v2")
    }

    @Test func autoAdvanceLeavesAnErrorPageAfterFiveSeconds() {
        let page = Page()
        page.send(.player("v1", .failed("this file is empty")))
        page.wait(.seconds(6))
        #expect(page.state.currentID == "v1", "without auto-advance it stays")
        page.type("A")
        page.wait(.milliseconds(4_900))
        #expect(page.state.currentID == "v1")
        page.wait(.milliseconds(200))
        #expect(page.state.currentID == "v2")
    }

    @Test func anOpenSheetKeepsAutoAdvanceFromTurningThePage() {
        let page = playing()
        page.type("A")
        page.type("?")
        #expect(page.send(.player("v1", .ended)) == [])
        #expect(page.state.view.sheet == .help && page.state.currentID == "v1")
    }

    @Test func aSheetScrollsToItsLastLineAndBackFromThere() {
        let page = Page(columns: 80, rows: 16)
        page.type("?")
        let lines = SheetLayout(page.state).rows.count
        for _ in 0..<lines { page.press(.down) }
        let layout = SheetLayout(page.state)
        #expect(layout.first > 1 && layout.first + layout.body.rows == lines)
        page.press(.up)
        #expect(SheetLayout(page.state).first == layout.first - 1)
        // With more room it is still full.
        page.press(.down)
        page.send(.resized(GridSize(columns: 80, rows: 24)))
        let larger = SheetLayout(page.state)
        #expect(larger.first + larger.body.rows == larger.rows.count)
    }

    @Test func quittingWorksHoweverSmallTheTerminalIs() {
        let page = Page(columns: 30, rows: 10)
        #expect(page.screen.joined().contains("flick needs 40×12"))
        #expect(page.press(.down) == [])
        #expect(page.type("q") == [.quit])
        #expect(page.press(.control("c")) == [.quit])
    }

    @Test func suspendingPausesAndComingBackPlays() {
        let page = playing()
        #expect(page.press(.control("z")) == [.pause("v1"), .suspend])
        #expect(page.send(.resumed) == [.redraw, .play("v1")])
        page.type(" ")
        #expect(page.send(.resumed) == [.redraw])
    }

    @Test func newItemsNeverMoveTheWatchedOne() {
        let page = playing()
        page.press(.down)
        page.wait(.seconds(1))
        let new = [Item(id: "n1", url: "file:///n1"), Item(id: "n2", url: "file:///n2")] + Page.feed
        #expect(page.send(.feed(new, title: nil)) == [.play("v2"), .keepWarm(["v2", "v3", "v1"])])
        #expect(page.state.content?.item.id == "v2")
        #expect(
            page.send(.feed(new + [Item(id: "n3", url: "file:///n3")], title: nil)) == [.keepWarm(["v2", "v3", "v1"])])
    }

    @Test func extremeFiguresAreShownWithoutTraps() {
        let item = Item(
            id: "a", url: "file:///a", published: .init(timeIntervalSince1970: -1e300),
            trust: .init(score: .min), stats: .init(likes: .max, dislikes: .min, comments: .max))
        let page = Page([item], columns: 40, rows: 12)
        page.play(duration: .seconds(9_000_000_000_000), position: .seconds(8_999_999_999_999))
        for key in "ldsI9" { page.type(key) }
        page.press(.altRight)
        page.wait(.seconds(2))
        #expect(page.screen.count == 12)
    }

    @Test func aFeedBeingReadIsNotAnEmptyOne() {
        let page = Page([])
        page.state.feed.isReading = true
        #expect(page.screen.contains { $0.contains("Opening the feed") })
        page.send(.feed([Item](), title: nil))
        #expect(page.screen.contains { $0.contains("Nothing to play here") })
    }

    @Test(arguments: [
        (Place.saved, "Clips you save with s appear here"),
        (.liked, "Clips you like with l appear here"), (.history, "Clips you watch appear here"),
        (.offline, "Downloaded clips (D) appear here"), (.hidden, "What you hide with X is listed here"),
    ])
    func anEmptyListSaysHowClipsComeIntoIt(place: Place, words: String) {
        for (columns, rows) in [(40, 12), (80, 24), (200, 60)] {
            let page = Page([], columns: columns, rows: rows)
            page.state.feed.places = Places([place], current: place)
            #expect(page.screen.contains { $0.contains(words) })
            #expect(page.screen.contains { $0.contains("r refresh") && $0.contains("? keys") })
        }
    }

    @Test func anEmptyPlaceNamesTheWayToAnother() {
        let page = Page([], columns: 40, rows: 12)
        page.state.feed.places = Places([.source, .following, .saved], current: .following)
        #expect(page.screen.contains { $0.contains("Tab next place   r refresh   ? keys") })
        #expect(page.screen.contains { $0.contains("q quit") })
        page.state.feed.places = Places([.source, .following, .saved], current: .saved)
        #expect(page.screen.contains { $0.contains("Tab next place   ? keys   q quit") })
    }

    @Test func anEmptyPlacesWordsAreWrapped() {
        let page = Page([], columns: 40, rows: 12)
        page.state.feed.places = Places([.source, .following], current: .following)
        let text = page.screen.map { $0.split(separator: " ").joined(separator: " ") }.joined(separator: " ")
        #expect(text.contains("Clips by creators you follow with f appear here"))
    }

    @Test func anEmptyListOfWhatIsHiddenSaysSo() {
        let page = Page([])
        page.state.feed.places = Places([.source, .hidden], current: .hidden)
        #expect(page.screen.contains { $0.contains("Nothing hidden") })
        #expect(!page.screen.contains { $0.contains("Nothing to play") })
    }

    @Test func aFeedThatComesLateBegins() {
        let page = Page([])
        #expect(page.screen.contains { $0.contains("Nothing to play here") })
        #expect(page.send(.feed(Page.feed, title: "Demo")).contains(.play("v1")))
        #expect(page.screen[0].contains("Demo"))
    }
}
