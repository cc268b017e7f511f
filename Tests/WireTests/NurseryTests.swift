import Foundation
import TestSupport
import Testing

@testable import Wire

/// Where decoders come from, with the real flick-decoder.
@Suite(.serialized) struct NurseryTests {
    private static let program = URL(fileURLWithPath: FlickBinary.path).deletingLastPathComponent()
        .appendingPathComponent("flick-decoder").path

    private func greeted(_ process: DecoderProcess) throws -> Int32 {
        let pid = try process.waitUntilStarted()
        guard case .hello(WireLimit.version, _) = try process.channel.receive() else {
            throw WireError.invalid("greeting")
        }
        return pid
    }

    @Test func decodersAreChildrenOfFlickAndCopiesOfOneProcess() throws {
        let nursery = Nursery(path: Self.program)
        defer { nursery.end() }
        let decoders = try (0..<3).map { _ in try nursery.decoder() }
        defer {
            for decoder in decoders {
                decoder.kill()
                decoder.reap()
            }
        }
        let pids = try decoders.map(greeted)
        let own = try #require(nursery.pid)
        #expect(Set(pids + [own]).count == 4)
        for pid in pids + [own] {
            let entry = try #require(try ProcessTable.entry(of: pid))
            #expect(entry.parent == getpid())
            #expect(entry.name == (pid == own ? "flick-nursery" : "flick-decoder"))
        }
    }

    @Test func statusIsThatOfTheDecodersOwnEnd() throws {
        let nursery = Nursery(path: Self.program)
        defer { nursery.end() }
        let (closed, killed) = (try nursery.decoder(), try nursery.decoder())
        _ = (try greeted(closed), try greeted(killed))
        #expect(closed.processorTime != nil)
        closed.channel.shutDown()
        #expect(describe(status: closed.reap()) == "exit 0")
        killed.kill()
        #expect(describe(status: killed.reap()) == "signal 9")
        // Once more is no harm.
        killed.kill()
        #expect(describe(status: killed.reap()) == "signal 9" && killed.hasEnded)
        #expect(killed.processorTime == nil)
    }

    /// Its thread waits without end, and must keep nothing meanwhile that keeps the nursery.
    @Test func nurseryThatNobodyKeepsEnds() throws {
        var pids: [Int32] = []
        for _ in 0..<5 {
            let nursery = Nursery(path: Self.program)
            // The later ones are wanted while the thread waits.
            for _ in 0..<3 {
                let decoder = try nursery.decoder()
                _ = try greeted(decoder)
                decoder.kill()
                decoder.reap()
            }
            pids.append(try #require(nursery.pid))
        }
        #expect(try holds(within: .seconds(20)) { try !pids.contains { try ProcessTable.isAlive($0) } })
    }

    @Test func decoderThatIsGivenUpAtOnceLeavesNothing() throws {
        let nursery = Nursery(path: Self.program)
        defer { nursery.end() }
        let decoder = try nursery.decoder()
        decoder.kill()
        decoder.reap()
        if let pid = decoder.pid { #expect(try ProcessTable.entry(of: pid) == nil) }
        #expect(decoder.hasEnded)
    }

    @Test func nurseryThatIsKilledLeavesItsDecodersAndIsReplaced() throws {
        let nursery = Nursery(path: Self.program)
        defer { nursery.end() }
        let before = try nursery.decoder()
        defer {
            before.kill()
            before.reap()
        }
        let pid = try greeted(before)
        let first = try #require(nursery.pid)
        kill(first, SIGKILL)
        let after = try nursery.decoder()
        defer {
            after.kill()
            after.reap()
        }
        _ = try greeted(after)
        #expect(nursery.pid != nil && nursery.pid != first)
        #expect(try ProcessTable.isAlive(pid))
    }

    @Test func endOfANurseryLeavesNoProcess() throws {
        let nursery = Nursery(path: Self.program)
        let decoder = try nursery.decoder()
        let pids = [try greeted(decoder), try #require(nursery.pid)]
        nursery.end()
        nursery.waitForEnd()
        // Linux ends the decoders with the thread that is their parent.
        #expect(describe(status: decoder.reap()) == "signal 9")
        for pid in pids { #expect(try ProcessTable.entry(of: pid) == nil) }
        let late = try nursery.decoder()
        #expect(throws: WireError.closed) { try late.waitUntilStarted() }
    }

    @Test func missingProgramIsToldOfEachDecoder() throws {
        let nursery = Nursery(path: "/nowhere/flick-decoder")
        defer { nursery.end() }
        for _ in 0..<3 {
            let decoder = try nursery.decoder()
            #expect(throws: WireError.system(call: "posix_spawn", code: ENOENT)) { try decoder.waitUntilStarted() }
            #expect(decoder.pid == nil && decoder.reap() == 0)
        }
    }

    @Test func programThatEndsAtOnceIsStartedFewTimes() throws {
        let folder = TemporaryFolder()
        let (program, list) = (folder.path + "/program", folder.path + "/starts")
        // Written by a process of its own: a program that another test's new process still has open to write cannot be started.
        let made = try Command.run(
            [
                "sh", "-c",
                "printf '#!/bin/sh\\necho x >> %s\\nexit 3\\n' '\(list)' > '\(program)'; chmod 700 '\(program)'",
            ])
        #expect(made.status == 0)
        let nursery = Nursery(path: program)
        defer { nursery.end() }
        let began = ContinuousClock.now
        for _ in 0..<500 {
            let decoder = try nursery.decoder()
            #expect(throws: WireError.ended(status: 3 << 8)) { try decoder.waitUntilStarted() }
        }
        let took = ContinuousClock.now - began
        let starts = try String(contentsOfFile: list, encoding: .utf8).split(separator: "\n").count
        // The pauses before the second, third … start, one after the other.
        var (most, pause) = (1, RestartPause.first)
        var sum = pause
        while sum <= took {
            most += 1
            pause = pause * 2
            sum += pause
        }
        #expect(starts <= most, "\(starts) starts in \(took)")
    }
}

@Suite struct RestartPauseTests {
    @Test func pauseDoublesUpToItsLimitAndEndsWithSuccess() {
        var pause = RestartPause()
        #expect(pause.mayStart(now: .zero))
        var now = Duration.seconds(7)
        var pauses: [Duration] = []
        for _ in 0..<12 {
            pause.failed(now: now)
            let due = pause.due ?? .zero
            #expect(!pause.mayStart(now: due - .nanoseconds(1)) && pause.mayStart(now: due))
            pauses.append(due - now)
            now = due
        }
        let doubled = (0..<9).map { RestartPause.first * (1 << $0) }
        #expect(
            pauses == doubled.filter { $0 < RestartPause.longest } + Array(repeating: RestartPause.longest, count: 3))
        pause.worked()
        #expect(pause.mayStart(now: .zero))
        pause.failed(now: .zero)
        #expect(pause.due == RestartPause.first)
    }
}
