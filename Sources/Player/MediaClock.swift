import Model
import Wire

/// The position of a clip on its timeline. The clock runs by itself, and
/// follows the sound while there is any. The caller passes the time.
struct MediaClock {
    private var anchor: Microseconds = 0
    private var anchoredAt: Duration = .zero
    private(set) var isRunning = false
    private(set) var rate = 1.0

    /// Beyond this, the clock jumps to the sound rather than lean towards it.
    static let tolerance: Microseconds = 45_000
    /// How far the sound may move the clock back at once. A picture that is due within this time
    /// is shown now; otherwise the loop, which woke up for it, would have to wake up again.
    static let correction: Microseconds = 2_000

    func position(at now: Duration) -> Microseconds {
        isRunning ? anchor + Microseconds(Double((now - anchoredAt).microseconds) * rate) : anchor
    }

    /// When the clock will show `position`; nil while it stands.
    func time(of position: Microseconds) -> Duration? {
        isRunning ? anchoredAt + .microseconds(Int64(Double(position - anchor) / rate)) : nil
    }

    mutating func set(to position: Microseconds, now: Duration) {
        anchor = position
        anchoredAt = now
    }

    mutating func run(now: Duration) {
        guard !isRunning else { return }
        anchoredAt = now
        isRunning = true
    }

    mutating func stop(now: Duration) {
        anchor = position(at: now)
        isRunning = false
    }

    mutating func setRate(_ rate: Double, now: Duration) {
        anchor = position(at: now)
        anchoredAt = now
        self.rate = rate
    }

    /// Follows the sound, which is heard at `heard`; returns how late the pictures were against it.
    ///
    /// A device fetches sound in steps, so small differences are smoothed; large ones are taken over at once.
    mutating func follow(_ heard: Microseconds, now: Duration) -> Microseconds {
        let position = position(at: now)
        let late = heard - position
        anchor = abs(late) > MediaClock.tolerance ? heard : position + late / 16
        anchoredAt = now
        return late
    }
}
