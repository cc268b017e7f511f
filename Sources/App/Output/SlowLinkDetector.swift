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

/// Whether the terminal takes pictures of pixels about as soon as they are made. A value.
///
/// Blocks can be made coarser, so that a slow link carries them (`OutputPacer`). Pixels cannot: a picture is sent
/// whole, so once pictures take too long there are to be blocks.
struct PixelPace {
    /// Pictures that take longer than this on the mean are fewer than ten a second.
    static let longest = Duration.milliseconds(100)
    /// One that takes longer than this is one too many: keys wait behind it.
    static let patience = Duration.milliseconds(1_200)
    /// An update of fewer bytes has no picture, or a part of one.
    static let picture = 32 << 10
    /// The number of pictures for a mean, not counting the first, which is drawn while everything else starts.
    private static let least = 4

    private(set) var isTooSlow = false
    private var count = 0
    /// In seconds; newer ones count more.
    private var mean = 0.0

    /// The terminal has taken an update within this time, beyond the round trip.
    mutating func note(_ bytes: Int, took time: Duration) {
        guard bytes >= Self.picture else { return }
        if time > Self.patience { isTooSlow = true }
        defer { count += 1 }
        guard count > 0 else { return }
        mean = count == 1 ? time.seconds : mean + (time.seconds - mean) / 4
        if count >= Self.least, mean > Self.longest.seconds { isTooSlow = true }
    }

    /// The terminal has not yet received an update that was sent `time` ago.
    mutating func note(_ bytes: Int, waitsFor time: Duration) {
        if bytes >= Self.picture, time > Self.patience { isTooSlow = true }
    }
}
