import Foundation
import Testing

@testable import Audio

/// Uses SDL's disk device, which fetches sound as a real one does. SDL has one driver per process, so all its tests use
/// this one, one at a time.
@Suite(.serialized) @MainActor struct SDLOutputTests {
    private func opened() -> SDLOutput? {
        setenv("SDL_AUDIODRIVER", "disk", 1)
        setenv("SDL_DISKAUDIOFILE", "/dev/null", 1)
        let ready = DispatchSemaphore(value: 0)
        let output = SDLOutput(changed: { ready.signal() })
        output.open()
        return ready.wait(timeout: .now() + 10) == .success ? output : nil
    }

    @Test func soundIsFetchedInTimeAndDroppedByClear() throws {
        let output = try #require(opened())
        #expect(output.state == .ready)
        output.write(Array(repeating: 0, count: 48_000 * 2))
        #expect(output.queuedFrames > 40_000)
        output.clear()
        #expect(output.queuedFrames == 0)
        output.close()
    }

    @Test func closingDoesNotWaitAndEndsWriting() throws {
        let output = try #require(opened())
        output.write(Array(repeating: 0, count: 9_600))
        let began = ContinuousClock.now
        output.close()
        #expect(ContinuousClock.now - began < .milliseconds(15))
        output.write([1, 1])
        #expect(output.queuedFrames == 0)
        #expect(output.state == .unavailable(AudioError(.closed, detail: "closed")))
    }
}
