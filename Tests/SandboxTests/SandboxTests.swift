import CHostileDecoder
import CSandbox
import Foundation
import TestSupport
import Testing
import Wire

/// What a decoder can do that a clip has taken over.
@Suite(.serialized) struct SandboxTests {
    private struct Run {
        var attempts: [hostile_attempt]
        var parts: Int32
    }

    private func run(confined: Bool) throws -> Run {
        var attempts = [hostile_attempt](repeating: hostile_attempt(), count: 200)
        var (parts, status): (Int32, Int32) = (0, 0)
        let count = hostile_try(confined ? flick_confine : nil, &attempts, Int32(attempts.count), &parts, &status)
        try #require(count >= 0, "it ended with \(describe(status: status))")
        return Run(attempts: Array(attempts.prefix(Int(count))), parts: parts)
    }

    private func name(_ attempt: hostile_attempt) -> String { String(cString: attempt.name) }

    @Test func allPartsAreInForceHere() throws {
        #expect(try run(confined: true).parts == FLICK_CONFINED_LIMITS | FLICK_CONFINED_CALLS | FLICK_CONFINED_PATHS)
        #expect(Confinement.limits.rawValue == UInt8(FLICK_CONFINED_LIMITS))
        #expect(Confinement.calls.rawValue == UInt8(FLICK_CONFINED_CALLS))
        #expect(Confinement.paths.rawValue == UInt8(FLICK_CONFINED_PATHS))
    }

    @Test func everyAttemptIsRefused() throws {
        let attempts = try run(confined: true).attempts
        #expect(attempts.count >= 120)
        let refusals: Set = [EPERM, EACCES, ENOSYS]
        for attempt in attempts {
            let isLimit = name(attempt) == "mmap of more than may be" && attempt.error == ENOMEM
            #expect(refusals.contains(attempt.error) || isLimit, "\(name(attempt)): \(attempt.error)")
        }
    }

    /// The same, so that the test above does not only pass because nothing of it ever works.
    @Test func harmlessAttemptsWorkWithoutTheSandbox() throws {
        let attempts = try run(confined: false).attempts
        #expect(attempts.count >= 30)
        for attempt in attempts { #expect(attempt.error == 0, "\(name(attempt)): \(attempt.error)") }
    }

    @Test func callsOfOtherMachinesEndTheProcess() {
        #expect(describe(status: hostile_try_other_machine(flick_confine)) == "signal \(SIGSYS)")
    }

    /// In another program: a copy of this one already has most of the memory that a decoder may have.
    @Test func whatDecodingNeedsWorks() throws {
        let program = Process()
        program.executableURL = URL(fileURLWithPath: FlickBinary.path).deletingLastPathComponent()
            .appendingPathComponent("flick-hostile-decoder")
        program.arguments = ["work"]
        try program.run()
        program.waitUntilExit()
        #expect(program.terminationReason == .exit && program.terminationStatus == 0, "\(program.terminationStatus)")
    }

    @Test func decoderHasGivenEverythingUpBeforeItSaysThatItIsReady() throws {
        let program = URL(fileURLWithPath: FlickBinary.path).deletingLastPathComponent()
            .appendingPathComponent("flick-decoder").path
        let nursery = Nursery(path: program)
        defer { nursery.end() }
        let decoder = try nursery.decoder()
        defer {
            decoder.kill()
            decoder.reap()
        }
        let pid = try decoder.waitUntilStarted()
        #expect(try decoder.channel.receive() == .hello(version: WireLimit.version, confinement: .all))
        let status = try String(contentsOfFile: "/proc/\(pid)/status", encoding: .utf8)
        for line in ["NoNewPrivs:\t1", "Seccomp:\t2"] { #expect(status.contains(line), "no \(line)") }
        // Three times /dev/null, the channel, the ring.
        let open = try FileManager.default.contentsOfDirectory(atPath: "/proc/\(pid)/fd").sorted()
        #expect(open == ["0", "1", "2", "3", "4"])
        let limits = try String(contentsOfFile: "/proc/\(pid)/limits", encoding: .utf8)
        let files = limits.split(separator: "\n").first { $0.hasPrefix("Max open files") }
        #expect(files?.split(separator: " ").dropFirst(3).prefix(2) == ["1", "1"])
    }
}
