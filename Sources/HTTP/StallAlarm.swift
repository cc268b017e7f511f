import Synchronization

/// Detects a wait that takes too long. One timer serves all waits of a body: it is not started for each wait, but
/// checks when it fires. Pure.
struct StallWatch {
    enum Finding: Equatable {
        case nothing
        /// The current wait has lasted for `limit`.
        case rings
        /// Start the timer again.
        case again(after: Duration)
    }

    let limit: Duration
    private var isSet = false
    /// When the current wait began; nil while the transfer is not waiting.
    private var since: ContinuousClock.Instant?
    /// Whether the last wait took too long.
    private(set) var hasRung = false

    init(limit: Duration) { self.limit = limit }

    /// A wait begins. Returns whether the caller must start the timer, to fire after `limit`.
    mutating func begin(at now: ContinuousClock.Instant) -> Bool {
        since = now
        hasRung = false
        defer { isSet = true }
        return !isSet
    }

    /// The wait is over.
    mutating func end() { since = nil }

    /// The timer has fired.
    mutating func look(at now: ContinuousClock.Instant) -> Finding {
        isSet = false
        guard let since else { return .nothing }
        let rest = limit - (now - since)
        if rest <= .zero {
            self.since = nil
            hasRung = true
            return .rings
        }
        isSet = true
        return .again(after: rest)
    }
}

/// Calls back when a wait takes too long (see `StallWatch`). Beginning and ending a wait starts no timer. Any thread.
final class StallAlarm: Sendable {
    private struct State {
        var watch: StallWatch
        var ring: (@Sendable () -> Void)?
        /// The number of the timer, if one is set.
        var timer: Int?
    }

    private let limit: Duration
    private let state: Mutex<State>

    init(limit: Duration) {
        self.limit = limit
        state = Mutex(State(watch: StallWatch(limit: limit)))
    }

    deinit { state.withLock(\.timer).map(NetworkThread.shared.forget) }

    /// A wait begins. Calls `ring` on the network's thread if it lasts longer than the limit.
    func begin(_ ring: @escaping @Sendable () -> Void) {
        let mustSet = state.withLock { state in
            state.ring = ring
            return state.watch.begin(at: .now)
        }
        if mustSet { set(for: limit) }
    }

    /// The wait is over. Returns whether the alarm has rung.
    func end() -> Bool {
        state.withLock { state in
            state.watch.end()
            state.ring = nil
            return state.watch.hasRung
        }
    }

    private func set(for time: Duration) {
        let timer = NetworkThread.shared.schedule(after: time) { [weak self] in self?.look() }
        state.withLock { $0.timer = timer }
    }

    private func look() {
        let (rest, ring): (Duration?, (@Sendable () -> Void)?) = state.withLock { state in
            switch state.watch.look(at: .now) {
            case .nothing: (nil, nil)
            case .rings: (nil, state.ring.take())
            case .again(let rest): (rest, nil)
            }
        }
        ring?()
        if let rest { set(for: rest) }
    }
}
