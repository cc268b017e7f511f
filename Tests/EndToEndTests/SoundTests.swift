import Foundation
import Model
import TestSupport
import Testing

extension EndToEnd {
    /// What is audible, read from the file of SDL's disk device.
    @Suite struct SoundTests {
        /// The test clips' tones have an eighth of full amplitude.
        private static let audible: Float = 0.06
        private static let quiet: Float = 0.01

        private func browse(
            _ recipes: [TestClips.Recipe], sound: FlickSession.Sound = .written, _ arguments: [String] = []
        ) throws -> FlickSession {
            let flick = try FlickSession(
                ["--reduced-motion"] + arguments + recipes.map { try TestClips.path($0) }, sound: sound)
            try flick.terminal.waitUntil("a moving picture") { ($0.frameCode() ?? 0) > 0 }
            return flick
        }

        /// Waits for `windows` more windows of 10 ms in the file; returns where they begin.
        @discardableResult
        private func waitForSound(_ flick: FlickSession, windows: Int) throws -> Int {
            let begin = WrittenSound(path: flick.soundFile).windows
            try flick.terminal.wait("\(windows) windows of sound") {
                WrittenSound.frames(at: flick.soundFile) / WrittenSound.window >= begin + windows
            }
            return begin
        }

        private func waitForTone(_ hertz: Int, _ flick: FlickSession) throws {
            try flick.terminal.wait("\(hertz) Hz") {
                let last = WrittenSound(path: flick.soundFile).loudness(of: hertz).suffix(10)
                return last.count == 10 && last.allSatisfy { $0 > Self.audible }
            }
        }

        @Test func onlyOneClipSoundsAtATime() throws {
            let tones = [TestClips.short, TestClips.other].map(\.tone)
            let flick = try browse([TestClips.short, TestClips.other])
            try waitForTone(tones[0], flick)
            for tone in [tones[1], tones[0], tones[1]] {
                try flick.terminal.press(tone == tones[1] ? "Down" : "Up")
                try waitForTone(tone, flick)
            }
            try flick.terminal.press("q")
            try flick.terminal.waitForExit()

            let sound = WrittenSound(path: flick.soundFile)
            let (first, second) = (sound.loudness(of: tones[0]), sound.loudness(of: tones[1]))
            // One window can contain the end of one tone and the beginning of the other; two cannot.
            let both = zip(first, second).map { min($0, $1) > Self.quiet }
            #expect(!zip(both, both.dropFirst()).contains { $0 && $1 }, "two voices at once")
            // The tones in order.
            var heard: [Int] = []
            for (one, other) in zip(first, second) {
                let tone = one > Self.audible ? tones[0] : other > Self.audible ? tones[1] : nil
                if let tone, heard.last != tone { heard.append(tone) }
            }
            #expect(heard == [tones[0], tones[1], tones[0], tones[1]])
            // The trace names the same items.
            var owners: [String?] = []
            for line in try flick.trace("audio") where line.state == "playing" && owners.last != line.owner {
                owners.append(line.owner)
            }
            #expect(owners.count == 4 && Set(owners).count == 2)
        }

        /// Checks the measurement itself.
        @Test func theMeasurementSeparatesTones() throws {
            let folder = TemporaryFolder()
            func wave(_ tones: [Double], _ frame: Int) -> Double {
                tones.reduce(0) { $0 + 0.125 * sin(2 * .pi * $1 * Double(frame) / 48_000) }
            }
            // 50 ms of each tone alone, then 50 ms of both.
            let frames = (0..<7_200).flatMap { frame -> [UInt8] in
                let tones = frame < 2_400 ? [500.0] : frame < 4_800 ? [1_500] : [500, 1_500]
                let sample = UInt16(bitPattern: Int16(wave(tones, frame) * 32_767))
                return [UInt8(sample & 255), UInt8(sample >> 8), UInt8(sample & 255), UInt8(sample >> 8)]
            }
            let sound = WrittenSound(path: try folder.write("sound", frames))
            #expect(
                sound.loudness(of: 500).map { $0 > 0.12 }
                    == [5, 5, 5].enumerated().flatMap { part, count in
                        Array(repeating: part != 1, count: count)
                    })
            #expect(sound.loudness(of: 1_500).map { $0 > 0.01 } == (0..<15).map { $0 >= 5 })
            #expect(sound.peaks().allSatisfy { $0 > 0.12 })
        }

