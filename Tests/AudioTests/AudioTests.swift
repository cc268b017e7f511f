import Foundation
import Testing

@testable import Audio

/// On SDL's dummy device, which fetches as a real one does.
@Suite(.serialized) struct SDLOutputTests {
    private func opened() -> SDLOutput? {
        setenv("SDL_AUDIODRIVER", "dummy", 1)
        let ready = DispatchSemaphore(value: 0)
        let output = SDLOutput(changed: { ready.signal() })
        output.open()
        return ready.wait(timeout: .now() + 10) == .success ? output : nil
    }

    @Test func soundIsFetchedInTimeAndForgottenWhenCleared() throws {
        let output = try #require(opened())
        #expect(output.state == .ready)
        output.write(Array(repeating: 0, count: 48_000 * 2))
        #expect(output.queuedFrames > 40_000)
        output.clear()
        #expect(output.queuedFrames == 0)
        output.close()
    }

    @Test func closingDoesNotWaitForTheDeviceAndNothingCanBeWrittenAfter() throws {
        let output = try #require(opened())
        output.write(Array(repeating: 0, count: 9_600))
        let began = ContinuousClock.now
        output.close()
        #expect(ContinuousClock.now - began < .milliseconds(15))
        output.write([1, 1])
        #expect(output.queuedFrames == 0)
        #expect(output.state == .unavailable("closed"))
    }

    @Test func missingDeviceIsToldWithItsReason() {
        setenv("SDL_AUDIODRIVER", "no-such-driver", 1)
        let told = DispatchSemaphore(value: 0)
        let output = SDLOutput(changed: { told.signal() })
        output.open()
        #expect(told.wait(timeout: .now() + 10) == .success)
        guard case .unavailable(let why) = output.state else { return #expect(Bool(false), "\(output.state)") }
        #expect(!why.isEmpty && !why.contains("\n"))
    }
}
