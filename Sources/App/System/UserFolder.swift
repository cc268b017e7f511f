import Bytes
import Model
import Platform

/// The user's own folders, which may have names in the user's language (xdg-user-dirs).
enum UserFolder: String {
    case pictures = "Pictures"
    case videos = "Videos"
    case music = "Music"

    private var variable: String {
        switch self {
        case .pictures: "XDG_PICTURES_DIR"
        case .videos: "XDG_VIDEOS_DIR"
        case .music: "XDG_MUSIC_DIR"
        }
    }

    /// This folder, else that for downloads, else the user's home: the first that exists.
    ///
    /// - Parameters:
    ///   - environment: returns a variable.
    ///   - settings: the text of `user-dirs.dirs`, which names folders in the user's language.
    ///   - exists: whether there is a folder at a path.
    func path(environment: (String) -> String?, settings: String?, exists: (String) -> Bool) -> String? {
        guard let home = environment("HOME"), !home.isEmpty else { return nil }
        func named(_ name: String) -> String? {
            environment(name) ?? settings.flatMap { Self.value(of: name, in: $0, home: home) }
        }
        return [
            named(variable), "\(home)/\(rawValue)", named("XDG_DOWNLOAD_DIR"), "\(home)/Downloads", home,
        ].compactMap(\.self).first { $0.hasPrefix("/") && exists($0) }
    }

    /// `XDG_PICTURES_DIR="$HOME/Bilder"`.
    private static func value(of name: String, in settings: String, home: String) -> String? {
        for line in settings.split(separator: "\n") where line.hasPrefix("\(name)=\"") {
            let value = line.dropFirst(name.count + 2).prefix { $0 != "\"" }
            return value.hasPrefix("$HOME/") ? home + value.dropFirst("$HOME".count) : String(value)
        }
        return nil
    }

    /// That of this user. Blocks. Throws without a home.
    func path() throws(AppError) -> String {
        let environment = BaseFolder.environment
        let configuration = environment("XDG_CONFIG_HOME") ?? environment("HOME").map { "\($0)/.config" }
        let text = configuration.flatMap {
            // `try?`: without this file, the folders have their English names.
            try? FileProvider().readAll(FileURL.url(path: "\($0)/user-dirs.dirs".utf8), limit: 1 << 16)
        }
        let settings = text.map { String(decoding: $0, as: UTF8.self) }
        let found = path(environment: environment, settings: settings) { path in
            var status = stat()
            return stat(path, &status) == 0 && status.st_mode & S_IFMT == S_IFDIR
        }
        guard let found else { throw AppError("no folder for \(rawValue.lowercased()); set HOME") }
        return found
    }
}

/// Names of files that are made of words from feeds, which are not trusted. Pure.
enum FileName {
    /// The most bytes of such a name: a number, an ending and the marks of an unfinished file find room beside it.
    private static let limit = 180

    /// The words as one name without an ending. It leads to no other folder, hides no file, is no option of a program,
    /// and has none of the characters that other systems do not accept. Empty if nothing is left.
    static func clean(_ words: String) -> String {
        var (name, bytes) = (String.UnicodeScalarView(), 0)
        // By scalars: a slash with an accent is another character, but the same byte in a path.
        for scalar in CleanText.line(words, limit: 200).unicodeScalars {
            let scalar: Unicode.Scalar = "/\\:*?\"<>|".unicodeScalars.contains(scalar) ? "-" : scalar
            if name.isEmpty, ". -~".unicodeScalars.contains(scalar) { continue }
            guard bytes + UTF8.width(scalar) <= limit else { break }
            bytes += UTF8.width(scalar)
            name.append(scalar)
        }
        while let last = name.last, last == "." || last == " " { name.removeLast() }
        return String(name)
    }
}
