import Foundation
import Platform
import Testing
import Wire

@testable import Player

/// What flick does and keeps for a decoder is bounded.
@Suite struct DecoderLimitTests {
    @Test func budgetRefillsWithTimeAndWork() {
        var allowance = TokenBucket(most: 3, perSecond: 10)
        func taken(at milliseconds: Int) -> Int {
            for count in 0..<10 where !allowance.take(now: .milliseconds(milliseconds)) { return count }
            return 10
        }
        #expect(taken(at: 0) == 3)
        #expect(taken(at: 99) == 0)
        // Parts of one are kept.
        #expect(taken(at: 250) == 2)
        #expect(taken(at: 310) == 1)
        allowance.earn(2)
        #expect(taken(at: 310) == 2)
        allowance.earn(9)
        #expect(taken(at: 310) == 3)
        #expect(taken(at: 1_000_000) == 3)
    }

    /// A held key seeks thirty times a second; for each an honest decoder sends the beginning of what it reads there.
    @Test(arguments: [
        (TokenBucket.messages, TokenBucket.messagesOfOrder, 250), (.requests, TokenBucket.requestsOfOrder, 12),
    ])
    func budgetCoversAHeldSeekKey(_ fresh: TokenBucket, earned: Int, each: Int) {
        var (allowance, refused) = (fresh, 0)
        for seek in 0..<300 {
            allowance.earn(earned)
            for _ in 0..<each where !allowance.take(now: .milliseconds(seek * 33)) { refused += 1 }
        }
        #expect(refused == 0)
        #expect(ToDecoder.seek(serial: 1, time: 0, mode: .key).isOrder && !ToDecoder.credit(frames: 1).isOrder)
    }

    @Test func decoderThatReadsNothingIsStuck() {
        var watch = StalledReaderDetector()
        let patience = Watchdog.patience
        func isStuck(_ unread: Int?, _ now: Duration) -> Bool { watch.isStuck(unread, now: now) }
        func looks(_ unread: Int?, from start: Duration, to end: Duration) -> [Bool] {
            stride(from: start.seconds, through: end.seconds, by: 0.5).map { isStuck(unread, .seconds($0)) }
        }
        let before = patience - .milliseconds(500)
        #expect(!looks(5, from: .zero, to: before).contains(true))
        // It has taken something.
        #expect(!looks(6, from: patience, to: patience + before).contains(true))
        // Nothing waits.
        #expect(!isStuck(nil, patience * 2))
        #expect(!looks(6, from: patience * 2, to: patience * 2 + before).contains(true))
        #expect(isStuck(6, patience * 3))
    }

    /// flick was stopped, or the machine slept: the decoder could read nothing either.
    @Test func suspendedTimeDoesNotCountAgainstADecoder() {
        var watch = StalledReaderDetector()
        func isStuck(_ unread: Int?, _ now: Duration) -> Bool { watch.isStuck(unread, now: now) }
        #expect(!isStuck(5, .zero))
        #expect(!isStuck(5, .seconds(3_600)))
        #expect(!isStuck(nil, .seconds(3_601)))
        #expect(!isStuck(5, .seconds(7_200)))
        #expect(!isStuck(5, .seconds(9_000)))
    }

    @Test func outboxDropsUnreadOrdersAtItsLimit() throws {
        var pair: [Int32] = [-1, -1]
        try #require(socketpair(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0, &pair) == 0)
        defer { close(pair[1]) }
        let outbox = Outbox(channel: DecoderChannel(descriptor: pair[0]))
        var (sent, most) = (0, 0)
        // Far more than the limit has room for.
        while sent < 200_000, outbox.send(.rate(thousandths: 1_000), waits: false) {
            sent += 1
            most = max(most, outbox.waiting)
        }
        // As many as an honest decoder may leave unread fit.
        #expect(sent > 1_000 && sent < 200_000)
        #expect(most > Outbox.room && most <= Outbox.most + 64)
        #expect(outbox.waiting == 0 && !outbox.isBlocked)
    }
}
