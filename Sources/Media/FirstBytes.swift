/// Guesses from its first bytes what an unplayable file is. A value.
struct FirstBytes {
    private let bytes: [UInt8]

    /// How many bytes are examined.
    private static let most = 4_096

    init(_ bytes: some Collection<UInt8>) { self.bytes = Array(bytes.prefix(FirstBytes.most)) }

    /// The error to report. `detail`: why opening it failed.
    func error(detail: String = "") -> MediaError {
        MediaError(.notMedia, why, advice: lacksIndex ? "fetch or record it again" : "", detail: detail)
    }

    private var why: String {
        if bytes.isEmpty { return "this file is empty" }
        if bytes.allSatisfy({ $0 == 0 }) { return "it contains only zeros; it may still be downloading" }
        if lacksIndex { return "cut off: its index is missing" }
        if isBoxes { return "damaged: its index cannot be read" }
        if let kind = media { return "damaged: it looks like \(kind) but cannot be read" }
        if let kind = other { return "not a media file: it looks like \(kind)" }
        return "not a media file, or an unsupported format"
    }

    private var lacksIndex: Bool { isBoxes && find("moov") == nil }

    /// Whether these boxes of an MP4 (ISO 14496-12, 4.2) begin its pictures and sound before what says where they are.
    static func hasLateIndex(_ bytes: some Collection<UInt8>) -> Bool {
        var rest = Array(bytes)[...]
        while rest.count >= 8 {
            let head = Array(rest.prefix(16))
            let kind = head[4..<8]
            if kind.elementsEqual("mdat".utf8) { return true }
            if kind.elementsEqual("moov".utf8) || kind.elementsEqual("moof".utf8) { return false }
            var length = head[..<4].reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
            if length == 1, head.count == 16 { length = head[8...].reduce(UInt64(0)) { $0 << 8 | UInt64($1) } }
            guard length >= 8, length < rest.count else { return false }
            rest = rest.dropFirst(Int(length))
        }
        return false
    }

    /// The format that it begins like, if that is not a media format.
    var other: String? {
        let magic: [(start: [UInt8], name: String)] = [
            (Array("%PDF".utf8), "PDF"), ([0x50, 0x4B, 3, 4], "a ZIP archive"), ([0x1F, 0x8B], "a gzip archive"),
            (Array("Rar!".utf8), "a RAR archive"), ([0x37, 0x7A, 0xBC, 0xAF], "a 7z archive"),
            ([0xFD, 0x37, 0x7A, 0x58, 0x5A], "an xz archive"), ([0x28, 0xB5, 0x2F, 0xFD], "a zstd archive"),
            ([0x7F, 0x45, 0x4C, 0x46], "a program"), (Array("SQLite format 3".utf8), "a database"),
        ]
        if let found = magic.first(where: { bytes.starts(with: $0.start) }) { return found.name }
        return text
    }

    /// The kind of text, or nil if it is not text.
    private var text: String? {
        guard isText else { return nil }
        let start = bytes.drop { $0 <= 0x20 || [0xEF, 0xBB, 0xBF].contains($0) }
        let word = String(decoding: start.prefix(64), as: UTF8.self).lowercased()
        for name in ["<!doctype html", "<html", "<head", "<body", "<script", "<!--"] where word.hasPrefix(name) {
            return "HTML, a web page"
        }
        if word.hasPrefix("<") { return "XML" }
        if word.hasPrefix("{") || word.hasPrefix("[") { return "JSON" }
        if word.hasPrefix("#!") { return "a script" }
        return "text"
    }

    /// No control characters except those that format lines, and valid UTF-8 except perhaps at the cut.
    private var isText: Bool {
        guard !bytes.contains(where: { $0 < 0x20 && !(9...13).contains($0) && $0 != 0x1B || $0 == 0x7F }) else {
            return false
        }
        // The last character may be cut.
        return (0..<4).contains { String(validating: bytes.dropLast($0), as: UTF8.self) != nil }
    }

    /// A medium that libav should know.
    private var media: String? {
        let magic: [(start: [UInt8], name: String)] = [
            ([0x1A, 0x45, 0xDF, 0xA3], "WebM or Matroska"), (Array("OggS".utf8), "Ogg"),
            ([0xFF, 0xD8, 0xFF], "a JPEG"),
            ([0x89, 0x50, 0x4E, 0x47], "a PNG"), (Array("GIF8".utf8), "a GIF"),
            (Array("RIFF".utf8), "AVI, WAV or WebP"),
            (Array("FLV".utf8), "Flash video"), (Array("fLaC".utf8), "FLAC"), (Array("ID3".utf8), "MP3"),
        ]
        return magic.first { bytes.starts(with: $0.start) }?.name
    }

    /// Whether it is made of the boxes of MP4 and QuickTime (ISO/IEC 14496-12, 4.2): a size, and a type.
    private var isBoxes: Bool {
        ["ftyp", "mdat", "wide", "free", "skip", "moov"].contains { bytes.dropFirst(4).starts(with: $0.utf8) }
    }

    private func find(_ word: String) -> Int? {
        let word = Array(word.utf8)
        guard bytes.count >= word.count else { return nil }
        return (0...bytes.count - word.count).first { bytes[$0...].starts(with: word) }
    }
}
