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

/// Seeking in the clip in view, from the scrub to the picture that was sought. A value.
struct Seeking: Sendable {
    /// How long the place sought is shown while the clip says neither that it is there nor that it waits.
    static let patience = Duration.seconds(2)
    /// How long the scrubber shows a seek at least, so that one which ends at once can be read.
    static let shown = Duration.milliseconds(800)

    /// nil if none is under way.
    private(set) var scrub: Scrub?
    /// A seek under way: the scrubber shows its target until the picture is there, or until `until`.
    private(set) var target: (to: Duration, until: Duration)?
    /// When the user last sought; nil once the scrubber has shown that for long enough.
    private(set) var soughtAt: Duration?

    /// The part that is repeated.
    var repeats = RepeatMarks()

    /// Whether the scrubber shows a seek: thick, with the time beside its handle.
    var isShown: Bool { scrub != nil || target != nil || soughtAt != nil }

    /// Whether the scrubber stays at the place that is sought while the clip plays.
    var holdsPosition: Bool { scrub != nil || target != nil }

    /// The place that the scrubber shows for an item; nil if that is where its clip is.
    func position(of item: Item.ID?, now: Duration) -> Duration? {
        if let scrub, scrub.item == item { return scrub.target }
        if let target, now < target.until { return target.to }
        return nil
    }

    // MARK: Scrubbing

    /// Moves the scrub of an item, which begins at `position` if none is under way. Returns the place that is sought.
    mutating func scrub(
        _ item: Item.ID, by step: Duration, from position: Duration, within duration: Duration, now: Duration
    ) -> Duration {
        var moved = scrub ?? Scrub(item: item, at: position)
        moved.move(by: step, within: duration, now: now)
        scrub = moved
        return moved.target
    }

    /// Drags the scrub of an item to `place`. Returns the place that is sought now; nil if it is the one from before.
    mutating func drag(
        _ item: Item.ID, to place: Duration, from position: Duration, within duration: Duration
    ) -> Duration? {
        let (isNew, before) = (scrub == nil, scrub?.target)
        var moved = scrub ?? Scrub(item: item, at: position)
        moved.drag(to: place, within: duration)
        scrub = moved
        return !isNew && moved.target == before ? nil : moved.target
    }

    /// Ends the scrub, and returns the place to seek to.
    mutating func takeScrub() -> Duration? {
        defer { scrub = nil }
        return scrub?.target
    }

    /// Ends the scrub without a seek.
    mutating func dropScrub() { scrub = nil }

    // MARK: The seek

    /// The player was asked for this place.
    mutating func seek(to place: Duration, now: Duration) {
        (scrub, target, soughtAt) = (nil, (place, now + Self.patience), now)
    }

    /// The picture that was sought is there.
    mutating func arrive() { target = nil }

    /// Another page is in view.
    mutating func leave() { (target, soughtAt, repeats) = (nil, nil, RepeatMarks()) }

    /// - Parameter isWaiting: the clip says that it waits for bytes, so the seek may take longer.
    mutating func advance(to now: Duration, isWaiting: Bool) {
        if let target, now >= target.until { self.target = isWaiting ? (target.to, now + Self.patience) : nil }
        if let soughtAt, now - soughtAt >= Self.shown { self.soughtAt = nil }
    }

    /// When it next changes by itself; nil while it does not.
    var due: Duration? {
        [scrub?.due, target?.until, soughtAt.map { $0 + Self.shown }].compactMap(\.self).min()
    }
}
