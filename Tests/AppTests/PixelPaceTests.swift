import Model
import Testing

@testable import App

@Suite struct PixelPaceTests {
    private let large = PixelPace.picture

    @Test func aTerminalThatKeepsUpIsQuick() {
        var pace = PixelPace()
        // The first one is drawn while all else starts.
        pace.note(large, took: .milliseconds(900))
        for _ in 0..<100 { pace.note(large, took: .milliseconds(60)) }
        pace.note(large, waitsFor: .milliseconds(900))
        #expect(!pace.isTooSlow)
    }

    @Test func picturesThatTakeLongerThanATenthOfASecondAreTooSlow() {
        var pace = PixelPace()
        for _ in 0..<4 { pace.note(large, took: .milliseconds(130)) }
        #expect(!pace.isTooSlow)
        pace.note(large, took: .milliseconds(130))
        #expect(pace.isTooSlow)
        // It stays so: blocks are quicker, and say nothing about pixels.
        for _ in 0..<100 { pace.note(large, took: .milliseconds(10)) }
        #expect(pace.isTooSlow)
    }

    @Test func singleVerySlowPictureIsTooSlow() {
        var (taken, waiting) = (PixelPace(), PixelPace())
        taken.note(large, took: .milliseconds(1_300))
        waiting.note(large, waitsFor: .milliseconds(1_300))
        #expect(taken.isTooSlow && waiting.isTooSlow)
    }

    @Test func textSaysNothingAboutPictures() {
        var pace = PixelPace()
        for _ in 0..<10 {
            pace.note(large - 1, took: .seconds(1))
            pace.note(large - 1, waitsFor: .seconds(1))
        }
        #expect(!pace.isTooSlow)
    }

    /// The pacer reports what the terminal has received, and how long the rest has waited.
    @Test func thePacerKnowsHowLongUpdatesTake() {
        var pacer = OutputPacer(asked: .zero)
        pacer.noteFirstAnswer(after: .milliseconds(2), now: .milliseconds(2))
        pacer.sent(large, for: .motion, coarseness: 0, now: .milliseconds(10))
        pacer.answered(now: .milliseconds(12))
        _ = pacer.budget(for: .answer, now: .milliseconds(900))
        #expect(!pacer.pixelPace.isTooSlow)
        _ = pacer.budget(for: .answer, now: .milliseconds(1_300))
        #expect(pacer.pixelPace.isTooSlow)
    }
}
