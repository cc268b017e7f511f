import Model

/// Moving through a clip with keys or the pointer: still previews during the scrub, one seek when it ends. A value.
public struct Scrub: Sendable, Equatable {
    /// How long after the last key the scrub commits.
    static let commit = Duration.milliseconds(200)

    public let item: Item.ID
    public private(set) var target: Duration
    /// When the scrub commits by itself; nil while the pointer drags it.
    public private(set) var due: Duration?

    public init(item: Item.ID, at position: Duration) {
        self.item = item
        target = position
    }

    public mutating func move(by step: Duration, within duration: Duration, now: Duration) {
        target = min(max(target + step, .zero), duration)
        due = now + Self.commit
    }

    public mutating func drag(to position: Duration, within duration: Duration) {
        target = min(max(position, .zero), duration)
        due = nil
    }

    public func isDue(now: Duration) -> Bool { due.map { now >= $0 } ?? false }
}
