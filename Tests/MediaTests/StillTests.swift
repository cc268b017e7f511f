import Foundation
import Media
import Testing
import Wire

/// One decoder makes stills of images and clips, one after the other.
struct StillTests {
    /// Asks for stills in turn; the harness afterwards.
    private func stills(_ wanted: [(path: String, time: Int64)]) throws -> DecoderHarness {
        let harness = try DecoderHarness()
        try harness.channel.send(.surface(SurfaceRequest(generation: 3, width: 64, height: 48, fit: .fit)))
        for (index, want) in wanted.enumerated() {
            try harness.channel.send(.still(id: UInt32(index), url: "file://\(want.path)", time: want.time))
            try harness.run { $0.stills.count + $0.noStills.count == index + 1 }
        }
        return harness
    }

    @Test func oneDecoderReadsImagesOfAllKinds() throws {
        let kinds = ["png", "jpg", "webp", "gif", "bmp", "avif"]
        let paths = try kinds.map { kind in
            try Clips.quadrants("still.\(kind)", ["-frames:v", "1"] + (kind == "avif" ? ["-c:v", "libaom-av1"] : []))
        }
        let harness = try stills(paths.map { ($0, 0) })
        #expect(harness.noStills.map(\.why) == [])
        #expect(harness.stills.map(\.id) == (0..<UInt32(kinds.count)).map { $0 })
        for (kind, still) in zip(kinds, harness.stills) { expectQuadrants(still.header, still.pixels, kind) }
        #expect(harness.order == ["hello"], "nothing else is said")
        #expect(harness.close())
    }

    /// Not the first frame, which music has none of.
    @Test(arguments: ["mp3", "flac", "m4a", "mka"]) func musicGivesItsCover(kind: String) throws {
        let cover = try Clips.quadrants("cover-of-music.png", ["-frames:v", "1"])
        let attached =
            kind == "mka"
            ? ["-attach", cover, "-metadata:s:t", "mimetype=image/png", "-map", "0"]
            : ["-i", cover, "-map", "0", "-map", "1", "-c:v", "copy", "-disposition:v", "attached_pic"]
        let path = try Clips.make(
            "music.\(kind)", list: ["-f", "lavfi", "-i", "sine=440:r=44100:d=30"] + attached)
        let harness = try stills([(path, 100_000)])
        #expect(harness.noStills.map(\.why) == [])
        let still = try #require(harness.stills.first)
        expectQuadrants(still.header, still.pixels, kind)
        // Its sound is played all the same.
        let player = try DecoderHarness.open(path)
        try player.run { !$0.sounds.isEmpty }
        #expect(player.info?.hasVideo == false && player.info?.hasAudio == true)
    }

    @Test func musicWithoutACoverHasNoStill() throws {
        let path = try Clips.make("music.wav", "-f", "lavfi", "-i", "sine=440:r=44100:d=3")
        #expect(try stills([(path, 100_000)]).noStills.map(\.why) == ["it contains no frame"])
    }

    private func expectQuadrants(_ header: PictureHeader, _ pixels: [UInt32], _ kind: String) {
        #expect(header.generation == 3 && (header.width, header.height) == (64, 48), "\(kind)")
        let corners = [(8, 8), (56, 8), (8, 40), (56, 40)].map { pixels[$0.1 * 64 + $0.0] }
        for (pixel, color) in zip(corners, [0xFF0000, 0x00FF00, 0x0000FF, 0xFFFFFF] as [UInt32]) {
            for shift in [0, 8, 16] as [UInt32] {
                let (one, other) = (Int(pixel >> shift & 0xFF), Int(color >> shift & 0xFF))
                #expect(abs(one - other) < 40, "\(kind): \(String(pixel, radix: 16))")
            }
        }
    }

