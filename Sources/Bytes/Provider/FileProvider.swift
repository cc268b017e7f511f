import Model
import Platform
import Threads

/// The provider for local files only: it refuses http and https URLs. A value; opening and reading block.
public struct FileProvider: ByteProvider {
    public init() {}

    public func open(_ request: ByteRequest, cancellation: Cancellation) throws(BytesError) -> any ByteSource {
        let url = request.url
        guard let scheme = URLParts(url)?.scheme else { throw BytesError(verb: .open, url: url, reason: .malformed) }
        guard scheme == "file" || scheme == "http" || scheme == "https" else {
            throw BytesError(verb: .open, url: url, reason: .unsupported(scheme: scheme))
        }
        guard URLAccessPolicy.allows(url, for: request.asset) else {
            throw BytesError(verb: .open, url: url, reason: .forbidden)
        }
        guard scheme == "file" else { throw BytesError(verb: .open, url: url, reason: .noNetwork) }
        guard let path = FileURL.path(of: url) else {
            throw BytesError(verb: .open, url: url, reason: .malformed)
        }
        return try FileSource(path: path, url: url)
    }
}

extension MediaBytes {
    /// Those of local files only.
    public static let files = MediaBytes(local: FileProvider())
}

/// A regular file, read with `pread`, so that threads do not affect each other's position. Any thread.
final class FileSource: ByteSource {
    let length: Int64?
    let isSeekable = true
    let url: String
    fileprivate let descriptor: Int32

    init(path: [UInt8], url: String) throws(BytesError) {
        // O_NONBLOCK: a FIFO without a writer would hang here, before fstat can identify it. It has no effect on
        // regular files. `FileURL.path(of:)` lets no NUL through.
        let opened = path.withCString { open($0, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY) }
        guard opened >= 0 else { throw BytesError(verb: .open, url: url, reason: .system(errno)) }
        var facts = stat()
        var reason: BytesError.Reason?
        if fstat(opened, &facts) != 0 {
            reason = .system(errno)
        } else if facts.st_mode & S_IFMT == S_IFDIR {
            reason = .isFolder
        } else if facts.st_mode & S_IFMT != S_IFREG {
            reason = .notRegular
        }
        if let reason {
            close(opened)
            throw BytesError(verb: .open, url: url, reason: reason)
        }
        descriptor = opened
        length = Int64(facts.st_size)
        self.url = url
    }

    deinit { close(descriptor) }

    func read(
        at offset: Int64, into buffer: UnsafeMutableRawBufferPointer, cancellation: Cancellation
    ) throws(BytesError) -> Int {
        guard offset >= 0 else { throw BytesError(verb: .read, url: url, reason: .negativeOffset) }
        // No file is so large that the end of the read overflows; pread would report an invalid argument.
        guard buffer.count > 0, offset <= Int64.max - Int64(buffer.count) else { return 0 }
        while true {
            let count = pread(descriptor, buffer.baseAddress, buffer.count, off_t(offset))
            if count >= 0 { return count }
            guard errno == EINTR else { throw BytesError(verb: .read, url: url, reason: .system(errno)) }
        }
    }
}

extension ByteSource {
    /// Copies a piece of a local file to the same offset of another one without reading it: the file system shares the
    /// bytes (reflink), or copies them itself. Blocks on the disk.
    ///
    /// - Parameter count: the most bytes that are copied.
    /// - Returns: how many were copied; 0 at the end, for other sources, and where the system cannot.
    package func copyPiece(to file: Descriptor, at offset: Int64, count: Int) -> Int {
        guard let source = self as? FileSource else { return 0 }
        return Descriptor(source.descriptor).copy(count, from: offset, to: file)
    }
}
