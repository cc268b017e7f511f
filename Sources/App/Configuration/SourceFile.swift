import Bytes
import Model
import Platform

/// The file in which the `SourceList` is kept: `sources` beside the user's `config.toml`. Several flicks may change it
/// at once. A value.
struct SourceFile {
    /// Absolute.
    let path: String
    /// What its lines lead to is found as in the configuration.
    private let paths: ConfigPaths

    /// - Parameters:
    ///   - config: a configuration file other than the user's: it has a separate list. nil for the user's.
    ///   - home: the user's folder, for `~`.
    ///
    /// nil if no folder for it is known.
    init?(beside config: String?, home: String? = BaseFolder.environment("HOME")) {
        if let config {
            path = String(decoding: FileURL.absolute(Array(config.utf8)), as: UTF8.self) + ".sources"
        } else {
            guard let folder = BaseFolder.config.path(environment: BaseFolder.environment) else { return nil }
            path = "\(folder)/sources"
        }
        paths = ConfigPaths(folder: ConfigFile.folder(of: path), home: home)
    }

    /// The list; an empty one if there is no file. Blocks.
    func read() throws(AppError) -> SourceList {
        let bytes: [UInt8]
        do throws(BytesError) {
            bytes = try FileProvider().readAll(FileURL.url(path: path.utf8), limit: SourceList.sizeLimit)
        } catch {
            if error.reason == .system(ENOENT) || error.reason == .system(ENOTDIR) { return SourceList("", paths) }
            throw AppError("cannot read the sources in \(ShownName.of(FileURL.url(path: path.utf8))): \(error.why)")
        }
        guard let text = String(validating: bytes, as: UTF8.self) else {
            throw AppError("cannot read the sources in \(path): it is not UTF-8 text")
        }
        return SourceList(text, paths)
    }

    /// Reads the list, changes it, and writes it if that changed anything. Others who do so wait. A reader sees the old
    /// list or the new one. Blocks.
    func change<Result>(_ body: (inout SourceList) throws(AppError) -> Result) throws(AppError) -> Result {
        let folder = ConfigFile.folder(of: path)
        Folders.make(above: path)
        let lock = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard lock >= 0 else { throw .file("open the folder", folder, errno) }
        defer { close(lock) }
        while flock(lock, LOCK_EX) != 0 { guard errno == EINTR else { throw .file("lock the folder", folder, errno) } }
        let before = try read()
        var after = before
        let result = try body(&after)
        if after != before { try ReplacedFile.write(after.text, to: path) }
        return result
    }
}