    /// Larger than what is read to find out what a file is: the rest of it counts too.
    @Test(arguments: [
        "png", "jpg", "webp", "gif", "bmp", "avif", "tiff", "jp2", "j2k", "jxl", "jls", "qoi", "ppm", "pcx", "sgi",
        "dpx", "xwd",
    ])
    func largeImagesOfAllKindsAreRead(kind: String) throws {
        let path = try Clips.quadrants(
            "large.\(kind)",
            ["-frames:v", "1"] + (kind == "avif" ? ["-c:v", "libaom-av1", "-cpu-used", "8"] : []),
            // The noise is in the middle, which is not sampled.
            filter: "scale=960x720:flags=neighbor,split[x][y];[y]crop=240:180,noise=alls=100:all_seed=1[z];"
                + "[x][z]overlay=360:270")
        let size = try #require(try FileManager.default.attributesOfItem(atPath: path)[.size] as? Int)
        #expect(size > 8_192)
        let harness = try stills([(path, 0)])
        #expect(harness.noStills.map(\.why) == [])
        let still = try #require(harness.stills.first)
        expectQuadrants(still.header, still.pixels, kind)
        #expect(harness.close())
    }

    /// What it says of a clip that plays, it keeps to itself.
    @Test(arguments: ["ts", "fmp4"]) func playlistsHaveStillsToo(kind: String) throws {
        let harness = try stills([(try SegmentedFilms.path(kind), 500_000)])
        #expect(harness.noStills.map(\.why) == [] && harness.stills.count == 1)
        #expect(harness.order == ["hello"] && harness.expected.isEmpty && harness.bufferedCount == 0)
        #expect(harness.close())
    }

    /// Picture n of the clip has the luminance 16 + 2 n, which makes a grey of 2.3 n.
    @Test(arguments: [(100_000, 2), (1_000_000, 25), (2_950_000, 73), (60_000_000, 74)])
    func stillShowsThePictureAtItsTime(time: Int64, number: Int) throws {
        let harness = try stills([(try Clips.counted(), time)])
        let still = try #require(harness.stills.first, "\(harness.noStills)")
        let grey = Double(still.pixels[24 * 64 + 32] & 0xFF)
        #expect(abs(grey / 2.328 - Double(number)) < 0.6)
        #expect(harness.order == ["hello"] && harness.bufferedCount == 0, "nothing else is said")
        #expect(harness.close())
    }

    @Test func filesWithoutPicturesDoNotBlockOtherStills() throws {
        let text = try Clips.write("still.txt", Array("no picture at all".utf8))
        let empty = try Clips.write("still-empty.jpg", [])
        let sound = try Clips.make("still.wav", "-f", "lavfi", "-i", "sine=440:d=1")
        let picture = try Clips.quadrants("still.png", ["-frames:v", "1"])
        let harness = try stills([(text, 0), (empty, 0), (sound, 0), ("/does/not/exist", 0), (picture, 0)])
        #expect(harness.noStills.map(\.id) == [0, 1, 2, 3] && harness.stills.map(\.id) == [4])
        #expect(harness.noStills.map(\.code) == [.notMedia, .notMedia, .undecodable, .unreadable])
        #expect(harness.noStills.allSatisfy { !$0.why.isEmpty })
        #expect(harness.close())
    }

    /// Slots go back, resources are closed: many stills need no more than one.
    @Test func manyStillsUseNoMoreResourcesThanOne() throws {
        let clip = try Clips.counted()
        let harness = try stills((0..<100).map { (clip, Int64($0) * 20_000) })
        #expect(harness.stills.count == 100 && harness.opened.count == 100)
        #expect(harness.openFiles <= 1)
        #expect(harness.close())
    }

    @Test func aDecoderThatMadeStillsPlays() throws {
        let harness = try stills([(try Clips.quadrants("still.png", ["-frames:v", "1"]), 0)])
        try harness.start(try Clips.counted())
        try harness.run { $0.pictures.count >= 5 }
        #expect(harness.failure == nil && harness.info != nil)
        #expect(harness.pictures.prefix(5).map(\.header.mediaTime) == [0, 40_000, 80_000, 120_000, 160_000])
        try harness.channel.send(.still(id: 9, url: "file:///x.png", time: 0))
        try harness.run { !$0.noStills.isEmpty }
        #expect(harness.noStills.first?.why == "a decoder that plays a clip makes no stills")
        #expect(harness.close())
    }
}
