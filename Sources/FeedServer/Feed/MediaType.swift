import Feeds
import Model

/// The media type of a file, by its name's extension. Pure.
enum ServedMediaType {
    static func of(path: some BidirectionalCollection<UInt8>) -> String {
        ClipName.ending(of: path).flatMap(mediaType(ofEnding:)) ?? "application/octet-stream"
    }

    /// The media type of a URL's target; nil if its extension is unknown.
    static func of(url: String) -> String? {
        URLParts(url).flatMap { ClipName.ending(of: Array($0.path.utf8)) }.flatMap(mediaType(ofEnding:))
    }

    private static func mediaType(ofEnding ending: String) -> String? {
        ClipTypes.mediaType(ending: ending) ?? others[ending]
    }

    /// The types of clips' parts, and of the files beside them.
    private static let others = [
        "m4s": "video/iso.segment", "cmfv": "video/mp4", "cmfa": "audio/mp4", "ec3": "audio/eac3", "vtt": "text/vtt",
        "webvtt": "text/vtt", "srt": "application/x-subrip",
    ]
}
