import Foundation
import TestSupport
import Wire

/// How equally loud clips play, and what that costs the decoder.
func loudness(_ report: inout Report, _ programs: Programs, _ clips: Clips) throws {
    report.section("Loudness: 40 clips between -35 and -8 LUFS at \(Int(LevelTrial.target)) LUFS")
    let nursery = Nursery(path: "\((programs.flick as NSString).deletingLastPathComponent)/flick-decoder")
    defer {
        nursery.end()
        nursery.waitForEnd()
    }
    let levels = try LevelClip.all(in: "\(clips.folder)/levels")
    for isWarm in [false, true] {
        let name = isWarm ? "warm" : "cold"
        let trials = try levels.map { clip in
            try withDecoder(nursery) { try LevelTrial(clip, $0.channel, isWarm: isWarm) }
        }
        report.figure(
            "\(name): distance to the target after a second, most", trials.map { abs($0.error) }.max() ?? .nan, "LU",
            atMost: 1.5)
        let first = trials.map { abs($0.firstError) }
        report.note("\(name): error of the gain of the first 0.2 s, median", first.median, "dB")
        if isWarm {
            report.figure("\(name): error of the gain of the first 0.2 s, most", first.max() ?? .nan, "dB", atMost: 4)
        }
        report.figure("\(name): true peak, highest", trials.map(\.peak).max() ?? .nan, "dBTP", atMost: -1)
    }

    // The sound alone: the same pictures take some hundredths more or less processor time from one run to the next.
    let (film, sound) = (try clips.loudFilm(), try clips.loudSound())
    var times: (film: [Double], off: [Double], on: [Double]) = ([], [], [])
    // In turn, so that a slow moment of the machine affects all.
    for _ in 0..<7 {
        times.film.append(try decoding(film, level: nil, nursery))
        times.off.append(try decoding(sound, level: nil, nursery))
        times.on.append(try decoding(sound, level: LevelTrial.target, nursery))
    }
    let more = times.on.median - times.off.median
    report.note("decoder's processor time for 40 s of 720p with loud noise, level off", times.film.median, "ms")
    report.note("for the noise alone, level off", times.off.median, "ms")
    report.note("for the noise alone, level on", times.on.median, "ms")
    report.note("more for each second of sound", more / 40, "ms")
    report.figure("more processor time of the decoder", more / times.film.median * 100, "%", atMost: 2)
}

/// Milliseconds of processor time that a decoder takes for a clip.
private func decoding(_ clip: String, level: Double?, _ nursery: Nursery) throws -> Double {
    try withDecoder(nursery) { decoder in
        let rig = try LevelRig(decoder.channel, clip: clip, level: level, isWarm: false)
        try rig.play(frames: .max / 4)
        guard let time = decoder.processorTime else { throw NotMeasured("the decoder has ended") }
        return time / .milliseconds(1)
    }
}

private func withDecoder<Result>(_ nursery: Nursery, _ body: (DecoderProcess) throws -> Result) throws -> Result {
    let decoder = try nursery.decoder()
    defer {
        decoder.kill()
        decoder.reap()
    }
    _ = try decoder.waitUntilStarted()
    return try body(decoder)
}

extension Clips {
    /// `long`, with noise that must be limited.
    fileprivate func loudFilm() throws -> String {
        let path = "\(folder)/loud-film.mp4"
        try LevelClip.ffmpeg([
            "-i", try long(), "-f", "lavfi", "-i", "anoisesrc=c=pink:r=48000:d=40:a=0.9", "-map", "0:v", "-map", "1:a",
            "-c:v", "copy", "-c:a", "aac", "-ac", "2", path,
        ])
        return path
    }

    fileprivate func loudSound() throws -> String {
        let path = "\(folder)/loud-sound.m4a"
        try LevelClip.ffmpeg(["-i", try loudFilm(), "-vn", "-c", "copy", path])
        return path
    }
}
