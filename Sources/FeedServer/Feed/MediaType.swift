import Feeds
import Model

/// What a file holds, by its name's ending, in HTTP's words. Pure.
enum ServedMediaType {
    static func of(path: some BidirectionalCollection<UInt8>) -> String {
        ClipName.ending(of: path).flatMap { table[$0] } ?? "application/octet-stream"
    }

    /// The same of what a URL leads to; nil if its ending tells nothing.
    static func of(url: String) -> String? {
        URLParts(url).flatMap { ClipName.ending(of: Array($0.path.utf8)) }.flatMap { table[$0] }
    }

    private static let table = [
        "3g2": "video/3gpp2", "3gp": "video/3gpp", "asf": "video/x-ms-asf", "avi": "video/x-msvideo", "dv": "video/dv",
        "f4v": "video/mp4", "flv": "video/x-flv", "gif": "image/gif", "m2ts": "video/mp2t", "m2v": "video/mpeg",
        "m4v": "video/mp4", "mjpeg": "video/x-motion-jpeg", "mkv": "video/x-matroska", "mov": "video/quicktime",
        "mp4": "video/mp4", "mpeg": "video/mpeg", "mpg": "video/mpeg", "mts": "video/mp2t", "mxf": "application/mxf",
        "ogm": "video/ogg", "ogv": "video/ogg", "ts": "video/mp2t", "vob": "video/mpeg", "webm": "video/webm",
        "wmv": "video/x-ms-wmv", "aac": "audio/aac", "flac": "audio/flac", "m4a": "audio/mp4",
        "mka": "audio/x-matroska", "mp3": "audio/mpeg", "oga": "audio/ogg", "ogg": "audio/ogg", "opus": "audio/ogg",
        "wav": "audio/wav", "m3u8": "application/vnd.apple.mpegurl", "m4s": "video/iso.segment", "cmfv": "video/mp4",
        "cmfa": "audio/mp4", "ac3": "audio/ac3", "ec3": "audio/eac3", "vtt": "text/vtt", "webvtt": "text/vtt",
        "srt": "application/x-subrip",
        "jpg": "image/jpeg", "jpeg": "image/jpeg",
    ]
}
