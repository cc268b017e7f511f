import Foundation
import Testing
import Wire

/// Films in memory, served through playlists that tests write.
enum ServedFilms {
    /// The segments of a playlist that ffmpeg made: their bytes, and their durations in seconds.
    struct Film {
        var segments: [(name: String, seconds: Double, bytes: [UInt8])]
        /// Empty for transport streams.
        var header: [UInt8]
    }

    static func film(of kind: String) throws -> Film { try film(at: SegmentedFilms.path(kind)) }

    static func film(at path: String) throws -> Film {
        let folder = URL(fileURLWithPath: path).deletingLastPathComponent()
        func bytes(_ name: some StringProtocol) throws -> [UInt8] {
            Array(try Data(contentsOf: folder.appendingPathComponent(String(name))))
        }
        var film = Film(segments: [], header: [])
        var seconds = 0.0
        for line in try String(contentsOfFile: path, encoding: .utf8).split(separator: "\n") {
            if line.hasPrefix("#EXT-X-MAP") {
                film.header = try bytes(try #require(line.split(separator: "\"").dropFirst().first))
            } else if line.hasPrefix("#EXTINF:") {
                seconds = Double(line.dropFirst(8).prefix { $0 != "," }) ?? 0
            } else if !line.hasPrefix("#") {
                film.segments.append((String(line), seconds, try bytes(line)))
            }
        }
        return film
    }
}

/// A live film: a window of its segments, which moves on with each request for the playlist.
final class LiveFilm {
    let film: ServedFilms.Film
    /// The segments that the playlist names.
    var window: Range<Int>
    /// Called before each response.
    var advance: (LiveFilm) -> Void = { _ in }
    var target = 1
    var tags = ""
    var isOver = false
    var loads: [ContinuousClock.Instant] = []
    var failsLoads = 0
    /// Segments that the server does not have.
    var missing: Set<Int> = []
    /// How often a named segment is not found.
    var late: [Int: Int] = [:]

    init(_ film: ServedFilms.Film, window: Range<Int>) {
        self.film = film
        self.window = window
    }

    var playlist: String {
        var lines = ["#EXTM3U", "#EXT-X-TARGETDURATION:\(target)", "#EXT-X-MEDIA-SEQUENCE:\(window.lowerBound)"]
        if !tags.isEmpty { lines.append(tags) }
        if !film.header.isEmpty { lines.append("#EXT-X-MAP:URI=\"init\"") }
        for index in window.clamped(to: film.segments.indices) {
            lines += ["#EXTINF:\(film.segments[index].seconds),", "s\(index)"]
        }
        return (lines + (isOver ? ["#EXT-X-ENDLIST"] : [])).joined(separator: "\n")
    }

    func serve(_ want: ByteWant) -> DecoderHarness.Served? {
        guard want.url.hasPrefix("http://live/") else { return nil }
        let name = want.url.dropFirst(12)
        if name == "list" {
            loads.append(.now)
            if failsLoads > 0 {
                failsLoads -= 1
                return .failure("the server is busy")
            }
            if loads.count > 1 { advance(self) }
            return .bytes(Array(playlist.utf8))
        }
        if name == "init" { return .bytes(film.header) }
        guard let index = Int(name.dropFirst()), !missing.contains(index), film.segments.indices.contains(index) else {
            return .failure("not found")
        }
        if let times = late[index], times > 0 {
            late[index] = times - 1
            return .failure("not found")
        }
        return .bytes(film.segments[index].bytes)
    }
}
