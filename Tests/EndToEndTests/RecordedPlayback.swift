import Foundation
import Model
import TestSupport

/// What was seen and heard of a film whose seconds have hues and tones (see `SecondCode`). Times in the sound are
/// frames of 48 kHz from its start: the length of the sound file is the position that is heard when the screen is read.
struct RecordedPlayback {
    /// The screen at one moment.
    struct Look {
        /// Seconds since the beginning of the recording.
        var time: Double
        /// The length of the sound file.
        var frames: Int
        /// nil for anything but the hue of a second.
        var hue: Int?
    }

    /// A stretch with one hue or tone.
    struct Run {
        var code: Int
        /// The earliest and the latest frame at which it can have begun.
        var begin: ClosedRange<Int>
        var end: Int
        /// When it began and ended, in seconds.
        var times: ClosedRange<Double>
        /// When it can have begun at the earliest, in seconds.
        var earliest: Double
        /// Whether the machine was quick enough to see when it began.
        var isJudged = true
    }

    static let rate = 48_000
    var looks: [Look] = []
    /// Times of the scrubber, in seconds, with the length of the sound file.
    var clocks: [(frames: Int, seconds: Int)] = []
    /// The tone in each window of `WrittenSound`; nil for silence and mixtures.
    var tones: [Int?] = []

    // MARK: Runs

    /// Equal looks in a row. Others than hues are left out unless they last.
    var pictures: [Run] {
        var runs: [Run] = []
        var last: Look?
        var other: Look?
        for look in looks {
            defer { last = look }
            guard let hue = look.hue else {
                other = other ?? look
                continue
            }
            let gap = other.map { (last?.time ?? $0.time) - $0.time } ?? 0
            other = nil
            if let run = runs.last, run.code == hue, gap < 0.3 {
                runs[runs.count - 1].end = look.frames
                runs[runs.count - 1].times = run.times.lowerBound...look.time
            } else {
                let before = last ?? look
                runs.append(
                    Run(
                        code: hue, begin: before.frames...look.frames, end: look.frames, times: look.time...look.time,
                        earliest: before.time, isJudged: look.time - before.time <= Self.longestLook))
            }
        }
        return runs
    }

    /// Equal windows in a row. A run ends with 200 ms of anything else, unless the machine was busy; windows at the
    /// seams belong to no run.
    var sounds: [Run] {
        let window = WrittenSound.window
        let busy = self.busy
        var runs: [Run] = []
        for (index, tone) in tones.enumerated() {
            guard let tone else { continue }
            let (begin, end) = (index * window, (index + 1) * window)
            let time = Double(end) / Double(Self.rate)
            if let run = runs.last, run.code == tone,
                begin - run.end < Self.rate / 5 || busy.contains(where: { $0.overlaps(run.end..<begin) })
            {
                runs[runs.count - 1].end = end
                runs[runs.count - 1].times = run.times.lowerBound...time
            } else {
                runs.append(Run(code: tone, begin: begin...begin, end: end, times: time...time, earliest: time))
            }
        }
        return runs.filter { $0.end - $0.begin.lowerBound >= 5 * window }
    }

    /// The machine is busy if there is a longer time between two looks.
    private static let longestLook = 0.15

    /// When the machine was busy, and a little more.
    private var busy: [Range<Int>] {
        zip(looks, looks.dropFirst()).filter { $1.time - $0.time > Self.longestLook }.map {
            $0.frames - Self.rate / 5..<$1.frames + Self.rate / 5
        }
    }

    // MARK: Judging

    /// The complaint if most transitions of the picture fell between two looks.
    static let tooBusy = "the machine was too busy to see most transitions"

