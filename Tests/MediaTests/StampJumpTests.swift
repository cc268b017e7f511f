import Foundation
import Testing
import Wire

@testable import Media

/// Files whose timestamps jump, such as joined recordings.
@Suite struct StampJumpTests {
    // MARK: The corrections

    private func jumps(mayBreak: Bool = true, hasSound: Bool = true) -> StampJumps {
        StampJumps(mayBreak: mayBreak, hasSound: hasSound)
    }

    /// Corrected times, in milliseconds, of packets of 100 ms.
    private func times(_ jumps: inout StampJumps, video: [Int64] = [], audio: [Int64] = []) -> [Int64] {
        (video.map { (true, $0) } + audio.map { (false, $0) }).map { isVideo, stamp in
            let correction = jumps.correction(
                ofVideo: isVideo, stamp: stamp * 1_000, duration: 100_000, offset: stamp)
            return stamp + correction / 1_000
        }
    }

    @Test(arguments: [0, 3_600_000, -500_000] as [Int64]) func bothStreamsContinueTogether(jump: Int64) {
        var jumps = jumps()
        #expect(times(&jumps, video: [5_000, 5_100], audio: [5_000, 5_080]) == [5_000, 5_100, 5_000, 5_080])
        #expect(times(&jumps, video: [jump], audio: [jump + 20]) == [5_200, 5_220])
        #expect(times(&jumps, video: [jump + 100], audio: [jump + 120]) == [5_300, 5_320])
        #expect(jumps.parts.count == 2 && jumps.goesBack == (jump < 5_000))
    }

    @Test func jumpOfOneStreamIsRemoved() {
        var jumps = jumps()
        _ = times(&jumps, video: [5_000], audio: [5_000])
        #expect(times(&jumps, audio: [1_000]) == [5_100])
        #expect(times(&jumps, video: [5_100, 5_200], audio: [1_100]) == [5_100, 5_200, 5_200])
        // One odd stamp changes nothing for long.
        #expect(times(&jumps, audio: [5_300, 5_400]) == [5_300, 5_400])
    }

    @Test func gapInOneStreamIsNotAJump() {
        var jumps = jumps()
        _ = times(&jumps, video: [0], audio: [0])
        _ = times(&jumps, video: Array(stride(from: 100, through: 90_000, by: 100)))
        #expect(times(&jumps, audio: [90_000]) == [90_000])
    }

    @Test func slidesWithoutSoundAreNotAJump() {
        var jumps = jumps(mayBreak: false, hasSound: false)
        #expect(times(&jumps, video: [0, 120_000, 500_000]) == [0, 120_000, 500_000])
    }

    @Test func mutedSlidesAreNotAJump() {
        var jumps = jumps(mayBreak: false)
        _ = times(&jumps, video: [0], audio: [0])
        jumps.readSound(false)
        #expect(times(&jumps, video: [120_000, 240_000]) == [120_000, 240_000])
        jumps.readSound(true)
        #expect(times(&jumps, audio: [350_000, 350_100]) == [350_000, 350_100])
    }

    @Test func overlappingPacketsAreNotAJump() {
        var jumps = jumps()
        let corrections = ([0, 40_000, 80_000] as [Int64]).map {
            jumps.correction(ofVideo: true, stamp: $0, duration: 2_000_000, offset: 0)
        }
        #expect(corrections == [0, 0, 0] && !jumps.goesBack)
    }

    @Test func reorderedPicturesWithoutDTSAreNotAJump() {
        var jumps = jumps(mayBreak: false)
        let corrections = ([0, 4, 2, 1, 3, 8, 6] as [Int64]).map {
            jumps.correction(ofVideo: true, stamp: $0 * 1_000_000, duration: 1_000_000, offset: 0)
        }
        #expect(corrections.allSatisfy { $0 == 0 } && !jumps.goesBack)
    }

    // MARK: Files

