import Foundation
import Model
import TestSupport
import Testing

@testable import Engagement

/// Messages to services: what is queued, in which order it is sent, and how errors are handled.
@Suite struct MessageTests {
    private let folder = TemporaryFolder()
    private var path: String { folder.path + "/flick.db" }

    static let endpoint = "https://h/service/"

    static func item(_ id: String, endpoint: String? = endpoint) -> LibraryItem {
        LibraryItem(
            key: ItemKey(scope: "https://h", id: id), url: "https://h/\(id).mp4", json: "{}",
            feed: "https://h/feed.json",
            source: "https://h/feed.json", endpoint: endpoint)
    }

    static func reaction(liked: Bool = false, disliked: Bool = false, saved: Bool = false) -> Reaction {
        Reaction(isLiked: liked, isDisliked: disliked, isSaved: saved)
    }

    static func event(_ id: String, at: Double = 1) -> LoggedEvent {
        LoggedEvent(id: id, session: "s", at: at, what: "view")
    }

    /// Takes and settles all that may be sent at `now`.
    static func drain(
        _ store: Store, now: Double = 1_000, _ outcome: (QueuedMessage) -> SendOutcome = { _ in .accepted([]) }
    ) throws -> [QueuedMessage] {
        var sent: [QueuedMessage] = []
        while let message = try store.nextMessage(now: now).message {
            sent.append(message)
            _ = try store.settle(message, outcome(message), now: now, jitter: 0)
        }
        return sent
    }

