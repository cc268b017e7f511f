import Bytes
import Model
import Platform

/// A configuration file that was read, or the lack of one. A value.
struct ConfigFile {
    static let sizeLimit = 1 << 20

    /// Absolute.
    let path: String
    /// False if there is no file and the defaults apply.
    let exists: Bool
    /// Its paths are absolute. Contains the key of an encrypted cache, wherever that came from.
    let configuration: Configuration
    /// Ordered by line.
    let remarks: [ConfigDiagnostic]

    /// Reads a configuration file, and the encryption key if it names one. Blocks.
    ///
    /// - Parameters:
    ///   - path: absolute.
    ///   - mustExist: whether a missing file is an error.
    ///   - home: the user's folder, for `~`.
    ///   - keyring: returns the key of an encrypted cache if the configuration has none.
    init(
        path: String, mustExist: Bool, home: String?,
        keyring: () throws(Keyring.Error) -> [UInt8] = Keyring.cacheKey
    ) {
        self.path = path
        let bytes: [UInt8]
        do throws(BytesError) {
            bytes = try FileProvider().readAll(FileURL.url(path: path.utf8), limit: ConfigFile.sizeLimit)
        } catch {
            exists = error.reason != .system(ENOENT) && error.reason != .system(ENOTDIR)
            configuration = Configuration()
            remarks =
                exists || mustExist
                ? [ConfigDiagnostic(weight: .error, line: nil, problem: "cannot be read: \(error.why)")] : []
            return
        }
        exists = true
        var reader = ConfigReader(bytes)
        reader.resolve(ConfigPaths(folder: ConfigFile.folder(of: path), home: home))
        if !reader.hasErrors {
            let isPrivate = KeyFile.isPrivate(path)
            reader.checkPassword(isConfigPrivate: isPrivate)
            reader.findKey(keyring, isConfigPrivate: isPrivate)
        }
        (configuration, remarks) = (reader.configuration, reader.remarks)
    }

    /// The folder that a file lies in.
    static func folder(of path: String) -> String {
        path.utf8.lastIndex(of: UInt8(ascii: "/")).map { String(path[..<$0]) } ?? ""
    }
}

/// Resolves the paths in a configuration, and in the list of sources beside it. A value.
struct ConfigPaths: Equatable {
    /// The configuration's folder, which relative paths are relative to.
    var folder: String
    /// The user's folder, for `~`; nil if unknown.
    var home: String?

    func absolute(_ path: String) -> String {
        if path == "~" || path.hasPrefix("~/"), let home { return home + path.dropFirst() }
        return path.hasPrefix("/") ? path : "\(folder)/\(path)"
    }

    /// A program can be a name, which is looked for in PATH.
    func program(_ text: String) -> String { text.utf8.contains(UInt8(ascii: "/")) ? absolute(text) : text }

    /// A source can be a URL, which stays as it is. A path is written in one way only, whatever way it was written in:
    /// `~/Videos/` as `/home/me/Videos`.
    func source(_ text: String) -> String {
        guard URLParts(text)?.scheme == nil else { return text }
        // Only whole steps are taken out of it, so that it is still text.
        return String(decoding: FileURL.absolute(absolute(text).utf8), as: UTF8.self)
    }
}
