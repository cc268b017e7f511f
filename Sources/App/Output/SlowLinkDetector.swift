import Model

/// Whether the terminal takes updates slower than they are made: then the page leaves out what it can do without. A
/// value; the caller passes the time.
struct SlowLinkDetector {
    /// Updates this late on the mean are those of a slow link.
    static let slow = Duration.milliseconds(200)
    /// How long updates have to be on time until the link counts as quick again.
    static let proof = Duration.seconds(10)
    /// Updates this late are on time.
    static let onTime = Duration.milliseconds(20)

    private(set) var isSlow = false
    /// The mean of the last updates' waits, in seconds; newer ones count more.
    private var mean = 0.0
    /// When an update was last late.
    private var lateAt = Duration.zero

    /// Since when an update has waited for the one before it; nil while none does.
    private var waitsSince: Duration?

    /// An update is due, and the terminal has not taken the one before it.
    mutating func noteWait(now: Duration) { waitsSince = waitsSince ?? now }

    /// An update is sent.
    mutating func noteUpdate(now: Duration) {
        let late = waitsSince.map { now - $0 } ?? .zero
        waitsSince = nil
        if late > Self.onTime { lateAt = now }
        mean += (min(late.seconds, 1) - mean) / 8
        if mean > Self.slow.seconds {
            isSlow = true
        } else if isSlow, now - lateAt >= Self.proof {
            isSlow = false
        }
    }
}
