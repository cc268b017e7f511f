/// Decides when a remote clip starts, and when it resumes after it ran dry: once it is likely to keep up.
///
/// The clock stands still meanwhile, so the buffer grows at the
/// rate of the download. The caller passes times and supplies.
struct Buffering {
    /// What there is to play from.
    struct Supply {
        var now: Duration
        /// Of the clip, from where it stands on without a gap.
        var ahead: Duration
        /// All of it has arrived.
        var isAll = false
        /// The decoder requests bytes, or did a moment ago; otherwise its buffers are full.
        var isFilling = true
        /// How fast the clip is to play.
        var pace = 1.0
    }

    /// How much must be buffered before a file or a playlist starts, and before either resumes after it ran dry.
    static let file = Duration.seconds(3)
    static let playlist = Duration.seconds(2)
    static let again = Duration.seconds(2)
    /// What a camera sends is shown as it comes.
    static let camera = Duration.zero
    /// With this much buffered, the clip may start if it arrives faster than it plays by `margin`.
    static let least = Duration.seconds(1)
    static let margin = 1.25
    /// How long the growth is observed before it is used: reports come four times a second.
    static let shortest = Duration.milliseconds(500)

    /// nil: nothing is waited for.
    private var target: Duration?
    private var first: (at: Duration, ahead: Duration)?

    /// The clock is to wait for `target`.
    mutating func begin(_ target: Duration) {
        self.target = target
        first = nil
    }

    mutating func end() { target = nil }

    /// How much of the needed data has arrived, 0 … 1; nil while the clip does not wait, or needs none.
    func share(_ supply: Supply) -> Double? {
        guard let target, target > .zero else { return nil }
        return supply.isAll ? 1 : min(max(supply.ahead / (target * supply.pace), 0), 1)
    }

    /// Whether the clock may run.
    mutating func isEnough(_ supply: Supply) -> Bool {
        guard let target, !supply.isAll, supply.isFilling, supply.ahead < target * supply.pace else { return true }
        guard let first else {
            first = (supply.now, supply.ahead)
            return false
        }
        let time = supply.now - first.at
        guard time >= Buffering.shortest, supply.ahead >= Buffering.least * supply.pace else { return false }
        return supply.ahead - first.ahead >= time * (supply.pace * Buffering.margin)
    }
}
