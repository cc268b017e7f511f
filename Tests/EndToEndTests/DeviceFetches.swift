import Threads

/// When SDL's disk device fetched sound, by the growth of its file. Its thread sleeps from one buffer to the next, and
/// is late on a busy machine; hardware is not.
final class DeviceFetches: Sendable {
    /// The file had `frames` frames at `seen`, and fewer at `before`.
    struct Fetch {
        var frames: Int
        var before: Duration
        var seen: Duration
    }

    private struct Watch {
        var fetches: [Fetch] = []
        var isOver = false
    }

    private let watch = Monitor(Watch())
    private let begin = ContinuousClock.now

    /// Watches the file on its own thread until `end`.
    init(path: String) {
        BlockingThread.start { [self] in
            var (frames, before) = (0, Duration.zero)
            while watch.wait(upTo: .milliseconds(2), for: { $0.isOver ? true : nil }) == nil {
                let now = ContinuousClock.now - begin
                let written = WrittenSound.frames(at: path)
                if written > frames {
                    frames = written
                    watch.change { $0.fetches.append(Fetch(frames: written, before: before, seen: now)) }
                }
                before = now
            }
        }
    }

    func end() { watch.change { $0.isOver = true } }

    /// How late the device may have been within the last second; nil if it fetched nothing.
    var lateness: Duration? {
        let now = ContinuousClock.now - begin
        return Self.lateness(of: watch.withLock { $0.fetches }.filter { $0.seen > now - .seconds(1) }, at: now)
    }

    /// The frames of a buffer of flick's.
    static let buffer = 2_048

    /// By how much a fetch may have come later than the frames of an earlier one last. The next one is expected, too.
    static func lateness(of fetches: [Fetch], at now: Duration) -> Duration? {
        guard let last = fetches.last else { return nil }
        let next = Fetch(frames: last.frames + buffer, before: now, seen: now)
        var latest = Duration.zero
        for (index, first) in fetches.enumerated() {
            for fetch in fetches[(index + 1)...] + [next] {
                latest = max(latest, fetch.seen - first.before - .seconds(fetch.frames - first.frames) / 48_000)
            }
        }
        return latest
    }
}
