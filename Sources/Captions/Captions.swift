import Model

/// The most cues of a text: three hours of one every 0.2 s.
public let maxCues = 50_000

/// Parses the cues of a subtitle text: WebVTT, SubRip (SRT), or the JSON of podcasts'
/// transcripts, detected from its beginning. Nothing in it is trusted: anything that is not
/// a cue is skipped, and no text is an error. Pure; takes time in proportion to the bytes.
///
/// - Parameter bytes: UTF-8, or UTF-16 with a byte order mark; bytes that are not
///   valid UTF-8 are read as windows-1252. Those beyond the first 32 MB are ignored.
/// - Returns: at most `maxCues`, in order of their starts; of each at most ten lines and 1,000 bytes. Cues may overlap.
public func cues(ofText bytes: some Collection<UInt8>) -> [Cue] {
    let text = CaptionText(bytes)
    let cues =
        switch text.format {
        case .transcript: Transcript.cues(of: text.utf8)
        case .webVTT: TimedBlocks.cues(of: text.utf8, isWebVTT: true)
        case .subRip: TimedBlocks.cues(of: text.utf8, isWebVTT: false)
        }
    return inOrder(cues)
}

/// Whether it begins as WebVTT must (WebVTT 1, 4.1). Pure.
public func isWebVTT(_ bytes: some Collection<UInt8>) -> Bool { CaptionText(bytes.prefix(64)).format == .webVTT }

/// The offset from the times of a WebVTT segment to those of the MPEG-2 stream beside it, which wrap every
/// 26.5 hours (RFC 8216, 3.5: X-TIMESTAMP-MAP). nil if the header is missing: then the offset is zero. Pure.
///
/// - Parameter bytes: as of `cues(ofText:)`.
public func transportOffset(ofText bytes: some Collection<UInt8>) -> Duration? {
    let text = CaptionText(bytes.prefix(TimestampMap.headSize))
    return text.format == .webVTT ? TimestampMap.offset(in: text.utf8) : nil
}

private func inOrder(_ cues: [Cue]) -> [Cue] {
    if zip(cues, cues.dropFirst()).allSatisfy({ $0.start <= $1.start }) { return cues }
    // Cues of one moment keep their order.
    return cues.enumerated()
        .sorted { ($0.element.start, $0.offset) < ($1.element.start, $1.offset) }
        .map(\.element)
}

/// The chapters of a podcast: `{"chapters": [{"startTime": 94.5, "title": "…"}]}` (Podcasting 2.0, "JSON chapters"; the
/// same with `start` and `start_time`, as manifests and yt-dlp have them). Nothing in it is trusted. Pure.
///
/// - Parameter bytes: UTF-8. Those beyond the first 4 MB do not count.
/// - Returns: in order of their starts; none if it is something else.
public func chapters(ofText bytes: some Collection<UInt8>) -> [Chapter] {
    var rest = Array(bytes.prefix(4 << 20))[...]
    let count = rest.count
    var parser = JSONParser {
        defer { rest = [] }
        return Array(rest)
    }
    do throws(JSONError) {
        guard let value = try parser.value(upTo: count) else { return [] }
        return Chapter.list(of: value["chapters"] ?? value)
    } catch {
        return []
    }
}

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
