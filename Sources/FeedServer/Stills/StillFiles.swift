import Model
import Platform
import Synchronization

/// The stills that were made, as files in a folder, which several servers may
/// share. Any thread; all calls block on the disk.
///
/// The folder may be taken away at any time. Beyond the limits those go first that were not used for longest: a use
/// sets the file's time of access, which also holds where the system does not keep that itself.
final class StillFiles: Sendable {
    struct Limits: Sendable {
        var bytes: Int64 = 64 << 20
        var files = 5_000
    }

    private struct State {
        /// The size of the folder when it was last counted, plus later additions; nil until it is counted.
        var held: (bytes: Int64, files: Int)?
        var isCounting = false
        var hasWarned = false
    }

    private let folder: String
    private let limits: Limits
    private let warn: @Sendable (String) -> Void
    private let state = Mutex(State())

    /// - Parameters:
    ///   - folder: made, for the user alone, when there is something to keep.
    ///   - warn: receives one line, once, if stills cannot be stored.
    init(folder: String, limits: Limits = Limits(), warn: @escaping @Sendable (String) -> Void) {
        (self.folder, self.limits, self.warn) = (folder, limits, warn)
    }

    /// A stored still, or nil. Counts as a use.
    func find(_ name: String) -> ServedFile? {
        guard let root = opened() else { return nil }
        defer { close(root) }
        // Each use changes the file's metadata.
        guard let file = ServedFile(below: root, path: name.utf8, isFinal: true) else { return nil }
        file.markAsUsed()
        return file
    }

    /// Keeps a still, and opens it; nil if it cannot be kept.
    func keep(_ bytes: [UInt8], as name: String) -> ServedFile? {
        Folders.make(above: folder + "/" + name)
        guard let root = opened() else { return refused(errno) }
        defer { close(root) }
        // No client can know it, and no other thread has it.
        let temporary = "." + String(UInt64.random(in: .min ... .max), radix: 36) + Self.unfinished
        let code = write(bytes, as: temporary, below: root)
        guard code == 0, renameat(root, temporary, root, name) == 0 else {
            let reason = code == 0 ? errno : code
            unlinkat(root, temporary, 0)
            return refused(reason)
        }
        let file = ServedFile(below: root, path: name.utf8, isFinal: true)
        note(Int64(bytes.count), root)
        return file
    }

    private func opened() -> Int32? {
        let root = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        return root >= 0 ? root : nil
    }

    /// Returns 0 or an errno.
    private func write(_ bytes: [UInt8], as name: String, below root: Int32) -> Int32 {
        let file = openat(root, name, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
        guard file >= 0 else { return errno }
        defer { close(file) }
        do throws(SystemError) { try Descriptor(file).write(bytes) } catch { return error.code }
        // After a power failure the file must be complete or absent: half an
        // image would be sent until the clip changes.
        return fsync(file) == 0 ? 0 : errno
    }

    private func refused(_ code: Int32) -> ServedFile? {
        let isFirst = state.withLock { state in
            defer { state.hasWarned = true }
            return !state.hasWarned
        }
        if isFirst {
            warn(
                "cannot store stills in '\(CleanText.line(folder))': \(SystemError.text(code)); each is made on request"
            )
        }
        return nil
    }

    // MARK: Limits

    private func note(_ bytes: Int64, _ root: Int32) {
        let mustCount = state.withLock { state in
            state.held?.bytes += bytes
            state.held?.files += 1
            guard !state.isCounting else { return false }
            state.isCounting = state.held.map { $0.bytes > limits.bytes || $0.files > limits.files } ?? true
            return state.isCounting
        }
        guard mustCount else { return }
        let held = trim(root)
        state.withLock { state in
            state.held = held
            state.isCounting = false
        }
    }

    private struct Held {
        var name: String
        var bytes: Int64
        var used: (seconds: Int, nanoseconds: Int)
    }

    /// Counts what is there, and removes some of it if that is too much, a tenth more than it has to, so that not each
    /// further one makes it count again.
    private func trim(_ root: Int32) -> (bytes: Int64, files: Int) {
        var files = files(below: root)
        var bytes = files.reduce(0) { $0 + $1.bytes }
        guard bytes > limits.bytes || files.count > limits.files else { return (bytes, files.count) }
        files.sort { $0.used > $1.used }
        while let last = files.last,
            bytes > limits.bytes - limits.bytes / 10 || files.count > limits.files - limits.files / 10
        {
            // One that another server has removed is gone, too.
            unlinkat(root, last.name, 0)
            bytes -= last.bytes
            files.removeLast()
        }
        return (bytes, files.count)
    }

    private static let unfinished = ".new"
    /// The age in seconds at which an unfinished file is abandoned.
    private static let abandoned = 3_600

    /// The stills; what was never finished is removed.
    private func files(below root: Int32) -> [Held] {
        guard let stream = opendir(folder) else { return [] }
        defer { closedir(stream) }
        var files: [Held] = []
        let now = Int(time(nil))
        while let entry = readdir(stream) {
            let name = withUnsafePointer(to: &entry.pointee.d_name) {
                $0.withMemoryRebound(to: CChar.self, capacity: 1) { String(cString: $0) }
            }
            var facts = stat()
            guard fstatat(root, name, &facts, AT_SYMLINK_NOFOLLOW) == 0, facts.st_mode & S_IFMT == S_IFREG else {
                continue
            }
            let used = facts.used
            if name.hasSuffix(Self.unfinished) {
                if now - Int(used.tv_sec) > Self.abandoned { unlinkat(root, name, 0) }
            } else {
                files.append(
                    Held(name: name, bytes: Int64(facts.st_size), used: (Int(used.tv_sec), Int(used.tv_nsec))))
            }
        }
        return files
    }
}
