import Platform

/// A file with holes. Any thread reads and writes it at any offset; a lock
/// protects it from eviction by another process.
final class SparseFile: Sendable {
    private let descriptor: Int32
    private let write: Write

    /// Writes all bytes at an offset of a file; returns 0 or errno. Tests inject faults here.
    typealias Write = @Sendable (_ descriptor: Int32, _ bytes: UnsafeRawBufferPointer, _ offset: Int64) -> Int32

    /// Opens a file of a folder, never through a link. If `isNew`, the file must not exist yet. Returns nil with
    /// `errno` set on failure.
    init?(folder: Int32, name: String, isNew: Bool, write: @escaping Write = SparseFile.writeAll) {
        let flags = O_RDWR | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK | (isNew ? O_CREAT | O_EXCL : 0)
        descriptor = openat(folder, name, flags, 0o600)
        self.write = write
        guard descriptor >= 0 else { return nil }
        var facts = stat()
        if fstat(descriptor, &facts) != 0 || facts.st_mode & S_IFMT != S_IFREG {
            errno = EINVAL  // deinit closes the descriptor.
            return nil
        }
    }

    deinit { if descriptor >= 0 { close(descriptor) } }

    /// Whether the file still has a name, that is, was not evicted.
    var isNamed: Bool {
        var facts = stat()
        return fstat(descriptor, &facts) == 0 && facts.st_nlink > 0
    }

    /// Returns 0 or errno.
    func save(_ bytes: UnsafeRawBufferPointer, at offset: Int64) -> Int32 { write(descriptor, bytes, offset) }

    /// Fills `buffer`; false if the file is too short or cannot be read.
    func read(at offset: Int64, into buffer: UnsafeMutableRawBufferPointer) -> Bool {
        // `try?`: why it cannot be read makes no difference; the bytes are fetched.
        (try? Descriptor(descriptor).read(into: buffer, at: offset)) == buffer.count
    }

    enum Lock {
        /// For all who read and save.
        case shared
        /// Held for moments while evicting.
        case exclusive
    }

    /// False if another process (or another `SparseFile` of this one) has a conflicting lock. The file's previous lock
    /// may be lost then.
    func lock(_ lock: Lock) -> Bool {
        while flock(descriptor, (lock == .shared ? LOCK_SH : LOCK_EX) | LOCK_NB) != 0 {
            guard errno == EINTR else { return false }
        }
        return true
    }

    /// Gives the bytes' room back to the disk if the system can; they then read as zeros. Only
    /// what is in the index is ever read.
    func punch(_ range: ClosedRange<Int64>) { Descriptor(descriptor).punch(range) }

    static let writeAll: Write = { descriptor, bytes, offset in
        do throws(SystemError) { try Descriptor(descriptor).write(bytes, at: offset) } catch { return error.code }
        return 0
    }
}
