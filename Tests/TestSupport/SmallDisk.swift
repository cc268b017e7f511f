import Platform

/// A folder that is a full disk to one program at times: a preloaded library refuses its writes (Tests/CFullDisk).
/// Nothing is mounted, so no rights are needed. Used by one thread at a time.
public final class SmallDisk {
    /// The folder.
    public let path: String
    /// Starts the program with its arguments, and becomes it.
    public let program: String
    private let folder = TemporaryFolder()
    private var marker: String { path + ".full" }

    /// Throws if the library is not beside flick.
    public init(for program: String = FlickBinary.path) throws {
        let library = FlickBinary.sibling("libfull-disk.so")
        guard access(library, R_OK) == 0 else {
            throw Command.Error(description: "\(library) is missing: build the tests")
        }
        path = try folder.folder("disk")
        self.program = try folder.write(
            "program",
            "#!/bin/sh\nexport LD_PRELOAD='\(library)' FLICK_FULL_DISK='\(path)'\nexec '\(program)' \"$@\"\n".utf8)
        chmod(self.program, 0o700)
    }

    /// From now on no file can grow.
    public func fill() throws {
        let file = open(marker, O_WRONLY | O_CREAT | O_CLOEXEC, 0o600)
        guard file >= 0 else { throw Command.Error(description: "cannot make \(marker): error \(errno)") }
        close(file)
    }

    /// Makes room.
    public func empty() throws {
        guard unlink(marker) == 0 else { throw Command.Error(description: "cannot remove \(marker): error \(errno)") }
    }
}