    /// What is wrong with it, in words; nothing if it is what the film's seconds say.
    func complaints(about film: CodedFilm) -> [String] {
        var complaints: [String] = []
        var pictures = match(self.pictures, film, film.hue, "pictures", &complaints)
        let sounds = match(self.sounds, film, film.tone, "sounds", &complaints)
        guard complaints.isEmpty else { return complaints }
        let busy = self.busy
        let seen = pictures.count
        pictures = pictures.filter { $0.value.isJudged }
        if seen > 2, pictures.count * 2 < seen {
            return [Self.tooBusy]
        }
        for index in film.seconds.indices.dropFirst() where film.continues(at: index) {
            if let picture = pictures[index], let sound = sounds[index] {
                let early = picture.begin.lowerBound - sound.begin.lowerBound
                let late = sound.begin.lowerBound - picture.begin.upperBound
                if max(early, late) > Self.rate / 5 {
                    complaints.append(
                        "second \(film.seconds[index]): picture \(Self.text(max(early, -late))) after sound")
                }
            }
            guard !film.mayPause, index + 1 < film.seconds.count, film.continues(at: index + 1) else { continue }
            if let sound = sounds[index], let next = sounds[index + 1] {
                let length = next.begin.lowerBound - sound.begin.lowerBound
                let isBusy = busy.contains { $0.overlaps(sound.begin.lowerBound..<next.begin.lowerBound) }
                if !isBusy, abs(length - Self.rate) > Self.rate / 5 {
                    complaints.append("second \(film.seconds[index]) sounds for \(Self.text(length))")
                }
            } else if let picture = pictures[index], let next = pictures[index + 1] {
                // It begins between two looks, and so does the next one.
                let shortest = next.earliest - picture.times.lowerBound
                let longest = next.times.lowerBound - picture.earliest
                if shortest > 1.25 || longest < 0.75 {
                    let length = Self.text(shortest > 1.25 ? shortest : longest)
                    complaints.append("second \(film.seconds[index]) is seen for \(length)")
                }
            }
        }
        return complaints + (film.hasClock ? clockComplaints(film, pictures, sounds) : [])
    }

    /// The runs by the second, as an index of the film's, that they begin with.
    private func match(
        _ runs: [Run], _ film: CodedFilm, _ code: (Int) -> Int?, _ what: String, _ complaints: inout [String]
    ) -> [Int: Run] {
        var runs = runs
        if film.mayPause { runs = Self.joined(runs) }
        var expected: [(index: Int, code: Int)] = []
        for (index, second) in film.seconds.enumerated() {
            guard let code = code(second) else { continue }
            if expected.last?.code != code { expected.append((index, code)) }
        }
        // A seek may show a key picture near its target first.
        for (place, run) in expected.enumerated() where run.index > 0 && !film.continues(at: run.index) {
            guard place + 1 < runs.count, runs[place].code != run.code, runs[place + 1].code == run.code,
                runs[place + 1].times.lowerBound - runs[place].times.lowerBound < 0.5
            else { continue }
            runs.remove(at: place)
        }
        let codes = runs.map(\.code)
        let count = film.isCutShort ? min(max(codes.count, film.least), expected.count) : expected.count
        // One more second may have begun; without a clock, any number may follow.
        guard Array(codes.prefix(count)) == expected.prefix(count).map(\.code),
            !film.hasClock || codes.count <= expected.count + 1,
            !expected.isEmpty || codes.isEmpty
        else {
            complaints.append("\(what) \(codes) instead of \(expected.map(\.code))")
            return [:]
        }
        return Dictionary(uniqueKeysWithValues: zip(expected.prefix(count).map(\.index), runs))
    }

    private static func joined(_ runs: [Run]) -> [Run] {
        runs.reduce(into: []) { joined, run in
            if let last = joined.last, last.code == run.code {
                joined[joined.count - 1].end = run.end
                joined[joined.count - 1].times = last.times.lowerBound...run.times.upperBound
            } else {
                joined.append(run)
            }
        }
    }

