import Foundation

/// A feed of damaged clips, the same for the same seed: of every container that ffmpeg and the demo feed have,
/// playlists with their segments, sounds, and thumbnails. It lies in a folder that ends with this object.
public struct MutantFeed {
    /// Its manifest.
    public let path: String
    /// The clips' ids, in order. Each names the damage and the file.
    public let ids: [String]
    private let folder = TemporaryFolder()

    public init(count: Int, seed: UInt64) throws {
        let originals = try Original.all()
        let images = try Original.images()
        var random = SeededRandom(state: seed)
        var ids: [String] = []
        var items: [[String: String]] = []
        for number in 0..<count {
            // Each in turn, so that few mutants already are of all kinds.
            let original = originals[number % originals.count]
            let files = try original.files.map { ($0, try MutantFeed.bytes($0)) }
            // Not the same segment each time; mostly the playlist itself.
            let victim = Bool.random(using: &random) ? 0 : Int.random(in: files.indices, using: &random)
            let damage = Damage.allCases[Int.random(in: Damage.allCases.indices, using: &random)]
            let place = "\(number)"
            for (index, (file, bytes)) in files.enumerated() {
                let name = "\(place)/\((file as NSString).lastPathComponent)"
                try folder.write(name, index == victim ? damage.apply(to: bytes, using: &random) : bytes)
            }
            let name = { (path: String) in (path as NSString).lastPathComponent }
            let id = "\(number) \(name(files[0].0)): \(damage.rawValue) \(name(files[victim].0))"
            var item = ["id": id, "title": id, "url": "\(place)/\(name(files[0].0))"]
            if number % 3 == 0 {
                let image = images[number / 3 % images.count]
                let damage = Damage.allCases[Int.random(in: Damage.allCases.indices, using: &random)]
                let thumbnail = "\(place)/thumbnail-\(name(image))"
                try folder.write(thumbnail, damage.apply(to: MutantFeed.bytes(image), using: &random))
                item["thumbnail"] = thumbnail
            }
            ids.append(id)
            items.append(item)
        }
        let text = try JSONSerialization.data(withJSONObject: ["title": "Mutants", "items": items])
        path = try folder.write("feed.json", text)
        self.ids = ids
    }

    /// The folder of an item's files.
    public func folder(of index: Int) -> String { "\(folder.path)/\(index)" }

    private static func bytes(_ path: String) throws -> [UInt8] {
        [UInt8](try Data(contentsOf: URL(fileURLWithPath: path)))
    }
}

/// A clip that mutants are made of: its file, or its playlist and what that names.
private struct Original {
    var files: [String]

    static func all() throws -> [Original] {
        let made = try recipes.map { recipe in
            let path = try make(recipe)
            let folder = (path as NSString).deletingLastPathComponent
            let others = try FileManager.default.contentsOfDirectory(atPath: folder).sorted().map { "\(folder)/\($0)" }
            return Original(files: [path] + others.filter { $0 != path })
        }
        let demo = try FileManager.default.contentsOfDirectory(atPath: FlickBinary.demo).sorted()
        return made + demo.filter { $0.hasSuffix(".mp4") }.map { Original(files: ["\(FlickBinary.demo)/\($0)"]) }
            + [Original(files: ["\(FlickBinary.demo)/abyss/0-0.ts"])]
    }

    static func images() throws -> [String] {
        try ["jpg", "png", "gif", "webp", "bmp", "tiff"].map { ending in
            try make(("thumbnail.\(ending)", ["-frames:v", "1"]))
        } + ["\(FlickBinary.demo)/snow.jpg"]
    }

    private typealias Recipe = (name: String, arguments: [String])

    private static let recipes: [Recipe] = {
        let h264 = ["-c:v", "libx264", "-preset", "veryfast", "-g", "25", "-c:a", "aac"]
        let sound = ["-map", "1:a"]
        let list = ["-hls_time", "1", "-hls_playlist_type", "vod"]
        return [
            ("h264.mp4", h264), ("front.mp4", h264 + ["-movflags", "+faststart"]),
            ("fragments.mp4", h264 + ["-movflags", "frag_keyframe+empty_moov"]),
            ("hevc.mp4", ["-c:v", "libx265", "-preset", "ultrafast", "-x265-params", "log-level=none", "-c:a", "aac"]),
            ("av1.mp4", ["-c:v", "libsvtav1", "-preset", "12", "-c:a", "aac"]),
            ("mpeg4.mov", ["-c:v", "mpeg4", "-c:a", "pcm_s16le"]), ("h264.mkv", h264),
            ("vp8.webm", ["-c:v", "libvpx", "-deadline", "realtime", "-c:a", "libopus"]),
            ("vp9.webm", ["-c:v", "libvpx-vp9", "-deadline", "realtime", "-cpu-used", "8", "-c:a", "libopus"]),
            ("h264.ts", h264), ("mpeg2.mpg", ["-c:v", "mpeg2video", "-c:a", "mp2"]),
            ("mpeg4.avi", ["-c:v", "mpeg4", "-c:a", "mp2"]), ("h264.flv", h264),
            ("theora.ogv", ["-c:v", "libtheora", "-c:a", "libvorbis"]), ("wmv.wmv", ["-c:v", "wmv2", "-c:a", "wmav2"]),
            ("mpeg2.mxf", ["-c:v", "mpeg2video", "-c:a", "pcm_s16le"]), ("moving.gif", ["-an"]),
            ("sound.mp3", sound), ("sound.m4a", sound), ("sound.ogg", sound + ["-c:a", "libvorbis"]),
            ("sound.flac", sound), ("sound.wav", sound), ("ts.m3u8", h264 + list),
            ("fmp4.m3u8", h264 + list + ["-hls_segment_type", "fmp4"]), ("dash.mpd", h264 + ["-seg_duration", "1"]),
        ]
    }()

    /// Makes two seconds of it, in a separate folder. Cached for other runs.
    private static func make(_ recipe: Recipe) throws -> String {
        let folder = FlickBinary.root.appendingPathComponent(".build/test-clips/originals").path
        let path = "\(folder)/\(recipe.name)/\(recipe.name)"
        if FileManager.default.fileExists(atPath: path) { return path }
        // Made elsewhere and renamed, so that no other process sees an incomplete one.
        let unfinished = "\(folder)/\(UUID().uuidString)"
        try FileManager.default.createDirectory(atPath: unfinished, withIntermediateDirectories: true)
        let result = try Command.run(
            [
                "sh", "-c", "cd \"$0\" && exec \"$@\"", unfinished, "ffmpeg", "-v", "error", "-nostdin", "-y", "-f",
                "lavfi", "-i", "testsrc2=s=192x144:r=25:d=2", "-f", "lavfi", "-i", "sine=440:r=48000:d=2", "-pix_fmt",
                "yuv420p",
            ] + recipe.arguments + [recipe.name])
        guard result.status == 0 else {
            throw TestClips.Error(description: "ffmpeg cannot make \(recipe.name): \(result.errors)")
        }
        // Another run may have been quicker, and its clip is as good.
        if rename(unfinished, "\(folder)/\(recipe.name)") != 0 {
            try FileManager.default.removeItem(atPath: unfinished)
        }
        return path
    }
}
