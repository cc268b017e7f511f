/// How the cache on disk is kept.
public struct CacheOptions: Sendable, Equatable {
    /// An absolute path; made when needed.
    public var folder: String
    /// In bytes (C2).
    public var limit: Int64 = 500 << 20
    /// What an eviction leaves, as a part of `limit`.
    public var lowWater = 0.8
    /// What is older goes (C4).
    public var age: Duration = .seconds(90 * 86_400)
    /// How many bytes are saved at a time (L4), at least 256 KiB; nil: nothing is saved.
    public var pieceSize: Int? = 512 << 10
    /// 32 bytes: what is kept is enciphered with it (L7).
    public var key: [UInt8]?

    public init(folder: String) { self.folder = folder }

    /// The sizes of pieces that may be asked for.
    public static let pieceSizes = 256 << 10...16 << 20

    /// What `save_every` says: "default", "conservative", "aggressive", "off", or a size in bytes, "512KB", "1MB" (of 1,024 each).
    public static func pieceSize(_ text: String) throws(CacheFault) -> Int? {
        switch text.lowercased() {
        case "default": return 512 << 10
        case "conservative": return 256 << 10
        case "aggressive": return 1 << 20
        case "off": return nil
        default: break
        }
        guard let size = size(text.lowercased()) else {
            throw CacheFault(
                "save_every: \(ShownName.of(text)) is no size; say default, conservative, aggressive, off or a size such as 512KB"
            )
        }
        guard pieceSizes.contains(size) else {
            throw CacheFault("save_every: \(ShownName.of(text)) is out of range; 256KB to 16MB can be saved at a time")
        }
        return size
    }

    private static func size(_ text: String) -> Int? {
        let digits = text.prefix { ("0"..."9").contains($0) }
        guard let number = Int(digits) else { return nil }
        let unit = text.dropFirst(digits.count).drop { $0 == " " }
        let factors = ["": 1, "b": 1, "kb": 1 << 10, "kib": 1 << 10, "mb": 1 << 20, "mib": 1 << 20]
        guard let factor = factors[String(unit)] else { return nil }
        let (product, isTooLarge) = number.multipliedReportingOverflow(by: factor)
        return isTooLarge ? Int.max : product
    }
}

/// Why the cache cannot be had as it is asked for. Its description is one line.
public struct CacheFault: Error, Equatable, Sendable, CustomStringConvertible {
    public let description: String

    init(_ description: String) { self.description = description }
}