    /// The scrubber in the middle of every second whose end is known.
    private func clockComplaints(_ film: CodedFilm, _ pictures: [Int: Run], _ sounds: [Int: Run]) -> [String] {
        let busy = self.busy
        return film.seconds.indices.dropLast().compactMap { index in
            guard film.continues(at: index + 1), let next = sounds[index + 1] ?? pictures[index + 1] else { return nil }
            let end = next.begin.lowerBound
            // A seek may have led into the middle of the second.
            let begin = (sounds[index] ?? pictures[index]).map { $0.begin.upperBound + Self.rate / 5 } ?? 0
            let middle = max(begin, end - Self.rate * 6 / 10)..<max(begin, end - Self.rate * 4 / 10)
            guard !busy.contains(where: { $0.overlaps(middle) }) else { return nil }
            let shown = Set(clocks.filter { middle.contains($0.frames) }.map(\.seconds))
            let second = film.seconds[index]
            guard shown.isSubset(of: [second]) else { return "second \(second): the scrubber shows \(shown.sorted())" }
            return nil
        }
    }

    private static func text(_ frames: Int) -> String { text(Double(frames) / Double(rate)) }
    private static func text(_ seconds: Double) -> String { String(format: "%.2f s", seconds) }
}

/// The seconds of a film that should be played, and their codes.
struct CodedFilm: Sendable {
    var seconds: [Int]
    /// nil for no picture, or the previous one.
    var hue: @Sendable (Int) -> Int? = { $0 % SecondCode.count }
    /// nil for silence.
    var tone: @Sendable (Int) -> Int? = { $0 % SecondCode.count }
    /// Whether the scrubber shows the film's second.
    var hasClock = true
    /// Whether playback may wait for bytes.
    var mayPause = false
    /// Whether it may end early, and the number of seconds that are there at least.
    var isCutShort = false
    var least = 0

    /// Whether a second follows the one before it, rather than a seek.
    func continues(at index: Int) -> Bool { index > 0 && seconds[index] == seconds[index - 1] + 1 }
}

/// A hue and a tone for each second, which repeat after eight seconds.
enum SecondCode {
    static let count = 8

    /// For ffmpeg: a filter that paints pictures with the hue of second `second`, an expression.
    static func paint(_ second: String = "floor(T)") -> String {
        let angle = "PI/4*mod(\(second)\\,\(count))"
        return "geq=lum=128:cb='128+60*cos(\(angle))':cr='128+60*sin(\(angle))'"
    }
    /// For ffmpeg: a wave of an eighth of full amplitude. All tones have whole periods in a window.
    static func wave(_ second: String = "floor(t)") -> String {
        "0.125*sin(2*PI*t*(500+400*mod(\(second)\\,\(count))))"
    }

    /// The code of a hue on the screen, whose brightness may be changed by a veil.
    static func hue(of color: RGB) -> Int? {
        let (red, green, blue) = (Double(color.red), Double(color.green), Double(color.blue))
        let luma = 0.299 * red + 0.587 * green + 0.114 * blue
        let (cb, cr) = ((blue - luma) / 1.772, (red - luma) / 1.402)
        guard cb * cb + cr * cr > 144 else { return nil }
        let turn = atan2(cr, cb) / (2 * .pi) * Double(count)
        let code = turn.rounded()
        return abs(turn - code) < 0.35 ? (Int(code) + count) % count : nil
    }

    /// The code of each window's tone: by its rising zero crossings, and its amplitude.
    static func tones(of sound: WrittenSound) -> [Int?] {
        sound.samples.withUnsafeBufferPointer { samples in
            (0..<sound.windows).map { window in
                let range = window * WrittenSound.window..<(window + 1) * WrittenSound.window
                var (crossings, peak): (Int, Float) = (0, 0)
                for index in range {
                    let sample = samples[index]
                    peak = max(peak, abs(sample))
                    if index > 0, sample >= 0, samples[index - 1] < 0 { crossings += 1 }
                }
                let code = (crossings - 5 + 2) / 4
                guard peak > 0.05, peak < 0.25, crossings >= 4, code < count, abs(crossings - 5 - 4 * code) <= 1 else {
                    return nil
                }
                return sound.loudness(of: 500 + 400 * code, in: range) > 0.05 ? code : nil
            }
        }
    }
}
