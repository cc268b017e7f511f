import Foundation
import Model
import Synchronization
import TestSupport
import Testing

@testable import Engagement

/// The thread that sends queued messages to services, with scripted answers.
@Suite struct MessageSenderTests {
    private let folder = TemporaryFolder()
    private var path: String { folder.path + "/flick.db" }

    /// A service that records the messages it gets and accepts, with scripted answers.
    private final class Service: Sendable {
        let got = Mutex<[String]>([])
        let took = Mutex<[String]>([])
        let answers: @Sendable (Int) -> SendOutcome

        init(_ answers: @escaping @Sendable (Int) -> SendOutcome) { self.answers = answers }

        func take(_ message: QueuedMessage) -> SendOutcome {
            let line = "\(message.item.id) \(message.message.method.rawValue)"
            let count = got.withLock { got in
                got.append(line)
                return got.count
            }
            let outcome = answers(count)
            if case .accepted = outcome { took.withLock { $0.append(line) } }
            return outcome
        }
    }

    /// Another process keeps the file locked for longer than the sender waits.
    @Test func senderTriesAgainWhenTheLibraryIsReleased() throws {
        let store = try Store(path: path, lock: LockWait(limit: .milliseconds(50)))
        let liked = Change.reacted(MessageTests.item("a"), MessageTests.reaction(liked: true), at: 1)
        #expect(try store.apply([liked], queuesMessages: true))
        let other = try LockedDatabase(path, by: ["BEGIN IMMEDIATE"])
        let service = Service { _ in .accepted([]) }
        let looks = Mutex(0)
        let sender = MessageSender(
            now: {
                looks.withLock { $0 += 1 }
                return 100
            }, send: { service.take($0) }, settled: { _, _, _ in })
        sender.begin(store)
        // It has tried, and knows when it tries again.
        #expect(holds(within: .seconds(20)) { looks.withLock { $0 } >= 2 })
        other.release()
        #expect(holds(within: .seconds(20)) { service.took.withLock { $0 } == ["a PUT"] })
        sender.close(within: .seconds(20))
    }

    @Test func theSenderSendsInOrderAndAgainUntilAllIsThere() throws {
        let clock = Mutex(0.0)
        let service = Service { $0 % 3 == 2 ? .unreachable() : $0 % 5 == 4 ? .failed() : .accepted([]) }
        let refused = Mutex(0)
        let sender = MessageSender(
            now: {
                clock.withLock {
                    $0 += 40; return $0
                }
            }, jitter: { 0 }
        ) {
            service.take($0)
        } settled: { _, outcome, _ in
            if case .refused = outcome { refused.withLock { $0 += 1 } }
        }
        let recorder = LibraryWriter(path: path, sender: sender) { Issue.record("\($0)") }
        var expected: [String: [String]] = [:]
        for number in 0..<60 {
            let (id, likes) = ("\(number % 4)", number / 4 % 2 == 0)
            recorder.note([.reacted(MessageTests.item(id), MessageTests.reaction(liked: likes), at: Double(number))])
            expected[id, default: []].append("\(id) \(likes ? "PUT" : "DELETE")")
        }
        recorder.close(within: .seconds(20))
        #expect(
            try holds(within: .seconds(20)) { try Store(reading: path).nextMessage(now: 0) == (nil, nil) })
        sender.close(within: .seconds(5))
        let took = Dictionary(grouping: service.took.withLock { $0 }) { String($0.prefix(1)) }
        #expect(took == expected && refused.withLock { $0 } == 0)
        // A failed message is sent again before any other with the same subject.
        let got = Dictionary(grouping: service.got.withLock { $0 }) { String($0.prefix(1)) }
        for (id, lines) in got {
            let changes = zip(lines, [""] + lines).filter { $0 != $1 }.map(\.0)
            #expect(changes == expected[id])
        }
    }

    @Test func aNewSenderDoesNotWaitForPausesOfEarlierSessions() throws {
        let store = try Store(path: path)
        try store.apply([.reacted(MessageTests.item("a"), MessageTests.reaction(liked: true), at: 1)])
        let first = try #require(try store.nextMessage(now: 1).message)
        _ = try store.settle(first, .unreachable(after: .seconds(3_600)), now: 1, jitter: 0)
        let service = Service { _ in .accepted([]) }
        let sender = MessageSender(now: { 2 }) {
            service.take($0)
        } settled: { _, _, _ in
        }
        sender.begin(store)
        sender.drain(within: .seconds(20))
        #expect(service.took.withLock { $0 } == ["a PUT"])
        sender.close(within: .seconds(20))
    }

    @Test func newMessagesDoNotWaitForFailedOnes() throws {
        let store = try Store(path: path)
        try store.apply([.reacted(MessageTests.item("a"), MessageTests.reaction(liked: true), at: 1)])
        let service = Service { $0 == 1 ? .unreachable(after: .seconds(600)) : .accepted([]) }
        let sender = MessageSender(now: { 1 }) {
            service.take($0)
        } settled: { _, _, _ in
        }
        sender.begin(store)
        sender.drain(within: .seconds(20))
        #expect(service.got.withLock { $0 } == ["a PUT"])
        // Of another service.
        try store.apply([
            .reacted(MessageTests.item("b", endpoint: "https://h/other/"), MessageTests.reaction(liked: true), at: 1)
        ])
        sender.wake()
        #expect(holds(within: .seconds(20)) { service.took.withLock { $0 == ["b PUT"] } })
        sender.close(within: .seconds(20))
    }

    @Test func closingWaitsForTheMessageUnderWay() throws {
        let (begun, proceed) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
        let sender = MessageSender(now: { 1 }) { _ in
            begun.signal()
            proceed.wait()
            return .accepted([])
        } settled: { _, _, _ in
        }
        let store = try Store(path: path)
        try store.apply(["a", "b"].map { .reacted(MessageTests.item($0), MessageTests.reaction(liked: true), at: 1) })
        sender.begin(store)
        begun.wait()
        sender.close(within: .zero)
        // Nothing keeps it from a second one but that it is closed.
        proceed.signal()
        proceed.signal()
        sender.close(within: .seconds(20))
        #expect(try MessageTests.drain(store).map(\.item.id) == ["b"])
    }
}
