import Model

/// What bytes are for. It decides what is cached of them (C2).
public enum ByteRole: Sendable, CaseIterable {
    /// A whole file of media, read in any order. The ranges that were fetched are cached.
    case media
    /// A manifest of a feed, of any length, read once from beginning to end: always asked for anew, never cached.
    case manifest
    /// A playlist: asked for anew unless it is finished, never cached as a file.
    case playlist
    /// A segment of a finished playlist, which never changes: cached.
    case segment
    /// A segment of a playlist that goes on: not cached.
    case liveSegment
    /// A key that decrypts segments: stays in memory.
    case key
}

/// What to open: a URL, on whose behalf, and what its bytes are for.
public struct ByteRequest: Hashable, Sendable {
    /// Absolute.
    public var url: String
    public var asset: Asset
    public var role: ByteRole
    /// The bytes of the resource that will be read; nil: all. Offsets of reads count from the resource's beginning all the same.
    public var range: Range<Int64>?
    /// The part of the clip that a segment brings.
    public var clipTimes: Range<Duration>?

    public init(
        url: String, asset: Asset, role: ByteRole = .media, range: Range<Int64>? = nil,
        clipTimes: Range<Duration>? = nil
    ) {
        self.url = url
        self.asset = asset
        self.role = role
        self.range = range
        self.clipTimes = clipTimes
    }
}

extension ByteRequest {
    /// The server that is asked, in one spelling.
    var origin: String { RemoteURL(url)?.origin.text ?? "" }
}