        @Test func pausedItIsSilent() throws {
            let flick = try browse([TestClips.short])
            let tone = TestClips.short.tone
            try waitForTone(tone, flick)
            try flick.terminal.press("Space")
            try flick.terminal.waitUntil("the paused badge") { $0.rows[0].contains("paused") }
            // What the device had already fetched may still be written.
            let begin = try waitForSound(flick, windows: 40) + 5
            #expect(WrittenSound(path: flick.soundFile).peaks().dropFirst(begin).allSatisfy { $0 < Self.quiet })
            try flick.terminal.press("Space")
            try waitForTone(tone, flick)
        }

        @Test func muteAndVolume() throws {
            let flick = try browse([TestClips.short])
            let tone = TestClips.short.tone
            try waitForTone(tone, flick)
            try flick.terminal.press("m")
            try flick.terminal.waitUntil("the badge") { $0.rows[0].contains(" muted ") && $0.contains("muted") }
            let begin = try waitForSound(flick, windows: 40) + 5
            #expect(WrittenSound(path: flick.soundFile).peaks().dropFirst(begin).allSatisfy { $0 < Self.quiet })
            try flick.terminal.press("m")
            try waitForTone(tone, flick)
            let loud = WrittenSound(path: flick.soundFile).loudness(of: tone).suffix(5).max() ?? 0
            for _ in 0..<6 { try flick.terminal.press("-") }
            try flick.terminal.waitUntil("how loud") { $0.contains("Volume ") && $0.contains("70 %") }
            try waitForSound(flick, windows: 40)
            let soft = WrittenSound(path: flick.soundFile).loudness(of: tone).suffix(5).max() ?? 0
            #expect(soft > Self.quiet && soft < loud * 0.7, "\(soft) after \(loud)")
        }

        @Test func startedMutedItIsSilentUntilAsked() throws {
            let flick = try browse([TestClips.short], ["--mute"])
            try waitForSound(flick, windows: 40)
            #expect(WrittenSound(path: flick.soundFile).peaks().allSatisfy { $0 < Self.quiet })
            try flick.terminal.press("m")
            try waitForTone(TestClips.short.tone, flick)
        }

        @Test func soundAndPictureStayTogether() throws {
            let flick = try browse([TestClips.short])
            let fetches = DeviceFetches(path: flick.soundFile)
            defer { fetches.end() }
            // Measured once a second. `SyncTests` proves it on exact time; here
            // only seconds count in which the machine kept time.
            var drifts: [Double] = []
            var measured = 0
            try flick.terminal.wait("three seconds in which the machine kept time", within: .seconds(60)) {
                let all = try driftsBesideSteadyPictures(flick)
                // A drift is seen a moment after it was measured.
                let isPunctual = fetches.lateness.map { $0 < .milliseconds(15) } == true
                for drift in all.dropFirst(measured) { if isPunctual, let drift { drifts.append(drift) } }
                measured = all.count
                return drifts.count >= 3
            }
            #expect(drifts.allSatisfy { abs($0) < 45 }, "\(drifts)")
        }

        /// All drifts measured so far; nil for one without a second of pictures before it that came without a break and
        /// took a second.
        private func driftsBesideSteadyPictures(_ flick: FlickSession) throws -> [Double?] {
            let pictures = try flick.trace("picture")
            return try flick.trace("audio").filter { $0.state == "playing" }.map { measured in
                let second = pictures.filter { ($0.t > measured.t - 1.1) && $0.t <= measured.t }
                guard let drift = measured.drift, let first = second.first, let last = second.last,
                    let begin = first.pts, let end = last.pts, last.t - first.t > 0.9
                else { return nil }
                let isSteady = zip(second, second.dropFirst()).allSatisfy { $1.t - $0.t < 0.1 }
                return isSteady && abs((end - begin) - (last.t - first.t)) < 0.04 ? drift : nil
            }
        }

