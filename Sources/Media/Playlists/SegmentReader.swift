internal import CFFmpeg
import Wire

/// Presents segments to libav as one stream of bytes: first the header
/// that says how they are coded, then the segments one after the other.
final class SegmentReader: ByteReader {
    let isSeekable = false
    /// Opens the next segment; nil if the run ends here. The argument is how many bytes libav has read of the run.
    private let openNext: (Int) throws(MediaError) -> ResourceReader?
    /// How many bytes libav has received.
    private(set) var bytes = 0
    private var source: ResourceReader?
    /// Bytes that were read and not passed on yet.
    private var buffered: ArraySlice<UInt8>
    /// Why reading stopped, unless it was the end of the run.
    private(set) var failure: MediaError?
    /// Whether any byte of the segment that is being read has come.
    private(set) var hasBegunSegment = false
    /// libav's name of the segments' format, once it was recognised.
    private var format: String?
    /// libav reads several times beyond the end.
    private var isAtEnd = false
    /// The segments are raw audio, each with an ID3 tag before it that libav must not see.
    private(set) var isBareSound = false
    /// The time in the first segment's tag.
    private(set) var taggedTime: Microseconds?

    /// Begins with `header`.
    init(header: [UInt8], openNext: @escaping (Int) throws(MediaError) -> ResourceReader?) {
        buffered = header[...]
        self.openNext = openNext
    }

    func read(into buffer: UnsafeMutablePointer<UInt8>, count: Int) -> CInt {
        while true {
            if !buffered.isEmpty {
                let given = min(count, buffered.count)
                buffered.prefix(given).withUnsafeBytes {
                    // Not empty: it has at least one byte.
                    UnsafeMutableRawPointer(buffer).copyMemory(from: $0.baseAddress!, byteCount: given)
                }
                buffered = buffered.dropFirst(given)
                bytes += given
                return CInt(given)
            }
            do throws(MediaError) {
                guard try openIfNeeded() else { return flick_averror_eof() }
                guard buffered.isEmpty, let source else { continue }
                let code = source.read(into: buffer, count: count)
                if code >= 0 {
                    if code > 0 { hasBegunSegment = true }
                    bytes += Int(code)
                    return code
                }
                if code != flick_averror_eof() { return fail(source) }
                self.source = nil
            } catch { return fail(error) }
        }
    }

    private func fail(_ source: ResourceReader) -> CInt {
        fail(
            MediaError(
                .unreadable, source.client.lastError.isEmpty ? "read cancelled" : source.client.lastError))
    }

    private func fail(_ error: MediaError) -> CInt {
        failure = error
        source = nil
        buffered = []
        // libav gets what has arrived so far; `failure` holds the reason afterwards.
        return flick_averror_eof()
    }

    /// Whether there is a segment to read from.
    private func openIfNeeded() throws(MediaError) -> Bool {
        if source != nil { return true }
        if isAtEnd || failure != nil { return false }
        hasBegunSegment = false
        source = try openNext(bytes)
        isAtEnd = source == nil
        guard source != nil else { return false }
        if isBareSound { _ = try consumeTags() } else if let format { try check(is: format) }
        return source != nil || !buffered.isEmpty
    }

    /// Throws if the segment that was just opened does not begin like one of that format: a server's words in place of
    /// it would be lost in the middle of a run. An empty segment is a short one.
    private func check(is format: String) throws(MediaError) {
        guard format == "mpegts" || format == "mov" else { return }
        try fill(format == "mov" ? 8 : 3 * SegmentReader.packet)
        if buffered.isEmpty { return }
        let first = Array(buffered.prefix(3 * SegmentReader.packet))
        guard format == "mov" ? SegmentReader.isBox(first) : SegmentReader.hasPackets(first) else {
            hasBegunSegment = false
            throw MediaError(.notMedia, "a segment has a different format from the previous one")
        }
    }

    /// In bytes (ISO 13818-1, 2.4.3.2).
    private static let packet = 188

    /// Whether packets of a transport stream begin somewhere in the first one's length.
    private static func hasPackets(_ first: [UInt8]) -> Bool {
        first.indices.prefix(packet).contains { start in
            stride(from: start, to: first.count, by: packet).allSatisfy { first[$0] == 0x47 }
        }
    }

    /// Whether the bytes can be the beginning of a box (ISO 14496-12, 4.2) of a plausible length.
    private static func isBox(_ first: [UInt8]) -> Bool {
        guard first.count >= 8, first[4..<8].allSatisfy({ (0x20...0x7E).contains($0) }) else { return false }
        let length = first[..<4].reduce(UInt32(0)) { $0 << 8 | UInt32($1) }
        return length < 2 || (8...1 << 30).contains(length)
    }

    /// There may be more segments now.
    func resume() { isAtEnd = false }

    func seek(to offset: Int64, whence: CInt) -> Int64 { Int64(flick_averror_invalid()) }

    // MARK: The beginning

