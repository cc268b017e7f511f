import Model

/// A small still of a place in a clip, which is shown above that place's time while the pointer is on the scrubber. A
/// value.
struct SeekStill: Sendable, Equatable {
    let item: Item.ID
    /// In square pixels.
    let size: PixelSize
}

/// What the pointer does: where it is, a press of the left button, clicks that wait for a second one, and the notches
/// of the wheel.
/// A value.
struct Pointer: Sendable {
    /// How long a press lasts before it opens the menu.
    static let longPress = Duration.milliseconds(400)
    /// How long the wheel rests before a notch counts that goes the same way as the one before.
    static let notchPause = Duration.milliseconds(150)

    /// How long a pointer that rests lights up what is under it.
    static let hoverLength = Duration.seconds(3)

    /// A press of the left button that is not released yet.
    struct Press: Sendable, Equatable {
        enum Purpose: Sendable, Equatable { case undecided, paging, scrubbing, done }
        var start: GridPoint
        var since: Duration
        var purpose = Purpose.undecided
        /// It has not moved: it may become a long press.
        var mayBeLong = true

        /// Whether what happens there belongs to the same press, and is no movement.
        func isNear(_ point: GridPoint) -> Bool {
            abs(point.row - start.row) <= 1 && abs(point.column - start.column) <= Clicks.reach
        }
    }

    private(set) var press: Press?
    /// Where it is, over something that a click acts on, and until when that counts.
    private(set) var hover: (at: GridPoint, until: Duration)?
    /// The newest still of a place that the pointer was at.
    private(set) var still: SeekStill?
    var clicks: Clicks
    /// The last notch of the wheel that could turn a page, and which way it went.
    private var lastNotch: (at: Duration, direction: Int)?

    init(doubleClick: Duration) { clicks = Clicks(wait: doubleClick) }

    mutating func press(at point: GridPoint, now: Duration) { press = Press(start: point, since: now) }

    /// It has moved with no button down.
    ///
    /// - Parameter point: nil: there is nothing to click on.
    mutating func hover(at point: GridPoint?, now: Duration) { hover = point.map { ($0, now + Self.hoverLength) } }

    mutating func note(_ still: SeekStill) { self.still = still }

    /// It is at a place without a still.
    mutating func dropStill() { still = nil }

    /// It rests.
    mutating func rest(at now: Duration) {
        if let hover, now >= hover.until { self.hover = nil }
    }

    /// Keys are used instead.
    mutating func leave() { hover = nil }

    /// The press has become something. Without a press nothing happens.
    mutating func decide(_ purpose: Press.Purpose) { press?.purpose = purpose }

    /// The pointer is there, with its button down.
    mutating func move(to point: GridPoint) {
        if press?.isNear(point) == false { press?.mayBeLong = false }
    }

    /// A press that may become a click does not: something else may be below the pointer now.
    mutating func dropClick() {
        if press?.purpose == .undecided { decide(.done) }
    }

    /// Ends the press.
    mutating func release() { press = nil }

    /// Where the press has just become a long one; once for each.
    mutating func takeLongPress(now: Duration) -> GridPoint? {
        guard let press, let longAt, now >= longAt else { return nil }
        decide(.done)
        return press.start
    }

    /// When the press becomes a long one; nil if it cannot.
    private var longAt: Duration? {
        guard let press, press.purpose == .undecided, press.mayBeLong else { return nil }
        return press.since + Self.longPress
    }

    /// Whether a notch of the wheel counts: of notches that follow each other the same way without a pause, as a
    /// touchpad sends them for one gesture, only the first.
    mutating func takesNotch(_ direction: Int, now: Duration) -> Bool {
        defer { lastNotch = (now, direction) }
        guard let lastNotch, lastNotch.direction == direction else { return true }
        return now - lastNotch.at >= Self.notchPause
    }

    /// When it next does something by itself; nil while it does not.
    var due: Duration? { [clicks.due, longAt, hover?.until].compactMap(\.self).min() }
}
