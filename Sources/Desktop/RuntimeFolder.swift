import Model
import Platform

/// `$XDG_RUNTIME_DIR/flick`, where each interactive flick has its control socket. A value; its calls read the disk.
public struct RuntimeFolder: Sendable {
    public let path: String

    /// - Parameter environment: returns a variable.
    public init(environment: (String) -> String? = BaseFolder.environment) throws(DesktopError) {
        guard let base = environment("XDG_RUNTIME_DIR"), base.hasPrefix("/") else {
            throw DesktopError("XDG_RUNTIME_DIR is not set", isCommon: true)
        }
        path = base + "/flick"
    }

    /// Where the flick with this process id listens.
    func socket(of pid: Int32) -> String { "\(path)/\(pid).sock" }

    /// Makes the folder, if it is not there. Throws if others could put sockets into it.
    func make() throws(DesktopError) {
        try check(Paths.folder(of: path))
        if mkdir(path, 0o700) != 0, errno != EEXIST { throw failure("make", path, errno) }
        try check(path)
    }

    /// Throws unless it is a folder that only this user can change: the base directory specification wants that of
    /// XDG_RUNTIME_DIR.
    func check(_ folder: String) throws(DesktopError) {
        var facts = stat()
        guard lstat(folder, &facts) == 0 else { throw failure("open", folder, errno) }
        guard facts.st_mode & S_IFMT == S_IFDIR else {
            throw DesktopError("\(ShownName.of(folder)) is not a folder; remove it")
        }
        guard facts.st_uid == geteuid(), facts.st_mode & 0o022 == 0, folder != path || facts.st_mode & 0o077 == 0
        else {
            throw DesktopError("\(ShownName.of(folder)) is open to other users; run `chmod 700` on it")
        }
    }

    private func failure(_ doing: String, _ path: String, _ code: Int32) -> DesktopError {
        DesktopError("cannot \(doing) \(ShownName.of(path)): \(SystemError.text(code))", isCommon: code == ENOENT)
    }

    /// The sockets in the folder, that of the flick that was started last first.
    func sockets() -> [String] {
        guard let folder = opendir(path) else { return [] }
        defer { closedir(folder) }
        var found: [(path: String, seconds: Int, nanoseconds: Int)] = []
        while let entry = readdir(folder) {
            let name = withUnsafeBytes(of: &entry.pointee.d_name) { bytes in
                String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self)
            }
            guard name.hasSuffix(".sock"), Int32(name.dropLast(5)) != nil, found.count < Self.limit else { continue }
            var facts = stat()
            let socket = "\(path)/\(name)"
            guard lstat(socket, &facts) == 0, facts.st_mode & S_IFMT == S_IFSOCK, facts.st_uid == geteuid() else {
                continue
            }
            found.append((socket, Int(facts.modified.tv_sec), Int(facts.modified.tv_nsec)))
        }
        return found.sorted { ($0.seconds, $0.nanoseconds) > ($1.seconds, $1.nanoseconds) }.map(\.path)
    }

    /// The most sockets that are looked at.
    private static let limit = 1_000

    /// Removes the sockets of flicks that were killed. Blocks for a moment.
    func removeStale() {
        for socket in sockets() {
            do throws(SystemError) {
                try UnixSocket.connect(to: socket, within: .milliseconds(100)).close()
            } catch {
                // Only this says that no one listens: a flick that is stopped does not accept either.
                if error.code == ECONNREFUSED { unlink(socket) }
            }
        }
    }
}
