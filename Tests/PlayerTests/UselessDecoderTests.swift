import Bytes
import Dispatch
import Model
import Platform
import Synchronization
import TestSupport
import Testing
import Wire

@testable import Player

/// Decoders that end before they are ready: they are not tried again without a pause.
@MainActor struct UselessDecoderTests {
    /// Starts decoders that end at once, and counts them.
    private final class Starter: Sendable {
        private let count = Mutex(0)
        let woken = DispatchSemaphore(value: 0)

        var starts: Int { count.withLock(\.self) }

        func start() throws -> DecoderProcess {
            count.withLock { $0 += 1 }
            var pair: [Int32] = [-1, -1]
            guard socketpair(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0, &pair) == 0 else {
                throw WireError.system(call: "socketpair", code: errno)
            }
            close(pair[1])
            return DecoderProcess(channel: DecoderChannel(descriptor: pair[0]), ring: try PictureRing())
        }
    }

    private func pool(_ starter: Starter, idle: Int) -> PlayerPool {
        PlayerPool(
            options: PlayerPool.Options(
                decoderPath: "/nowhere", idleDecoders: idle, spawn: { try starter.start() }),
            bytes: .files, audio: nil, wake: { starter.woken.signal() })
    }

    /// Lets four seconds pass, in steps of a millisecond, and each decoder end in the step in which it began. Returns
    /// when they were started.
    private func starts(_ starter: Starter, _ step: (Duration) -> [PlayerEvent]) -> [Duration] {
        var times: [Duration] = []
        var ended = 0
        for millisecond in 0..<4_000 {
            let now = Duration.milliseconds(millisecond)
            repeat {
                guard times.count < 100 else { return times }
                ended += step(now).count(where: isEnd)
                // Other steps of this moment would start no more.
                guard times.count < starter.starts || ended < starter.starts else { break }
                if times.count < starter.starts { times.append(now) }
                #expect(starter.woken.wait(timeout: .now() + 10) == .success)
            } while ended < starter.starts
        }
        return times
    }

    private func isEnd(_ event: PlayerEvent) -> Bool {
        switch event {
        case .trace(.worker(_, _, .exit, _)), .trace(.worker(_, _, .killed, _)): true
        default: false
        }
    }

    private func expectDoublingPauses(
        _ times: [Duration], sourceLocation: SourceLocation = #_sourceLocation
    ) throws {
        try #require(times.count >= 5 && times.count <= 7, "\(times)", sourceLocation: sourceLocation)
        var pause = RestartPause.first
        for (one, next) in zip(times, times.dropFirst()) {
            #expect(next - one >= pause, "\(times)", sourceLocation: sourceLocation)
            pause = pause * 2
        }
    }

    @Test func idleDecodersAreRetriedWithDoublingPauses() throws {
        let starter = Starter()
        let pool = pool(starter, idle: 1)
        defer { pool.close() }
        let times = starts(starter) { now in
            pool.startDecodersAhead(now: now) + pool.advance(now: now) + pool.openAhead(now: now)
        }
        try expectDoublingPauses(times)
    }

    @Test func itemsWaitForRestartPausesToo() throws {
        let starter = Starter()
        let pool = pool(starter, idle: 0)
        defer { pool.close() }
        var (number, failed) = (0, true)
        let times = starts(starter) { now in
            // The next item as soon as one has failed.
            var events: [PlayerEvent] = []
            if failed {
                number += 1
                failed = false
                events = pool.play(Item(id: "\(number)", url: "file:///\(number)"), now: now)
            }
            events += pool.advance(now: now)
            for case .report(_, .failed) in events { failed = true }
            return events
        }
        try expectDoublingPauses(times)
        #expect(number > 1)
    }
}

/// Decoders that greet, and misbehave before they have a clip.
@MainActor struct RudeDecoderTests {
    @Test(arguments: [false, true]) func idleDecodersAreReplacedAfterDoublingPauses(endsByItself: Bool) throws {
        let starts = Mutex(0)
        let woken = DispatchSemaphore(value: 0)
        let pool = PlayerPool(
            options: PlayerPool.Options(
                decoderPath: "/nowhere", idleDecoders: 1,
                spawn: {
                    starts.withLock { $0 += 1 }
                    return try HostileDecoder { hand in
                        try hand.send(.hello(version: WireLimit.version))
                        if !endsByItself { try hand.send(.opened(HostileHand.info)) }
                    }.start()
                }),
            bytes: .files, audio: nil, wake: { woken.signal() })
        defer { pool.close() }
        var ended = 0
        for millisecond in 0..<4_000 {
            let now = Duration.milliseconds(millisecond)
            repeat {
                for case .trace(.worker(_, _, let state, _)) in pool.startDecodersAhead(now: now)
                    + pool.advance(now: now)
                    + pool.openAhead(now: now)
                where state == .exit || state == .killed { ended += 1 }
                guard ended < starts.withLock(\.self) else { break }
                try #require(starts.withLock(\.self) < 100)
                try #require(woken.wait(timeout: .now() + 10) == .success)
            } while true
        }
        // After 0, 0.1, 0.3, 0.7, 1.5 and 3.1 s.
        #expect(starts.withLock(\.self) == 6)
    }
}

/// The system has no descriptor, memory or process for a decoder.
@MainActor struct ShortageTests {
    private let item = Item(id: "a", url: "file:///clip")

    private func stage(shortages: Int) -> Stage {
        let left = Mutex(shortages)
        return Stage(spawn: {
            let isShort = left.withLock { left in
                left -= 1
                return left >= 0
            }
            if isShort { throw WireError.system(call: "socketpair", code: EMFILE) }
            return try ScriptedDecoder().start()
        })
    }

    private func hasFailed(_ stage: Stage) -> Bool {
        stage.reports.contains { if case .failed = $0 { true } else { false } }
    }

    @Test func clipInViewWaitsForRoom() {
        let stage = stage(shortages: 3)
        defer { stage.pool.close() }
        stage.play(item)
        let plays = stage.run(item) { $0.position() > .milliseconds(80) }
        #expect(plays && !hasFailed(stage))
    }

    @Test func shortageIsReportedAfterThreeSeconds() {
        let stage = stage(shortages: .max)
        defer { stage.pool.close() }
        stage.play(item)
        let failed = stage.run(item) { hasFailed($0) }
        #expect(failed && stage.now > .seconds(3))
        #expect(
            stage.reports.contains {
                if case .failed("cannot start another decoder", _, _) = $0 { true } else { false }
            })
    }

    /// As when memory is short: all but the next clip are closed.
    @Test func otherClipsMakeRoom() {
        var memory = MemoryPressure { MemoryPressure.Files() }
        #expect(memory.look(now: .seconds(1)) == false)
        memory.noteShortage(now: .seconds(2))
        #expect(memory.look(now: .seconds(2)) == true)
        #expect(memory.look(now: .seconds(20)) == false)
    }
}
