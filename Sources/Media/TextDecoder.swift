internal import CFFmpeg
import Wire

/// Decodes a text track's packets. On the session's thread.
final class TextDecoder {
    private let context: UnsafeMutablePointer<AVCodecContext>
    private let timeBase: AVRational

    /// In bytes: a longer packet is no subtitle.
    private static let largestPacket: CInt = 64 << 10
    /// The most pieces of one packet that are read.
    private static let maxPieces = 16
    /// How long a piece without a duration is shown.
    private static let usualTime: Microseconds = 4_000_000

    /// nil if it cannot be decoded.
    init?(_ stream: Container.Stream) {
        guard let codec = avcodec_find_decoder(stream.pointee.codecpar.pointee.codec_id),
            let context = avcodec_alloc_context3(codec)
        else { return nil }
        self.context = context
        timeBase = stream.pointee.time_base
        context.pointee.pkt_timebase = timeBase
        let isOpen =
            avcodec_parameters_to_context(context, stream.pointee.codecpar) >= 0
            && avcodec_open2(context, codec, nil) >= 0
        // Everything is set, so that what was made is freed.
        if !isOpen { return nil }
    }

    deinit {
        var context: UnsafeMutablePointer<AVCodecContext>? = context
        avcodec_free_context(&context)
    }

    /// What the packet says; nothing if it is damaged or empty: text is never worth a failure.
    func decode(_ packet: UnsafeMutablePointer<AVPacket>) -> [TextCue] {
        guard packet.pointee.size > 0, packet.pointee.size <= TextDecoder.largestPacket,
            let stamp = MediaTime.microseconds(packet.pointee.pts, of: timeBase)
        else { return [] }
        var subtitle = AVSubtitle()
        var isThere: CInt = 0
        guard avcodec_decode_subtitle2(context, &subtitle, &isThere, packet) >= 0, isThere != 0 else { return [] }
        defer { avsubtitle_free(&subtitle) }
        let start = stamp + Microseconds(subtitle.start_display_time) * 1_000
        // Some decoders report the length, others leave it to the packet.
        let decoderTime = Microseconds(subtitle.end_display_time) * 1_000
        let packetTime = MediaTime.microseconds(packet.pointee.duration, of: timeBase) ?? 0
        let length = packetTime > 0 ? packetTime : decoderTime
        let isKnown = length > 0 && subtitle.end_display_time != .max
        let end = max(start, stamp + (isKnown ? length : TextDecoder.usualTime))
        let count = min(Int(subtitle.num_rects), TextDecoder.maxPieces)
        let lines = (0..<count).compactMap { index -> String? in
            guard let piece = subtitle.rects?[index]?.pointee else { return nil }
            if let event = piece.ass { return SubStationAlpha.text(of: String(cString: event)) }
            return piece.text.map { String(cString: $0) }
        }
        let text = lines.filter { !$0.isEmpty }.joined(separator: "\n")
        return text.isEmpty ? [] : [TextCue(start: start, end: end, text: text)]
    }
}

/// The form that libav gives all text in, that of ASS files ("ASS File Format
/// Specification", 1.x; libass, ass_types). Pure.
enum SubStationAlpha {
    /// The text of an event, without its markup: "ReadOrder,Layer,Style,Name,MarginL,MarginR,MarginV,Effect,Text".
    static func text(of event: String) -> String {
        var rest = event.utf8[...]
        for _ in 0..<8 {
            guard let comma = rest.firstIndex(of: UInt8(ascii: ",")) else { return "" }
            rest = rest[rest.index(after: comma)...]
        }
        return plain(Array(rest.prefix(longest)))
    }

    /// In bytes: longer text is cut.
    private static let longest = 16 << 10

    /// Without what stands in braces, and without drawings ({\p1} … {\p0}); \N and \n are breaks, \h is a space.
    private static func plain(_ marked: [UInt8]) -> String {
        var text: [UInt8] = []
        var isDrawing = false
        var place = 0
        while place < marked.count {
            let byte = marked[place]
            if byte == UInt8(ascii: "{"), let end = marked[place...].firstIndex(of: UInt8(ascii: "}")) {
                isDrawing = draws(marked[(place + 1)..<end]) ?? isDrawing
                place = end + 1
                continue
            }
            if byte == UInt8(ascii: "\\"), place + 1 < marked.count, let sign = sign(marked[place + 1]) {
                if !isDrawing { text.append(sign) }
                place += 2
                continue
            }
            if !isDrawing { text.append(byte) }
            place += 1
        }
        let lines = String(decoding: text, as: UTF8.self).split(separator: "\n").map { line in
            line.drop { $0 == " " }
        }
        return lines.filter { !$0.isEmpty }.joined(separator: "\n")
    }

    private static func sign(_ letter: UInt8) -> UInt8? {
        switch letter {
        case UInt8(ascii: "N"), UInt8(ascii: "n"): UInt8(ascii: "\n")
        case UInt8(ascii: "h"): UInt8(ascii: " ")
        default: nil
        }
    }

    /// Whether a drawing begins (true) or ends (false) in these commands; nil if neither. \pos and \pbo are others.
    private static func draws(_ commands: ArraySlice<UInt8>) -> Bool? {
        var result: Bool?
        for command in commands.split(separator: UInt8(ascii: "\\")) where command.first == UInt8(ascii: "p") {
            let digits = command.dropFirst()
            guard let first = digits.first, (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(first) else { continue }
            result = digits.contains { (UInt8(ascii: "1")...UInt8(ascii: "9")).contains($0) }
        }
        return result
    }
}

/// Drops text that comes too fast to read: of more than `most`
/// cues that begin within a second, the later ones. A value.
///
/// Each cue is a message to flick, which ends a decoder that sends too many.
struct CueDensity {
    static let most = 50
    private static let span: Microseconds = 1_000_000
    /// Where the last cues begin, at most `most`; once it is full, the oldest is at `next`.
    private var starts: [Microseconds] = []
    private var next = 0

    /// Whether a cue that begins there is sent. Cues come in order, except after a seek to another place.
    mutating func allows(_ start: Microseconds) -> Bool {
        guard starts.count == Self.most else {
            starts.append(start)
            return true
        }
        let distance = start.subtractingReportingOverflow(starts[next])
        guard distance.overflow || distance.partialValue.magnitude >= Self.span.magnitude else { return false }
        starts[next] = start
        next = (next + 1) % Self.most
        return true
    }
}
