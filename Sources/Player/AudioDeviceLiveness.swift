/// Detects from its fetches whether an audio device plays what it was given. The caller passes the time.
///
/// A sink that sleeps, or has just become the output, may hold what it has fetched for up to two seconds.
struct AudioDeviceLiveness {
    /// A device that fetches nothing for this long is stalled: three of its buffers.
    private static let patience = Duration.milliseconds(130)

    private var queued = 0
    private var fetchedAt: Duration = .zero
    private var hasFetched = false

    /// What lies in the device now is the first of something.
    mutating func begin(now: Duration) {
        queued = 0
        hasFetched = false
        fetchedAt = now
    }

    /// - Parameter queued: the number of frames that wait for the device.
    mutating func look(queued: Int, now: Duration) {
        if queued < self.queued {
            fetchedAt = now
            hasFetched = true
        }
        self.queued = queued
    }

    /// flick has added or taken back frames; `queued` frames wait now.
    mutating func replaced(queued: Int) { self.queued = queued }

    func stands(now: Duration) -> Bool { now - fetchedAt >= AudioDeviceLiveness.patience }

    /// Whether the queue's length shows what is being heard.
    func plays(now: Duration) -> Bool { hasFetched && !stands(now: now) }
}
