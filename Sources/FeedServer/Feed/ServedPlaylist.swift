import Feeds
import Model

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// An HLS playlist as an item (RFC 8216): what it names is served below its
/// address, if it lies beside or below it. Pure.
enum ServedPlaylist {
    /// The most bytes of a playlist that is sent with a token in its addresses.
    static let sizeLimit = 4 << 20

    static func isOne(_ path: some BidirectionalCollection<UInt8>) -> Bool { ClipName.ending(of: path) == "m3u8" }

    /// Without its folders.
    static func name(of path: ArraySlice<UInt8>) -> ArraySlice<UInt8> {
        path[(path.lastIndex(of: UInt8(ascii: "/")).map { $0 + 1 } ?? path.startIndex)...]
    }

    /// The path below the served folder of what a playlist names; nil for what is no part of a stream.
    ///
    /// - Parameter rest: relative to the playlist's folder, decoded.
    static func path(of rest: String, beside playlist: ArraySlice<UInt8>) -> [UInt8]? {
        let steps = rest.utf8.split(separator: UInt8(ascii: "/"), omittingEmptySubsequences: false)
        guard !steps.contains(where: { $0.isEmpty || $0.first == UInt8(ascii: ".") }),
            let ending = ClipName.ending(of: Array(rest.utf8)), parts.contains(ending)
        else { return nil }
        return Array(playlist.dropLast(name(of: playlist).count)) + Array(rest.utf8)
    }

    /// Playlists, segments, their beginnings and keys, captions; and no other file that may lie there.
    private static let parts: Set = [
        "m3u8", "ts", "m2ts", "mp4", "m4s", "m4v", "m4a", "cmfv", "cmfa", "mp3", "aac", "ac3", "ec3", "vtt", "webvtt",
        "key", "bin",
    ]

    /// The playlist with a token in its relative addresses: clients do not apply
    /// the query of the playlist's own address to them.
    static func withToken(_ token: String, _ playlist: [UInt8]) -> [UInt8] {
        let query = "token=" + PercentEncoding.component(token)
        let newline = UInt8(ascii: "\n")
        let lines = playlist.split(separator: newline, omittingEmptySubsequences: false).map { bytes in
            var line = String(decoding: bytes, as: UTF8.self)
            let end = line.hasSuffix("\r") ? "\r" : ""
            if !end.isEmpty { line.removeLast() }
            if line.hasPrefix("#") {
                // An attribute's value ends at the next quote (4.2).
                if let start = line.firstRange(of: "URI=\"")?.upperBound,
                    let close = line[start...].firstIndex(of: "\"")
                {
                    line.replaceSubrange(start..<close, with: added(query, to: String(line[start..<close])))
                }
            } else if !line.trimmed.isEmpty {
                line = added(query, to: line)
            }
            return Array((line + end).utf8)
        }
        return Array(lines.joined(separator: [newline]))
    }

    private static func added(_ query: String, to address: String) -> String {
        // Not to another host: the token is this server's.
        guard URLParts(address)?.scheme == nil, !address.hasPrefix("//") else { return address }
        return address + (address.contains("?") ? "&" : "?") + query
    }
}
