import Foundation
import Model
import Testing
import Wire

/// Valid clips with unusual properties.
@Suite struct OddClipTests {
    private static let moving = ["-f", "lavfi", "-i", "testsrc2=s=96x64:r=25:d=1"]

    private func make(_ name: String, _ arguments: [String]) throws -> String {
        try Clips.make(name, list: OddClipTests.moving + arguments)
    }

    private func play(_ path: String, loop: Bool = false) throws -> DecoderHarness {
        let harness = try DecoderHarness.open(path, loop: loop)
        try harness.runToEnd()
        #expect(harness.failure == nil)
        return harness
    }

    // MARK: Shape

    @Test func sampleAspectWidensThePicture() throws {
        let harness = try play(try make("wide.mkv", ["-vf", "setsar=2/1", "-c:v", "ffv1"]))
        #expect(harness.info?.displayWidth == 192 && harness.info?.displayHeight == 64)
        #expect(harness.pictures.first.map { [$0.header.width, $0.header.height] } == [64, 21])
    }

    @Test(arguments: [("16384x64", 64, 1), ("64x16384", 1, 64)])
    func longStillsAreShown(size: String, width: UInt32, height: UInt32) throws {
        let path = try Clips.make(
            "\(size).png", list: ["-f", "lavfi", "-i", "color=red:s=\(size)", "-frames:v", "1"])
        let harness = try play(path)
        #expect(harness.pictures.map { [$0.header.width, $0.header.height] } == [[width, height]])
    }

