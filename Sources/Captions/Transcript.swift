import Model

/// Reads podcasts' transcripts: `{"segments": [{"startTime": 0.5, "endTime": 2, "speaker": "…", "body": "…"}]}`
/// (Podcasting 2.0, "JSON transcripts"). Times are in seconds. Pure.
struct Transcript {
    /// The most bytes of a segment.
    private static let segmentLimit = 16 << 10
    /// How long a segment without an end time is shown.
    private static let usualLength = 3.0
    /// Many transcripts have a segment for each word. These are joined up to a
    /// length, a silence or the end of a sentence.
    private static let (joinedBytes, joinedLength, joinedGap) = (80, Duration.seconds(5), Duration.seconds(1))
    /// No clip is longer: a hundred thousand hours, as of other cues.
    private static let longest = 3.6e8

    private var cues: [Cue] = []
    private var voice = ""
    /// The last cue may take in the next word.
    private var isOpen = false

    static func cues(of text: [UInt8]) -> [Cue] {
        var (transcript, rest) = (Transcript(), text[...])
        var parser = JSONParser {
            let piece = rest.prefix(1 << 16)
            rest = rest.dropFirst(piece.count)
            return Array(piece)
        }
        do throws(JSONError) {
            if parser.first() == UInt8(ascii: "[") {
                try transcript.readSegments(&parser)
            } else {
                try parser.fields { parser, key throws(JSONError) in
                    if key == "segments", parser.first() == UInt8(ascii: "[") {
                        try transcript.readSegments(&parser)
                    } else {
                        try parser.skip()
                    }
                }
            }
        } catch {
            // The cues before the syntax error are shown.
        }
        return transcript.cues
    }

    private mutating func readSegments(_ parser: inout JSONParser) throws(JSONError) {
        try parser.elements { parser throws(JSONError) in
            guard cues.count < maxCues else { return try parser.skip() }
            if let segment = try parser.value(upTo: Self.segmentLimit) { add(segment) }
        }
    }

    private mutating func add(_ segment: JSON) {
        guard case .text(let body)? = segment["body"], let start = time(segment["startTime"]) else { return }
        let end = time(segment["endTime"]) ?? start + .seconds(Self.usualLength)
        guard start <= end else { return }
        var speaker: String?
        if case .text(let name)? = segment["speaker"] {
            let name = CleanText.line(name, limit: CueLines.nameLimit)
            if !name.isEmpty, name != voice { speaker = name }
        }
        var lines = CueLines()
        for byte in ((speaker.map { $0 + ": " } ?? "") + body).utf8 where !lines.isFull { lines.add(byte) }
        let text = lines.cleaned
        guard !text.isEmpty else { return }
        if let speaker { voice = speaker }
        if speaker == nil, isOpen, let last = cues.last, start >= last.start, start - last.end <= Self.joinedGap,
            end - last.start <= Self.joinedLength, last.text.utf8.count + text.utf8.count < Self.joinedBytes
        {
            cues[cues.count - 1].text += " " + text
            cues[cues.count - 1].end = max(last.end, end)
        } else {
            cues.append(Cue(start: start, end: end, text: text))
        }
        isOpen = ![".", "?", "!", "。", "؟"].contains(text.last)
    }

    private func time(_ value: JSON?) -> Duration? {
        guard let seconds = value?.asNumber, (0...Self.longest).contains(seconds) else { return nil }
        return .milliseconds(Int((seconds * 1_000).rounded()))
    }
}
