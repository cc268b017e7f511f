import Platform

/// Files that get their names together, once all of them are whole. They have one name and different endings; until
/// then they are hidden files of the same folder. For one thread; blocks on the disk.
///
/// Nothing that exists is written over: if the name is taken with any of the endings, they get a number.
final class UnfinishedFiles {
    /// The most files of one name.
    private static let maxSame = 1_000

    private struct File {
        let ending: String
        let path: String
        let descriptor: Descriptor
    }

    private let folder: String
    private var files: [File] = []

    /// - Parameter folder: the path of an existing folder.
    init(folder: String) { self.folder = folder }

    deinit { remove() }

    /// Whether there is a file with this ending, such as ".mp4".
    func has(_ ending: String) -> Bool { files.contains { $0.ending == ending } }

    /// A new, empty file, with the permissions that the user gives new files.
    func add(_ ending: String) throws(AppError) -> Descriptor {
        let number = String(UInt64.random(in: .min ... .max), radix: 36)
        let path = "\(folder)/.flick-\(number)\(ending).part"
        let opened = open(path, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0o666)
        guard opened >= 0 else { throw .file("write", path, errno) }
        files.append(File(ending: ending, path: path, descriptor: Descriptor(opened)))
        return Descriptor(opened)
    }

    /// A new file with these bytes; none after an error.
    func add(_ ending: String, _ bytes: [UInt8]) throws(AppError) {
        let file = try add(ending)
        do throws(SystemError) { try file.write(bytes) } catch {
            let part = files.removeLast()
            part.descriptor.close()
            unlink(part.path)
            throw .file("write", folder, error.code)
        }
    }

    /// Gives all of them their names, the first file last: who sees it finds the others. Returns the first one's path.
    func publish(as name: String) throws(AppError) -> String {
        // After a loss of power they are whole, or have no name.
        for file in files where fsync(file.descriptor.number) != 0 { throw .file("write", folder, errno) }
        for number in 1...Self.maxSame {
            let stem = "\(folder)/\(name)\(number == 1 ? "" : " (\(number))")"
            if let path = try publish(at: stem) { return path }
        }
        throw .file("write", "\(folder)/\(name)", EEXIST)
    }

    /// nil: something is there already.
    private func publish(at stem: String) throws(AppError) -> String? {
        var status = stat()
        guard files.allSatisfy({ lstat(stem + $0.ending, &status) != 0 }) else { return nil }
        var named: [(path: String, before: String)] = []
        for file in files.reversed() {
            let path = stem + file.ending
            let code = Self.move(file.path, to: path)
            guard code == 0 else {
                for (path, before) in named {
                    // Where both names are the same file, that does nothing; else the new name may be its only one.
                    rename(path, before)
                    unlink(path)
                }
                if code == EEXIST { return nil }
                throw .file("write", path, code)
            }
            named.append((path, file.path))
        }
        remove()
        return named.last?.path
    }

    /// Gives a file a name that is free. It keeps the old one too, where the file system can do that.
    ///
    /// - Returns: 0, or the errno: `EEXIST` if the name is not free.
    private static func move(_ old: String, to new: String) -> Int32 {
        if link(old, new) == 0 { return 0 }
        // File systems such as FAT have no links: an empty file of our own holds the name meanwhile.
        guard [EPERM, EOPNOTSUPP, ENOSYS, EMLINK].contains(errno) else { return errno }
        let holder = open(new, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0o666)
        guard holder >= 0 else { return errno }
        close(holder)
        guard rename(old, new) != 0 else { return 0 }
        let code = errno
        unlink(new)
        return code
    }

    /// Removes what has no name yet.
    func remove() {
        for file in files {
            file.descriptor.close()
            unlink(file.path)
        }
        files = []
    }

    /// How many bytes can be written in a folder; nil if that is not known.
    static func freeBytes(in folder: String) -> Int64? {
        var status = statvfs()
        guard statvfs(folder, &status) == 0 else { return nil }
        let (bytes, isMore) = Int64(clamping: status.f_bavail)
            .multipliedReportingOverflow(by: Int64(clamping: status.f_frsize))
        return isMore ? .max : bytes
    }
}
