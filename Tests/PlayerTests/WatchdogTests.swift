import Foundation
import TestSupport
import Testing
import Wire

@testable import Player

@Suite struct WatchdogTests {
    @Test func theDocumentationNamesEveryCause() throws {
        let page = try String(
            contentsOf: FlickBinary.root.appendingPathComponent("docs/internals/recovery.md"), encoding: .utf8)
        let missing = RecoveryCause.allCases.map(\.rawValue).filter { !page.contains("| `\($0)` |") }
        #expect(missing == [], "docs/internals/recovery.md does not list these")
    }

    @Test func stoppedClockIsRestartedThenDecoderReplaced() {
        var dog = Watchdog()
        dog.begin(now: .zero)
        func look(_ at: Int) -> Watchdog.Verdict? {
            dog.check(
                Watchdog.Observation(
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
                Watchdog.Observation(
                    now: .milliseconds(at), position: position, canRun: canRun, hasPicture: canRun, isShown: true,
                    lastActivity: .milliseconds(at)))
        }
        let verdicts = [look(480, 0, canRun: false), look(490, 0), look(520, 30_000), look(990, 500_000)]
        #expect(verdicts.allSatisfy { $0 == nil })
        dog.moved()
        let afterSeek = [look(1_000, 60_000), look(1_500, 100_001)]
        #expect(afterSeek == [nil, .replace(.clock)])
    }

    /// What is said of a decoder that sends something all the time, but no
    /// picture, at some milliseconds after the beginning.
    private func verdicts(
        _ times: [Int], attempts: Int = 0, isServed: (Int) -> Bool = { _ in false }
    ) -> [Watchdog.Verdict?] {
        var dog = Watchdog()
        dog.begin(now: .zero, attempts: attempts)
        return times.map { time in
            dog.check(
                Watchdog.Observation(
                    now: .milliseconds(time), soundRuns: true, isServed: isServed(time), isOwing: true,
                    lastActivity: .milliseconds(time)))
        }
    }

    @Test func decoderWithoutFirstPictureIsReplaced() {
        #expect(verdicts([100, 800, 1_499, 1_500]) == [nil, nil, nil, .replace(.firstFrame)])
    }

    @Test func waitingForBytesDoesNotCountAgainstTheDecoder() {
        let verdicts = verdicts([1_000, 9_000, 9_499, 9_500]) { $0 == 9_000 }
        #expect(verdicts == [nil, nil, nil, .replace(.firstFrame)])
    }

    @Test func seekRestartsTheFirstPictureTimeout() {
        var dog = Watchdog()
        dog.begin(now: .zero)
        var verdicts: [Watchdog.Verdict?] = []
        for time in [1_000, 1_400, 2_400, 2_899, 2_900] {
            if time == 1_400 { dog.seek(now: .milliseconds(time)) }
            verdicts.append(
                dog.check(
                    Watchdog.Observation(now: .milliseconds(time), isOwing: true, lastActivity: .milliseconds(time))))
        }
        #expect(verdicts == [nil, nil, nil, nil, .replace(.firstFrame)])
    }

    @Test func eachFurtherDecoderHasTwiceTheTimeForItsFirstPicture() {
        #expect(verdicts([2_999, 3_000], attempts: 1) == [nil, .replace(.firstFrame)])
        #expect(verdicts([11_999, 12_000], attempts: 3) == [nil, .replace(.firstFrame)])
    }

    @Test func clipWithoutPicturesIsAZombieAfterTwoSeconds() {
        func look(_ at: Int, since: Int?) -> Watchdog.Verdict? {
            var dog = Watchdog()
            dog.begin(now: .zero)
            return dog.check(
                Watchdog.Observation(
                    now: .milliseconds(at), position: Int64(at) * 1_000, canRun: true, hasPicture: true, isShown: true,
                    picturesLateSince: since.map { .milliseconds($0) }, lastActivity: .milliseconds(at)))
        }
        #expect(look(4_999, since: 3_000) == nil)
        #expect(look(5_000, since: 3_000) == .replace(.zombie))
        #expect(look(50_000, since: nil) == nil)
    }

    @Test func undisplayedPictureIsRedrawnOnceAfter300Milliseconds() {
        /// The verdicts at some milliseconds after the beginning.
        func verdicts(_ times: [Int], _ change: (inout Watchdog.Observation) -> Void = { _ in }) -> [Watchdog.Verdict?]
        {
            var dog = Watchdog()
            dog.begin(now: .zero)
            return times.map { time in
                var signs = Watchdog.Observation(
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

    @Test func silentDecoderIsReplacedOnlyIfOutputIsDue() {
        func verdict(_ silence: Duration, patience: Duration, isOwing: Bool) -> Watchdog.Verdict? {
            var dog = Watchdog()
            return dog.check(
                Watchdog.Observation(
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
