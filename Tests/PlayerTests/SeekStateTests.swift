import Testing

@testable import Player

/// Which seeks are under way, and which wait.
@Suite struct SeekStateTests {
    @Test func placeAskedForBeforeTheClipIsOpenOutlastsADecoder() {
        var seeks = SeekState()
        seeks.wait(for: 2_000_000)
        seeks.restart()
        #expect(seeks.targetOnceOpen == 2_000_000)
        let first = seeks.open()
        let again = seeks.open()
        #expect(first == 2_000_000 && again == nil)
    }

    /// Steps wait for the seek under way. A seek to another place makes them meaningless, the same place in another
    /// size does not.
    @Test(arguments: [(.seek, 0), (.preview, 0), (.step, 2), (.refresh, 2)] as [(SeekState.Purpose, Int)])
    func seeksAndPreviewsDropWaitingSteps(purpose: SeekState.Purpose, left: Int) {
        var seeks = SeekState()
        _ = seeks.begin(.refresh, to: 0)
        seeks.addSteps(3)
        seeks.addSteps(-1)
        _ = seeks.begin(purpose, to: 1_000_000)
        let steps = seeks.nextSteps()
        #expect(steps == left)
    }
}
