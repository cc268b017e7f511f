import Foundation

/// Serves `ServedClips` through a `FaultyServer`, with a manifest of some of them.
public final class ServedFeed: Sendable {
    public enum Clip: String, Sendable, CaseIterable {
        case front = "/front.mp4"
        case back = "/back.mp4"
        case variants = "/ts/master.m3u8"
        case fragments = "/fmp4/index.m3u8"
        case ranges = "/ranges/index.m3u8"
        case enciphered = "/aes/index.m3u8"
        case separateSound = "/audio/master.m3u8"
        /// A live stream without an end, from the moment the feed was created.
        case live = "/live.m3u8"

        /// The path on the server.
        public var path: String { rawValue }
        /// Also its id in the manifest.
        public var title: String { "\(self)" }
    }

    public let server: FaultyServer
    /// The folder of the clips' files.
    public let folder: String

    /// Serves all clips. The manifest at `/feed.json` contains `clips` in this order.
    ///
    /// - Parameter time: the time since the live stream's start; nil for the real time.
    public init(
        _ clips: [Clip] = Clip.allCases.filter { $0 != .live }, server: FaultyServer,
        time: (@Sendable () -> Duration)? = nil
    ) throws {
        self.server = server
        folder = try ServedClips.folder()
        let names = FileManager.default.enumerator(atPath: folder)?.compactMap { $0 as? String } ?? []
        for name in names where name.contains(".") || name == "aes/key" { serve("/\(name)") }
        let start = ContinuousClock.now
        let live = LivePlaylist(
            segments: (0..<ServedClips.segments).map { "ts/1-\($0).ts" }, duration: .seconds(ServedClips.segmentSeconds)
        )
        server.serve(
            Clip.live.path,
            Resource(
                .dynamic { _ in Array(live.text(at: time?() ?? .now - start).utf8) },
                type: Self.type(of: "m3u8"), etag: nil))
        serveManifest(clips.map { ($0.title, $0.path) })
    }

    public var url: String { server.url("/feed.json") }
    public func url(of clip: Clip) -> String { server.url(clip.path) }

    /// Replaces the manifest: titles, which are also the ids, and URLs, which may be relative.
    public func serveManifest(_ items: [(title: String, url: String)]) {
        let list = items.map { "{\"id\": \"\($0.title)\", \"title\": \"\($0.title)\", \"url\": \"\($0.url)\"}" }
        let text = "{\"title\": \"Served\", \"items\": [\(list.joined(separator: ",\n"))]}"
        server.serve("/feed.json", .text(text, type: "application/json"))
    }

    /// Serves a file of the folder at its path, with faults.
    public func serve(_ path: String, faults: [Fault] = []) {
        let type = Self.type(of: path.split(separator: ".").last.map(String.init) ?? "")
        server.serve(path, Resource(.file(folder + path), type: type, faults: faults))
    }

    /// Serves a clip at another path, so that it counts as another clip.
    public func serve(_ clip: Clip, as path: String, faults: [Fault] = []) {
        server.serve(path, Resource(.file(folder + clip.path), faults: faults))
    }

    private static func type(of ending: String) -> String {
        switch ending {
        case "m3u8": "application/vnd.apple.mpegurl"
        case "ts": "video/mp2t"
        case "mp4", "m4s": "video/mp4"
        default: "application/octet-stream"
        }
    }
}
