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
