/// Shows something only when it has been needed for a while, and hides it a little after it is not (P7: 180 ms and 50 ms).
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

    /// Forgets what was: nothing is shown, and the need begins anew.
    public mutating func reset(needed: Bool, now: Duration) {
        (isNeeded, since, wasShown) = (needed, now, false)
    }

    public func isShown(now: Duration) -> Bool {
        if isNeeded { return wasShown || now - since >= show }
        return wasShown && now - since < hide
    }

    /// When it was, or will be, hidden after having been shown; nil while it is needed or was never seen.
    public var hiddenAt: Duration? { !isNeeded && wasShown ? since + hide : nil }

    /// When `isShown` changes by itself.
    public func nextChange(after now: Duration) -> Duration? {
        let due = isNeeded ? (wasShown ? nil : since + show) : hiddenAt
        return due.flatMap { $0 > now ? $0 : nil }
    }
}
