import Testing
import Wire

@testable import Player

@Suite struct WatchdogTests {
    @Test func clockThatStandsIsStartedAgainThenReplaced() {
        var dog = Watchdog()
        dog.begin(now: .zero)
        func look(_ at: Int) -> Watchdog.Verdict? {
            dog.check(
                Watchdog.Signs(
                    now: .milliseconds(at), canRun: true, hasPicture: true, isShown: true,
                    lastActivity: .milliseconds(at)))
        }
        _ = look(0)
        let early = look(199)
        let again = look(200)
        let replace = look(500)
        #expect(early == nil)
        #expect(again == .playAgain(.start))
        #expect(replace == .replace(.clock))
    }

    @Test func clockIsGivenItsTimeFromTheFirstPictureOn() {
        var dog = Watchdog()
        dog.begin(now: .zero)
        func look(_ at: Int, _ position: Int64, canRun: Bool = true) -> Watchdog.Verdict? {
            dog.check(
                Watchdog.Signs(
                    now: .milliseconds(at), position: position, canRun: canRun, hasPicture: canRun, isShown: true,
                    lastActivity: .milliseconds(at)))
        }
        let verdicts = [look(480, 0, canRun: false), look(490, 0), look(520, 30_000), look(990, 500_000)]
        #expect(verdicts.allSatisfy { $0 == nil })
        dog.moved()
        let afterSeek = [look(1_000, 60_000), look(1_500, 100_001)]
        #expect(afterSeek == [nil, .replace(.clock)])
    }

    @Test func decoderThatWorksSlowlyIsNotReplacedAndASilentOneIs() {
        var dog = Watchdog()
        dog.begin(now: .zero)
        let busy = dog.check(
            Watchdog.Signs(now: .seconds(3), isOwing: true, lastActivity: .milliseconds(2_900)))
        let silent = dog.check(Watchdog.Signs(now: .seconds(5), isOwing: true, lastActivity: .milliseconds(2_900)))
        #expect(busy == nil)
        #expect(silent == .replace(.firstFrame))
    }

    @Test func pictureThatIsNotShownWhileSoundPlaysIsDrawnAgainOnceAfterThreeTenths() {
        /// The verdicts at some milliseconds after the beginning.
        func verdicts(_ times: [Int], _ change: (inout Watchdog.Signs) -> Void = { _ in }) -> [Watchdog.Verdict?] {
            var dog = Watchdog()
            dog.begin(now: .zero)
            return times.map { time in
                var signs = Watchdog.Signs(
                    now: .milliseconds(time), position: Int64(time) * 1_000, canRun: true, hasPicture: true,
                    soundRuns: true, lastActivity: .milliseconds(time))
                change(&signs)
                return dog.check(signs)
            }
        }
        #expect(verdicts([0, 299, 300, 310, 900]) == [nil, nil, .showPicture(.picture), nil, nil])
        #expect(verdicts([0, 300, 900]) { $0.isShown = true } == [nil, nil, nil])
        #expect(verdicts([0, 300, 900]) { $0.soundRuns = false } == [nil, nil, nil])
        #expect(verdicts([0, 300, 900]) { $0.hasPicture = false } == [nil, nil, nil])
    }

    @Test func silentDecoderIsReplacedAfterItsPatienceAndOneThatOwesNothingIsNot() {
        func verdict(_ silence: Duration, patience: Duration, isOwing: Bool) -> Watchdog.Verdict? {
            var dog = Watchdog()
            return dog.check(
                Watchdog.Signs(
                    now: .seconds(30), isOwing: isOwing, patience: patience, lastActivity: .seconds(30) - silence))
        }
        #expect(verdict(.milliseconds(1_999), patience: .seconds(2), isOwing: true) == nil)
        #expect(verdict(.seconds(2), patience: .seconds(2), isOwing: true) == .replace(.hung))
        #expect(verdict(.seconds(19), patience: Watchdog.patienceWithLive, isOwing: true) == nil)
        #expect(verdict(.seconds(20), patience: Watchdog.patienceWithLive, isOwing: true) == .replace(.hung))
        #expect(verdict(.seconds(29), patience: .seconds(2), isOwing: false) == nil)
    }

    @Test func thereAreThreeRecoveries() {
        var recovery = Recovery()
        let attempts = (0..<4).map { _ in recovery.next() }
        #expect(attempts == [1, 2, 3, nil])
    }
}
