import Feeds
import Model

/// Where the served folder's files are available instead of from this server: nginx, a CDN, an object store. A value.
public struct MediaBase: Sendable, Equatable {
    /// Ends in a slash.
    private let address: String

    /// nil for what is no http or https address, and for one with a user, which everybody would get, or with a query or
    /// fragment, behind which no path can go.
    public init?(_ text: String) {
        guard let url = RemoteURL(text), url.user == nil, url.query == nil, !text.contains("#") else { return nil }
        address = url.text.hasSuffix("/") ? url.text : url.text + "/"
    }

    /// The address of a file by its path below the served folder, percent-encoded.
    func url(of path: some Collection<UInt8>) -> String { address + PercentEncoding.path(path) }
}

/// The addresses that clients get of an item. A value.
struct ItemAddresses: Sendable {
    var server: ServerAddress
    var mediaBase: MediaBase?
    /// The server's address for files, if it has another token there.
    var fileServer: ServerAddress?

    private func file(_ path: String) -> String { (fileServer ?? server).url(path) }

    /// The URL of a clip. A playlist's ends with its name, so that its relative references are found beside it.
    func clip(_ id: String, at path: ArraySlice<UInt8>) -> String {
        if let mediaBase { return mediaBase.url(of: path) }
        guard ServedPlaylist.isOne(path) else { return file("/media/\(id)") }
        return file("/media/\(id)/" + PercentEncoding.path(ServedPlaylist.name(of: path)))
    }

    /// Of an item's picture: of the file beside the clip if there is one, else
    /// of what this server makes; nil without either.
    func picture(_ id: String, poster: [UInt8]?, makesStill: Bool) -> String? {
        if let poster, let mediaBase { return mediaBase.url(of: poster) }
        return poster != nil || makesStill ? file("/still/\(id).jpg") : nil
    }

    /// The URL of a subtitle file beside a clip. Its extension decides its type.
    func captions(_ id: String, _ caption: CaptionSidecar, beside clip: ArraySlice<UInt8>) -> String {
        mediaBase?.url(of: caption.path(of: clip)) ?? file("/subtitles/\(id)\(caption.suffix)")
    }
}

/// The picture that lies beside a clip: `clip.jpg` of `clip.mp4`.
enum Poster {
    /// Its path and the file; nil if there is no such file. Blocks.
    static func find(beside clip: ArraySlice<UInt8>, below root: Int32) -> (path: [UInt8], file: ServedFile)? {
        let stem = clip.dropLast(clip.reversed().prefix { $0 != UInt8(ascii: ".") }.count)
        for ending in ["jpg", "jpeg"] {
            let path = Array(stem) + Array(ending.utf8)
            if let file = ServedFile(below: root, path: path) { return (path, file) }
        }
        return nil
    }
}
