#if canImport(Glibc)
    import Glibc
#elseif canImport(Darwin)
    import Darwin
#endif

/// Small files of text that are written whole: a reader sees the old text or the new one.
enum ReplacedFile {
    /// Readable by the user only. Blocks.
    static func write(_ text: String, to path: String) throws(AppError) {
        // What people link to from elsewhere stays a link.
        let target = realpath(path, nil).map { real in
            defer { free(real) }
            return String(cString: real)
        }
        let final = target ?? path
        let new = "\(final).new"
        let file = open(new, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOFOLLOW, 0o600)
        guard file >= 0 else { throw .file("write", new, errno) }
        var rest = Array(text.utf8)[...]
        var code: Int32 = 0
        while code == 0, !rest.isEmpty {
            let count = rest.withUnsafeBytes { write(file, $0) }
            if count > 0 { rest = rest.dropFirst(count) } else if errno != EINTR { code = errno }
        }
        if code == 0, fsync(file) != 0 { code = errno }
        close(file)
        if code == 0, rename(new, final) != 0 { code = errno }
        guard code == 0 else {
            unlink(new)
            throw .file("write", path, code)
        }
    }

    private static func write(_ file: Int32, _ bytes: UnsafeRawBufferPointer) -> Int {
        #if canImport(Glibc)
            Glibc.write(file, bytes.baseAddress, bytes.count)
        #else
            Darwin.write(file, bytes.baseAddress, bytes.count)
        #endif
    }
}
