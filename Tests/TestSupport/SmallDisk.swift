#if canImport(Glibc)
    import Glibc
#elseif canImport(Darwin)
    import Darwin
#endif

/// A file system of one megabyte in memory, which only one program and what it starts see, and which can be full. Used by one thread at a time.
public final class SmallDisk {
    /// Where the program finds it.
    public let path: String
    /// Starts the program in its own mount namespace, with its arguments, and becomes it.
    public let program: String
    private let folder = TemporaryFolder()

    /// With no more rights than the user has.
    private static let unshare = getuid() == 0 ? ["unshare", "-m"] : ["unshare", "-r", "-m"]

    /// Throws where nobody may mount anything.
    public init(for program: String = FlickBinary.path) throws {
        path = try folder.folder("disk")
        let trial = try Command.run(Self.unshare + ["mount", "-t", "tmpfs", "tmpfs", path])
        guard trial.status == 0 else {
            throw Command.Failure(
                description:
                    "there is no full disk, as nothing can be mounted (\(trial.errors)): run this as root, or allow user namespaces"
            )
        }
        let script = "mount -t tmpfs -o size=1m tmpfs \"$0\" && exec \"$@\""
        self.program = try folder.write(
            "program",
            "#!/bin/sh\nexec \(Self.unshare.joined(separator: " ")) sh -c '\(script)' '\(path)' '\(program)' \"$@\"\n"
                .utf8
        )
        chmod(self.program, 0o700)
    }

    /// Takes all room that is left. `pid` sees the disk.
    public func fill(for pid: pid_t) throws {
        let file = open(filler(pid), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0o600)
        guard file >= 0 else { throw Command.Failure(description: "cannot write on the small disk") }
        defer { close(file) }
        // The last bytes of a page go in one by one.
        for size in [1 << 16, 1 << 12, 1] {
            let bytes = [UInt8](repeating: 0, count: size)
            while write(file, bytes, size) > 0 {}
            guard errno == ENOSPC else { throw Command.Failure(description: "the small disk does not fill up") }
        }
    }

    /// Makes room.
    public func empty(for pid: pid_t) throws {
        guard unlink(filler(pid)) == 0 else { throw Command.Failure(description: "cannot make room on the small disk") }
    }

    private func filler(_ pid: pid_t) -> String { "/proc/\(pid)/root\(path)/filler" }

    /// Runs a command that sees the disk too.
    public func run(_ arguments: [String], for pid: pid_t, setting set: [String: String] = [:]) throws -> Command.Result
    {
        let enter = ["nsenter", "-t", "\(pid)", "-m"] + (getuid() == 0 ? [] : ["-U", "--preserve-credentials"])
        return try Command.run(enter + arguments, setting: set)
    }
}
