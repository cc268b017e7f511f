import Foundation
import TestSupport
import Testing
import Threads

@testable import FeedServer

@Suite struct StillQueueTests {
    /// Makes stills once it is open, and counts how many are made at a time.
    private final class Bench: Sendable {
        struct State {
            var made: [String] = []
            var running = 0
            var most = 0
            var isOpen = false
        }

        let state = Monitor(State())

        var maker: @Sendable () -> StillQueue.Maker {
            { [state] in
                { job in
                    state.change { state in
                        state.made.append(job.name)
                        state.running += 1
                        state.most = max(state.most, state.running)
                    }
                    _ = state.wait(upTo: .seconds(90)) { $0.isOpen ? () : nil }
                    state.change { $0.running -= 1 }
                    return job.name.hasPrefix("bad") ? .none("it is bad") : .bytes(Array(job.name.utf8))
                }
            }
        }

        func open() { state.change { $0.isOpen = true } }

        func waits(for condition: @escaping @Sendable (State) -> Bool) async {
            let state = state
            #expect(await onThread { state.wait(upTo: .seconds(60)) { condition($0) ? () : nil } } != nil)
        }
    }

    private func job(_ name: String, _ folder: TemporaryFolder) throws -> StillQueue.Job {
        try folder.write("clip")
        let root = open(folder.path, O_RDONLY | O_DIRECTORY)
        defer { close(root) }
        return StillQueue.Job(
            name: name, path: Array(name.utf8), clip: try #require(ServedFile(below: root, path: "clip".utf8)))
    }

    private func text(_ outcome: StillQueue.Outcome) -> String {
        switch outcome {
        case .file: "file"
        case .bytes(let bytes): String(decoding: bytes, as: UTF8.self)
        case .none(let why): "none: " + why
        case .failed(let why): "failed: " + why
        case .busy: "busy"
        }
    }

    @Test func twoAreMadeAtATimeAndTheLineIsBounded() async throws {
        let (bench, folder) = (Bench(), TemporaryFolder())
        let queue = StillQueue(maker: bench.maker)
        let jobs = try (0..<100).map { try job("\($0)", folder) }
        let outcomes = await withTaskGroup(of: String.self) { tasks in
            for job in jobs.prefix(2) { tasks.addTask { text(await queue.make(job)) } }
            await bench.waits { $0.running >= 2 }
            for job in jobs.dropFirst(2) { tasks.addTask { text(await queue.make(job)) } }
            // The refused ones come at once.
            var outcomes: [String] = []
            for _ in 0..<34 { outcomes.append(await tasks.next() ?? "") }
            #expect(outcomes.allSatisfy { $0 == "busy" } && queue.waiting.jobs == StillQueue.maxWaiting)
            bench.open()
            for await outcome in tasks { outcomes.append(outcome) }
            return outcomes
        }
        #expect(outcomes.count { $0 != "busy" } == 66)
        #expect(Set(bench.state.withLock(\.made)).count == 66 && bench.state.withLock(\.most) == 2)
    }

    @Test func requestsForTheSameStillShareIt() async throws {
        let (bench, folder) = (Bench(), TemporaryFolder())
        let queue = StillQueue(maker: bench.maker)
        let job = try job("a", folder)
        await withTaskGroup(of: String.self) { tasks in
            for _ in 0..<10 { tasks.addTask { text(await queue.make(job)) } }
            #expect(await onThread { holds(within: .seconds(60)) { queue.waiting.askers == 10 } })
            bench.open()
            for await outcome in tasks { #expect(outcome == "a") }
        }
        #expect(bench.state.withLock(\.made) == ["a"])
        // It is over: the next request makes it again.
        #expect(text(await queue.make(job)) == "a" && bench.state.withLock(\.made).count == 2)
    }

    @Test func anEditionWithoutAPictureIsRemembered() async throws {
        let (bench, folder) = (Bench(), TemporaryFolder())
        bench.open()
        let queue = StillQueue(maker: bench.maker)
        let job = try job("bad", folder)
        for _ in 0..<3 { #expect(text(await queue.make(job)) == "none: it is bad") }
        #expect(bench.state.withLock(\.made) == ["bad"] && queue.hasFailed("bad") && !queue.hasFailed("good"))
    }

    @Test func endFailsWaitingRequests() async throws {
        let (bench, folder) = (Bench(), TemporaryFolder())
        let queue = StillQueue(maker: bench.maker)
        let jobs = try (0..<5).map { try job("\($0)", folder) }
        await withTaskGroup(of: String.self) { tasks in
            for job in jobs { tasks.addTask { text(await queue.make(job)) } }
            await bench.waits { $0.running >= 2 }
            #expect(await onThread { holds(within: .seconds(60)) { queue.waiting.askers == 5 } })
            queue.end()
            for _ in 0..<3 { #expect(await tasks.next() == "failed: the server is shutting down") }
            bench.open()
            for await outcome in tasks { #expect(outcome.count == 1) }
        }
        await onThread { queue.drain(upTo: .seconds(60)) }
        #expect(bench.state.withLock(\.made).count == 2)
        #expect(text(await queue.make(jobs[0])) == "failed: the server is shutting down")
    }
}