    /// Four seconds of one grey and one tone in a transport stream.
    private func part(_ number: Int, _ more: [String] = [], size: String = "64x48", ending: String = "ts") throws
        -> String
    {
        try Clips.make(
            "part-\(number)-\(size)\(more.joined()).\(ending)",
            list: [
                "-f", "lavfi", "-i", "color=black:s=\(size):r=25:d=4,geq=lum=\(16 + 50 * number):cb=128:cr=128", "-f",
                "lavfi", "-i", "sine=\(300 * number):r=48000:d=4", "-pix_fmt", "yuv420p", "-c:v", "libx264", "-g", "25",
                "-c:a", "aac", "-t", "4",
            ] + more)
    }

    private func joined(_ name: String, _ parts: [String]) throws -> String {
        try Clips.write(name, try parts.flatMap { try Data(contentsOf: URL(fileURLWithPath: $0)) })
    }

    /// The part that a picture is of, and that a piece of sound is of; 0: none.
    private func number(_ pixels: [UInt32]) -> Int {
        let green = Double(pixels[pixels.count / 2] >> 8 & 0xFF)
        return Int((green * 219 / 255 / 50).rounded())
    }

    private func number(_ samples: [Int16]) -> Int {
        let left = stride(from: 0, to: samples.count, by: 2).map { samples[$0] }
        let rising = zip(left, left.dropFirst()).count { $0 < 0 && $1 >= 0 }
        return Int((Double(rising) * 48_000 / Double(max(1, left.count)) / 300).rounded())
    }

    /// Checks grey and tone in the middle of every second of three parts of four seconds.
    private func expectParts(
        _ harness: DecoderHarness, from start: Int64 = 0, serial: UInt32 = 0, hasVideo: Bool = true
    ) {
        let sound = harness.sounds.filter { $0.serial == serial }
        let samples = sound.flatMap(\.samples)
        for second in Int(start / 1_000_000)..<12 {
            let time = Int64(second) * 1_000_000 + 500_000
            if hasVideo {
                let picture = harness.pictures.last { $0.header.serial == serial && $0.header.pts <= time }
                #expect(picture.map { number($0.pixels) } == second / 4 + 1, "picture in second \(second)")
            }
            let sinceFirst = time - (sound.first?.pts ?? 0)
            let first = Int(sinceFirst * 48_000 / 1_000_000) * 2
            let piece = Array(samples.dropFirst(first).prefix(19_200))
            #expect(number(piece) == second / 4 + 1, "sound in second \(second)")
        }
    }

    @Test func joinedTransportStreamsPlayContinuously() throws {
        let parts = try (1...3).map { try part($0) }
        let harness = try DecoderHarness.open(joined("joined.ts", parts))
        try harness.runToEnd()
        expectParts(harness)
    }

    @Test func seeksIntoPartsAlreadyRead() throws {
        let parts = try (1...3).map { try part($0) }
        let harness = try DecoderHarness.open(joined("joined-seek.ts", parts))
        try harness.runToEnd()
        for (serial, time) in [(UInt32(1), Int64(6_000_000)), (2, 1_000_000), (3, 9_000_000)] {
            try harness.channel.send(.seek(serial: serial, time: time, mode: .exact))
            try harness.run { $0.ended.contains(serial) }
            #expect(harness.begins.last?.time == time)
            expectParts(harness, from: time, serial: serial)
        }
    }

    @Test(arguments: [3_600, 50]) func forwardJumpsInTransportStreamsAreRemoved(seconds: Int) throws {
        let parts = [
            try part(1), try part(2, ["-output_ts_offset", "\(seconds)"]),
            try part(3, ["-output_ts_offset", "\(2 * seconds)"]),
        ]
        let harness = try DecoderHarness.open(joined("forward-\(seconds).ts", parts))
        try harness.runToEnd()
        expectParts(harness)
        try harness.channel.send(.seek(serial: 1, time: 6_000_000, mode: .exact))
        try harness.run { $0.ended.contains(1) }
        expectParts(harness, from: 6_000_000, serial: 1)
    }

    @Test func joinedTransportStreamsMayDifferInIdsAndSizes() throws {
        // Padded, so that the other streams come after what is read to examine the file.
        let padding = ["-muxrate", "16M"]
        let parts = [
            try part(1, padding), try part(2, padding + ["-mpegts_start_pid", "0x200"], size: "96x64"),
            try part(3, padding),
        ]
        let harness = try DecoderHarness.open(joined("numbers.ts", parts))
        try harness.runToEnd()
        expectParts(harness)
    }

