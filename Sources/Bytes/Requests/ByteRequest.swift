import Model

/// The purpose of bytes. Decides what is cached. A value.
public enum ByteRole: Sendable, CaseIterable {
    /// A whole media file, read in any order. The fetched ranges are cached.
    case media
    /// A feed's text of any length, read once from beginning to end: always requested, never cached. A web page may be
    /// one, too, as it can name a feed.
    case feed
    /// A playlist: requested again unless it is finished, never cached as a file.
    case playlist
    /// A segment of a finished playlist, which never changes: cached.
    case segment
    /// A segment of a live playlist: not cached.
    case liveSegment
    /// A key that decrypts segments: only in memory.
    case key
}

/// What to open: a URL, its asset, and the purpose of its bytes. A value.
public struct ByteRequest: Hashable, Sendable {
    /// An absolute URL.
    public var url: String
    public var asset: Asset
    public var role: ByteRole
    /// The bytes of the resource that will be read; nil for all. Offsets of
    /// reads still count from the beginning of the resource.
    public var range: Range<Int64>?
    /// The time range of a segment in its clip.
    public var clipTimes: Range<Duration>?
    /// Where the asset was found, if it was resolved and `url` is its own. Only the provider sets it.
    var media: ResolvedMedia?

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
    /// The server of the URL, in a normalised form.
    var origin: String { RemoteURL(url)?.origin.text ?? "" }
}
