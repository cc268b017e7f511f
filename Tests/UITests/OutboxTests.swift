import Model
import Testing

@testable import UI

struct OutboxTests {
    private static let like = Outbox.Act(item: "v1", action: .like)
    private static let save = Outbox.Act(item: "v2", action: .save)

    @Test func anUndeliveredActWaitsUntilItIsDelivered() {
        var outbox = Outbox()
        var isNew = outbox.add(Self.like)
        #expect(!isNew && !outbox.waits(Self.like))
        isNew = outbox.fail(Self.like)
        #expect(isNew && outbox.waits(Self.like))
        // A further attempt.
        isNew = outbox.fail(Self.like)
        #expect(!isNew && outbox.waits(Self.like))
        outbox.settle(Self.like)
        #expect(!outbox.waits(Self.like) && !outbox.isOffline)
    }

    /// While the service does not answer, flick tries one message only.
    @Test func behindAnUndeliveredActAllOthersWait() {
        var outbox = Outbox()
        var waits = [outbox.add(Self.like), outbox.add(Self.save)]
        #expect(waits == [false, false])
        _ = outbox.fail(Self.like)
        #expect(outbox.waits(Self.save))
        outbox.settle(Self.like)
        #expect(outbox.waits(Self.save))
        outbox.settle(Self.save)
        #expect(!outbox.waits(Self.save))
        _ = outbox.fail(Self.save)
        waits = [outbox.add(Self.like)]
        #expect(waits == [true] && outbox.waits(Self.like))
    }

    @Test func anActOfAnEarlierSessionIsNotMentioned() {
        var outbox = Outbox()
        let isNew = outbox.fail(Self.like)
        #expect(!isNew && !outbox.waits(Self.like) && outbox.isOffline)
    }

    // MARK: On the page

    private let words = "Not sent yet; flick retries when the server responds"

    @Test func aLikeThatWaitsIsMarked() {
        let page = Page(columns: 120, rows: 40)
        page.play()
        page.send(.service(takesComments: true))
        page.type("l")
        #expect(page.screen.contains { $0.contains("♥ 1.2K ") })
        page.send(.undelivered("v1", .like))
        #expect(page.state.toasts.current?.text.text == words)
        #expect(page.screen.contains { $0.contains("♥ 1.2K…") })
        page.send(.delivered("v1", .like))
        #expect(page.screen.contains { $0.contains("♥ 1.2K ") })
        // The next action waits without a failure.
        page.send(.undelivered("v1", .like))
        page.type("s")
        #expect(page.state.toasts.current?.text.text == words)
        #expect(page.screen.contains { $0.contains("10…") })
    }

    @Test func aCommentThatWaitsIsMarked() {
        let page = Page(columns: 120, rows: 40)
        page.play()
        page.send(.service(takesComments: true))
        page.type(":")
        for character in "lost?" { page.type(character) }
        page.press(.enter)
        #expect(page.screen.contains { $0.contains(" 46 ") })
        page.send(.undelivered("v1", .comments))
        #expect(page.state.toasts.current?.text.text == words)
        #expect(page.screen.contains { $0.contains(" 46…") })
    }

    @Test func aFeedWithoutAServiceSendsNothing() {
        let page = Page()
        page.play()
        page.type("l")
        page.send(.undelivered("v1", .like))
        #expect(page.state.toasts.current == nil)
    }
}