    @Test func oversizedPictureIsRejectedByItsHeader() throws {
        var bytes = Array(try Data(contentsOf: URL(fileURLWithPath: Clips.counted())))
        // Width and height of the sample entry (ISO 14496-12, 12.1.3.2), 28 bytes behind its name.
        let entry = try #require(
            bytes.indices.dropLast(99).first {
                Array(bytes[$0..<$0 + 4]) == Array("avc1".utf8) && bytes[$0 + 4] == 0
            })
        bytes.replaceSubrange(entry + 28..<entry + 32, with: [0x40, 0, 0x40, 0])
        let harness = try DecoderHarness.open(try Clips.write("huge.mp4", bytes))
        try harness.run { !$0.ended.isEmpty }
        #expect(harness.failure?.code == .limits)
        #expect(harness.failure?.why == "its frames of 16384x16384 pixels are too large")
    }

    /// Damages the private data of a Matroska's codec, which is FFV1's
    /// configuration (RFC 9043, 4.3): 63 A2, then its length.
    private func spoil(_ path: String, as name: String) throws -> String {
        var bytes = Array(try Data(contentsOf: URL(fileURLWithPath: path)))
        let entry = try #require(bytes.indices.dropLast(99).first { bytes[$0] == 0x63 && bytes[$0 + 1] == 0xA2 })
        for index in entry + 4..<entry + 24 { bytes[index] = 0xFF }
        return try Clips.write(name, bytes)
    }

    /// As recordings of television have. The pictures' stream is the last.
    @Test func clipWithMoreStreamsThanTheLimitPlays() throws {
        let sounds = (0..<70).flatMap { _ in ["-map", "1:a"] }
        let path = try make(
            "many-streams.mkv",
            ["-f", "lavfi", "-t", "1", "-i", "anullsrc=r=8000:cl=mono"] + sounds
                + ["-map", "0:v", "-c:a", "pcm_s16le", "-c:v", "ffv1"])
        let harness = try play(path)
        #expect(harness.pictures.count == 25)
        let streams = harness.info?.streams ?? []
        #expect(streams.count == WireLimit.streams)
        #expect(streams.filter(\.isChosen).map(\.index) == [0, 70])
    }

    @Test func aClipWithDamagedCodecDataFails() throws {
        let harness = try DecoderHarness.open(
            try spoil(try make("spoilt.mkv", ["-c:v", "ffv1"]), as: "spoilt-private.mkv"))
        try harness.run { !$0.ended.isEmpty }
        #expect(harness.failure?.code == .undecodable)
    }

    /// flick must not wait for its pictures.
    @Test(arguments: ["ffv1", "libtheora"])
    func clipWithUndecodablePicturesPlaysAsAudio(codec: String) throws {
        let path = try make(
            "spoilt-\(codec).mkv",
            ["-f", "lavfi", "-i", "sine=440:d=1", "-c:v", codec, "-pix_fmt", "yuv420p", "-c:a", "pcm_s16le"])
        let harness = try play(try spoil(path, as: "spoilt-\(codec)-private.mkv"))
        #expect(harness.info?.hasVideo == false && harness.info?.hasAudio == true)
        #expect(harness.pictures.isEmpty && !harness.sounds.isEmpty)
    }

    /// flick would wait for its first picture without end.
    @Test(arguments: [true, false]) func clipWithoutAnIntactPictureFails(loop: Bool) throws {
        let counted = try Clips.counted()
        let path = try Clips.make("noise.mkv", "-i", counted, "-c", "copy", "-bsf:v", "noise=amount=1")
        let harness = try DecoderHarness.open(path, loop: loop)
        try harness.run { !$0.ended.isEmpty || $0.failure != nil }
        #expect(harness.failure?.code == .undecodable)
        #expect(harness.failure?.why == "its video cannot be decoded")
        #expect(harness.pictures.isEmpty)
    }

    @Test func transparentPixelsAreBlendedOntoBlack() throws {
        let path = try Clips.make(
            "half.png", list: ["-f", "lavfi", "-i", "color=red@0.5:s=64x64,format=rgba", "-frames:v", "1"])
        let pixel = try #require(try play(path).pictures.first?.pixels[2_000])
        #expect((0x7C...0x84).contains(pixel >> 16) && pixel & 0xFFFF == 0)
    }

    @Test(arguments: ["gif", "png"]) func palettesHaveTheirColours(kind: String) throws {
        let path = try Clips.make(
            "palette.\(kind)",
            list: [
                "-f", "lavfi", "-i", "color=blue:s=64x64", "-frames:v", "1", "-pix_fmt",
                kind == "gif" ? "bgr8" : "pal8",
            ])
        let harness = try play(path, loop: true)
        #expect(harness.info?.isStill == true)
        #expect(harness.pictures.count == 1)
        let pixel = try #require(harness.pictures.first?.pixels[2_000])
        #expect(pixel & 0xFF > 0xF0 && pixel >> 8 == 0)
    }

    @Test func aPhotographIsRotatedByItsEXIFData() throws {
        var bytes = Array(try Data(contentsOf: URL(fileURLWithPath: Clips.quadrants("flat.jpg", ["-frames:v", "1"]))))
        // EXIF 2.3: one entry, 0x0112 (orientation), a short, 6: a quarter clockwise.
        let tiff: [UInt8] = [
            0x49, 0x49, 0x2A, 0, 8, 0, 0, 0, 1, 0, 0x12, 1, 3, 0, 1, 0, 0, 0, 6, 0, 0, 0, 0, 0, 0, 0,
        ]
        let segment = Array("Exif".utf8) + [0, 0] + tiff
        bytes.insert(contentsOf: [0xFF, 0xE1, 0, UInt8(segment.count + 2)] + segment, at: 2)
        let harness = try play(try Clips.write("turned.jpg", bytes))
        let picture = try #require(harness.pictures.first)
        #expect([picture.header.width, picture.header.height] == [48, 64])
        // What was at the bottom left, blue, is at the top left.
        #expect(picture.pixels[10 * 48 + 10] & 0x80_8080 == 0x80)
    }

    // MARK: Coding

    @Test(arguments: [
        ("vp9.webm", "libvpx-vp9", "yuv420p"), ("av1.webm", "libaom-av1", "yuv420p"),
        ("ten.mp4", "libx264", "yuv420p10le"),
        ("twelve.mkv", "ffv1", "yuv422p12le"), ("sixteen.mkv", "ffv1", "yuv444p16le"), ("grey.mkv", "ffv1", "gray"),
        ("lossless.mp4", "libx264", "yuv444p"), ("prores.mov", "prores_ks", "yuv422p10le"),
        ("planes.mkv", "ffv1", "gbrp10le"),
    ])
    func everyPictureComesWhateverTheCodec(name: String, codec: String, format: String) throws {
        let harness = try play(
            try make(
                name,
                ["-c:v", codec, "-pix_fmt", format, "-frames:v", "10", "-cpu-used", "8"].filter {
                    codec.hasPrefix("lib") && codec != "libx264" || !["-cpu-used", "8"].contains($0)
                }))
        #expect(harness.pictures.map(\.header.pts) == (0..<10).map { (index: Int64) in index * 40_000 })
    }

    /// Without AMR and Monkey's Audio, for which ffmpeg has no encoders.
    @Test(
        arguments: [
            ("aif", []), ("aiff", []), ("caf", []), ("m4b", []), ("wma", ["-c:a", "wmav2"]),
            ("spx", ["-c:a", "libspeex", "-ar", "16000"]), ("weba", ["-f", "webm"]), ("ac3", []), ("wv", []),
            ("tta", []), ("au", []),
        ] as [(String, [String])])
    func soundFilePlaysToItsEnd(ending: String, how: [String]) throws {
        let harness = try play(
            try Clips.make("tone.\(ending)", list: ["-f", "lavfi", "-i", "sine=440:r=48000:d=2"] + how))
        #expect(harness.info?.hasVideo == false && harness.info?.hasAudio == true)
        let samples = harness.sounds.flatMap(\.samples)
        #expect(abs(samples.count - 2 * 96_000) < 9_600, "\(samples.count)")
        #expect(abs(Tone.pitch(Array(samples.dropFirst(48_000).prefix(96_000))) - 440) < 10)
    }

    /// Every second line of the other moment is not woven in: upper fields are black here, lower ones white.
    @Test func interlacedPicturesAreOfOneMoment() throws {
        let lines = "geq=lum='if(mod(Y,2),235,16)':cb=128:cr=128"
        let path = try make(
            "laced.mpg",
            [
                "-vf", "scale=96:96,\(lines),format=yuv420p,setparams=field_mode=tff", "-c:v", "mpeg2video", "-q:v",
                "2", "-flags", "+ildct+ilme",
            ])
        for fit in [PictureFit.fit, .fill] {
            let harness = try DecoderHarness.open(path, width: 64, height: 40, fit: fit)
            try harness.runToEnd()
            #expect(harness.pictures.count == 25)
            #expect(try harness.picture(3).pixels.allSatisfy { $0 & 0xFF < 40 })
        }
    }

    /// A grey of PQ and one of HLG, each of half the light of white.
    @Test(arguments: [("pq.mkv", "smpte2084", 0.508), ("hlg.mkv", "arib-std-b67", 0.64)])
    func highDynamicRangeIsMapped(name: String, transfer: String, value: Double) throws {
        let luma = Int(64 + value * 876)
        let path = try Clips.make(
            name, "-f", "lavfi", "-i",
            // From FFmpeg 7 on, the frames' properties win over the encoder's options.
            "color=black:s=96x64:r=25:d=1,format=yuv420p10le,geq=lum=\(luma):cb=512:cr=512"
                + ",setparams=range=tv:color_primaries=bt2020:color_trc=\(transfer):colorspace=bt2020nc",
            "-c:v", "ffv1",
            "-color_primaries", "bt2020", "-color_trc", transfer, "-colorspace", "bt2020nc", "-color_range", "tv")
        let pixel = try #require(try play(path).pictures.first?.pixels[1_000])
        let grey = Int(pixel & 255)
        #expect(Int(pixel >> 8 & 255) == grey && Int(pixel >> 16) == grey)
        #expect((180...200).contains(grey), "\(grey)")
    }

    /// Where pictures differ in length, libav takes the clock's ticks for the rate.
    @Test(arguments: [
        // FFmpeg 7 writes no default duration here; without it, libav guesses 42 frames a second by the stamps.
        ("ticks.mkv", 1_000, "N*40+mod(N\\,3)*7", 20_000...45_000),
        // Over 70 a second libav leaves its guess as it is. FFmpeg 7 makes the last frame shorter than 5.
        ("ticks.mp4", 90_000, "N*1000+mod(N*N\\,7)*61", 75_000...95_000),
    ])
    func aClockIsNoFrameRate(name: String, ticks: Int, times: String, rates: ClosedRange<UInt32>) throws {
        let path = try make(
            name,
            [
                "-vf", "settb=1/\(ticks),setpts=\(times)", "-fps_mode", "passthrough", "-enc_time_base", "1/\(ticks)",
                "-video_track_timescale", "\(ticks)", "-c:v", "libx264",
            ].filter { name.hasSuffix("mp4") || !["-video_track_timescale", "\(ticks)"].contains($0) })
        let harness = try DecoderHarness()
        try harness.channel.send(.open(url: "file://\(path)", start: 0, loop: false, sound: false))
        try harness.run { $0.info != nil }
        let rate = try #require(harness.info?.streams.first?.rate)
        #expect(rates.contains(rate), "\(rate)")
    }

    /// The first picture of large ones comes before those that are decoded beside it, and is not shown twice.
    @Test(arguments: ["libx264", "libx265"]) func largePicturesBeginWithTheFirstAtOnce(codec: String) throws {
        let path = try Clips.make(
            "large-\(codec).mp4", "-f", "lavfi", "-i", "testsrc2=s=1920x1080:r=25:d=0.6", "-c:v", codec, "-preset",
            "ultrafast", "-bf", "3", "-pix_fmt", "yuv420p",
            "-movflags", "+faststart")
        let harness = try play(path)
        #expect(harness.pictures.map(\.header.mediaTime) == (0..<15).map { (index: Int64) in index * 40_000 })
        #expect(try harness.picture(0).header.isKey)
        for (serial, mode) in [(UInt32(1), SeekMode.key), (2, .exact)] {
            harness.pictures = []
            try harness.channel.send(.seek(serial: serial, time: 0, mode: mode))
            try harness.run { $0.ended.contains(serial) }
            #expect(harness.pictures.map(\.header.mediaTime) == (0..<15).map { (index: Int64) in index * 40_000 })
        }
    }

    /// However many are decoded beside each other, or come before they are shown. No bytes come after those of the
    /// first two or three.
    @Test func theFirstOfLargePicturesNeedsNoOthers() throws {
        let path = try Clips.make(
            "noise.mp4", "-f", "lavfi", "-i", "testsrc2=s=1920x1080:r=25:d=0.4,noise=alls=60:allf=t", "-c:v", "libx264",
            "-preset", "ultrafast", "-bf", "3", "-b_strategy", "0", "-qp", "24", "-pix_fmt", "yuv420p", "-movflags",
            "+faststart")
        let size = try Data(contentsOf: URL(fileURLWithPath: path)).count
        let harness = try DecoderHarness.open(path)
        // All ten pictures are of nearly the same size.
        try harness.run { $0.served > size / 6 }
        harness.delaysReads = true
        try harness.run { !$0.pictures.isEmpty }
        #expect(try harness.picture(0).header.isKey && harness.served < size * 3 / 10)
    }

    @Test func probingFindsTheFormatThatTheHeaderLacks() throws {
        let harness = try DecoderHarness()
        try harness.channel.send(.open(url: "file://\(try Clips.counted())", start: 0, loop: false, sound: false))
        try harness.run { $0.info != nil }
        #expect(harness.info?.streams.first { $0.kind == .video }?.format == "yuv420p")
    }

    // MARK: Time

    @Test func picturesOfVaryingRateHaveTheirTimes() throws {
        let odd = try play(try make("seventeen.mp4", ["-vf", "fps=17", "-c:v", "libx264"]))
        #expect(odd.pictures.map(\.header.pts) == (0..<17).map { (index: Int64) in (index * 1_000_000 + 8) / 17 })
        let varying = try play(
            try make(
                "varying.mkv",
                [
                    "-vf", "settb=1/1000,setpts=N*N*10", "-fps_mode", "passthrough", "-enc_time_base", "1/1000",
                    "-frames:v", "8", "-c:v", "ffv1",
                ]))
        #expect(varying.pictures.map(\.header.pts) == (0..<8).map { (index: Int64) in index * index * 10_000 })
    }

    @Test func singlePictureClipIsAStill() throws {
        let harness = try play(try make("one.mp4", ["-frames:v", "1", "-c:v", "libx264"]), loop: true)
        #expect(harness.info?.isStill == true && harness.pictures.count == 1)
    }

    @Test(arguments: ["silent.mp4", "moving.gif"]) func picturesAloneLoopWithoutAGap(name: String) throws {
        let path = try make(name, name.hasSuffix("gif") ? [] : ["-c:v", "libx264"])
        let harness = try DecoderHarness.open(path, loop: true)
        try harness.run { $0.pictures.count > 60 }
        #expect(harness.info?.isStill == false)
        #expect(
            harness.pictures.map(\.header.pts) == harness.pictures.indices.map { (index: Int) in Int64(index) * 40_000 }
        )
        #expect(try harness.picture(50).header.mediaTime == 0)
    }

    /// The silence after the sound lasts until the pictures end, whichever of them are known when it begins.
    @Test(arguments: [0.4, 0.44, 2.5], [false, true])
    func soundAndPicturesOfUnequalLengthLoopTogether(seconds: Double, oneByOne: Bool) throws {
        let path = try make(
            "unequal\(seconds).mkv",
            ["-f", "lavfi", "-i", "sine=440:r=48000:d=\(seconds)", "-c:v", "ffv1", "-c:a", "pcm_s16le"])
        let round = Int64(max(1, seconds) * 1e6)
        let harness = try DecoderHarness()
        harness.releasesOneByOne = oneByOne
        try harness.start(path, loop: true)
        try harness.run { $0.sounds.last?.pts ?? 0 > 2 * round + 300_000 && $0.pictures.count > 52 }
        #expect(try harness.picture(25).header.pts == round)
        #expect(try harness.picture(50).header.pts == 2 * round)
        var frames: Int64 = 0
        for sound in harness.sounds {
            #expect(abs(sound.pts - frames * 1_000_000 / 48_000) <= 1)
            frames += Int64(sound.samples.count / 2)
        }
    }

    @Test(arguments: ["late.ts", "late.mkv"]) func lateStampsAreShiftedToZero(name: String) throws {
        let harness = try play(try make(name, ["-c:v", "libx264", "-output_ts_offset", "7.5"]))
        #expect(harness.pictures.map(\.header.mediaTime) == (0..<25).map { (index: Int64) in index * 40_000 })
    }

    /// Without its sound it begins with that too, as `preview` and a muted page show it.
    @Test(arguments: ["mkv", "mp4", "ts", "flv"], [true, false])
    func picturesThatBeginAfterTheSoundHaveTheirTimes(kind: String, sound: Bool) throws {
        let counted = try Clips.counted()
        let path = try Clips.make(
            "late-pictures.\(kind)", "-itsoffset", "1", "-i", counted, "-i", counted, "-map", "0:v", "-map", "1:a",
            "-c", "copy")
        for (start, index) in [(Int64(0), 0), (2_230_000, 30), (3_030_000, 50)] {
            let harness = try DecoderHarness.open(path, start: start, sound: sound)
            try harness.run { !$0.pictures.isEmpty }
            let picture = try harness.picture(0)
            #expect(SeekingTests.number(picture.pixels) == index)
            // AAC begins with a priming frame of 21 ms, which some containers keep.
            #expect(abs(picture.header.mediaTime - 1_000_000 - Int64(index) * 40_000) < 30_000)
        }
    }

    @Test func editListCutsTheBeginning() throws {
        let path = try Clips.make("cut.mp4", "-ss", "1.2", "-i", try Clips.counted(), "-c", "copy")
        let harness = try play(path)
        #expect(harness.pictures.first?.header.pts == 0)
        #expect(SeekingTests.number(try #require(harness.pictures.first).pixels) == 30)
    }

    @Test(arguments: [
        ("fragments.mp4", ["-movflags", "frag_keyframe+empty_moov+skip_trailer"]), ("broadcast.ts", []),
        ("programme.mpg", ["-c:v", "mpeg2video", "-q:v", "1"]), ("index.avi", ["-c:v", "mpeg4", "-q:v", "1"]),
    ])
    func exactSeekFindsThePictureInAnyContainer(name: String, how: [String]) throws {
        let copy = how.contains("-c:v") ? how + ["-an"] : ["-c", "copy"] + how
        let harness = try DecoderHarness.open(try Clips.make(name, list: ["-i", try Clips.counted()] + copy))
        try harness.run { $0.pictures.count > 3 }
        for (serial, index) in [(UInt32(1), 60), (2, 20), (3, 41)] {
            harness.ended = []
            try harness.channel.send(.seek(serial: serial, time: Int64(index) * 40_000 + 20_000, mode: .exact))
            try harness.run { $0.pictures.last?.header.serial == serial || $0.ended.contains(serial) }
            let first = try #require(harness.pictures.first { $0.header.serial == serial })
            // A programme stream stamps few pictures, and libav guesses the others to half a picture.
            #expect(abs(first.header.mediaTime - Int64(index) * 40_000) <= 20_000)
            #expect(abs(SeekingTests.number(first.pixels) - index) <= 1)
        }
    }

    // MARK: Trouble

    @Test func readErrorWhilePlayingIsReported() throws {
        let path = try Clips.make(
            "broken.mkv", list: ["-f", "lavfi", "-i", "testsrc2=s=320x240:d=4", "-c:v", "ffv1", "-pix_fmt", "yuv420p"])
        let harness = try DecoderHarness()
        harness.failsReadsFrom = 600_000
        try harness.start(path)
        try harness.run { !$0.ended.isEmpty }
        #expect(harness.failure?.code == .unreadable)
        #expect(harness.failure?.why == "the disk is gone")
        #expect(!harness.pictures.isEmpty)
    }

    @Test func aFileWithOnlyAHeaderFails() throws {
        let bytes = Array(
            try Data(
                contentsOf: URL(
                    fileURLWithPath: try Clips.make(
                        "init.mp4",
                        list: ["-i", try Clips.counted(), "-c", "copy", "-movflags", "frag_keyframe+empty_moov"]))))
        let moof = try #require(bytes.indices.dropLast(4).first { Array(bytes[$0..<$0 + 4]) == Array("moof".utf8) })
        let harness = try DecoderHarness.open(try Clips.write("header.mp4", Array(bytes[..<(moof - 4)])))
        try harness.run { !$0.ended.isEmpty }
        #expect(harness.failure?.code == .undecodable)
    }
}
