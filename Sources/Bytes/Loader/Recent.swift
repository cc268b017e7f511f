/// A map that drops the least recently used values beyond a limit. Pure.
package struct Recent<Key: Hashable & Sendable, Value: Sendable>: Sendable {
    private var values: [Key: (value: Value, use: Int)] = [:]
    private var uses = 0
    let limit: Int

    package init(limit: Int) { self.limit = limit }

    package var count: Int { values.count }
    /// The least recently used first.
    var all: [Value] { values.values.sorted { $0.use < $1.use }.map(\.value) }

    /// Counts as a use.
    package subscript(key: Key) -> Value? {
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

    /// Counts as a use.
    subscript(key: Key, default value: @autoclosure () -> Value) -> Value {
        mutating get { self[key] ?? value() }
        set { self[key] = newValue }
    }

    /// Does not count as a use.
    package func peek(_ key: Key) -> Value? { values[key]?.value }

    /// Removes values over the limit for which `mayGo` is true, and returns them.
    @discardableResult
    package mutating func trim(where mayGo: (Value) -> Bool = { _ in true }) -> [Value] {
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
