import Model

/// The lines of a cue as they are shown: trimmed, without duplicates and empty lines. A value.
struct CueLines {
    static let maxLines = 10
    static let maxBytes = 1_000
    /// The most bytes of a speaker's name.
    static let nameLimit = 80

    private var text: [UInt8] = []
    private var lines = 1
    private var blankIsDue = false
    private var breakIsDue = false
    /// There may be characters that no terminal is to get.
    private var needsCleaning = false
    private(set) var isFull = false

    /// Adds a byte of UTF-8.
    mutating func add(_ byte: UInt8) {
        switch byte {
        case 0x0A, 0x0D: breakIsDue = true
        case 0x20, 0x09: blankIsDue = true
        default:
            if !text.isEmpty, breakIsDue || blankIsDue {
                if breakIsDue { lines += 1 }
                if lines > Self.maxLines { return isFull = true }
                text.append(breakIsDue ? 0x0A : 0x20)
            }
            (breakIsDue, blankIsDue) = (false, false)
            guard text.count < Self.maxBytes else { return isFull = true }
            if !Self.isHarmless(byte) { needsCleaning = true }
            text.append(byte)
        }
    }

    /// Whether no character that contains this byte needs cleaning: printable ASCII, and the lead bytes of
    /// U+00C0…02FF, 0380…05FF, 4000…9FFF and B000…CFFF. Cleaning takes ten times as long as everything else.
    static func isHarmless(_ byte: UInt8) -> Bool {
        switch byte {
        case 0x20..<0x7F, 0x80..<0xC0, 0xC3...0xCB, 0xCE...0xD7, 0xE4...0xE9, 0xEB, 0xEC: true
        default: false
        }
    }

    /// The text, which cannot command a terminal.
    var cleaned: String {
        guard needsCleaning else { return String(decoding: Self.whole(text), as: UTF8.self) }
        let clean = CleanText.block(String(decoding: Self.whole(text), as: UTF8.self))
        // Cleaning may have made lines of separators, and three bytes of one.
        var again = CueLines()
        for byte in clean.utf8 { again.add(byte) }
        return String(decoding: Self.whole(again.text), as: UTF8.self)
    }

    /// The bytes up to the limit, without half a character at their end.
    private static func whole(_ text: [UInt8]) -> ArraySlice<UInt8> {
        let text = text.prefix(maxBytes)
        guard let lead = text.lastIndex(where: { $0 & 0xC0 != 0x80 }) else { return [] }
        let length =
            switch text[lead] {
            case 0xF0...: 4
            case 0xE0...: 3
            case 0xC0...: 2
            default: 1
            }
        return text.count - lead < length ? text[..<lead] : text
    }
}
