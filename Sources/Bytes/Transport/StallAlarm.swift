internal import NIOCore
import Synchronization

/// Rings when a wait takes too long. Beginning and ending a wait costs no timer: one is set at the first, and looks by itself whether there is another
/// when it goes off.
final class StallAlarm: Sendable {
    private struct State {
        var isSet = false
        /// The wait under way.
        var since: ContinuousClock.Instant?
        var ring: (@Sendable () -> Void)?
        var hasRung = false
    }

    private let limit: Duration
    private let loop: any EventLoop
    private let state = Mutex(State())

    init(limit: Duration, on loop: any EventLoop) {
        self.limit = limit
        self.loop = loop
    }

    /// A wait begins. `ring` is called on the event loop's thread if it lasts longer than the limit.
    func begin(_ ring: @escaping @Sendable () -> Void) {
        let mustSet = state.withLock { state in
            state.since = .now
            state.ring = ring
            state.hasRung = false
            defer { state.isSet = true }
            return !state.isSet
        }
        if mustSet { set(for: limit) }
    }

    /// The wait is over. Returns whether it has rung.
    func end() -> Bool {
        state.withLock { state in
            state.since = nil
            state.ring = nil
            return state.hasRung
        }
    }

    private func set(for time: Duration) { loop.scheduleTask(in: TimeAmount(time)) { [weak self] in self?.look() } }

    private func look() {
        let (rest, ring): (Duration?, (@Sendable () -> Void)?) = state.withLock { state in
            state.isSet = false
            guard let since = state.since else { return (nil, nil) }
            let rest = limit - (.now - since)
            if rest <= .zero {
                state.since = nil
                state.hasRung = true
                return (nil, state.ring.take())
            }
            state.isSet = true
            return (rest, nil)
        }
        ring?()
        if let rest { set(for: rest) }
    }
}
