import Model

/// How the page in view loads: since when it is shown, the cover and the marks of a clip that loads or has stalled, and
/// the readiness gate, which lets the user page only once the clip is ready, or after `gateLimit`. A value.
struct Loading: Sendable {
    /// The longest wait at the gate; then it opens.
    static let gateLimit = Duration.seconds(5)
    /// How long the mark of a refusal is shown.
    static let refusalLength = Duration.milliseconds(300)
    /// How much a still is dimmed while its video loads, and how long the cover takes to fade once the video is there.
    static let coverDepth = 0.35
    static let coverFade = Duration.milliseconds(250)
    /// How long each of the dots is bright while a clip loads.
    static let step = Duration.milliseconds(160)

    private(set) var cover = Debounce()
    private(set) var stall = Debounce(show: .milliseconds(300))
    private(set) var pageShownAt = Duration.zero
    /// When the gate last refused to page; nil once its mark is hidden.
    private(set) var refusedAt: Duration?

    /// Another page comes into view.
    ///
    /// - Parameter isComing: whether its video will be there, and is not yet.
    mutating func arrive(isComing: Bool, now: Duration) {
        (pageShownAt, refusedAt) = (now, nil)
        cover.reset(needed: isComing, now: now)
        stall.reset(needed: false, now: now)
    }

    /// The clip of the same page is opened again.
    mutating func startOver(now: Duration) { cover.reset(needed: true, now: now) }

    /// What is known of the clip in view may have changed.
    ///
    /// - Parameters:
    ///   - isExpected: there is an item, and it is not hidden.
    ///   - wantsPlay: a clip that the user has paused does not stall.
    mutating func update(_ clip: Clip, isExpected: Bool, wantsPlay: Bool, now: Duration) {
        let isComing = isExpected && clip.failure == nil && !clip.isSoundOnly
        cover.set(isComing && !clip.isRendering, now: now)
        let waits = clip.isStalled || clip.wait != nil
        stall.set(isComing && clip.isRendering && waits && wantsPlay, now: now)
        if let refusedAt, now - refusedAt >= Self.refusalLength { self.refusedAt = nil }
    }

    /// Whether the page says that its clip loads or has stalled.
    func isShown(now: Duration) -> Bool { cover.isShown(now: now) || stall.isShown(now: now) }

    /// Whether the user may leave the page now. Shows the mark of a refusal if not.
    mutating func passesGate(isReady: Bool, now: Duration) -> Bool {
        if isReady || now - pageShownAt >= Self.gateLimit { return true }
        refusedAt = now
        return false
    }

    /// How much of the picture the cover hides, 0 … `coverDepth`.
    func coverage(fades: Bool, now: Duration) -> Double {
        if cover.isShown(now: now) { return Self.coverDepth }
        guard let hidden = cover.hiddenAt, fades else { return 0 }
        return Self.coverDepth * min(max(1 - (now - hidden) / Self.coverFade, 0), 1)
    }

    /// When something of it next changes.
    ///
    /// - Parameters:
    ///   - fades: whether the cover fades.
    ///   - frame: the time between two drawings of what moves.
    func nextChange(after now: Duration, fades: Bool, frame: Duration) -> Duration? {
        var due = [
            cover.nextChange(after: now), stall.nextChange(after: now), refusedAt.map { $0 + Self.refusalLength },
        ]
        if fades, let hidden = cover.hiddenAt, now < hidden + Self.coverFade {
            due.append(now < hidden ? hidden : now + frame)
        }
        return due.compactMap(\.self).min()
    }
}

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
