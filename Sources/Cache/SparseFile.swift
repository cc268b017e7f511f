#if canImport(Glibc)
    import Glibc
#elseif canImport(Darwin)
    import Darwin
#endif

/// A file with holes, read and written at any offset by any thread, and locked against being evicted by another process.
final class SparseFile: Sendable {
    private let descriptor: Int32
    private let write: Write

    /// Writes all bytes at an offset of a file; 0, or errno. Tests put faults here.
    typealias Write = @Sendable (_ descriptor: Int32, _ bytes: UnsafeRawBufferPointer, _ offset: Int64) -> Int32

    /// Opens a file of a folder, never through a link. `isNew`: it must not be there yet. Nil with `errno` set if that failed.
    init?(folder: Int32, name: String, isNew: Bool, write: @escaping Write = SparseFile.writeAll) {
        let flags = O_RDWR | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK | (isNew ? O_CREAT | O_EXCL : 0)
        descriptor = openat(folder, name, flags, 0o600)
        self.write = write
        guard descriptor >= 0 else { return nil }
        var facts = stat()
        if fstat(descriptor, &facts) != 0 || facts.st_mode & S_IFMT != S_IFREG {
            errno = EINVAL  // closed by deinit
            return nil
        }
    }

    deinit { if descriptor >= 0 { close(descriptor) } }

    /// Whether it still has a name: it was not evicted.
    var isNamed: Bool {
        var facts = stat()
        return fstat(descriptor, &facts) == 0 && facts.st_nlink > 0
    }

    /// 0, or errno.
    func save(_ bytes: UnsafeRawBufferPointer, at offset: Int64) -> Int32 { write(descriptor, bytes, offset) }

    /// Fills `buffer`; false if the file ends before, or cannot be read.
    func read(at offset: Int64, into buffer: UnsafeMutableRawBufferPointer) -> Bool {
        var done = 0
        while done < buffer.count {
            // The buffer is not empty, so it has a base address.
            let count = pread(descriptor, buffer.baseAddress! + done, buffer.count - done, off_t(offset) + off_t(done))
            if count > 0 {
                done += count
            } else if count == 0 || errno != EINTR {
                return false
            }
        }
        return true
    }

    enum Lock {
        /// Of all who read and save.
        case shared
        /// For moments, of whoever evicts.
        case exclusive
    }

    /// False if another process (or another `SparseFile` of this one) has a lock that excludes it. The lock that was held before may then be lost.
    func lock(_ lock: Lock) -> Bool {
        while flock(descriptor, (lock == .shared ? LOCK_SH : LOCK_EX) | LOCK_NB) != 0 {
            guard errno == EINTR else { return false }
        }
        return true
    }

    /// Returns the bytes' room to the disk, where the system can do that; they read as zeros then.
    func punch(_ range: ClosedRange<Int64>) {
        #if os(Linux)
            // A failure costs room on the disk and nothing else: nobody reads what is not in the index.
            // FALLOC_FL_KEEP_SIZE, …_PUNCH_HOLE of linux/falloc.h: Glibc does not import them.
            _ = fallocate?(descriptor, 1 | 2, off_t(range.lowerBound), off_t(range.count))
        #endif
    }

    static let writeAll: Write = { descriptor, bytes, offset in
        var done = 0
        while done < bytes.count {
            // The buffer is not empty, so it has a base address.
            let count = pwrite(descriptor, bytes.baseAddress! + done, bytes.count - done, off_t(offset) + off_t(done))
            if count >= 0 {
                done += count
            } else if errno != EINTR {
                return errno
            }
        }
        return 0
    }
}

#if os(Linux)
    private typealias Allocate = @convention(c) (Int32, Int32, off_t, off_t) -> Int32

    /// fallocate(2). Glibc declares it for _GNU_SOURCE only, so it is looked up.
    private let fallocate = dlsym(nil, "fallocate").map { unsafeBitCast($0, to: Allocate.self) }
#endif
