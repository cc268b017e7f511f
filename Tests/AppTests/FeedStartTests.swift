import Testing

@testable import App

@Suite struct FeedStartTests {
    private func start(at page: Int, earlier: Int? = nil, unseen: Int = 0, isOver: Bool = false) -> FeedStart {
        FeedStart(page: page, earlier: earlier ?? page, unseen: unseen, isOver: isOver)
    }

    @Test func resumesAtTheItemThatWasWatchedLast() {
        #expect(start(at: 4) == .resumed(4))
        #expect(start(at: 4).page == 4)
        #expect(FeedStart(page: 4, earlier: nil, unseen: 3, isOver: false) == .resumed(4))
    }

    @Test func theFirstItemIsNoPlaceToReturnTo() { #expect(start(at: 0) == .top) }

    @Test func newItemsBeatTheOldPosition() {
        #expect(start(at: 6, earlier: 4, unseen: 2) == .new(2))
        #expect(start(at: 1, earlier: 0, unseen: 1, isOver: true) == .new(1))
        #expect(start(at: 6, earlier: 4, unseen: 2).page == 0)
    }

    /// Such as `--start 4` leaves behind.
    @Test func skippedItemsAreNotNew() {
        #expect(start(at: 3, unseen: 3) == .resumed(3))
        #expect(start(at: 5, earlier: 3, unseen: 5) == .new(2))
    }

    /// A file that sorts between others.
    @Test func itemsThatCameBehindSeenOnesDoNotMoveTheStart() { #expect(start(at: 5, earlier: 4) == .resumed(5)) }

    /// The end of the feed has moved up.
    @Test func lostItemsChangeNothing() { #expect(start(at: 2, earlier: 5, unseen: 1) == .resumed(2)) }

    @Test func afterItsEndAFeedBeginsAgain() { #expect(start(at: 9, isOver: true) == .top) }
}
