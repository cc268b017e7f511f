/// What a file's name reveals about it. Pure.
package enum ClipName {
    /// The extensions of clips in folders, in lower case.
    static let extensions = Set(ClipTypes.films.keys).union(ClipTypes.sounds.keys).union(ClipTypes.photos.keys)

    static func isClip(_ name: some BidirectionalCollection<UInt8>) -> Bool {
        guard let ending = ending(of: name) else { return false }
        return extensions.contains(ending)
    }

    /// Whether a URL with that extension, in lower case, is a clip. DASH manifests count in URLs but not in folders,
    /// where their segments lie beside them.
    static func isClip(ending: String) -> Bool { extensions.contains(ending) || ending == "mpd" }

    /// The extension in lower case, without the dot; nil if the name has none, or one longer than any known extension.
    package static func ending(of name: some BidirectionalCollection<UInt8>) -> String? {
        guard let dot = name.lastIndex(of: UInt8(ascii: ".")), dot != name.startIndex else { return nil }
        let ending = name[name.index(after: dot)...]
        guard (1...8).contains(ending.count), !ending.contains(UInt8(ascii: "/")) else { return nil }
        return String(decoding: ending, as: UTF8.self).lowercased()
    }

    /// The name of a file without its extension, as it is written.
    package static func stem(ofPath path: [UInt8]) -> [UInt8] {
        let name = path[(path.lastIndex(of: UInt8(ascii: "/")).map { $0 + 1 } ?? 0)...]
        guard let ending = ending(of: name) else { return Array(name) }
        return Array(name.dropLast(ending.utf8.count + 1))
    }
}
