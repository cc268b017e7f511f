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
}
