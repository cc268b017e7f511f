import Testing
import Wire

/// What files say of themselves.
@Suite struct TagTests {
    private static let written = [
        "-metadata", "title=Ein Titel ü", "-metadata", "artist=Ann & Bob", "-metadata", "genre=Sea",
        "-metadata", "date=2024-05-01", "-metadata", "comment=A comment", "-metadata", "album=Waves",
    ]

    private func tags(_ path: String) throws -> MediaInfo.Tags {
        let harness = try DecoderHarness.open(path)
        try harness.run { $0.info != nil }
        #expect(harness.close())
        return try #require(harness.info).tags
    }

    /// The same tags are called otherwise in each, and Ogg has them at its streams.
    @Test(arguments: ["tags.mp4", "tags.mkv", "tags.mp3", "tags.ogg", "tags.flac"])
    func reportsTagsOfTheClip(name: String) throws {
        let sound = ["-f", "lavfi", "-i", "sine=440:d=1"]
        let picture = ["-f", "lavfi", "-i", "color=red:s=64x48:d=1", "-pix_fmt", "yuv420p"]
        let isVideo = name.hasSuffix("mp4") || name.hasSuffix("mkv")
        let clip = try Clips.make(name, list: sound + (isVideo ? picture : []) + Self.written)
        let tags = try tags(clip)
        #expect((tags.title, tags.artist, tags.album) == ("Ein Titel ü", "Ann & Bob", "Waves"))
        #expect((tags.genre, tags.comment) == ("Sea", "A comment"))
        #expect(tags.date == "2024-05-01" || tags.date == "2024", "\(tags.date)")
    }

    @Test func aLongTagIsCutAndAMissingOneIsEmpty() throws {
        let title = String(repeating: "ü", count: 2_000)
        let clip = try Clips.make(
            "long-tag.mkv", "-f", "lavfi", "-i", "sine=440:d=1", "-metadata", "title=" + title, "-fflags", "+bitexact")
        let tags = try tags(clip)
        #expect(tags == MediaInfo.Tags(title: String(repeating: "ü", count: WireLimit.tag / 2)))
    }
}
