import Platform

/// Small files of text that are written whole: a reader sees the old text or the new one.
enum ReplacedFile {
    /// Readable by the user only. Blocks.
    static func write(_ text: String, to path: String) throws(AppError) {
        // What people link to from elsewhere stays a link.
        let final = Paths.resolved(Array(path.utf8)).map { String(decoding: $0, as: UTF8.self) } ?? path
        let new = "\(final).new"
        let file: Descriptor
        do throws(SystemError) { file = try Descriptor.open(new, O_WRONLY | O_CREAT | O_TRUNC | O_NOFOLLOW) } catch {
            throw .file("write", new, error.code)
        }
        defer { file.close() }
        do throws(SystemError) {
            try file.write(Array(text.utf8))
            guard fsync(file.number) == 0 else { throw SystemError("fsync") }
            guard rename(new, final) == 0 else { throw SystemError("rename") }
        } catch {
            unlink(new)
            throw .file("write", path, error.code)
        }
    }
}
