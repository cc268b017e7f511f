import Model

/// When the page is drawn: at once for what the user did, at the capped rate for what moves by itself.
///
/// Times are monotonic, since the process began.
struct FrameScheduler {
    /// Never more often than a display shows pictures.
    static let frame = Duration.milliseconds(8)

    /// Keys come faster than that only from a paste or a storm, which must not be drawn one by one.
    static let answer = Duration.milliseconds(2)

    private enum Need { case nothing, motion, answer }

    private let motionInterval: Duration
    private var need = Need.motion
    private var drawnAt: Duration?

    /// - Parameter fps: the most pictures a second (`--fps`); nil for as many as there are.
    init(fps: Double?) {
        motionInterval = fps.map { max(FrameScheduler.frame, .seconds(1 / $0)) } ?? FrameScheduler.frame
    }

    /// Something is not on the screen yet.
    var isNeeded: Bool { need != .nothing }

    /// Something has moved by itself: a picture, a figure.
    mutating func noteMotion() { if need == .nothing { need = .motion } }

    /// The user did something and waits to see it: no cap on pictures a second delays that.
    mutating func noteAnswer() { need = .answer }

    /// When to draw, which may have passed; nil if nothing is needed.
    var due: Duration? {
        guard isNeeded else { return nil }
        return drawnAt.map { $0 + (need == .answer ? FrameScheduler.answer : motionInterval) } ?? .zero
    }

    mutating func drawn(now: Duration) {
        need = .nothing
        drawnAt = now
    }

    /// poll(2)'s timeout until the earliest of `deadlines`: -1, for ever, if there is none.
    ///
    /// Rounded up: a millisecond late is invisible, and rounding down would spin until the millisecond is over.
    static func timeout(until deadlines: [Duration?], now: Duration) -> Int32 {
        guard let deadline = deadlines.compactMap(\.self).min() else { return -1 }
        // An hour is as good as for ever, and small enough to be counted in any unit.
        let left = min(max(deadline - now, .zero), .seconds(3_600))
        return Int32(left.milliseconds.rounded(.up))
    }
}
