internal import CNcurses
import TermGraphics

/// Objects in POSIX shared memory, one a picture: the terminal reads one and removes it (kitty's graphics protocol, `t=s`).
///
/// What it has not read after `patience` is removed here. Belongs to one thread; no call waits.
final class SharedPictures: PictureMemory {
    /// So many pictures may be on their way.
    private static let most = 2
    private static let patience = Duration.seconds(1)

    /// The terminal has answered that it can read such memory; nil until it has answered.
    var isReadable: Bool?
    var isUsable: Bool { isReadable == true }

    private var unread: [(name: String, at: ContinuousClock.Instant)] = []

    deinit { removeAll() }

    func store(_ count: Int, _ fill: (UnsafeMutableRawPointer) -> Void) -> String? {
        let now = ContinuousClock.now
        unread.removeAll { entry in
            if now - entry.at > Self.patience { flick_shared_remove(entry.name) }
            return now - entry.at > Self.patience || flick_shared_exists(entry.name) == 0
        }
        guard unread.count < Self.most else { return nil }
        // A name that nobody can have taken before. Short, as macOS has room for 31 characters.
        let name = "/flick-" + String(UInt64.random(in: 0 ... .max), radix: 36)
        guard let memory = flick_shared_make(name, count) else { return nil }
        fill(memory)
        flick_shared_leave(memory, count)
        unread.append((name, now))
        return name
    }

    /// Removes what the terminal has not read.
    func removeAll() {
        for entry in unread { flick_shared_remove(entry.name) }
        unread = []
    }
}
