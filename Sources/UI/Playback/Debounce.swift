/// Shows something only after it has been needed for a while (180 ms), and hides it a little (50 ms) after it is no
/// longer needed. A value.
public struct Debounce: Sendable, Equatable {
    public let show: Duration
    public let hide: Duration
    private var isNeeded = false
    private var since = Duration.zero
    private var wasShown = false

    public init(show: Duration = .milliseconds(180), hide: Duration = .milliseconds(50)) {
        self.show = show
        self.hide = hide
    }

    public mutating func set(_ needed: Bool, now: Duration) {
        guard needed != isNeeded else { return }
        wasShown = isShown(now: now)
        isNeeded = needed
        since = now
    }

    /// Starts again: nothing is shown, and the time of the need counts from `now`.
    public mutating func reset(needed: Bool, now: Duration) {
        (isNeeded, since, wasShown) = (needed, now, false)
    }

    public func isShown(now: Duration) -> Bool {
        if isNeeded { return wasShown || now - since >= show }
        return wasShown && now - since < hide
    }

    /// When it was or will be hidden after it was shown; nil while it is needed, or if it was never shown.
    public var hiddenAt: Duration? { !isNeeded && wasShown ? since + hide : nil }

    /// When `isShown` next changes by itself.
    public func nextChange(after now: Duration) -> Duration? {
        let due = isNeeded ? (wasShown ? nil : since + show) : hiddenAt
        return due.flatMap { $0 > now ? $0 : nil }
    }
}
