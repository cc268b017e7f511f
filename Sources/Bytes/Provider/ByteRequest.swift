import Model

/// What bytes are to whoever reads them. It decides what is kept of them (C2).
public enum ByteRole: Sendable, CaseIterable {
    /// A whole file of media, read in any order: kept by the ranges that were fetched.
    case media
    /// A manifest of a feed, of any length, read once from its beginning to its end: always asked for anew, and never kept.
    case manifest
    /// A playlist: asked for anew unless it is finished, and never kept as a file.
    case playlist
    /// A segment of a finished playlist, which never changes: kept.
    case segment
    /// A segment of a playlist that goes on: not kept.
    case liveSegment
    /// A key that segments are enciphered with: kept in memory only.
    case key
}

/// What is to be opened.
public struct ByteRequest: Hashable, Sendable {
    /// Absolute.
    public var url: String
    public var asset: Asset
    public var role: ByteRole
    /// The bytes of the resource that will be read; nil: all. Offsets of reads count from the resource's beginning all the same.
    public var range: Range<Int64>?
    /// The part of the clip that a segment holds.
    public var place: Range<Duration>?

    public init(
        url: String, asset: Asset, role: ByteRole = .media, range: Range<Int64>? = nil, place: Range<Duration>? = nil
    ) {
        self.url = url
        self.asset = asset
        self.role = role
        self.range = range
        self.place = place
    }
}

extension ByteRequest {
    /// The server that is asked, in one spelling.
    var origin: String { RemoteURL(url)?.origin.text ?? "" }
}
