import Platform

/// Detects changes in folders: by inotify(7), or, where that is unavailable, by
/// polling modification times. Used by one thread.
package final class FolderWatch {
    /// Whether a clip that appeared while its folder was watched is still being written.
    package enum Writing { case underWay, done }

    /// How often folders are looked at without inotify.
    private static let lookEvery = Duration.seconds(5)
    /// A change is reported after this many milliseconds without another one, and at most `longest` after the first.
    private static let quiet: Int32 = 200
    private static let longest = Duration.seconds(2)
    /// The most clips whose writing is tracked; beyond that, all are forgotten.
    private static let maxWritings = 20_000

    private let root: [UInt8]
    private let notesClips: Bool
    private var times: [[UInt8]: Int64] = [:]
    /// From when to when the folders were last walked, in seconds. A change within that time may have come before or
    /// after a folder was listed.
    private var walk: ClosedRange<Int64> = 0...0
    private var looked = ContinuousClock.now
    private var writings: [[UInt8]: Writing] = [:]
    #if os(Linux)
        private var descriptor: Int32
        private var watched: [[UInt8]: Int32] = [:]
        /// The folders by their numbers, if clips are noted.
        private var folders: [Int32: [UInt8]] = [:]
    #endif

    /// - Parameters:
    ///   - root: an absolute path with a slash at its end, or nothing, if folders are named by their absolute paths.
    ///   - notesClips: whether the end of a clip's writing is a change, and `writing(of:)` reports it.
    package init(root: [UInt8], usesInotify: Bool = true, notesClips: Bool = false) {
        self.root = root
        self.notesClips = notesClips
        #if os(Linux)
            descriptor = usesInotify ? inotify_init1(Int32(IN_CLOEXEC) | Int32(IN_NONBLOCK)) : -1
        #endif
    }

    deinit {
        #if os(Linux)
            if descriptor >= 0 { close(descriptor) }
        #endif
    }

    /// Watches these folders, by their paths below the root, from now on. Returns whether one of them may have changed
    /// since `start` without being watched.
    package func watch(_ folders: [[UInt8]], walkedSince start: Int64) -> Bool {
        times = Dictionary(folders.map { ($0, changed($0)) }, uniquingKeysWith: { $1 })
        walk = start...max(start, Int64(time(nil)))
        looked = .now
        #if os(Linux)
            guard descriptor >= 0 else { return false }
            var mayHaveChanged = false
            var now: [[UInt8]: Int32] = [:]
            for folder in folders {
                let number = (root + folder).withCString {
                    inotify_add_watch(
                        descriptor, $0,
                        UInt32(
                            IN_CREATE | IN_DELETE | IN_MOVED_FROM | IN_MOVED_TO | IN_CLOSE_WRITE | IN_DELETE_SELF
                                | IN_MOVE_SELF) | UInt32(IN_ONLYDIR))
                }
                guard number >= 0 else {
                    // Too many are watched (fs.inotify.max_user_watches): all are looked at instead.
                    if errno == ENOSPC {
                        close(descriptor)
                        descriptor = -1
                        (writings, self.folders) = ([:], [:])
                        return false
                    }
                    mayHaveChanged = true
                    continue
                }
                now[folder] = number
                if watched[folder] != number, (times[folder] ?? 0) >= start { mayHaveChanged = true }
            }
            let numbers = Set(now.values)
            for (folder, number) in watched where now[folder] == nil && !numbers.contains(number) {
                // It is gone already if its folder is.
                _ = inotify_rm_watch(descriptor, number)
            }
            watched = now
            if notesClips { self.folders = Dictionary(now.map { ($1, $0) }, uniquingKeysWith: { $1 }) }
            return mayHaveChanged
        #else
            return false
        #endif
    }

    /// Waits up to `limit` for a change, and then until nothing more changes for a moment. Returns whether something
    /// has changed. Blocks.
    ///
    /// - Parameter isEnded: checked now and then; true ends the wait.
    package func waitUntilQuiet(milliseconds limit: Int32, isEnded: () -> Bool) -> Bool {
        guard wait(milliseconds: limit) else { return false }
        let first = ContinuousClock.now
        while !isEnded(), .now - first < Self.longest, wait(milliseconds: Self.quiet) {}
        return true
    }

    /// How long to leave folders alone after a walk: what changes all the time
    /// takes a sixth of its thread's time at most.
    ///
    /// - Parameter again: whether they have to be walked again, as something may have changed meanwhile.
    package static func pause(afterWalkOf time: Duration, again: Bool) -> Duration {
        min(max(time * 5, again ? .seconds(1) : .zero), .seconds(30))
    }

    /// Whether a clip is still being written, by its path below the root; nil
    /// for a clip that was there before, or if unknown.
    package func writing(of clip: [UInt8]) -> Writing? { writings[clip] }

    /// The clip is known from now on.
    package func forgetWriting(of clip: [UInt8]) { writings[clip] = nil }

    /// Waits up to `limit`, and returns whether something has changed. Blocks.
    func wait(milliseconds limit: Int32) -> Bool {
        #if os(Linux)
            if descriptor >= 0 {
                var source = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
                guard poll(&source, 1, limit) > 0 else { return false }
                return readEvents()
            }
        #endif
        _ = poll(nil, 0, limit)
        guard .now - looked >= Self.lookEvery else { return false }
        looked = .now
        return times.contains { walk.contains($0.value) || changed($0.key) != $0.value }
    }

    #if os(Linux)
        /// Whether one of the events that have come concerns the feed.
        private func readEvents() -> Bool {
            var concerns = false
            withUnsafeTemporaryAllocation(byteCount: 1 << 16, alignment: 8) { buffer in
                while true {
                    let count = read(descriptor, buffer.baseAddress, buffer.count)
                    guard count > 0 else { return }
                    var place = 0
                    while place + MemoryLayout<inotify_event>.size <= count {
                        let event = buffer.loadUnaligned(fromByteOffset: place, as: inotify_event.self)
                        let name = buffer[(place + MemoryLayout<inotify_event>.size)...].prefix(Int(event.len))
                            .prefix { $0 != 0 }
                        place += MemoryLayout<inotify_event>.size + Int(event.len)
                        if note(event, Array(name)) { concerns = true }
                    }
                }
            }
            return concerns
        }

        /// A finished file matters to the feed if it describes other files, or if it is a clip and clips are noted.
        private func note(_ event: inotify_event, _ name: [UInt8]) -> Bool {
            if event.mask & UInt32(IN_Q_OVERFLOW) != 0 {
                writings = [:]
                return true
            }
            let isEndOfWriting = event.mask & UInt32(IN_CLOSE_WRITE) != 0
            let isMetadata = name.suffix(5).elementsEqual(".json".utf8) || name.elementsEqual(IgnoreRules.name.utf8)
            guard notesClips, event.mask & UInt32(IN_ISDIR) == 0, ClipName.isClip(name), let folder = folders[event.wd]
            else { return !isEndOfWriting || isMetadata }
            if writings.count >= Self.maxWritings { writings = [:] }
            let clip = folder + name
            if isEndOfWriting || event.mask & UInt32(IN_MOVED_TO) != 0 {
                writings[clip] = .done
            } else if event.mask & UInt32(IN_CREATE) != 0 {
                writings[clip] = .underWay
            } else {
                writings[clip] = nil
            }
            return true
        }
    #endif

    /// When a folder was last changed, in seconds; 0 if that is unknown.
    private func changed(_ folder: [UInt8]) -> Int64 {
        var facts = stat()
        guard (root + folder).withCString({ stat($0, &facts) }) == 0 else { return 0 }
        return Int64(facts.modified.tv_sec)
    }
}
