import Foundation
import Model
import TestSupport
import Testing

extension EndToEnd {
    /// Files and servers that make other players stumble, recorded as they look and sound.
    ///
    /// FLICK_TEST_FILM plays only films with that in their name.
    @Suite struct WildFilmTests {
        /// How many films play at once.
        private static let width = 4

        @Test func thereAreFortyFilms() {
            #expect(Set(WildFilms.all.map(\.name)).count >= 40)
        }

        @Test(arguments: WildFilms.Kind.allCases)
        func everySecondLooksAndSoundsRight(kind: WildFilms.Kind) async {
            var waiting = WildFilms.all.filter { $0.kind == kind }[...]
            let only = ProcessInfo.processInfo.environment["FLICK_TEST_FILM"]
            if let only { waiting = waiting.filter { $0.name.contains(only) }[...] }
            #expect(only != nil || !waiting.isEmpty)
            var unmeasured: [WildFilm] = []
            await withTaskGroup(of: (WildFilm, [String]).self) { group in
                func start() {
                    guard let film = waiting.popFirst() else { return }
                    group.addTask { (film, await onThread { Self.play(film) }) }
                }
                for _ in 0..<Self.width { start() }
                for await (film, complaints) in group {
                    if complaints == [RecordedPlayback.tooBusy] {
                        unmeasured.append(film)
                    } else {
                        Self.report(complaints, about: film)
                    }
                    start()
                }
            }
            // One at a time, they have more of the machine.
            for film in unmeasured {
                var complaints = [RecordedPlayback.tooBusy]
                for _ in 0..<3 where complaints == [RecordedPlayback.tooBusy] {
                    complaints = await onThread { Self.play(film) }
                }
                Self.report(complaints, about: film)
            }
        }

        /// What is wrong with a film's playback.
        private static func play(_ film: WildFilm) -> [String] {
            do { return try film.record().complaints(about: film.coded) } catch { return ["\(error)"] }
        }

        private static func report(_ complaints: [String], about film: WildFilm) {
            for complaint in complaints { Issue.record("\(film.name): \(complaint)") }
        }

        // MARK: The measurement itself

        /// What a faultless player would show and play. `late`: how many seconds its pictures are late.
        private func playback(_ seconds: [Int], late: Double = 0, every step: Double = 0.04) -> RecordedPlayback {
            var playback = RecordedPlayback()
            playback.tones = seconds.flatMap { Array(repeating: $0 % SecondCode.count, count: 100) }
            for time in stride(from: 0.0, to: Double(seconds.count), by: step) {
                let frames = Int(time * 48_000)
                let second = seconds[max(0, Int(time - late))]
                playback.looks.append(.init(time: time, frames: frames, hue: second % SecondCode.count))
                playback.clocks.append((frames, seconds[Int(time)]))
            }
            return playback
        }

        @Test func measurementFindsWrongSeconds() {
            let film = CodedFilm(seconds: [0, 1, 2, 7, 8, 9])
            #expect(playback([0, 1, 2, 7, 8, 9]).complaints(about: film) == [])
            #expect(playback([0, 1, 2, 7, 8, 9], late: 0.15).complaints(about: film) == [])
            #expect(playback([0, 1, 2, 7, 8, 9], late: 0.3).complaints(about: film).count == 4)
            #expect(playback([0, 1, 2, 6, 8, 9]).complaints(about: film).count == 2)
            #expect(playback([0, 1, 2, 8, 9]).complaints(about: film).count == 2)
            #expect(playback([0, 1, 2, 7, 8]).complaints(about: film).count == 2)
            #expect(playback([0, 1, 2, 7, 8, 9], every: 0.2).complaints(about: film).count == 1)

            // Without sound: how long each is seen.
            let mute = CodedFilm(seconds: Array(0..<4), tone: { _ in nil }, hasClock: false)
            for (length, complaints) in [(0.6, 2), (0.9, 0), (1, 0), (1.2, 0), (1.4, 2)] {
                var seen = RecordedPlayback()
                for time in stride(from: 0.0, to: 4 * length, by: 0.04) {
                    seen.looks.append(.init(time: time, frames: 0, hue: Int(time / length)))
                }
                #expect(seen.complaints(about: mute).count == complaints, "\(length)")
            }

            var wrong = playback([0, 1, 2, 7, 8, 9])
            for index in wrong.clocks.indices where wrong.clocks[index].seconds == 8 { wrong.clocks[index].seconds = 3 }
            #expect(wrong.complaints(about: film) == ["second 8: the scrubber shows [3]"])
            var silent = playback([0, 1, 2, 7, 8, 9])
            for window in 420..<445 { silent.tones[window] = nil }
            #expect(silent.complaints(about: film) == ["sounds [0, 1, 2, 7, 0, 0, 1] instead of [0, 1, 2, 7, 0, 1]"])
            var gray = playback([0, 1, 2, 7, 8, 9])
            for index in gray.looks.indices where gray.looks[index].time > 1.3 && gray.looks[index].time < 1.75 {
                gray.looks[index].hue = nil
            }
            #expect(gray.complaints(about: film).count == 1)
        }

        @Test func measurementReadsTonesAndHues() throws {
            let folder = TemporaryFolder()
            let frames = (0..<SecondCode.count * 4_800).flatMap { frame -> [UInt8] in
                let tone = Double(500 + 400 * (frame / 4_800))
                let sample = UInt16(bitPattern: Int16(sin(2 * .pi * tone * Double(frame) / 48_000) * 4_096))
                return [UInt8(sample & 255), UInt8(sample >> 8), UInt8(sample & 255), UInt8(sample >> 8)]
            }
            let tones = SecondCode.tones(of: WrittenSound(path: try folder.write("sound", frames)))
            #expect(tones == (0..<SecondCode.count * 10).map { $0 / 10 })
            for code in 0..<SecondCode.count {
                let angle = Double(code) * 2 * .pi / Double(SecondCode.count)
                for (light, share) in [(130.0, 1.0), (65, 0.5)] {
                    let (cb, cr) = (68 * cos(angle) * share, 68 * sin(angle) * share)
                    let color = [light + 1.402 * cr, light - 0.344 * cb - 0.714 * cr, light + 1.772 * cb].map {
                        UInt8($0.rounded())
                    }
                    #expect(SecondCode.hue(of: RGB(color[0], color[1], color[2])) == code)
                }
            }
            #expect(SecondCode.hue(of: RGB(120, 125, 122)) == nil)
            #expect(SecondCode.hue(of: .black) == nil)
        }
    }
}
