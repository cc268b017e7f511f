/// What the name of a file says of it. Pure.
enum ClipName {
    /// The endings of files in folders that count as clips, in lower case. Sound files too: they play with a drawn picture.
    static let extensions: Set<String> = [
        "3g2", "3gp", "asf", "avi", "dv", "f4v", "flv", "gif", "m2ts", "m2v", "m3u8", "m4v", "mjpeg", "mkv", "mov",
        "mp4", "mpeg", "mpg", "mts", "mxf", "nut", "ogm", "ogv", "rm", "rmvb", "ts", "vob", "webm", "wmv", "y4m",
        "aac", "flac", "m4a", "mka", "mp3", "oga", "ogg", "opus", "wav",
    ]

    static func isClip(_ name: some BidirectionalCollection<UInt8>) -> Bool {
        guard let ending = ending(of: name) else { return false }
        return extensions.contains(ending)
    }

    /// Whether a URL of that ending, in lower case, is a clip. DASH is one there, but not in a folder, where its pieces lie about.
    static func isClip(ending: String) -> Bool { extensions.contains(ending) || ending == "mpd" }

    /// In lower case, without the dot; nil for none, and for what is longer than any ending.
    static func ending(of name: some BidirectionalCollection<UInt8>) -> String? {
        guard let dot = name.lastIndex(of: UInt8(ascii: ".")), dot != name.startIndex else { return nil }
        let ending = name[name.index(after: dot)...]
        guard (1...8).contains(ending.count), !ending.contains(UInt8(ascii: "/")) else { return nil }
        return String(decoding: ending, as: UTF8.self).lowercased()
    }

    /// A title from a path: the last step without its ending, underscores as blanks. Still hostile text.
    static func title(ofPath path: [UInt8]) -> String? {
        guard var name = path.split(separator: UInt8(ascii: "/")).last else { return nil }
        if let dot = name.lastIndex(of: UInt8(ascii: ".")), dot != name.startIndex { name = name[..<dot] }
        let words = name.split { $0 == UInt8(ascii: "_") || $0 == UInt8(ascii: " ") }
        let title = words.map { String(decoding: $0, as: UTF8.self) }.joined(separator: " ")
        return title.isEmpty ? nil : title
    }
}
