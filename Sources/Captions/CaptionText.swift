import Model

/// A file of subtitles as text. A value.
struct CaptionText {
    enum Format: Equatable { case webVTT, subRip, transcript }

    /// The most bytes that are read.
    static let limit = 32 << 20

    /// Valid UTF-8 without a byte order mark.
    let utf8: [UInt8]

    init(_ bytes: some Collection<UInt8>) {
        let bytes = Array(bytes.prefix(Self.limit))
        var text: [UInt8] = []
        text.reserveCapacity(bytes.count)
        bytes.withUnsafeBufferPointer { bytes in
            func rest(after mark: Int) -> UnsafeBufferPointer<UInt8> { UnsafeBufferPointer(rebasing: bytes[mark...]) }
            if bytes.starts(with: [0xFF, 0xFE]) {
                _ = UnicodeText.addUTF16(rest(after: 2), isBig: false, isLast: true, to: &text)
            } else if bytes.starts(with: [0xFE, 0xFF]) {
                _ = UnicodeText.addUTF16(rest(after: 2), isBig: true, isLast: true, to: &text)
            } else {
                let mark = bytes.starts(with: [0xEF, 0xBB, 0xBF]) ? 3 : 0
                _ = UnicodeText.addUTF8(rest(after: mark), isLast: true, to: &text)
            }
        }
        utf8 = text
    }

    /// The format, judged by the first bytes: everything but WebVTT and JSON is read as SubRip, which has no signature.
    var format: Format {
        let start = utf8.drop { $0 <= 0x20 }
        if start.starts(with: "WEBVTT".utf8) { return .webVTT }
        switch start.first {
        case UInt8(ascii: "{"), UInt8(ascii: "["): return .transcript
        default: return .subRip
        }
    }
}
