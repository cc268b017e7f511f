/// How far ahead of its readers an asset is fetched. Pure.
struct ReadAhead: Equatable, Sendable {
    /// Ahead of a reader out of view: enough for its first pictures.
    static let unseen: Int64 = 1 << 20
    /// Ahead of a reader in view, for files that are not cached whole.
    static let long: Int64 = 16 << 20
    /// Ahead of any reader without a disk cache: the bytes wait in memory.
    static let inMemory: Int64 = 4 << 20
    /// The bytes of a prefetch: `Range: bytes=0-5242879`.
    static let beginning: Int64 = 5 << 20
    /// The bytes of a still's prefetch; nearly all stills are smaller.
    static let still: Int64 = 1 << 20
    /// Ahead of a reader while bandwidth is conserved, initially.
    static let minWhileConserving: Int64 = 24 << 10
    /// The total wait of a reader in view after which its asset no longer
    /// conserves bandwidth: the demuxer allows more than that.
    static let patience = Duration.milliseconds(250)
    /// The bytes of a prefetch while bandwidth is conserved: most files' headers, and some frames.
    static let beginningWhileSparing: Int64 = 128 << 10
    /// In bits a second. On a slower link a prefetched beginning takes longer than two and a half seconds.
    static let ample: Int64 = 16_000_000

    /// Ahead of a reader in view that has waited for bytes, while data is saved.
    static let whileSavingData: Int64 = 2 << 20

    /// In bytes; nil without a disk cache.
    var cacheLimit: Int64?
    /// Whether no more is fetched than a reader needs soon.
    var savesData = false

    /// How many bytes ahead of the reader are wanted; nil for the whole file.
    func goal(isFocused: Bool, isOwnFile: Bool, length: Int64?) -> Int64? {
        guard isFocused else { return ReadAhead.unseen }
        if savesData { return ReadAhead.whileSavingData }
        guard let cacheLimit else { return ReadAhead.inMemory }
        if isOwnFile, let length, length <= cacheLimit / 4 { return nil }
        return ReadAhead.long
    }

    /// Whether more bytes are wanted when `ahead` are there. A stopped transfer
    /// starts again when half of the goal is used up.
    static func wantsMore(ahead: Int64, goal: Int64?, isUnderWay: Bool) -> Bool {
        guard let goal else { return true }
        return ahead < (isUnderWay ? goal : goal / 2)
    }
}

/// How far ahead of one reader bytes are fetched while bandwidth is conserved. Pure.
///
/// Each wait doubles that, at most once while that much is read: no more bytes are wasted
/// than were read, and the number of round trips stays small.
struct SparingReadAhead: Equatable, Sendable {
    /// At most `ReadAhead.unseen`.
    private(set) var bytes = ReadAhead.minWhileConserving
    /// A wait at this place or behind it doubles `bytes`.
    private var growsFrom: Int64 = 0

    /// The reader waits at this place of the file.
    mutating func waits(at place: Int64) {
        guard place >= growsFrom else { return }
        bytes = min(2 * bytes, ReadAhead.unseen)
        growsFrom = place.advanced(upTo: bytes)
    }
}
