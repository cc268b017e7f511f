/// Whether a device plays what it was given, told by whether it fetches more. Times are given.
///
/// A sink that sleeps, or has just been moved to, holds for up to two seconds what it has fetched.
struct AudioDeviceLiveness {
    /// A device that fetches nothing for so long stands: three of its buffers.
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

    /// So many frames wait for the device.
    mutating func look(queued: Int, now: Duration) {
        if queued < self.queued {
            fetchedAt = now
            hasFetched = true
        }
        self.queued = queued
    }

    /// flick has added frames, or taken some back, and so many wait now.
    mutating func replaced(queued: Int) { self.queued = queued }

    func stands(now: Duration) -> Bool { now - fetchedAt >= AudioDeviceLiveness.patience }

    /// Whether what waits tells what is heard.
    func plays(now: Duration) -> Bool { hasFetched && !stands(now: now) }
}
