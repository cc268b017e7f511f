import Model

/// Reads WebVTT and SubRip: both are blocks of a line with times, and the lines of text below it. Pure.
///
/// A line with times starts a cue anywhere, so a missing blank line does no harm. Anything before
/// the first of them and between cues (numbers, identifiers, NOTE, STYLE and REGION) is ignored.
struct TimedBlocks {
    /// The most bytes of a cue's text with its markup.
    private static let rawLimit = 8 << 10

    private let isWebVTT: Bool
    private var cues: [Cue] = []
    private var markup: CueMarkup
    private var times: (start: Duration, end: Duration)?
    private var raw: [UInt8] = []
    /// A line of digits, which is text unless times follow: SubRip's number of the next cue.
    private var number: ArraySlice<UInt8>?

    static func cues(of text: [UInt8], isWebVTT: Bool) -> [Cue] {
        var blocks = TimedBlocks(isWebVTT: isWebVTT)
        var rest = text[...]
        while !rest.isEmpty, blocks.cues.count < maxCues {
            let end = rest.firstIndex { $0 == 0x0A || $0 == 0x0D } ?? rest.endIndex
            blocks.add(rest[..<end])
            let isPair = end + 1 < rest.endIndex && rest[end] == 0x0D && rest[end + 1] == 0x0A
            rest = rest[min(end + (isPair ? 2 : 1), rest.endIndex)...]
        }
        blocks.finish()
        return blocks.cues
    }

    private init(isWebVTT: Bool) {
        self.isWebVTT = isWebVTT
        markup = CueMarkup(isWebVTT: isWebVTT)
    }

    private mutating func add(_ line: ArraySlice<UInt8>) {
        if let times = CueTime.range(in: line) {
            number = nil
            finish()
            self.times = times
        } else if times == nil {
            return
        } else if isWebVTT, line.isEmpty {
            // WebVTT's blank lines end a cue; a line of blanks, as some captions made by machines have, does not.
            finish()
        } else {
            // SubRip's text may have blank lines in it.
            takeNumber()
            if !line.isEmpty, line.allSatisfy({ (0x30...0x39).contains($0) || $0 == 0x20 }) {
                number = line
            } else {
                append(line)
            }
        }
    }

    private mutating func takeNumber() {
        if let line = number.take() { append(line) }
    }

    private mutating func append(_ line: ArraySlice<UInt8>) {
        guard raw.count < Self.rawLimit else { return }
        raw += line.prefix(Self.rawLimit - raw.count)
        raw.append(0x0A)
    }

    private mutating func finish() {
        takeNumber()
        defer { raw.removeAll(keepingCapacity: true) }
        guard let times = times.take(), times.start <= times.end, cues.count < maxCues else { return }
        let text = markup.text(of: raw)
        if !text.isEmpty { cues.append(Cue(start: times.start, end: times.end, text: text)) }
    }
}