    /// libav's name of the format, recognised by the first bytes. Blocks.
    func kind() throws(MediaError) -> String {
        let kind = try recognise()
        format = kind
        return kind
    }

    private func recognise() throws(MediaError) -> String {
        try buffer(12)
        if buffered.starts(with: "ID3".utf8) {
            isBareSound = true
            taggedTime = try consumeTags()
            try buffer(12)
        }
        let first = Array(buffered.prefix(12))
        if let kind = SegmentReader.kindOfSound(first) {
            isBareSound = true
            return kind
        }
        if first.first == 0x47 { return "mpegts" }
        // The header of EBML (RFC 8794, 11.2.1), with which WebM begins.
        if first.starts(with: [0x1A, 0x45, 0xDF, 0xA3]) { return "matroska" }
        let boxes = ["ftyp", "styp", "moov", "moof", "sidx", "emsg", "prft", "free", "skip", "mdat"]
        if first.count >= 8, boxes.contains(where: { first[4..<8].elementsEqual($0.utf8) }) { return "mov" }
        throw MediaError(
            .notMedia,
            buffered.isEmpty ? "a segment is empty" : "a segment is not MPEG-TS, MP4, WebM or audio")
    }

    /// Recognised by the sync word of the first frame: ADTS (ISO 14496-3, 1.A.2.2), MPEG audio (ISO 11172-3, 2.4.1.3),
    /// AC-3 (ETSI TS 102 366, 4.3).
    private static func kindOfSound(_ first: [UInt8]) -> String? {
        guard first.count >= 6 else { return nil }
        if first[0] == 0xFF, first[1] & 0xF6 == 0xF0 { return "aac" }
        if first[0] == 0xFF, first[1] & 0xE0 == 0xE0, first[1] & 0x06 != 0 { return "mp3" }
        // The bitstream identification of five bits marks E-AC-3.
        return first[0] == 0x0B && first[1] == 0x77 ? (first[5] >> 3 > 10 ? "eac3" : "ac3") : nil
    }

    /// Reads until `count` bytes are buffered, if there are that many.
    private func buffer(_ count: Int) throws(MediaError) {
        while buffered.count < count, try openIfNeeded(), source != nil {
            try fill(count)
            if source == nil, !buffered.isEmpty { return }
        }
    }

    /// Reads until `count` bytes are buffered, if the open segment has that many.
    private func fill(_ count: Int) throws(MediaError) {
        while buffered.count < count, let source {
            var code: CInt = 0
            let more = [UInt8](unsafeUninitializedCapacity: 4_096) { buffer, filled in
                // Not empty: it has the capacity given above.
                code = source.read(into: buffer.baseAddress!, count: 4_096)
                filled = Int(max(0, code))
            }
            if code == flick_averror_eof() {
                self.source = nil
                return
            }
            guard code >= 0 else {
                _ = fail(source)
                throw failure ?? MediaError(.unreadable, "read cancelled")
            }
            if !more.isEmpty { hasBegunSegment = true }
            buffered = buffered + more
        }
    }

    /// Skips the next ID3 tags, and returns the time in one of them (RFC 8216, 3.4), if there is one.
    private func consumeTags() throws(MediaError) -> Microseconds? {
        var time: Microseconds?
        for _ in 0..<4 {
            try buffer(10)
            guard let length = SoundTag.length(buffered) else { break }
            try buffer(length)
            time = time ?? SoundTag.time(buffered.prefix(length))
            buffered = buffered.dropFirst(length)
        }
        return time
    }
}

/// The ID3 version 2 tag before a segment of raw audio; one of its frames contains the time. Pure.
enum SoundTag {
    /// Longer tags count as errors.
    private static let longest = 256 << 10
    private static let owner = Array("com.apple.streaming.transportStreamTimestamp".utf8) + [0]

    /// The length of the tag at the beginning of `bytes`, or nil.
    static func length(_ bytes: ArraySlice<UInt8>) -> Int? {
        let head = Array(bytes.prefix(10))
        guard head.count == 10, head.starts(with: "ID3".utf8) else { return nil }
        // Seven bits per byte (ID3v2.4.0, 3.1), plus ten bytes if there is a footer.
        let size = head[6...].reduce(0) { $0 << 7 | Int($1 & 0x7F) }
        let length = 10 + size + (head[5] & 0x10 != 0 ? 10 : 0)
        return length <= longest ? length : nil
    }

    /// 33 bits at 90 kHz, after the name of the frame's owner.
    static func time(_ tag: ArraySlice<UInt8>) -> Microseconds? {
        guard let start = tag.indices.first(where: { tag[$0...].starts(with: owner) }) else { return nil }
        let bytes = tag[(start + owner.count)...].prefix(8)
        guard bytes.count == 8 else { return nil }
        let stamp = bytes.reduce(UInt64(0)) { $0 << 8 | UInt64($1) } & 0x1_FFFF_FFFF
        return Microseconds(stamp) * 100 / 9
    }
}