    @Test func matroskaJumpOfAnHourIsRemoved() throws {
        let jump = "PTS+gte(T,4)*3600/TB"
        let path = try Clips.make(
            "hour.mkv", "-f", "lavfi", "-i", "color=black:s=64x48:r=25:d=12,geq=lum='66+50*floor(T/4)':cb=128:cr=128",
            "-f",
            "lavfi", "-i", "aevalsrc='0.3*sin(2*PI*t*300*(1+floor(t/4)))':s=48000:d=12", "-vf", "setpts='\(jump)'",
            "-af",
            "asetpts='\(jump)'", "-fps_mode", "passthrough", "-pix_fmt", "yuv420p", "-c:v", "libx264", "-bf", "0",
            "-c:a",
            "pcm_s16le")
        let harness = try DecoderHarness.open(path)
        try harness.runToEnd()
        expectParts(harness)
        try harness.channel.send(.seek(serial: 1, time: 6_000_000, mode: .exact))
        try harness.run { $0.ended.contains(1) }
        expectParts(harness, from: 6_000_000, serial: 1)
    }

    /// The pictures or the sound, by their ids in ffmpeg's transport streams, in the middle of a file.
    @Test(arguments: [0x100, 0x101], [3_600, -30] as [Int64])
    func jumpOfOneTrackIsRemoved(track: Int, seconds: Int64) throws {
        // Stamps that go back to before the file's first by a minute would count as wrapped.
        let path = try Clips.make(
            "one-track.ts", "-f", "lavfi", "-i",
            "color=black:s=64x48:r=25:d=12,geq=lum='66+50*floor(T/4)':cb=128:cr=128", "-f", "lavfi", "-i",
            "aevalsrc='0.3*sin(2*PI*t*300*(1+floor(t/4)))':s=48000:d=12", "-pix_fmt", "yuv420p", "-c:v", "libx264",
            "-g", "25", "-c:a", "aac", "-output_ts_offset", "200")
        let stream = shifted(
            Array(try Data(contentsOf: URL(fileURLWithPath: path))), track: track, by: seconds * 90_000)
        let harness = try DecoderHarness.open(try Clips.write("one-track-\(track)-\(seconds).ts", stream))
        try harness.runToEnd()
        #expect(harness.failure == nil && harness.pictures.count == 300)
        expectParts(harness)
        let frames = harness.sounds.reduce(0) { $0 + $1.samples.count / 2 }
        #expect(abs(frames - 12 * 48_000) < 9_600)
    }

    /// Moves the PTS and DTS of a track from its fifth second on, in ticks of 90 kHz (ISO 13818-1, 2.4.3.7).
    private func shifted(_ stream: [UInt8], track: Int, by ticks: Int64) -> [UInt8] {
        var stream = stream
        var first: Int64?
        var isBehindJump = false
        for packet in stride(from: 0, to: stream.count - 187, by: 188) {
            let id = Int(stream[packet + 1] & 0x1F) << 8 | Int(stream[packet + 2])
            guard id == track, stream[packet + 1] & 0x40 != 0 else { continue }
            let hasAdaptation = stream[packet + 3] & 0x20 != 0
            let header = packet + 4 + (hasAdaptation ? Int(stream[packet + 4]) + 1 : 0)
            let pts = stamp(in: stream, at: header + 9)
            first = first ?? pts
            isBehindJump = isBehindJump || pts - (first ?? 0) >= 4 * 90_000
            guard isBehindJump else { continue }
            let hasDTS = stream[header + 7] & 0x40 != 0
            for place in hasDTS ? [header + 9, header + 14] : [header + 9] {
                setStamp(in: &stream, at: place, to: stamp(in: stream, at: place) + ticks)
            }
        }
        return stream
    }