    @Test func actionsBecomeRequestsOfTheProtocol() throws {
        let store = try Store(path: path)
        let creator = CreatorKey(scope: "https://h", id: "c 7/ü")
        let summary = EngagementEvent.Summary(
            watchTime: .seconds(3), completion: 0.5, milestones: [25, 50], replays: 1, hasSkipped: true,
            stallTime: .milliseconds(250))
        let isNew = try store.apply([
            .seen(Self.item("a/1"), page: 3, at: 1),
            .event(Self.item("a/1"), Self.event("E1", at: 1.5), .view(watched: .milliseconds(2_010))),
            .event(Self.item("a/1"), Self.event("E2", at: 2), .summary(summary)),
            .event(Self.item("a/1"), Self.event("E3", at: 2), .impression),
            .reacted(Self.item("a/1"), Self.reaction(liked: true), at: 3),
            .reacted(Self.item("a/1"), Self.reaction(disliked: true, saved: true), at: 4),
            .reacted(Self.item("a/1"), Self.reaction(saved: true), at: 5),
            .followed(Self.item("a/1"), creator, name: "C", hasID: true, true, at: 6),
            .shared(Self.item("a/1"), at: 7),
            .commented(Self.item("a/1"), OwnComment(id: "E4", text: "so \"nice\"", parent: "p", name: "N", at: 8)),
        ])
        #expect(isNew)
        let sent = try Self.drain(store)
        #expect(
            sent.map { "\($0.message.method.rawValue) \($0.message.path)" } == [
                "POST videos/track_view", "POST videos/track_engagement", "PUT videos/a%2F1/like",
                "PUT videos/a%2F1/dislike", "PUT videos/a%2F1/save", "DELETE videos/a%2F1/dislike",
                "PUT creators/c%207%2F%C3%BC/follow", "POST videos/a%2F1/share", "POST videos/a%2F1/comments",
            ])
        #expect(
            sent[0].message.body
                == #"{"event_id":"E1","at":"1970-01-01T00:00:01.500Z","video_id":"a/1","session_id":"s","watched_ms":2010}"#
        )
        #expect(
            sent[1].message.body.hasSuffix(
                #""watch_time":3,"completion":0.5,"milestones":[25,50],"replay_count":1,"has_skipped":true,"buffer_duration":0.25}"#
            ))
        #expect(
            sent[8].message.body
                == #"{"event_id":"E4","at":"1970-01-01T00:00:08Z","text":"so \"nice\"","parent":"p","name":"N"}"#)
        #expect(Set(sent.map(\.message.id)).count == 9 && Set(sent.map(\.viewer)).count == 1)
        #expect(try store.viewer(at: Self.endpoint) == sent[0].viewer)
        #expect(try store.nextMessage(now: 1_000).next == nil, "nothing is left")
        try store.apply([.reacted(Self.item("b"), Self.reaction(liked: true), at: 9)])
        #expect(try Self.drain(store).map(\.viewer) == [sent[0].viewer])
    }

    @Test func changesOfCommentsAndItemsBecomeRequests() throws {
        let store = try Store(path: path)
        func change(_ act: CommentAct, at: Double) -> Change {
            .changedComment(Self.item("a/1"), comment: "c 7/x", act, at: at)
        }
        try store.apply([
            change(.like(true), at: 1), change(.like(false), at: 2), change(.delete(true), at: 3),
            change(.delete(false), at: 4), change(.report(reason: "so \"rude\""), at: 5),
            .deletedItem(Self.item("a/1"), true, at: 6), .deletedItem(Self.item("a/1"), false, at: 7),
        ])
        let sent = try Self.drain(store).map(\.message)
        let comment = "videos/a%2F1/comments/c%207%2Fx"
        #expect(
            sent.map { "\($0.method.rawValue) \($0.path)" } == [
                "PUT \(comment)/like", "DELETE \(comment)/like", "DELETE \(comment)", "PUT \(comment)",
                "POST \(comment)/report", "DELETE videos/a%2F1", "PUT videos/a%2F1",
            ])
        #expect(
            sent.map(\.act) == [.commentLike, .commentLike, .comment, .comment, .report, .deletion, .deletion])
        #expect(sent.map(\.comment) == Array(repeating: "c 7/x", count: 5) + [nil, nil])
        #expect(sent[4].body.hasSuffix(#""at":"1970-01-01T00:00:05Z","reason":"so \"rude\""}"#))
        #expect(Set(sent.map(\.id)).count == 7)
    }

    /// A refusal is for the page to take back, unless something newer was decided.
    @Test func refusedChangesAreNamed() throws {
        let store = try Store(path: path)
        let acts: [CommentAct] = [.like(true), .like(false), .delete(true), .report(reason: "x")]
        for (place, act) in acts.enumerated() {
            try store.apply([.changedComment(Self.item("a"), comment: "c", act, at: Double(place))])
        }
        try store.apply([.deletedItem(Self.item("a"), true, at: 9)])
        var undone: [Rollback?] = []
        while let message = try store.nextMessage(now: 100).message {
            undone.append(try store.settle(message, .refused("no"), now: 100, jitter: 0))
        }
        #expect(
            undone == [
                // Neither was done: it is not liked, as before.
                nil, .comment("c", .like(true)), .comment("c", .delete(true)), .comment("c", .report(reason: "")),
                .deletion(true),
            ])
        #expect(try store.nextMessage(now: 1e9).next == nil, "they are sent again")
    }

    @Test func otherItemsQueueNoMessages() throws {
        let store = try Store(path: path)
        let changes: [Change] = [
            .event(Self.item("a", endpoint: nil), Self.event("E1"), .view(watched: .seconds(2))),
            .reacted(Self.item("a", endpoint: nil), Self.reaction(liked: true), at: 1),
        ]
        #expect(try !store.apply(changes))
        // Nor of any, if the user does not want that.
        #expect(try !store.apply([.reacted(Self.item("b"), Self.reaction(liked: true), at: 1)], queuesMessages: false))
        // A list of the library does not know the endpoint; the store does.
        try store.apply([.seen(Self.item("c"), at: 1)])
        var listed = Self.item("c", endpoint: nil)
        listed.source = ""
        #expect(try store.apply([.reacted(listed, Self.reaction(liked: true), at: 2)]))
        #expect(try Self.drain(store).map(\.item.id) == ["c"])
    }

    @Test func followsOfCreatorsWithoutAnIDAreNotSent() throws {
        let store = try Store(path: path)
        let creator = CreatorKey(scope: "https://h", id: "Sam")
        #expect(try !store.apply([.followed(Self.item("a"), creator, name: "S", hasID: false, true, at: 1)]))
        #expect(try store.follows(among: [creator]) == [creator])
        // With an id the follow is sent, once.
        let other = CreatorKey(scope: "https://h", id: "o")
        #expect(try store.apply([.followed(Self.item("a"), other, name: "O", hasID: true, true, at: 2)]))
        #expect(try !store.apply([.followed(Self.item("a"), other, name: "O", hasID: true, true, at: 3)]))
    }

    @Test func messagesUnsentForTwoMonthsAreDropped() throws {
        let store = try Store(path: path)
        try store.apply([
            .reacted(Self.item("a"), Self.reaction(liked: true), at: 1),
            .reacted(Self.item("b"), Self.reaction(liked: true), at: 3),
        ])
        let now = Store.oldest.seconds + 2
        let first = try #require(try store.nextMessage(now: now).message)
        _ = try store.settle(first, .unreachable(), now: now, jitter: 0)
        #expect(try Self.drain(store, now: now + 1).map(\.item.id) == ["b"])
    }

    @Test func ofOneThingOnlyTheFirstIsSentUntilItIsSettled() throws {
        let store = try Store(path: path)
        try store.apply([
            .reacted(Self.item("a"), Self.reaction(liked: true), at: 1), .reacted(Self.item("a"), Reaction(), at: 2),
            .reacted(Self.item("b"), Self.reaction(liked: true), at: 3),
        ])
        let other = try Store(path: path)
        let first = try #require(try store.nextMessage(now: 10).message)
        let second = try #require(try other.nextMessage(now: 10).message)
        #expect([first.item.id, second.item.id] == ["a", "b"], "two flicks take different ones")
        let (none, next) = try other.nextMessage(now: 10)
        #expect(none == nil && next == 10 + Store.taken.seconds)
        _ = try store.settle(first, .accepted([]), now: 11, jitter: 0)
        #expect(try other.nextMessage(now: 11).message?.message.method == .delete)
        // The other flick was killed before it sent its message.
        #expect(try Self.drain(store, now: 10 + Store.taken.seconds).map(\.item.id) == ["b"])
    }

    @Test func unreachableServiceIsTriedLessAndLess() throws {
        let store = try Store(path: path)
        try store.apply(["a", "b"].map { .reacted(Self.item($0), Self.reaction(liked: true), at: 1) })
        var (now, pauses): (Double, [Double]) = (100, [])
        for _ in 0..<14 {
            let message = try #require(try store.nextMessage(now: now).message)
            #expect(message.item.id == "a")
            _ = try store.settle(message, .unreachable(), now: now, jitter: 0.999_999)
            let next = try #require(try store.nextMessage(now: now).next)
            pauses.append((next - now).rounded())
            now = next
        }
        #expect(pauses == [2, 4, 8, 16, 32, 64, 128, 256, 512, 1_024, 2_048, 3_600, 3_600, 3_600])
        #expect(try Self.drain(store, now: now).count == 2)
        // It works again, so the next trouble begins with a short pause.
        try store.apply([.reacted(Self.item("a"), Reaction(), at: 2)])
        let message = try #require(try store.nextMessage(now: now).message)
        _ = try store.settle(message, .unreachable(after: .seconds(70)), now: now, jitter: 0)
        #expect(try store.nextMessage(now: now).next == now + 70)
    }

    @Test func pauseOfAYearIsLimitedToADay() {
        #expect(SendPause.length(failures: 0, least: .seconds(31_536_000), jitter: 0.5) == .seconds(86_400))
    }

    @Test func newSessionRetriesAtOnceExceptTakenMessages() throws {
        let store = try Store(path: path)
        try store.apply(["a", "b", "c"].map { .reacted(Self.item($0), Self.reaction(liked: true), at: 1) })
        func next(at now: Double) throws -> QueuedMessage { try #require(try store.nextMessage(now: now).message) }
        // The service failed at one three times, another flick is sending the
        // second, and nothing comes through for an hour.
        _ = try store.settle(next(at: 90), .failed(), now: 90, jitter: 0)
        _ = try store.settle(next(at: 91), .unreachable(), now: 91, jitter: 0)
        _ = try store.settle(next(at: 92), .failed(), now: 92, jitter: 0)
        _ = try store.settle(next(at: 94), .failed(after: .seconds(900)), now: 94, jitter: 0)
        #expect(try next(at: 100).item.id == "b")
        let last = try next(at: 100)
        #expect(last.item.id == "c")
        _ = try store.settle(last, .unreachable(after: .seconds(3_600)), now: 100, jitter: 0)
        #expect(try store.nextMessage(now: 105).message == nil)
        try store.endPauses(now: 105)
        let again = try next(at: 105)
        #expect(again.item.id == "c")
        // The first pause is as short as if nothing had failed before.
        _ = try store.settle(again, .unreachable(), now: 105, jitter: 0)
        #expect(try store.nextMessage(now: 105).next == 106)
        #expect(try Self.drain(store, now: 106).map(\.item.id) == ["c"])
        // The other flick keeps what it took for as long as it may.
        #expect(try store.nextMessage(now: 106).next == 100 + Store.taken.seconds)
        #expect(try Self.drain(store, now: 130).map(\.item.id) == ["b"])
        // A failed message waits as long as one that another flick has taken, and then no longer than the first time.
        #expect(try store.nextMessage(now: 130).next == 105 + Store.taken.seconds)
        _ = try store.settle(next(at: 135), .failed(), now: 135, jitter: 0)
        #expect(try store.nextMessage(now: 135).next == 136)
        #expect(try Self.drain(store, now: 136).map(\.item.id) == ["a"])
    }

    @Test func aMessageThatAServiceFailsAtDoesNotHoldUpOthers() throws {
        let store = try Store(path: path)
        try store.apply([
            .reacted(Self.item("bad"), Self.reaction(liked: true), at: 1),
            .reacted(Self.item("bad"), Reaction(), at: 2),
            .reacted(Self.item("good"), Self.reaction(liked: true), at: 3),
        ])
        let sent = try Self.drain(store) { $0.item.id == "bad" ? .failed() : .accepted([]) }
        #expect(sent.map(\.item.id) == ["bad", "good"])
        #expect(try store.nextMessage(now: 1_000).next == 1_001)
        #expect(try Self.drain(store, now: 1_001).map(\.message.method) == [.put, .delete])
    }

    @Test func unconfirmedMessageLetsOthersGoFirst() throws {
        let store = try Store(path: path)
        try store.apply(["bad", "a", "b"].map { .reacted(Self.item($0), Self.reaction(liked: true), at: 1) })
        let bad = try #require(try store.nextMessage(now: 10).message)
        _ = try store.settle(bad, .unconfirmed(why: "a login"), now: 10, jitter: 0)
        #expect(try store.nextMessage(now: 10).next == 11, "the service rests")
        #expect(try Self.drain(store, now: 11).map(\.item.id) == ["a", "b"])
        #expect(try Self.drain(store, now: 13).map(\.item.id) == ["bad"])
    }

    @Test func blockedServiceIsTriedOnceAMinute() throws {
        let store = try Store(path: path)
        try store.apply((0..<100).map { .reacted(Self.item("\($0)"), Self.reaction(liked: true), at: 1) })
        var (now, pauses, tried): (Double, [Double], Set<String>) = (10, [], [])
        for _ in 0..<20 {
            let message = try #require(try store.nextMessage(now: now).message)
            tried.insert(message.item.id)
            _ = try store.settle(message, .unconfirmed(why: "a login"), now: now, jitter: 0.999_999)
            let next = try #require(try store.nextMessage(now: now).next)
            pauses.append((next - now).rounded())
            now = next
        }
        #expect(pauses == [2, 4, 8, 16, 32] + Array(repeating: 64, count: 15) && tried.count > 1)
        // Once one is delivered, so are those that were not tried, and the others after their own pauses.
        var passed = try Self.drain(store, now: now).count
        #expect(passed > 80)
        let recovered = now
        while let next = try store.nextMessage(now: now).next {
            now = next
            passed += try Self.drain(store, now: now).count
        }
        #expect(passed == 100 && now - recovered < 3_600)
    }

    @Test func refusedMessagesAreRolledBack() throws {
        let store = try Store(path: path)
        let creator = CreatorKey(scope: "https://h", id: "c")
        try store.apply([
            .reacted(Self.item("a"), Self.reaction(disliked: true, saved: true), at: 1),
            .followed(Self.item("a"), creator, name: "C", hasID: true, true, at: 1),
        ])
        _ = try Self.drain(store)
        try store.apply([
            .reacted(Self.item("a"), Self.reaction(liked: true), at: 2),
            .followed(Self.item("a"), creator, name: "C", hasID: true, false, at: 2),
        ])
        var undone: [Rollback?] = []
        while let message = try store.nextMessage(now: 5).message {
            undone.append(try store.settle(message, .refused("no"), now: 5, jitter: 0))
        }
        #expect(
            undone == [
                .reaction(Self.reaction(disliked: true)), .reaction(Self.reaction(disliked: true, saved: true)),
                .follow(creator, true),
            ])
        let kept = try store.memories(of: [Self.item("a").key]).values.first?.reaction
        #expect(kept == Self.reaction(disliked: true, saved: true))
        #expect(try store.follows(among: [creator]) == [creator])
    }

    @Test func refusedUnfollowKeepsNameTimeAndFeed() throws {
        let store = try Store(path: path)
        let creator = CreatorKey(scope: "https://h", id: "c")
        let feed = FollowedFeed(address: "https://h/feed.json?creator=c", isShared: true)
        let name = "Ilma \"K\u{E4}\": \u{7}"
        try store.apply([.followed(Self.item("a"), creator, name: name, feed: feed, hasID: true, true, at: 7)])
        _ = try Self.drain(store)
        let before = try store.follows()
        #expect(before == [Follow(creator: creator, name: name, since: 7, feed: feed)])
        try store.apply([.followed(Self.item("a"), creator, name: name, hasID: true, false, at: 8)])
        #expect(try store.follows().isEmpty)
        let message = try #require(try store.nextMessage(now: 9).message)
        #expect(try store.settle(message, .refused("no"), now: 9, jitter: 0) == .follow(creator, true))
        #expect(try store.follows() == before)
        // An earlier flick stored no more than that the creator was followed.
        #expect(ServiceMessage.Undo(text: "follow:1") == .follow(true))
        #expect(ServiceMessage.Undo(text: "follow:1{\"name\":") == .follow(true))
    }

    /// Deleted and brought back, liked and unliked: what was before both holds again.
    @Test func secondRefusalRestoresStateBeforeFirst() throws {
        let store = try Store(path: path)
        let creator = CreatorKey(scope: "https://h", id: "c")
        try store.apply([
            .reacted(Self.item("a"), Self.reaction(liked: true), at: 1),
            .reacted(Self.item("a"), Self.reaction(), at: 2),
            .followed(Self.item("a"), creator, name: "C", hasID: true, true, at: 1),
            .followed(Self.item("a"), creator, name: "C", hasID: true, false, at: 2),
            .changedComment(Self.item("a"), comment: "c", .delete(true), at: 1),
            .changedComment(Self.item("a"), comment: "c", .delete(false), at: 2),
            .deletedItem(Self.item("a"), true, at: 1), .deletedItem(Self.item("a"), false, at: 2),
        ])
        var undone: Set<Rollback?> = []
        while let message = try store.nextMessage(now: 5).message {
            undone.insert(try store.settle(message, .refused("no"), now: 5, jitter: 0))
        }
        #expect(
            undone == [
                nil, .reaction(Self.reaction()), .follow(creator, false), .comment("c", .delete(true)), .deletion(true),
            ])
        #expect(try store.follows().isEmpty)
    }

    @Test func rollbackKeepsLaterDecisions() throws {
        let store = try Store(path: path)
        try store.apply([.reacted(Self.item("a"), Self.reaction(liked: true), at: 1)])
        let first = try #require(try store.nextMessage(now: 1).message)
        try store.apply([
            .reacted(Self.item("a"), Self.reaction(saved: true), at: 2),
            .reacted(Self.item("a"), Self.reaction(liked: true, saved: true), at: 3),
        ])
        #expect(try store.settle(first, .refused("no"), now: 4, jitter: 0) == nil)
        #expect(
            try store.memories(of: [Self.item("a").key]).values.first?.reaction
                == Self.reaction(liked: true, saved: true))
    }

    @Test func forgettingAnItemDropsItsMessages() throws {
        let store = try Store(path: path)
        try store.apply(["a", "b"].map { .reacted(Self.item($0), Self.reaction(liked: true), at: 1) })
        let viewer = try store.viewer(at: Self.endpoint)
        _ = try store.forget(.item("a"))
        #expect(try Self.drain(store).map(\.item.id) == ["b"])
        #expect(try viewer != nil && store.viewer(at: Self.endpoint) == viewer)
        _ = try store.forget(.all)
        #expect(try store.viewer(at: Self.endpoint) == nil)
        try store.apply([.reacted(Self.item("a"), Self.reaction(liked: true), at: 1)])
        #expect(try store.viewer(at: Self.endpoint) != viewer)
    }

    @Test func aFileOfTheFirstFormIsBroughtToThisOne() throws {
        try Store.make(at: path, upTo: "1: items, follows, events") {
            """
            INSERT INTO item (scope, id, url, json, feed, source, seen, liked)
                VALUES ('', 'a', 'file:///a', '{}', NULL, '/clips', 5, 6);
            INSERT INTO event (id, item, session, at, what, detail) VALUES ('e', 1, 's', 5, 'view', '');
            """
        }
        let store = try Store(path: path)
        #expect(try store.lastSeen(in: "/clips", limit: 9) == [LastSeen(key: ItemKey(scope: "", id: "a"), page: nil)])
        #expect(try store.entries(of: .liked, limit: 5).count == 1 && store.events(limit: 5).count == 1)
        try store.apply([.reacted(Self.item("b"), Self.reaction(liked: true), at: 1)])
        #expect(try Self.drain(store).count == 1)
    }
}
