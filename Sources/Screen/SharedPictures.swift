internal import CNcurses
import Platform
import TermGraphics

/// Objects in POSIX shared memory, one per picture: the terminal
/// reads one and removes it (kitty's graphics protocol, `t=s`).
///
/// An object that it has not read after `patience` is removed here. Belongs to one thread; no call waits.
final class SharedPictures: PictureMemory {
    /// How many pictures may be in flight.
    private static let most = 2
    static let patience = Duration.seconds(1)
    /// What names begin with, after the slash.
    static let prefix = "flick-"
    /// An object of this age in seconds is abandoned: its process was killed, or stopped.
    private static let leftoverAge: Int32 = 10

    /// The terminal has answered that it can read such memory; nil until it has answered.
    var isReadable: Bool?
    var isUsable: Bool { isReadable == true }

    /// An object was removed here before the terminal had read it.
    private(set) var wasLate = false
    /// In the order in which they were made.
    private var unread: [(name: String, at: ContinuousClock.Instant)] = []

    deinit { removeAll() }

    /// When `removeLate` has something to do; nil while nothing is unread.
    var nextRemoval: ContinuousClock.Instant? { unread.first.map { $0.at + Self.patience } }

    func store(_ count: Int, _ fill: (UnsafeMutableRawPointer) -> Void) -> String? {
        let now = ContinuousClock.now
        removeLate(now: now)
        unread.removeAll { flick_shared_exists($0.name) == 0 }
        guard unread.count < Self.most else { return nil }
        // Says whose it is, and cannot be guessed. Short, as macOS has room for 31 characters.
        let parts = [String(getpid(), radix: 36), String(UInt32.random(in: 0 ... .max), radix: 36)]
        let name = "/" + Self.prefix + parts.joined(separator: "-")
        guard let memory = flick_shared_make(name, count) else { return nil }
        fill(memory)
        flick_shared_leave(memory, count)
        unread.append((name, now))
        return name
    }

    /// An object of three bytes, for the terminal to show whether it can read one.
    func storeProbe() -> String? { store(3) { $0.storeBytes(of: 0, as: UInt16.self) } }

    /// Removes what the terminal has not read in time.
    func removeLate(now: ContinuousClock.Instant) {
        while let first = unread.first, now - first.at >= Self.patience {
            if flick_shared_exists(first.name) != 0 { wasLate = true }
            flick_shared_remove(first.name)
            unread.removeFirst()
        }
    }

    /// Removes what the terminal has not read.
    func removeAll() {
        for entry in unread { flick_shared_remove(entry.name) }
        unread = []
    }

    /// Removes objects that earlier processes left behind: a process that is killed with `kill -9` cannot remove them.
    /// Only on Linux, which lists such objects.
    static func removeLeftovers() { flick_shared_remove_old(prefix, leftoverAge) }
}
