import Bytes
import Model
import Platform
import Threads

/// A folder of a feed as it was when it was read. A value.
public struct FollowedFolder: Sendable {
    /// Absolute.
    let path: [UInt8]
    let clips: PathList
    /// The folder and those below it, by their absolute paths.
    let folders: [[UInt8]]
    /// When reading it began, in seconds since 1970.
    let since: Int64

    init(_ path: [UInt8], _ walk: FolderWalk, since: Int64) {
        (self.path, self.since, clips) = (path, since, walk.clips)
        folders = Self.folders(of: walk)
    }

    static func folders(of walk: FolderWalk) -> [[UInt8]] { walk.folders.map { walk.clips.root + $0 } }

    /// Whether an absolute path is below it.
    package func contains(_ path: [UInt8]) -> Bool { path.starts(with: clips.root) }
}

/// Follows the folders of a feed while it is browsed: waits for changes on its own thread, and lists the folders again.
/// Items keep their places, deleted ones are removed, and new clips are appended once they are complete. Any thread.
public final class FolderFollower: Sendable {
    /// The feed's items after files came or went.
    public struct Change: Sendable {
        public let items: any ItemList
        /// How many clips are new.
        public let new: Int
        /// How many are gone.
        public let lost: Int
    }

    /// The interval of checks of a clip whose end of writing is not reported.
    private static let lookEvery = Duration.seconds(2)
    /// The first clip needs the processor first. Changes made meanwhile are found after this delay.
    private static let delay = Duration.seconds(1)
    /// The thread ends at most this many milliseconds after `end`.
    private static let patience: Int32 = 1_000

    private let folders: [FollowedFolder]
    private let items: any ItemList
    private let usesInotify: Bool
    private let isOver = Monitor(false)

    /// - Parameter items: of the feed.
    public init(_ folders: [FollowedFolder], items: any ItemList, usesInotify: Bool = true) {
        (self.folders, self.items, self.usesInotify) = (folders, items, usesInotify)
    }

    /// Starts the thread.
    ///
    /// - Parameter changed: called on that thread.
    public func begin(changed: @escaping @Sendable (Change) -> Void) {
        BlockingThread.start { self.work(changed) }
    }

    /// Stops reporting. A change that was found just before may still be reported.
    public func end() { isOver.change { $0 = true } }

    private var isEnded: Bool { isOver.withLock(\.self) }

    private func work(_ changed: (Change) -> Void) {
        let watch = FolderWatch(root: [], usesInotify: usesInotify, notesClips: true)
        let since = folders.map(\.since).min() ?? 0
        var mustWalk = watch.watch(folders.flatMap(\.folders), walkedSince: since)
        _ = isOver.wait(upTo: Self.delay) { $0 ? () : nil }
        var arrivals = FolderArrivals(folders.map(\.clips))
        // Paths from the root on name all folders.
        let isOne = folders.count == 1 && folders[0].clips.rootName == nil
        var list = AmendedList(items, root: isOne ? folders[0].clips.root : [])
        var lookAt = ContinuousClock.now
        func show(_ change: FolderArrivals.Change) {
            for clip in change.new { watch.forgetWriting(of: clip.path) }
            guard !change.isEmpty, !isEnded else { return }
            list.remove(change.lost)
            list.append(change.new)
            changed(Change(items: list, new: change.new.count, lost: change.lost.count))
        }
        while !isEnded {
            if mustWalk || watch.waitUntilQuiet(milliseconds: Self.patience, isEnded: { isEnded }) {
                let (start, startTime) = (ContinuousClock.now, Int64(time(nil)))
                if let walks = walk() {
                    mustWalk = watch.watch(walks.flatMap(FollowedFolder.folders), walkedSince: startTime)
                    if !arrivals.wantsLook { lookAt = .now + Self.lookEvery }
                    show(arrivals.walked(walks.map(\.clips), writing: watch.writing, facts: Self.facts))
                } else {
                    // A folder cannot be read now: what was known stays.
                    mustWalk = true
                }
                let pause = FolderWatch.pause(afterWalkOf: .now - start, again: mustWalk)
                _ = isOver.wait(upTo: pause) { $0 ? () : nil }
            }
            if arrivals.wantsLook, .now >= lookAt {
                lookAt = .now + Self.lookEvery
                show(arrivals.look(Self.facts))
            }
        }
    }

    /// Walks all folders; nil if one cannot be read.
    private func walk() -> [FolderWalk]? {
        var walks: [FolderWalk] = []
        for folder in folders {
            do throws(BytesError) { walks.append(try FolderWalk(path: folder.path)) } catch { return nil }
        }
        return walks
    }

    private static func facts(_ path: [UInt8]) -> FolderArrivals.Facts? {
        var (own, facts) = (stat(), stat())
        guard path.withCString({ lstat($0, &own) }) == 0, path.withCString({ stat($0, &facts) }) == 0 else {
            return nil
        }
        return FolderArrivals.Facts(
            size: Int64(facts.st_size), isLink: own.st_mode & S_IFMT == S_IFLNK || own.st_nlink > 1)
    }
}
