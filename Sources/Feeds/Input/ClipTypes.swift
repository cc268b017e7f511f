import Model

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

/// The one list of files that are clips, by their names' endings: what folders and `flick serve` list, what an address
/// or an enclosure leads to, and what the server calls them. libav reads them all (`Demuxers` in Media). Pure.
package enum ClipTypes {
    /// Media types of video extensions, in lower case. Those with `x-` are not registered.
    static let films = [
        "264": "video/h264", "265": "video/h265", "3g2": "video/3gpp2", "3gp": "video/3gpp", "3gpp": "video/3gpp",
        "amv": "video/x-amv", "asf": "video/x-ms-asf", "avi": "video/x-msvideo", "divx": "video/x-msvideo",
        "dv": "video/dv", "evo": "video/mpeg", "f4v": "video/mp4", "flv": "video/x-flv", "gif": "image/gif",
        "h264": "video/h264", "h265": "video/h265", "hevc": "video/h265", "ivf": "video/x-ivf", "lrv": "video/mp4",
        "m1v": "video/mpeg", "m2p": "video/mpeg", "m2t": "video/mp2t", "m2ts": "video/mp2t", "m2v": "video/mpeg",
        "m3u8": "application/vnd.apple.mpegurl", "m4v": "video/mp4", "mjpeg": "video/x-motion-jpeg",
        "mjpg": "video/x-motion-jpeg", "mk3d": "video/x-matroska", "mkv": "video/x-matroska", "mov": "video/quicktime",
        "mp4": "video/mp4", "mp4v": "video/mp4", "mpe": "video/mpeg", "mpeg": "video/mpeg", "mpg": "video/mpeg",
        "mpv": "video/mpeg", "mts": "video/mp2t", "mxf": "application/mxf", "nsv": "video/x-nsv", "nut": "video/x-nut",
        "ogm": "video/ogg", "ogv": "video/ogg", "ogx": "application/ogg", "qt": "video/quicktime",
        "rm": "application/vnd.rn-realmedia", "rmvb": "application/vnd.rn-realmedia-vbr", "tod": "video/mp2p",
        "tp": "video/mp2t", "trp": "video/mp2t", "ts": "video/mp2t", "vob": "video/mpeg", "vro": "video/mpeg",
        "webm": "video/webm", "wmv": "video/x-ms-wmv", "wtv": "video/x-ms-wtv", "y4m": "video/x-yuv4mpeg",
    ]

    /// The same for audio: flick draws a level meter for it.
    static let sounds = [
        "aac": "audio/aac", "ac3": "audio/ac3", "adts": "audio/aac", "aif": "audio/aiff", "aifc": "audio/aiff",
        "aiff": "audio/aiff", "amr": "audio/amr", "ape": "audio/x-ape", "au": "audio/basic", "awb": "audio/amr-wb",
        "caf": "audio/x-caf", "dsf": "audio/x-dsf", "dts": "audio/vnd.dts", "eac3": "audio/eac3", "flac": "audio/flac",
        "m4a": "audio/mp4", "m4b": "audio/mp4", "m4r": "audio/mp4", "mka": "audio/x-matroska", "mp2": "audio/mpeg",
        "mp3": "audio/mpeg", "mpc": "audio/x-musepack", "mpga": "audio/mpeg", "oga": "audio/ogg", "ogg": "audio/ogg",
        "oma": "audio/x-oma", "opus": "audio/ogg", "ra": "audio/vnd.rn-realaudio", "snd": "audio/basic",
        "spx": "audio/ogg", "tak": "audio/x-tak", "tta": "audio/x-tta", "voc": "audio/x-voc", "w64": "audio/x-w64",
        "wav": "audio/wav", "wave": "audio/wav", "weba": "audio/webm", "wma": "audio/x-ms-wma", "wv": "audio/x-wavpack",
    ]

    /// The same for images that do not move. A GIF may.
    package static let photos = [
        "avif": "image/avif", "bmp": "image/bmp", "jfif": "image/jpeg", "jpeg": "image/jpeg", "jpg": "image/jpeg",
        "jxl": "image/jxl", "png": "image/png", "tif": "image/tiff", "tiff": "image/tiff", "webp": "image/webp",
    ]

    /// The media type of a clip; nil for other endings.
    package static func mediaType(ending: String) -> String? { films[ending] ?? sounds[ending] ?? photos[ending] }

    /// The ending for a copy of a clip, in lower case: that of the first of its URLs with one that folders list, else
    /// one for its container.
    ///
    /// - Parameter container: libav's name, such as "matroska,webm"; nil while unknown.
    package static func ending(urls: [String], container: String?) -> String {
        for url in urls {
            // The path of a file may have what would begin a query in a URL.
            let path = FileURL.path(of: url) ?? Array((URLParts(url)?.path ?? "").utf8)
            if let own = ClipName.ending(of: path), own != "m3u8", mediaType(ending: own) != nil { return own }
        }
        let names = (container ?? "").split(separator: ",").map { String($0).replacing("_pipe", with: "") }
        if names.contains("mp4") { return "mp4" }
        if names.contains("matroska") { return "mkv" }
        if names.contains("mpegts") { return "ts" }
        let known = names.first { name in name != "m3u8" && mediaType(ending: name) != nil }
        return known ?? "mp4"
    }
}
