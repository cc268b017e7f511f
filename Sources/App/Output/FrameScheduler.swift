import Model

/// Decides when to draw the page: at once for the user's input; at a limited rate for what moves by itself; and for
/// text that changes meanwhile (position, clock, marquee) together with the clip's next picture, so that it costs no
/// separate update.
///
/// Times are monotonic and count from the start of the process. A value.
struct FrameScheduler {
    /// The shortest interval between drawings: no display shows pictures faster.
    static let frame = Duration.milliseconds(8)

    /// The shortest interval for input. Keys arrive faster only from a paste or
    /// a key storm, which must not be drawn one by one.
    static let answer = Duration.milliseconds(2)

    /// How long text waits for the next picture, so that it changes at 10 Hz at least.
    static let patience = Duration.milliseconds(100)

    private enum Need: Equatable {
        case nothing
        case text(until: Duration)
        case motion, answer
    }

    /// From one drawing to the next of what moves by itself.
    let motionInterval: Duration
    private var need = Need.motion
    private var drawnAt: Duration?

    /// - Parameter fps: the most pictures a second (`--fps`); nil for no limit.
    init(fps: Double?) {
        motionInterval = fps.map { max(FrameScheduler.frame, .seconds(1 / $0)) } ?? FrameScheduler.frame
    }

    /// Whether the user waits for what is to be drawn.
    var isAnswer: Bool { need == .answer }

    /// Something is not on the screen yet.
    var isNeeded: Bool { need != .nothing }

    /// Something has moved by itself: a picture or a page.
    mutating func noteMotion() { if need != .answer { need = .motion } }

    /// Text has changed. It is drawn with the next picture.
    ///
    /// - Parameter nextPicture: when the current clip shows its next picture; nil if none is expected. If it does not
    ///   come, the text is drawn without it.
    mutating func noteText(now: Duration, nextPicture: Duration?) {
        guard need == .nothing else { return }
        let waits = FrameScheduler.isSoon(nextPicture, after: now)
        need = .text(until: waits ? now + FrameScheduler.patience : now)
    }

    private static func isSoon(_ picture: Duration?, after time: Duration) -> Bool {
        picture.map { $0 <= time + patience } ?? false
    }

    /// When to wake up for text that changes at `time`: with the following picture, if that comes soon.
    static func textWake(at time: Duration?, nextPicture: Duration?) -> Duration? {
        guard let time else { return nil }
        return isSoon(nextPicture, after: time) ? max(time, nextPicture ?? time) : time
    }

    /// The user did something and waits for the effect: no limit of the rate delays it.
    mutating func noteAnswer() { need = .answer }

    /// When to draw, possibly in the past; nil if nothing has changed.
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

    /// The timeout for poll(2) until the earliest of `deadlines`; -1 (no timeout) without a deadline.
    ///
    /// Rounds up: a millisecond too late is invisible, but rounding down would spin until the millisecond is over.
    static func timeout(until deadlines: [Duration?], now: Duration) -> Int32 {
        guard let deadline = deadlines.compactMap(\.self).min() else { return -1 }
        // An hour is as good as no timeout, and fits any unit.
        let left = min(max(deadline - now, .zero), .seconds(3_600))
        return Int32(left.milliseconds.rounded(.up))
    }
}
