#if canImport(Glibc)
    import Glibc
#elseif canImport(Darwin)
    import Darwin
#endif

/// The values used last, by key: the least recently used go first, by count and not by cost (C1). Pure.
struct Recent<Key: Hashable & Sendable, Value: Sendable>: Sendable {
    private var values: [Key: (value: Value, use: Int)] = [:]
    private var uses = 0
    let limit: Int

    init(limit: Int) { self.limit = limit }

    var count: Int { values.count }
    /// The least recently used first.
    var all: [Value] { values.values.sorted { $0.use < $1.use }.map(\.value) }

    /// Counts as a use.
    subscript(key: Key) -> Value? {
        mutating get {
            guard let found = values[key] else { return nil }
            uses += 1
            values[key] = (found.value, uses)
            return found.value
        }
        set {
            uses += 1
            values[key] = newValue.map { ($0, uses) }
        }
    }

    /// Does not count as a use.
    func peek(_ key: Key) -> Value? { values[key]?.value }

    /// Takes out what is over the limit and may go; returns it.
    mutating func trim(where mayGo: (Value) -> Bool = { _ in true }) -> [Value] {
        guard values.count > limit else { return [] }
        var gone: [Value] = []
        for (key, entry) in values.sorted(by: { $0.value.use < $1.value.use }) {
            if values.count <= limit { break }
            guard mayGo(entry.value) else { continue }
            values[key] = nil
            gone.append(entry.value)
        }
        return gone
    }

    mutating func removeAll() { values = [:] }
}

/// How many assets' knowledge is kept in memory (C1).
enum KnowledgeLimit {
    /// By the bytes of physical memory.
    static func of(memory: UInt64) -> Int {
        switch memory >> 30 {
        case ..<4: 15
        case ..<6: 25
        case ..<8: 40
        default: 60
        }
    }

    /// Of this machine.
    static var here: Int {
        let (pages, size) = (sysconf(Int32(_SC_PHYS_PAGES)), sysconf(Int32(_SC_PAGESIZE)))
        // -1 is "not known": then as on a small machine.
        return pages > 0 && size > 0 ? of(memory: UInt64(pages) * UInt64(size)) : of(memory: 0)
    }
}
