import Model

/// When the page is drawn: at once for what the user did, at the capped rate for what moves by itself, and with a clip's next picture for text that changes
/// meanwhile (position, clock, marquee), so that it costs no update of its own.
///
/// Times are monotonic, since the process began.
struct FrameScheduler {
    /// Never more often than a display shows pictures.
    static let frame = Duration.milliseconds(8)

    /// Keys come faster than that only from a paste or a storm, which must not be drawn one by one.
    static let answer = Duration.milliseconds(2)

    /// For so long text waits for a picture that is to come: U7's 10 Hz.
    static let patience = Duration.milliseconds(100)

    private enum Need: Equatable {
        case nothing
        case text(until: Duration)
        case motion, answer
    }

    private let motionInterval: Duration
    private var need = Need.motion
    private var drawnAt: Duration?

    /// - Parameter fps: the most pictures a second (`--fps`); nil for as many as there are.
    init(fps: Double?) {
        motionInterval = fps.map { max(FrameScheduler.frame, .seconds(1 / $0)) } ?? FrameScheduler.frame
    }

    /// Something is not on the screen yet.
    var isNeeded: Bool { need != .nothing }

    /// Something has moved by itself: a picture, a page.
    mutating func noteMotion() { if need != .answer { need = .motion } }

    /// Text has changed, which is drawn with the next picture.
    ///
    /// - Parameter nextPicture: when the clip in view shows its next picture; nil if none is to come. Should it not come, the text is drawn without it.
    mutating func noteText(now: Duration, nextPicture: Duration?) {
        guard need == .nothing else { return }
        let waits = FrameScheduler.isSoon(nextPicture, after: now)
        need = .text(until: waits ? now + FrameScheduler.patience : now)
    }

    private static func isSoon(_ picture: Duration?, after time: Duration) -> Bool {
        picture.map { $0 <= time + patience } ?? false
    }

    /// When the loop wakes up for text that changes at `time`: with the picture after that, if there is one soon.
    static func textWake(at time: Duration?, nextPicture: Duration?) -> Duration? {
        guard let time else { return nil }
        return isSoon(nextPicture, after: time) ? max(time, nextPicture ?? time) : time
    }

    /// The user did something and waits to see it: no cap on pictures a second delays that.
    mutating func noteAnswer() { need = .answer }

    /// When to draw, which may have passed; nil if nothing is needed.
    var due: Duration? {
        let interval: Duration
        switch need {
        case .nothing: return nil
        case .text(let time): return max(time, drawnAt.map { $0 + motionInterval } ?? .zero)
        case .motion: interval = motionInterval
        case .answer: interval = FrameScheduler.answer
        }
        return drawnAt.map { $0 + interval } ?? .zero
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
