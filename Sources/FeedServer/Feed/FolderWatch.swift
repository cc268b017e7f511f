#if canImport(Glibc)
    import Glibc
#elseif canImport(Darwin)
    import Darwin
#endif

/// Tells when something in folders has changed: by inotify(7), or, where that is not to be had, by looking at when they were changed. Used by one thread.
final class FolderWatch {
    /// How often folders are looked at without inotify.
    private static let lookEvery = Duration.seconds(5)

    private let root: [UInt8]
    private var times: [[UInt8]: Int64] = [:]
    /// From when to when the folders were last walked, in seconds. A change within that time may have come before or after a folder was listed.
    private var walk: ClosedRange<Int64> = 0...0
    private var looked = ContinuousClock.now
    #if os(Linux)
        private var descriptor: Int32
        private var watched: [[UInt8]: Int32] = [:]
    #endif

    /// - Parameter root: an absolute path with a slash at its end.
    init(root: [UInt8], usesInotify: Bool = true) {
        self.root = root
        #if os(Linux)
            descriptor = usesInotify ? inotify_init1(Int32(IN_CLOEXEC) | Int32(IN_NONBLOCK)) : -1
        #endif
    }

    deinit {
        #if os(Linux)
            if descriptor >= 0 { close(descriptor) }
        #endif
    }

    /// Watches these folders, by their paths below the root, from now on. Returns whether one of them may have changed since `start` without being watched.
    func watch(_ folders: [[UInt8]], walkedSince start: Int64) -> Bool {
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
                        return false
                    }
                    mayHaveChanged = true
                    continue
                }
                now[folder] = number
                if watched[folder] != number, (times[folder] ?? 0) >= start { mayHaveChanged = true }
            }
            for (folder, number) in watched where now[folder] == nil && !now.values.contains(number) {
                // It is gone already if its folder is.
                _ = inotify_rm_watch(descriptor, number)
            }
            watched = now
            return mayHaveChanged
        #else
            return false
        #endif
    }

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
        /// Whether one of the events that have come concerns the feed: that a file's writer is done does only for a sidecar.
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
                        if event.mask & UInt32(IN_CLOSE_WRITE) == 0 || name.suffix(5).elementsEqual(".json".utf8) {
                            concerns = true
                        }
                    }
                }
            }
            return concerns
        }
    #endif

    /// When a folder was last changed, in seconds; 0 if that cannot be told.
    private func changed(_ folder: [UInt8]) -> Int64 {
        var facts = stat()
        guard (root + folder).withCString({ stat($0, &facts) }) == 0 else { return 0 }
        #if canImport(Darwin)
            return Int64(facts.st_mtimespec.tv_sec)
        #else
            return Int64(facts.st_mtim.tv_sec)
        #endif
    }
}
