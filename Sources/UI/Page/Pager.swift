import Model

/// Where the feed stands, as a real number of pages: 2.25 is a quarter of the way from item 2 to item 3.
///
/// A move is a snap to an item, or a drag that ends in a snap. A value; the caller passes the time.
public struct Pager: Sendable, Equatable {
    /// A drag that is released at more than this speed moves to the next page. In pages a second.
    static let commitSpeed = 0.3
    /// How long a snap takes for each page of distance, and the bounds of a whole snap.
    static let timePerPage = Duration.milliseconds(150)
    static let shortestSnap = Duration.milliseconds(100)
    static let longestSnap = Duration.milliseconds(300)
    /// The speed at release is measured over this time before it.
    static let speedWindow = Duration.milliseconds(120)
    /// How far a drag may pull past either end, in pages.
    static let overshoot = 0.25
    /// How far the first page has to be pulled down for its release to read the feed again, in pages.
    static let refreshPull = 0.15

    public private(set) var count: Int
    /// 0 … count − 1 while nothing moves.
    public private(set) var position: Double
    /// The item that the feed moves to, or shows.
    public private(set) var target: Int
    /// The item that the page is about: what the feed moves to, once that is committed to.
    public private(set) var current: Int
    /// The rows of a page; locked while pages move.
    public private(set) var rows: Int
    private var nextRows: Int?
    private var motion = Motion.none

    private enum Motion: Sendable, Equatable {
        case none
        case snap(from: Double, start: Duration, length: Duration)
        case drag(Drag)
    }

    private struct Drag: Sendable, Equatable {
        var row: Int
        var position: Double
        /// The most recent moves, which give the speed at release.
        var samples: [Sample]
    }

    private struct Sample: Sendable, Equatable {
        var time: Duration
        var position: Double
    }

    public init(count: Int, at index: Int = 0, rows: Int) {
        self.count = count
        target = min(max(index, 0), max(count - 1, 0))
        current = target
        position = Double(target)
        self.rows = max(rows, 1)
    }

    public var isMoving: Bool { motion != .none }

    public var isDragging: Bool {
        if case .drag = motion { true } else { false }
    }

    public var isSnapping: Bool {
        if case .snap = motion { true } else { false }
    }

    /// Moves the target `pages` further, also in the middle of a slide or a drag: steps add up, and the slide goes to
    /// the page that all of them lead to, from where it is at `now`. Returns false at either end.
    public mutating func step(by pages: Int, now: Duration) -> Bool {
        let wanted = target + pages
        guard wanted >= 0, wanted < count else { return false }
        if let reached = reached(now: now) { position = reached.position }
        snap(to: wanted, now: now)
        return true
    }

    /// When the slide ends; nil without one.
    public var slideEnd: Duration? {
        if case .snap(_, let start, let length) = motion { start + length } else { nil }
    }

    /// Whether a slide is under way at `now`.
    func isSliding(at now: Duration) -> Bool { reached(now: now).map { !$0.isEnd } ?? false }

    /// Whether a notch of the wheel towards higher (1) or lower (-1) items counts now: the page has moved more than
    /// half way, or goes the other way. One swipe on a touchpad, or one spin of a free wheel, sends dozens of notches:
    /// if they added up as keys do, it would end dozens of pages further.
    public func takesNotch(towards direction: Int) -> Bool {
        abs(Double(target + direction) - position) < 1.5
    }

    /// The page is about the target from now on.
    mutating func commit() { current = target }

    /// Goes to `index` at once, however far, without showing the pages between.
    public mutating func jump(to index: Int) -> Bool {
        guard count > 0 else { return false }
        let index = min(max(index, 0), count - 1)
        defer { settle(at: index) }
        return index != target
    }

    /// Moves on to `now`. Returns true when the feed has just come to rest.
    public mutating func advance(to now: Duration) -> Bool {
        guard let reached = reached(now: now) else { return false }
        guard !reached.isEnd else {
            settle(at: target)
            return true
        }
        position = reached.position
        return false
    }

    /// Where the slide is at `now`; nil without one.
    private func reached(now: Duration) -> (position: Double, isEnd: Bool)? {
        guard case .snap(let from, let start, let length) = motion else { return nil }
        guard now < start + length else { return (Double(target), true) }
        return (from + (Double(target) - from) * max((now - start) / length, 0), false)
    }

    /// How far the first page is pulled down below the top, in pages; 0 if it is not.
    var pull: Double { isDragging ? max(-position, 0) : 0 }

    /// Whether its release reads the feed again.
    var isPulledToRefresh: Bool { pull >= Self.refreshPull }

    public mutating func beginDrag(row: Int, now: Duration) {
        guard count > 0 else { return }
        motion = .drag(Drag(row: row, position: position, samples: [Sample(time: now, position: position)]))
    }

    public mutating func drag(to row: Int, now: Duration) {
        guard case .drag(var drag) = motion else { return }
        let wanted = drag.position + Double(drag.row - row) / Double(rows)
        // A drag moves by one page at most, so that the user sees every page it passes.
        let (low, high) = (Double(target) - 1, Double(target) + 1)
        position = min(max(wanted, low, -Self.overshoot), high, Double(count - 1) + Self.overshoot)
        drag.samples.append(Sample(time: now, position: position))
        drag.samples.removeAll { now - $0.time > Self.speedWindow }
        motion = .drag(drag)
    }

    /// The button is released. Distance and speed decide whether the feed snaps on to the next page or back.
    public mutating func endDrag(now: Duration) {
        guard case .drag(let drag) = motion else { return }
        snap(to: commit(speed: speed(of: drag, now: now)), now: now)
    }

    private func speed(of drag: Drag, now: Duration) -> Double {
        guard let first = drag.samples.first(where: { now - $0.time <= Self.speedWindow }) else { return 0 }
        let seconds = (now - first.time).seconds
        return seconds > 0 ? (position - first.position) / seconds : 0
    }

    private func commit(speed: Double) -> Int {
        let wanted =
            if speed > Self.commitSpeed { Int(position.rounded(.down)) + 1 } else if speed < -Self.commitSpeed {
                Int(position.rounded(.up)) - 1
            } else { Int(position.rounded()) }
        return min(max(wanted, target - 1, 0), target + 1, count - 1)
    }

    private mutating func snap(to index: Int, now: Duration) {
        target = index
        let left = abs(Double(index) - position)
        let length = min(max(Self.timePerPage * left, Self.shortestSnap), Self.longestSnap)
        motion = .snap(from: position, start: now, length: length)
    }

    /// Stops at `index`, exactly on its page.
    public mutating func settle(at index: Int) {
        target = index
        position = Double(index)
        motion = .none
        if let rows = nextRows { self.rows = rows }
        nextRows = nil
    }

    /// Takes the new height of the terminal, as soon as nothing moves.
    public mutating func resize(rows: Int) {
        let rows = max(rows, 1)
        if isMoving { nextRows = rows } else { self.rows = rows }
    }

    /// The feed has changed; `index` is where the current item is now.
    public mutating func replace(count: Int, watching index: Int) {
        let shift = Double(index - target)
        self.count = count
        guard count > 0 else {
            settle(at: 0)
            return
        }
        target = min(max(index, 0), count - 1)
        position += shift
        switch motion {
        case .none: position = Double(target)
        case .snap(let from, let start, let length): motion = .snap(from: from + shift, start: start, length: length)
        case .drag(var drag):
            drag.position += shift
            for sample in drag.samples.indices { drag.samples[sample].position += shift }
            motion = .drag(drag)
        }
    }
}
