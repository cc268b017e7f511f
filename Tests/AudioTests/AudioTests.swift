import Dispatch
import Testing

@testable import Audio

#if canImport(Glibc)
    import Glibc
#elseif canImport(Darwin)
    import Darwin
#endif

/// SDL reads its driver's name from the environment when it starts, so these take turns.
@Suite(.serialized) struct AudioTests {
    /// A device of `driver`, once SDL has made up its mind about it.
    private func opened(driver: String) -> SDLOutput {
        setenv("SDL_AUDIODRIVER", driver, 1)
        let answered = DispatchSemaphore(value: 0)
        let output = SDLOutput(changed: { answered.signal() })
        #expect(output.state == .closed)
        output.open()
        #expect(answered.wait(timeout: .now() + 10) == .success)
        return output
    }

    @Test func whatIsWrittenWaitsUntilItIsClearedOrHeard() {
        let output = opened(driver: "dummy")
        defer { output.close() }
        #expect(output.state == .ready && output.latencyFrames > 0)
        // A minute: whatever the device fetches meanwhile, most of it waits.
        output.write([Int16](repeating: 1, count: 2 * 48_000 * 60))
        #expect(output.queuedFrames > 48_000)
        output.clear()
        #expect(output.queuedFrames == 0)
    }

    @Test func withoutADeviceNothingWaits() {
        let output = opened(driver: "nonexistent")
        guard case .unavailable(let why) = output.state else {
            Issue.record("\(output.state)")
            return
        }
        #expect(!why.isEmpty)
        output.write([1, 1])
        #expect(output.queuedFrames == 0)
    }

    @Test func aClosedDeviceStaysClosed() {
        let output = opened(driver: "dummy")
        output.close()
        output.open()
        #expect(output.state == .unavailable("closed"))
        output.write([1, 1])
        #expect(output.queuedFrames == 0)
    }
}
