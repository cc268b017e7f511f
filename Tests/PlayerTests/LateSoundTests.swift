import Audio
import Model
import TestSupport
import Testing
import Wire

@testable import Player

/// Sound that comes late, stops, disappears and comes back. The picture continues, and the sound heard then matches it.
@Suite(.serialized) @MainActor struct LateSoundTests {
    private let item = Item(id: "a", url: "file:///script")

    /// Each piece of sound of 20 ms is as loud as its time in milliseconds.
    private var dated: ScriptedDecoder {
        var script = ScriptedDecoder()
        script.duration = 30_000_000
        script.sample = { Int16($0 / 1_000) }
        return script
    }

    struct Device: Sendable, CustomTestStringConvertible {
        var testDescription: String
        var missing = false
        var opening = Duration.zero
        var sleep = Duration.zero

        func make() -> TestOutput { TestOutput(missing: missing, opening: opening, sleep: sleep, buffer: 2_048) }
    }

    nonisolated static let devices = [
        Device(testDescription: "none", missing: true),
        Device(testDescription: "none, which is found out late", missing: true, opening: .milliseconds(700)),
        Device(testDescription: "opens after 0.4 s", opening: .milliseconds(400)),
        Device(testDescription: "opens after 3 s", opening: .seconds(3)),
        Device(testDescription: "sleeps for 0.4 s", sleep: .milliseconds(400)),
        Device(testDescription: "sleeps for 2 s", sleep: .seconds(2)),
        Device(testDescription: "opens after 1 s and sleeps for 2 s", opening: .seconds(1), sleep: .seconds(2)),
    ]

    /// How far the visible picture lags behind its due time, over
    /// time; and the offset between the sound heard and the picture.
    private struct Course {
        var begin: Duration?
        var slowest = Duration.zero
        var fastest = Duration.zero
        var apart: [Duration] = []

        @MainActor mutating func note(_ stage: Stage, _ audio: TestOutput) {
            guard let picture = stage.pool.pictureIdentity(of: "a") else { return }
            let begin = begin ?? stage.now
            self.begin = begin
            let late = stage.now - begin - picture.mediaTime
            slowest = max(slowest, late)
            fastest = max(fastest, .zero - late)
            guard let sounding = audio.sounding else { return }
            apart.append(.milliseconds(Int(sounding)) - picture.mediaTime)
        }
    }

    @Test(arguments: devices) func lateDeviceDoesNotHoldThePicture(_ device: Device) {
        let audio = device.make()
        let stage = Stage(audio: audio, decoders: [dated])
        defer { stage.pool.close() }
        stage.play(item)
        var course = Course()
        _ = stage.run(item, limit: .seconds(8)) { stage in
            course.note(stage, audio)
            return false
        }
        // A picture lasts 40 ms, and the clock leans towards the sound within 45 ms.
        #expect(course.slowest < .milliseconds(130), "\(course.slowest)")
        #expect(course.fastest < .milliseconds(45), "\(course.fastest)")
        #expect(course.apart.isEmpty == device.missing)
        #expect(course.apart.allSatisfy { $0 > .milliseconds(-65) && $0 < .milliseconds(105) }, "\(course.apart)")
        #expect(stage.events.all("watchdog").isEmpty && stage.events.all("recover").isEmpty)
        #expect(stage.notices.count == (device.missing ? 1 : 0))
    }

    @Test func stalledDeviceDoesNotHoldThePicture() {
        let audio = TestOutput(buffer: 2_048)
        let stage = Stage(audio: audio, decoders: [dated])
        defer { stage.pool.close() }
        stage.play(item)
        var course = Course()
        _ = stage.run(item) { stage in
            course.note(stage, audio)
            return stage.position() > .seconds(1)
        }
        audio.stand(for: .milliseconds(1_500))
        course.apart = []
        var stood = Course()
        _ = stage.run(item, limit: .seconds(4)) { stage in
            course.note(stage, audio)
            // What the device had fetched before it stood is heard first.
            if stage.now > .seconds(2.7) { stood.note(stage, audio) }
            return false
        }
        #expect(course.slowest < .milliseconds(200), "\(course.slowest)")
        #expect(!stood.apart.isEmpty)
        #expect(stood.apart.allSatisfy { $0 > .milliseconds(-65) && $0 < .milliseconds(105) }, "\(stood.apart)")
        #expect(stage.events.all("watchdog").isEmpty && stage.events.all("recover").isEmpty)
    }