    private func stamp(in stream: [UInt8], at place: Int) -> Int64 {
        let bytes = stream[place..<place + 5].map { Int64($0) }
        let high = (bytes[0] >> 1 & 7) << 30
        let middle = bytes[1] << 22 | (bytes[2] >> 1) << 15
        return high | middle | bytes[3] << 7 | bytes[4] >> 1
    }

    private func setStamp(in stream: inout [UInt8], at place: Int, to stamp: Int64) {
        let marked: [Int64] = [
            Int64(stream[place] & 0xF1) | (stamp >> 30 & 7) << 1, stamp >> 22 & 0xFF, (stamp >> 15 & 0x7F) << 1 | 1,
            stamp >> 7 & 0xFF, (stamp & 0x7F) << 1 | 1,
        ]
        stream.replaceSubrange(place..<place + 5, with: marked.map { UInt8($0) })
    }

    @Test(arguments: ["libvorbis", "libopus", "flac"]) func joinedOggStreamsPlayContinuously(codec: String) throws {
        let parts = try (1...3).map { number in
            try Clips.make(
                "song-\(number)-\(codec).ogg", "-f", "lavfi", "-i", "sine=\(300 * number):r=48000:d=4", "-c:a", codec)
        }
        let harness = try DecoderHarness.open(joined("radio-\(codec).ogg", parts))
        try harness.runToEnd()
        expectParts(harness, hasVideo: false)
    }

    /// Three songs in one file, of one codec, with these sample rates.
    private func radio(_ codec: String, rates: [Int] = [48_000, 48_000, 48_000]) throws -> String {
        let songs = try zip(1..., rates).map { number, rate in
            try Clips.make(
                "song-\(number)-\(rate)-\(codec).ogg", "-f", "lavfi", "-i", "sine=\(300 * number):r=\(rate):d=4",
                "-c:a", codec)
        }
        return try joined("radio-\(codec)-\(rates[0])-\(rates[1]).ogg", songs)
    }

    @Test(arguments: ["libvorbis", "libopus", "flac"]) func joinedOggStreamsLoop(codec: String) throws {
        let harness = try DecoderHarness.open(radio(codec), loop: true)
        try harness.run { $0.sounds.last.map { $0.pts >= 30_000_000 } ?? false }
        let samples = harness.sounds.flatMap(\.samples)
        for second in 0..<30 {
            let piece = Array(samples.dropFirst((second * 48_000 + 24_000) * 2).prefix(19_200))
            #expect(number(piece) == second % 12 / 4 + 1, "sound in second \(second)")
        }
    }

    // Vorbis has smaller blocks at 16 kHz.
    @Test(arguments: [
        ("libvorbis", [48_000, 32_000, 48_000]), ("libopus", [48_000, 24_000, 48_000]),
        ("flac", [48_000, 32_000, 48_000]), ("libvorbis", [44_100, 16_000, 44_100]),
        ("libvorbis", [16_000, 44_100, 16_000]),
    ])
    func joinedOggStreamsMayDifferInSampleRate(codec: String, rates: [Int]) throws {
        let harness = try DecoderHarness.open(radio(codec, rates: rates))
        try harness.runToEnd()
        expectParts(harness, hasVideo: false)
        try harness.channel.send(.seek(serial: 1, time: 6_000_000, mode: .exact))
        try harness.run { $0.ended.contains(1) }
        expectParts(harness, from: 6_000_000, serial: 1, hasVideo: false)
    }

    @Test func soundResumesInSyncAfterALongGap() throws {
        let path = try Clips.make(
            "absent.mkv", "-f", "lavfi", "-i", "color=black:s=64x48:r=5:d=100", "-f", "lavfi", "-i",
            "sine=900:r=48000:d=100",
            "-af", "aselect='lt(t,5)+gt(t,90)'", "-c:v", "libx264", "-c:a", "pcm_s16le")
        let harness = try DecoderHarness.open(path)
        try harness.runToEnd()
        for (time, tone) in [(Int64(4_000_000), 3), (7_000_000, 0), (88_000_000, 0), (92_000_000, 3)] {
            let piece = try #require(harness.sounds.last { $0.pts <= time })
            #expect(number(piece.samples) == tone, "at \(time)")
        }
    }
}
