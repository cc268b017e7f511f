/// Where the cache on disk is, and how large it may become. A value.
public struct CacheOptions: Sendable, Equatable {
    /// An absolute path; made when needed.
    public var folder: String
    /// In bytes (C2).
    public var limit: Int64 = 500 << 20
    /// What an eviction leaves, as a fraction of `limit`.
    public var lowWater = 0.8
    /// What is older is dropped (C4).
    public var age: Duration = .seconds(90 * 86_400)
    /// How many bytes are saved at a time (L4), at least 256 KiB; nil: nothing is saved.
    public var pieceSize: Int? = 512 << 10
    /// 32 bytes: what is cached is encrypted with it (L7). nil: nothing is encrypted.
    public var key: [UInt8]?

    public init(folder: String) { self.folder = folder }

    /// The sizes of pieces that may be asked for.
    public static let pieceSizes = 256 << 10...16 << 20
}