        /// Checks the measurement itself: fetches of 2,048 frames every 42 to 43 ms, each seen within 2 ms.
        @Test func lateFetchesAreSeen() {
            func fetches(_ times: [Int]) -> [DeviceFetches.Fetch] {
                times.enumerated().map { number, time in
                    .init(frames: 2_048 * (number + 1), before: .milliseconds(time - 2), seen: .milliseconds(time))
                }
            }
            func lateness(_ times: [Int], at now: Int) -> Duration {
                DeviceFetches.lateness(of: fetches(times), at: .milliseconds(now)) ?? .zero
            }
            #expect(DeviceFetches.lateness(of: [], at: .seconds(2)) == nil)
            #expect(lateness([0, 43, 85, 128, 171], at: 213) < .milliseconds(3))
            let late = lateness([0, 43, 108, 150, 192], at: 200)
            #expect(late > .milliseconds(22) && late < .milliseconds(25))
            // One after the other, a little each time.
            #expect(lateness([0, 50, 100, 150, 200], at: 210) > .milliseconds(29))
            // The next one has not come yet.
            #expect(lateness([0, 43, 85], at: 150) > .milliseconds(22))
        }

        /// The device fetches sound every two seconds only, as an idle sink does at first.
        @Test func deviceThatSleepsHoldsNoPicture() throws {
            let flick = try FlickSession(
                ["--reduced-motion", TestClips.path(TestClips.short)], sound: .written,
                environment: ["SDL_DISKAUDIODELAY": "2000"])
            var pictures: [TraceLine] = []
            try flick.terminal.wait("four seconds of it") {
                pictures = try flick.trace("picture")
                return pictures.contains { ($0.pts ?? 0) >= 4 }
            }
            let first = try #require(pictures.first)
            // Before the device plays, and while it stands between two buffers.
            for second in [1.0, 4.0] {
                let picture = try #require(pictures.first { ($0.pts ?? 0) >= second })
                #expect(picture.t - first.t < second + 0.15)
            }
            #expect(try flick.trace("watchdog").isEmpty)
        }

        @Test func withoutAudioNoDeviceIsOpened() throws {
            let flick = try FlickSession(
                ["--reduced-motion", TestClips.path(TestClips.short)],
                environment: [
                    "SDL_AUDIODRIVER": "disk", "SDL_DISKAUDIOFILE": NSTemporaryDirectory() + "flick-unopened-audio",
                ])
            try flick.terminal.waitUntil("a second of it") { ($0.frameCode() ?? 0) > 30 }
            #expect(!FileManager.default.fileExists(atPath: NSTemporaryDirectory() + "flick-unopened-audio"))
            #expect(try flick.trace("audio").isEmpty)
        }

        @Test func missingDeviceIsReportedOnceAndPlaybackContinues() throws {
            let flick = try browse([TestClips.short, TestClips.other], sound: .broken)
            try flick.terminal.waitUntil("the notice") { $0.contains("No audio") }
            let screen = try flick.terminal.waitUntil("that it continues, without the notice") {
                !$0.contains("No audio") && ($0.frameCode() ?? 0) > 60
            }
            // By the clock: the screen shows the second at which the clip is.
            #expect(screen.shownSeconds.map { abs(30 * $0 - (screen.frameCode() ?? 0)) <= 31 } == true)
            try flick.terminal.press("Down")
            try flick.terminal.waitUntil("the next one") { $0.rows[0].contains("2/2") && ($0.frameCode() ?? 0) > 15 }
            #expect(try !flick.terminal.capture().contains("No audio"))
            #expect(try flick.trace("error").filter { $0.what == "sound" }.count == 1)
        }
    }
}
