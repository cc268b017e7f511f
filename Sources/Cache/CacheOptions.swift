/// Where the cache on disk is, and how large it can become. A value.
public struct CacheOptions: Sendable, Equatable {
    /// An absolute path. The folder is created when needed.
    public var folder: String
    /// In bytes.
    public var limit: Int64 = 500 << 20
    /// The fraction of `limit` that an eviction leaves.
    public var lowWater = 0.8
    /// Older assets are dropped.
    public var age: Duration = .seconds(90 * 86_400)
    /// Older answers of feeds are dropped.
    public var feedAge: Duration = .seconds(7 * 86_400)
    /// How many bytes are saved at once, at least 256 KiB.
    public var pieceSize = 512 << 10
    /// Whether bytes are saved only when their transfer has ended for any reason, or memory is full.
    public var savesAtEnd = false
    /// The key of 32 bytes that encrypts the cache; nil for no encryption.
    public var key: [UInt8]?

    public init(folder: String) { self.folder = folder }

    /// The piece sizes that a configuration can choose.
    public static let pieceSizes = 256 << 10...16 << 20
}