    @Test func soundReturnsWithADevice() {
        let audio = TestOutput(buffer: 2_048)
        let stage = Stage(audio: audio, decoders: [dated])
        defer { stage.pool.close() }
        stage.play(item)
        var course = Course()
        func run(_ time: Duration) {
            _ = stage.run(item, limit: time) { stage in
                course.note(stage, audio)
                return false
            }
        }
        run(.seconds(1))
        #expect(!course.apart.isEmpty)
        audio.lose()
        course.apart = []
        run(.seconds(2))
        #expect(course.apart.isEmpty)
        audio.find()
        run(.seconds(5))
        #expect(course.apart.count > 50)
        #expect(course.apart.allSatisfy { $0 > .milliseconds(-65) && $0 < .milliseconds(105) }, "\(course.apart)")
        #expect(course.slowest < .milliseconds(130) && course.fastest < .milliseconds(45))
        #expect(stage.notices.count == 1)
        #expect(stage.events.all("watchdog").isEmpty && stage.events.all("recover").isEmpty)
    }

    @Test func clipOpenedWithoutADeviceGetsItsSoundWithOne() {
        let audio = TestOutput(missing: true)
        let stage = Stage(audio: audio, decoders: [dated])
        defer { stage.pool.close() }
        stage.play(item)
        _ = stage.run(item) { $0.position() > .milliseconds(500) }
        // The next one is opened while there is nothing to hear it with.
        let next = Item(id: "b", url: "file:///other")
        stage.play(next)
        _ = stage.run(next, limit: .seconds(1)) { _ in false }
        audio.find()
        let isHeard = stage.run(next, limit: .seconds(10)) { _ in audio.sounding != nil }
        #expect(isHeard)
    }

    /// Sound that joins a picture which moves is that of the moment at which it will be heard. What begins with the
    /// picture is heard whole.
    @Test(arguments: [true, false]) func lateSoundIsAheadByWhatTheDeviceTakes(isLate: Bool) {
        // A tenth of a second.
        let audio = TestOutput(buffer: 4_800)
        audio.open()
        var feed = AudioSink(output: audio)
        for time in stride(from: Microseconds(0), to: 1_000_000, by: 20_000) {
            _ = feed.append(
                pts: time, mediaTime: time, samples: Array(repeating: Int16(time / 1_000), count: 960 * 2))
        }
        if isLate { feed.findDevice() }
        let begins = feed.play(from: 500_000, isAudible: true, volume: 1, now: .zero)
        #expect(begins && audio.heard.first == (isLate ? 600 : 500))
    }

    @Test func deviceIsNotLookedForWhileNothingPlays() {
        let audio = TestOutput(missing: true)
        let stage = Stage(audio: audio, decoders: [dated])
        defer { stage.pool.close() }
        stage.play(item)
        _ = stage.run(item) { $0.position() > .milliseconds(500) }
        stage.pause(item.id)
        #expect(stage.wantsNoWake)
        let opens = audio.opens
        _ = stage.run(item, limit: .seconds(60)) { _ in false }
        #expect(audio.opens == opens)
    }
}

@Suite struct SoundCheckTests {
    private let error = AudioError(.noDevice, detail: "none")

    @Test func deviceRetriesBackOff() {
        var check = SoundCheck()
        var state = SoundState.unavailable(error)
        var opened: [Int] = []
        var reported = 0
        for second in 0..<130 {
            let actions = check.check(state, isWanted: true, now: .seconds(second))
            reported += actions.count { $0 == .report(error) }
            state = .unavailable(error)
            if actions.contains(.open) {
                opened.append(second)
                state = .opening
            }
        }
        // Each attempt is known to have failed two seconds later.
        #expect(opened == [1, 5, 11, 21, 39, 71, 103])
        #expect(reported == 1)
    }

    @Test func deviceLossIsReportedAgainOnlyAfterALongConnection() {
        func reports(after time: Int) -> Int {
            var check = SoundCheck()
            let events: [(SoundState, Int)] = [
                (.unavailable(error), 0), (.ready, 1), (.ready, 1 + time), (.unavailable(error), 1 + time),
            ]
            return events.reduce(0) { count, event in
                let actions = check.check(event.0, isWanted: true, now: .seconds(event.1))
                return count + actions.count { $0 == .report(error) }
            }
        }
        #expect(reports(after: 9) == 1)
        #expect(reports(after: 10) == 2)
    }

    /// Also while it is tried again, so that nothing that depends on it changes every time.
    @Test func soundStaysLostUntilADeviceIsReady() {
        var check = SoundCheck()
        let states: [(SoundState, Bool)] = [
            (.closed, false), (.opening, false), (.unavailable(error), true), (.opening, true),
            (.unavailable(error), true), (.opening, true), (.ready, false), (.unavailable(error), true),
        ]
        for (second, (state, isLost)) in states.enumerated() {
            _ = check.check(state, isWanted: true, now: .seconds(second))
            #expect(check.isLost == isLost, "\(second)")
        }
    }

    @Test func audioErrorWordsOmitTheLibrarysDetail() {
        for kind in [AudioError.Kind.noLibrary, .noDevice, .lost] {
            #expect(AudioError(kind, detail: "ALSA: x").words.hasPrefix("no audio: "))
            #expect(!AudioError(kind, detail: "ALSA: x").words.contains("ALSA"))
        }
    }
}
