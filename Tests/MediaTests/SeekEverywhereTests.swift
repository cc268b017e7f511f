import TestSupport
import Testing
import Wire

/// Ten seconds at 25 pictures a second, each with its number (`FrameCode`), in many containers.
struct NumberedClip: Sendable, CustomTestStringConvertible {
    let name: String
    let arguments: [String]
    var testDescription: String { name }

    static let pictures = 250
    static let interval: Int64 = 40_000

    private static func h264(_ distance: Int, _ more: String = "") -> [String] {
        ["-c:v", "libx264", "-g", "\(distance)", "-bf", "2", "-x264-params", "scenecut=0\(more)", "-c:a", "aac"]
    }

    /// A little after 26.5 hours the stamps of MPEG's streams begin again at 0.
    private static let wraps = ["-muxdelay", "0", "-muxpreload", "0", "-output_ts_offset", "95438.7"]

    static let all = [
        NumberedClip(name: "n.mp4", arguments: h264(50)),
        NumberedClip(name: "n-fragments.mp4", arguments: h264(50) + ["-movflags", "frag_keyframe+empty_moov"]),
        NumberedClip(
            name: "n-one-fragment.mp4", arguments: h264(50) + ["-movflags", "frag_custom+empty_moov+delay_moov"]),
        NumberedClip(name: "n.mkv", arguments: h264(50)),
        NumberedClip(
            name: "n.webm",
            arguments: [
                "-c:v", "libvpx", "-deadline", "realtime", "-cpu-used", "8", "-b:v", "1M", "-g", "50", "-c:a",
                "libopus",
            ]),
        NumberedClip(name: "n.ts", arguments: h264(50)),
        NumberedClip(name: "n-one-key.ts", arguments: h264(250)),
        NumberedClip(name: "n-open.ts", arguments: h264(50, ":open-gop=1")),
        NumberedClip(
            name: "n-vbr.ts",
            arguments: h264(75) + ["-crf", "40", "-vf", FrameCode.filter + ",drawbox=enable='lt(t,2)':t=2:c=red"]),
        NumberedClip(name: "n-wraps.ts", arguments: h264(50) + wraps),
        NumberedClip(name: "n-silent.ts", arguments: h264(100) + ["-an"]),
        NumberedClip(name: "n.m2ts", arguments: h264(50)),
        NumberedClip(
            name: "n.mpg", arguments: ["-c:v", "mpeg2video", "-g", "50", "-bf", "2", "-q:v", "4", "-c:a", "mp2"]),
        NumberedClip(name: "n-h264.mpg", arguments: ["-f", "vob"] + h264(100) + ["-c:a", "mp2"]),
        NumberedClip(
            name: "n-mpeg2.ts", arguments: ["-c:v", "mpeg2video", "-g", "50", "-bf", "2", "-q:v", "4", "-c:a", "mp2"]),
        NumberedClip(name: "n.avi", arguments: ["-c:v", "mpeg4", "-q:v", "4", "-g", "50", "-c:a", "mp2"]),
        NumberedClip(name: "n.flv", arguments: h264(50)),
        NumberedClip(name: "n.ogv", arguments: ["-c:v", "libtheora", "-q:v", "8", "-g", "50", "-c:a", "libvorbis"]),
        NumberedClip(name: "n-ts.m3u8", arguments: h264(50) + ["-hls_time", "2", "-hls_playlist_type", "vod"]),
        NumberedClip(
            name: "n-fmp4.m3u8",
            arguments: h264(50) + [
                "-hls_time", "2", "-hls_playlist_type", "vod", "-hls_segment_type", "fmp4", "-hls_fmp4_init_filename",
                "n-init.mp4",
            ]),
        NumberedClip(
            name: "n.mpd",
            arguments: h264(50) + [
                "-seg_duration", "2", "-init_seg_name", "n-$RepresentationID$.mp4", "-media_seg_name",
                "n-$RepresentationID$-$Number$.m4s",
            ]),
    ]

    func path() throws -> String {
        let seconds = Self.pictures / 25
        var arguments = [
            "-f", "lavfi", "-i", "testsrc2=s=320x180:r=25:d=\(seconds)", "-f", "lavfi", "-i",
            "sine=440:r=48000:d=\(seconds)", "-vf", FrameCode.filter, "-pix_fmt", "yuv420p", "-threads", "1",
        ]
        arguments += self.arguments
        return try Clips.make(name, list: arguments)
    }

    /// The number in a picture of 160 x 90 pixels.
    static func number(_ pixels: [UInt32]) -> Int? {
        FrameCode.decode { x, y in
            let pixel = pixels[min(Int(y * 90), 89) * 160 + min(Int(x * 160), 159)]
            return (Double(pixel >> 16 & 255) * 299 + Double(pixel >> 8 & 255) * 587 + Double(pixel & 255) * 114)
                / 1_000
        }
    }
}

