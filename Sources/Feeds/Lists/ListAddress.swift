import Model

/// Where the entries of a list lead: M3U and PLS name files by their paths, and everything else by its URL. A value.
///
/// A path is bytes as the file system has them: percent signs, `#` and `?` in it stand for themselves. In lists from
/// the network it is a reference.
struct ListAddress {
    private let base: String
    /// The folder of a local list, with a slash at its end.
    private let folder: [UInt8]?

    /// - Parameter base: the absolute URL of the list.
    init(base: String) {
        self.base = base
        folder = FileURL.path(of: base).map { path in
            Array(path[...(path.lastIndex(of: UInt8(ascii: "/")) ?? 0)])
        }
    }

    /// The absolute URL of an entry. Whether the list may lead there is for `URLAccessPolicy` to say.
    func url(of entry: ArraySlice<UInt8>) throws(ItemError) -> String {
        guard entry.count <= ItemLimit.url else { throw ItemError(why: "its URL is too long") }
        if let scheme = Self.scheme(of: entry) { return try url(entry, scheme: scheme) }
        if Self.isOfWindows(entry) {
            throw ItemError(why: "\(ShownName.of(LineText.of(entry))) is a Windows path")
        }
        let slash = UInt8(ascii: "/")
        var path = Array(entry)
        // A slash is in no name, but a backslash may be.
        if !path.contains(slash) { path = path.map { $0 == UInt8(ascii: "\\") ? slash : $0 } }
        if let folder {
            guard !path.contains(0) else { throw Self.malformed(entry) }
            return FileURL.url(path: FileURL.absolute(path.first == slash ? path : folder + path))
        }
        guard let url = URLParts.resolve(LineText.of(path[...]), against: base) else { throw Self.malformed(entry) }
        return url
    }

    private func url(_ entry: ArraySlice<UInt8>, scheme: String) throws(ItemError) -> String {
        if scheme == "file" {
            guard let path = FileURL.path(of: LineText.of(entry)) else { throw Self.malformed(entry) }
            return FileURL.url(path: path)
        }
        // Most are as they should be, and lists have tens of thousands.
        if scheme == "http" || scheme == "https", Self.isWhole(entry) { return String(decoding: entry, as: UTF8.self) }
        guard let url = URLParts.resolve(LineText.of(entry), against: base) else { throw Self.malformed(entry) }
        return url
    }

    /// Whether `URLParts.resolve` would leave it as it is.
    private static func isWhole(_ url: ArraySlice<UInt8>) -> Bool {
        for index in url.indices {
            switch url[index] {
            case 0...0x20, 0x7F...: return false
            case UInt8(ascii: "%"):
                guard index + 2 < url.endIndex, FileURL.digit(url[index + 1]) != nil,
                    FileURL.digit(url[index + 2]) != nil
                else { return false }
            default: break
            }
        }
        return true
    }

    private static func malformed(_ entry: ArraySlice<UInt8>) -> ItemError {
        ItemError(why: "\(ShownName.of(LineText.of(entry))) is not a valid URL")
    }

    /// "C:\clips\a.mp4", "\\server\clips\a.mp4".
    private static func isOfWindows(_ entry: ArraySlice<UInt8>) -> Bool {
        let backslash = UInt8(ascii: "\\")
        if entry.starts(with: [backslash, backslash]) { return true }
        let head = Array(entry.prefix(3))
        return head.count == 3 && (0x61...0x7A).contains(head[0] | 0x20) && head[1] == UInt8(ascii: ":")
            && (head[2] == backslash || head[2] == UInt8(ascii: "/"))
    }

    /// In lower case; nil for a path. A colon alone makes no URL: names have some, too.
    static func scheme(of entry: ArraySlice<UInt8>) -> String? {
        guard let colon = entry.prefix(20).firstIndex(of: UInt8(ascii: ":")), colon - entry.startIndex >= 2 else {
            return nil
        }
        let isPlain = entry[..<colon].allSatisfy { byte in
            switch byte {
            case 0x30...0x39, 0x41...0x5A, 0x61...0x7A, UInt8(ascii: "+"), UInt8(ascii: "-"), UInt8(ascii: "."): true
            default: false
            }
        }
        guard isPlain else { return nil }
        let scheme = String(decoding: entry[..<colon], as: UTF8.self).lowercased()
        let rest = entry[(colon + 1)...]
        return rest.starts(with: "//".utf8) || scheme == "file" && rest.first == UInt8(ascii: "/") ? scheme : nil
    }
}
