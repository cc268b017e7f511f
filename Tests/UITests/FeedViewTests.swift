import Model
import Testing

@testable import UI

@Suite struct FeedViewTests {
    private let sea = FeedPart.folder("Sea")
    private let shell = Item(id: "a", url: "file:///a.mp4", folder: "Sea")

    private var feed: FeedView { FeedView([shell] as [Item], title: " New\u{1B}[31m \n") }

    @Test func titleIsCleaned() {
        #expect(feed.title.text == CleanText.line(" New\u{1B}[31m \n", limit: 120))
        #expect(FeedView([] as [Item], title: nil).title.isEmpty)
    }

    @Test func partIsTakenWhereItIsStillWanted() {
        var feed = feed
        #expect(!feed.takes(sea, at: shell))
        feed.want(sea, now: .seconds(1))
        #expect(feed.takes(sea, at: shell) && !feed.takes(.topic("rain"), at: shell))
        // The page in view is of something else.
        #expect(!feed.takes(sea, at: Item(id: "b", url: "file:///b.mp4", folder: "Land")) && !feed.takes(sea, at: nil))
        feed.dropWanted()
        #expect(!feed.takes(sea, at: shell))
    }

    @Test func latePartIsMentionedOnce() {
        var feed = feed
        feed.want(sea, now: .seconds(1))
        let end = Duration.seconds(1) + WantedPart.patience
        #expect(feed.lateAt == end)
        let late = [end - .milliseconds(1), end, end + .seconds(9)].map { feed.takeLatePart(now: $0) }
        #expect(late == [nil, sea, nil] && feed.lateAt == nil)
        // It is still wanted.
        #expect(feed.takes(sea, at: shell))
    }

    @Test func openPartIsNotWaitedFor() {
        var feed = feed
        feed.want(sea, now: .seconds(1))
        feed.open(sea)
        #expect(feed.part == sea && feed.lateAt == nil)
        feed.grid = StillGrid(chosen: 0)
        feed.closePart()
        #expect(feed.part == nil && feed.grid == nil)
    }

    @Test func readingTheFeedEndsAPart() {
        var feed = feed
        (feed.isReading, feed.lacksMore) = (true, true)
        feed.open(sea)
        feed.arrive()
        #expect(!feed.isReading && !feed.lacksMore && feed.part == nil)
    }

    @Test func sensitiveItemIsRevealedByItself() {
        var feed = feed
        var items = ["a", "b"].map { Item(id: $0, url: "file:///\($0).mp4") }
        for index in items.indices { items[index].isSensitive = true }
        feed.reveal("a")
        #expect(items.map { feed.isSensitive($0) } == [false, true] && !feed.isSensitive(shell))
    }

    @Test func commentsCanBeShownByAServiceOrWhereTheItemIsOf() {
        var feed = feed
        #expect(!feed.showsComments(of: shell))
        feed.readsComments = { $0.id == "a" }
        #expect(feed.showsComments(of: shell) && !feed.showsComments(of: nil))
        feed.readsComments = { _ in false }
        feed.keepsComments = { $0.id == "a" }
        #expect(feed.showsComments(of: shell) && feed.acceptsComments(on: shell) && !feed.acceptsComments(on: nil))
        feed.takesComments = true
        #expect(feed.showsComments(of: nil) && feed.acceptsComments(on: nil))
    }
}
