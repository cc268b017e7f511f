import Model

/// The stills in memory: the best for each item, within limits for each
/// kind. The least recently viewed ones are evicted first. A value.
struct StillStore: Sendable {
    /// How many stills of a kind are stored, and how many bytes they may take in all.
    struct Limit: Sendable, Equatable {
        var count: Int
        var bytes: Int
    }

    private struct Entry {
        var still: Still
        /// Distinguishes it from other stills of the item.
        var number: Int
        /// The number of the last view, counted over all stills: the higher, the later.
        var lastLook: Int
    }

    private var entries: [Item.ID: Entry] = [:]
    private var looks = 0
    private var added = 0

    static func limit(of kind: Still.Kind) -> Limit {
        switch kind {
        case .blurHash, .thumbnail: Limit(count: 150, bytes: 30_000_000)
        case .firstFrame: Limit(count: 50, bytes: 50_000_000)
        case .frozen: Limit(count: 50, bytes: 50_000_000)
        }
    }

    var count: Int { entries.count }

    /// The item's still if it was made for the surface with this generation, and its number.
    func still(of item: Item.ID, for generation: UInt32) -> (still: Still, number: Int)? {
        entries[item].flatMap { $0.still.generation == generation ? ($0.still, $0.number) : nil }
    }

    /// The item's still, whatever surface it was made for.
    func anyStill(of item: Item.ID) -> Still? { entries[item]?.still }

    /// Notes that the item's still is viewed.
    mutating func noteLook(at item: Item.ID) {
        looks += 1
        entries[item]?.lastLook = looks
    }

    /// Stores a still, unless the item has a better one for the same surface. True if it was stored.
    @discardableResult
    mutating func add(_ still: Still, of item: Item.ID) -> Bool {
        if let old = entries[item]?.still, old.generation == still.generation, old.kind > still.kind { return false }
        looks += 1
        added += 1
        entries[item] = Entry(still: still, number: added, lastLook: looks)
        trim(still.kind)
        return entries[item] != nil
    }

    private mutating func trim(_ kind: Still.Kind) {
        let limit = Self.limit(of: kind)
        let ofKind = entries.filter { Self.isCounted($0.value.still.kind, with: kind) }
        var (count, bytes) = (ofKind.count, ofKind.values.reduce(0) { $0 + $1.still.bytes })
        guard count > limit.count || bytes > limit.bytes else { return }
        for (item, entry) in ofKind.sorted(by: { $0.value.lastLook < $1.value.lastLook }) {
            guard count > limit.count || bytes > limit.bytes else { return }
            entries[item] = nil
            count -= 1
            bytes -= entry.still.bytes
        }
    }

    /// Blurhashes and thumbnails share one limit.
    private static func isCounted(_ kind: Still.Kind, with other: Still.Kind) -> Bool {
        kind == other || max(kind, other) == .thumbnail
    }
}