@Suite struct SeekEverywhereTests {
    private func open(_ clip: NumberedClip, sound: Bool = true) throws -> DecoderHarness {
        let harness = try DecoderHarness.open(try clip.path(), width: 160, height: 90, sound: sound)
        try harness.run { $0.pictures.count > 1 }
        return harness
    }

    /// Seeks, and returns the numbers and times of the first pictures that come.
    private func seek(
        _ harness: DecoderHarness, _ serial: UInt32, to time: Int64, _ mode: SeekMode = .exact
    ) throws -> (number: Int?, time: Int64) {
        harness.pictures = []
        try harness.channel.send(.seek(serial: serial, time: time, mode: mode))
        try harness.run { $0.pictures.last?.header.serial == serial || $0.ended.contains(serial) }
        let picture = try #require(
            harness.pictures.first { $0.header.serial == serial }, "\(harness.failure?.why ?? "")")
        return (NumberedClip.number(picture.pixels), picture.header.mediaTime)
    }

    @Test(arguments: NumberedClip.all)
    func everySeekShowsThePictureOfItsTime(clip: NumberedClip) throws {
        let harness = try open(clip)
        var random = SeededRandom(state: 11)
        for serial in UInt32(1)...24 {
            // The beginning and the end too. Containers round stamps to a millisecond.
            let index =
                serial == 1
                ? 0
                : serial == 2 ? NumberedClip.pictures - 1 : Int.random(in: 0..<NumberedClip.pictures, using: &random)
            let time = Int64(index) * NumberedClip.interval + .random(in: 2_000..<38_000, using: &random)
            let shown = try seek(harness, serial, to: time)
            #expect(shown.number == index, "\(time) µs")
            #expect(abs(shown.time - Int64(index) * NumberedClip.interval) < 1_500)
        }
        #expect(harness.failure == nil)
        #expect(harness.close())
    }

    @Test(arguments: NumberedClip.all)
    func aKeySeekShowsAWholeKeyPictureBeforeItsTime(clip: NumberedClip) throws {
        let harness = try open(clip)
        var random = SeededRandom(state: 12)
        for serial in UInt32(1)...8 {
            let index = Int.random(in: 0..<NumberedClip.pictures, using: &random)
            let shown = try seek(harness, serial, to: Int64(index) * NumberedClip.interval + 20_000, .key)
            #expect(abs(shown.time - Int64(shown.number ?? -1) * NumberedClip.interval) < 1_500)
            #expect(shown.time <= Int64(index) * NumberedClip.interval + 1_500)
            #expect(harness.pictures.first { $0.header.serial == serial }?.header.isKey == true)
        }
    }

    @Test(arguments: NumberedClip.all)
    func stepsGoToTheNeighbours(clip: NumberedClip) throws {
        let harness = try open(clip, sound: false)
        var serial: UInt32 = 0
        for index in [1, 49, 50, 51, 100, 150, 247] {
            serial += 2
            let time = Int64(index) * NumberedClip.interval + 3_000
            let (before, after) = (
                try seek(harness, serial, to: time, .before), try seek(harness, serial + 1, to: time, .after)
            )
            #expect(before.number == index - 1, "\(index)")
            #expect(after.number == index + 1, "\(index)")
        }
    }

    /// Key pictures that are 40 s apart: the one before is found, however far it is, up to a minute.
    @Test func keyPicturesFarApartAreFound() throws {
        let path = try Clips.make(
            "n-far.ts",
            list: [
                "-f", "lavfi", "-i", "testsrc2=s=320x180:r=2:d=100", "-vf", FrameCode.filter, "-pix_fmt", "yuv420p",
                "-threads", "1", "-c:v", "libx264", "-g", "80", "-x264-params", "scenecut=0",
            ])
        let harness = try DecoderHarness.open(path, width: 160, height: 90, sound: false)
        try harness.run { $0.pictures.count > 1 }
        for (serial, number) in [(UInt32(1), 158), (2, 40), (3, 168)] {
            let shown = try seek(harness, serial, to: Int64(number) * 500_000 + 250_000)
            #expect(shown.number == number, "\(shown.time)")
        }
        #expect(harness.close())
    }

    /// Sound begins where the picture does.
    @Test(arguments: NumberedClip.all.filter { $0.name.hasPrefix("n.") || $0.name.hasSuffix(".ts") })
    func soundFollowsASeek(clip: NumberedClip) throws {
        let harness = try open(clip)
        guard harness.info?.hasAudio == true else { return }
        for (serial, time) in [(UInt32(1), Int64(5_013_000)), (2, 1_000), (3, 8_990_000)] {
            harness.sounds = []
            try harness.channel.send(.seek(serial: serial, time: time, mode: .exact))
            try harness.run {
                $0.sounds.contains { $0.serial == serial && $0.samples.contains { $0 > 1_000 } }
                    || $0.ended.contains(serial)
            }
            let loud = try #require(harness.sounds.first { $0.serial == serial && $0.samples.contains { $0 > 1_000 } })
            #expect(loud.mediaTime - time < 150_000, "the first sound is \(loud.mediaTime - time) µs late")
        }
    }
}
