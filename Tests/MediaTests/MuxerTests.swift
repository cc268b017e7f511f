import TestSupport
import Testing
import Wire

/// Clips in parts that are put into one file, read back as files.
@Suite struct MuxerTests {
    /// Muxes the clip; returns the path of the file.
    private func mux(_ path: String, variant: VariantWish = .automatic) throws -> (DecoderHarness, path: String) {
        let harness = try DecoderHarness()
        try harness.channel.send(.variant(variant))
        try harness.channel.send(.mux(url: "file://\(path)"))
        try harness.runToEnd()
        let name = path.split(separator: "/").last.map { $0.replacing(".", with: "-") } ?? ""
        let ending = harness.muxed.container == .matroska ? "mkv" : "mp4"
        return (harness, try Clips.write("muxed-\(name).\(ending)", harness.muxed.bytes))
    }

    /// Those change their size on the way.
    private static let mixed = ["broken-ts", "broken-fmp4", "two-maps", "dash-periods"]

    @Test(arguments: SegmentedFilms.kinds.filter { !mixed.contains($0) })
    func everyPictureAndAllSoundAreInTheFile(kind: String) throws {
        let (muxed, path) = try mux(try SegmentedFilms.path(kind))
        #expect(muxed.failure == nil && muxed.muxed.container == .mp4)
        let harness = try DecoderHarness.open(path)
        try harness.runToEnd()
        #expect(harness.failure == nil)
        #expect(harness.pictures.map { SeekingTests.number($0.pixels) } == Array(0..<75))
        #expect(harness.info?.hasAudio == true && harness.info?.isSeekable == true)
        #expect(abs((harness.info?.duration ?? 0) - 3_000_000) < 60_000)
        for (index, picture) in harness.pictures.enumerated() {
            #expect(abs(picture.header.mediaTime - Int64(index) * 40_000) < 2_000)
        }
        let frames = harness.sounds.reduce(0) { $0 + $1.samples.count / 2 }
        #expect(abs(frames - 144_000) < 3_000)
    }

    @Test(arguments: mixed) func filmThatChangesItsSizeIsRefused(kind: String) throws {
        let (muxed, _) = try mux(try SegmentedFilms.path(kind))
        #expect(muxed.failure?.why == "its video changes its format on the way")
    }

    /// A player continues without it.
    @Test(arguments: ["ts", "apart-fmp4"]) func missingSegmentIsAnError(kind: String) throws {
        let harness = try DecoderHarness()
        let isSound = kind == "apart-fmp4"
        harness.serve = { want in
            let isWanted = want.role == .segment && want.from > 1_000_000 && want.url.contains("-a") == isSound
            return isWanted ? .failure("404 Not Found") : nil
        }
        try harness.channel.send(.mux(url: "file://\(try SegmentedFilms.path(kind))"))
        try harness.runToEnd()
        #expect(harness.failure?.why.contains("404") == true)
    }
}
