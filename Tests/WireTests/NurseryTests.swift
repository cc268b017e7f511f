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

    /// Programs start with the signals that are blocked and ignored in the thread that starts them.
    @Test func decodersNeitherBlockNorIgnoreSignals() throws {
        var (blocked, before) = (sigset_t(), sigset_t())
        sigemptyset(&blocked)
        sigaddset(&blocked, SIGUSR2)
        pthread_sigmask(SIG_BLOCK, &blocked, &before)
        // flick ignores it, too.
        let handler = signal(SIGXFSZ, SIG_IGN)
        defer {
            signal(SIGXFSZ, handler)
            pthread_sigmask(SIG_SETMASK, &before, nil)
        }
        let nursery = Nursery(path: Self.program)
        defer { nursery.end() }
        let decoder = try nursery.decoder()
        defer {
            decoder.kill()
            decoder.reap()
        }
        let pid = try greeted(decoder)
        // While a thread makes another one, the C library blocks all signals in it.
        #expect(try holds(within: .seconds(5)) { try signals("SigBlk", of: pid) == 0 })
        #expect(try signals("SigIgn", of: pid) == 0)
    }

    /// A set of signals in /proc/PID/status, without 32 and 33, which are the C library's own.
    private func signals(_ set: String, of pid: Int32) throws -> UInt64 {
        let status = try String(contentsOfFile: "/proc/\(pid)/status", encoding: .utf8)
        let line = try #require(status.split(separator: "\n").first { $0.hasPrefix("\(set):\t") })
        return try #require(UInt64(line.dropFirst(set.count + 2), radix: 16)) & ~0x1_8000_0000
    }

    /// The C library also caches thread ids: the copy's first thread would have the nursery's.
    @Test func copiedThreadHasItsOwnId() throws {
        let nursery = Nursery(path: FlickBinary.sibling("flick-hostile-decoder"))
        defer { nursery.end() }
        let decoder = try nursery.decoder()
        defer {
            decoder.kill()
            decoder.reap()
        }
        _ = try greeted(decoder)
        try decoder.channel.send(.open(url: "file:///thread", start: 0, loop: false, sound: false))
        guard case .opened(let info) = try decoder.channel.receive(within: .seconds(10)) else {
            throw WireError.invalid("opening")
        }
        #expect(info.container == "0", "errno")
    }

    /// The Swift runtime caches thread ids: a copy with the nursery's id cannot wait for a lock
    /// (docs/decisions/decoder-copies.md).
    @Test func copiesWaitForContendedLocks() throws {
        let program = URL(fileURLWithPath: Self.program).deletingLastPathComponent()
            .appendingPathComponent("flick-hostile-decoder").path
        let nursery = Nursery(path: program)
        defer { nursery.end() }
        for _ in 0..<5 {
            let decoder = try nursery.decoder()
            defer {
                decoder.kill()
                decoder.reap()
            }
            _ = try greeted(decoder)
            try decoder.channel.send(.open(url: "file:///contended", start: 0, loop: false, sound: false))
            guard case .opened = try decoder.channel.receive(within: .seconds(10)) else {
                throw WireError.invalid("opening")
            }
        }
    }

    @Test func endingIsNamedInMessages() {
        #expect(ending(status: 1 << 8) == "exited with status 1" && ending(status: 9) == "terminated (signal 9)")
        #expect(WireError.ended(status: 9).description == "the process terminated (signal 9)")
        #expect(WireError.system(call: "open", code: ENOENT).description == "open: no such file or directory")
    }

    @Test func statusIsTheDecodersExitStatus() throws {
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
    @Test func unreferencedNurseryEnds() throws {
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

    @Test func decoderKilledAtOnceLeavesNoProcess() throws {
        let nursery = Nursery(path: Self.program)
        defer { nursery.end() }
        let decoder = try nursery.decoder()
        decoder.kill()
        decoder.reap()
        if let pid = decoder.pid { #expect(try ProcessTable.entry(of: pid) == nil) }
        #expect(decoder.hasEnded)
    }

    @Test func killedNurseryIsReplacedAndItsDecodersLiveOn() throws {
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

    /// The nursery's answers are process ids, which are killed and waited for.
    @Test func rejectsProcessIdsOfOtherProcesses() throws {
        // A child of this process, and a process that is not its child.
        let child = try Bystander(), other = try Bystander(isOrphan: true)
        for pid in [child.pid, other.pid] {
            let folder = TemporaryFolder()
            let nursery = try nursery(answering: [pid], in: folder)
            defer { nursery.end() }
            let decoder = try nursery.decoder()
            #expect(throws: WireError.invalid("process id")) { try decoder.waitUntilStarted() }
            decoder.kill()
            decoder.reap()
        }
        #expect(try ProcessTable.isAlive(child.pid) && ProcessTable.isAlive(other.pid))
    }

    /// The second owner would kill whichever process gets the id after the first owner has reaped it.
    @Test func rejectsARepeatedProcessId() throws {
        let folder = TemporaryFolder()
        let nursery = try nursery(answering: nil, in: folder)
        defer { nursery.end() }
        let (first, second) = (try nursery.decoder(), try nursery.decoder())
        defer {
            for decoder in [first, second] {
                decoder.kill()
                decoder.reap()
            }
        }
        let pid = try first.waitUntilStarted()
        #expect(try second.waitUntilStarted() != pid)
    }

    /// A process that a hostile nursery might name. It ends with this value.
    private final class Bystander {
        let pid: Int32
        private let process = Process()

        /// - Parameter isOrphan: it is not a child of this process, as the shell that started it has ended.
        init(isOrphan: Bool = false) throws {
            let output = Pipe()
            process.executableURL = URL(fileURLWithPath: "/bin/sh")
            // It must not keep the test's own output open.
            let sleep = "sleep 600 >/dev/null 2>&1"
            process.arguments = ["-c", isOrphan ? "\(sleep) & echo $!" : "echo $$; exec \(sleep)"]
            process.standardOutput = output
            try process.run()
            // Blocks until the shell has written the line.
            let line = String(decoding: output.fileHandleForReading.availableData, as: UTF8.self)
            pid = try #require(Int32(line.dropLast()))
        }

        deinit { kill(pid, SIGKILL) }
    }

    /// A nursery that answers with these process ids, one after the other; nil:
    /// that of its only copy, for all requests.
    private func nursery(answering pids: [Int32]?, in folder: TemporaryFolder) throws -> Nursery {
        let text = """
            #!/usr/bin/python3
            import ctypes, platform, signal, socket, struct
            CLONE, CLONE_PARENT = 56 if platform.machine() == "x86_64" else 220, 0x8000

            def copy():
                pid = ctypes.CDLL(None).syscall(CLONE, CLONE_PARENT | signal.SIGCHLD, 0, 0, 0, 0)
                if pid == 0:
                    signal.pause()
                return pid

            flick = socket.socket(fileno=3)
            for pid in \(pids.map { "\($0)" } ?? "[copy()] * 2"):
                flick.recv(1)
                flick.send(struct.pack("<i", pid))
            flick.recv(1)
            """
        // Copied by a separate process: a program that another test's child
        // still has open for writing cannot be started.
        let (written, program) = (try folder.write("text", Array(text.utf8)), folder.path + "/nursery")
        let made = try Command.run(["sh", "-c", "cp '\(written)' '\(program)' && chmod 700 '\(program)'"])
        #expect(made.status == 0)
        return Nursery(path: program)
    }

    @Test func missingProgramIsReportedForEachDecoder() throws {
        let nursery = Nursery(path: "/nowhere/flick-decoder")
        defer { nursery.end() }
        for _ in 0..<3 {
            let decoder = try nursery.decoder()
            #expect(throws: WireError.system(call: "posix_spawn", code: ENOENT)) { try decoder.waitUntilStarted() }
            #expect(decoder.pid == nil && decoder.reap() == 0)
        }
    }

    @Test func crashingProgramIsRestartedRarely() throws {
        let folder = TemporaryFolder()
        let (program, list) = (folder.path + "/program", folder.path + "/starts")
        // Written by a separate process: a program that another test's
        // new process still has open for writing cannot be started.
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
