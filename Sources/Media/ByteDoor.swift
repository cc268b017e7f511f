internal import CFFmpeg
import Wire

#if canImport(Glibc)
    import Glibc
#elseif canImport(Darwin)
    import Darwin
#endif

/// The one way to bytes: everything libav reads is asked of flick. Belongs to the session's thread; reads block it.
final class ByteDoor {
    private let channel: OwnerChannel
    private let inbox: Inbox
    private var lastID: UInt32 = 0
    private var sources: [UnsafeMutablePointer<AVIOContext>: Unmanaged<ByteSource>] = [:]

    /// Whether a seek that has come may break a read off. Not while the file is being opened: what is half open cannot be sought.
    var seekInterrupts = false
    /// Why the last read or opening failed, in flick's words.
    private(set) var lastError = ""
    /// Does some of the work that needs no bytes and returns true, or returns false when there is none.
    var workWhileWaiting: () -> Bool = { false }

    init(channel: OwnerChannel, inbox: Inbox) {
        self.channel = channel
        self.inbox = inbox
    }

    /// Whether a read that waits should give up.
    var isInterrupted: Bool { inbox.isClosed || seekInterrupts && inbox.hasSeek }

    /// Waits for what `take` finds in the inbox, working meanwhile; nil if interrupted.
    private func wait<Answer>(for take: () -> Answer?) -> Answer? {
        while true {
            let version = inbox.version
            if let answer = take() { return answer }
            if isInterrupted { return nil }
            if workWhileWaiting() { continue }
            inbox.wait(past: version)
        }
    }

    private func send(_ message: FromDecoder) -> Bool {
        do {
            try channel.send(message)
            return true
        } catch {
            inbox.close()
            return false
        }
    }

    /// Opens `url` from byte `offset` up to `end` (-1: to its end) for libav. The positions libav sees are those in the whole resource.
    func open(url: String, offset: Int64, end: Int64) -> Result<UnsafeMutablePointer<AVIOContext>, MediaError> {
        guard sources.count < 64 else { return .failure(MediaError(.limits, "too many resources are open at once")) }
        lastID += 1
        let id = lastID
        guard send(.openURL(id: id, url: url, offset: offset, end: end)),
            let answer = wait(for: { inbox.takeSource(id: id) })
        else { return .failure(MediaError(.unreadable, "reading was broken off")) }
        guard answer.error.isEmpty else {
            lastError = answer.error
            return .failure(MediaError(.unreadable, answer.error))
        }
        let source = Unmanaged.passRetained(
            ByteSource(door: self, id: id, start: offset, end: end, length: answer.length, seekable: answer.seekable))
        let size = 32 << 10
        let io = avio_alloc_context(
            av_malloc(size)?.assumingMemoryBound(to: UInt8.self), CInt(size), 0, source.toOpaque(),
            { opaque, buffer, count in
                // Both are libav's promise: the opaque pointer is the one above, the buffer holds `count` bytes.
                Unmanaged<ByteSource>.fromOpaque(opaque!).takeUnretainedValue().read(into: buffer!, count: Int(count))
            }, nil,
            answer.seekable
                ? { opaque, offset, whence in
                    Unmanaged<ByteSource>.fromOpaque(opaque!).takeUnretainedValue().seek(to: offset, whence: whence)
                } : nil)
        guard let io else {
            source.release()
            return .failure(MediaError(.limits, "there is not enough memory to read \(url)"))
        }
        io.pointee.seekable = answer.seekable ? AVIO_SEEKABLE_NORMAL : 0
        sources[io] = source
        return .success(io)
    }

    /// Ends what `open` began.
    func close(_ io: UnsafeMutablePointer<AVIOContext>) {
        guard let source = sources.removeValue(forKey: io) else { return }
        _ = send(.closeURL(id: source.takeUnretainedValue().id))
        source.release()
        // libav may have put another buffer in the place of ours.
        av_freep(&io.pointee.buffer)
        var io: UnsafeMutablePointer<AVIOContext>? = io
        avio_context_free(&io)
    }

    fileprivate func read(id: UInt32, offset: Int64, count: Int) -> Result<[UInt8], MediaError> {
        if isInterrupted { return .failure(MediaError(.other, "interrupted")) }
        guard send(.read(id: id, offset: offset, count: UInt32(count))),
            let answer = wait(for: { inbox.takeData(id: id, offset: offset) })
        else { return .failure(MediaError(.other, "interrupted")) }
        guard answer.error.isEmpty else {
            lastError = answer.error
            return .failure(MediaError(.unreadable, answer.error))
        }
        return .success(answer.bytes)
    }
}

/// One resource that libav reads, and the piece of it that was read last.
private final class ByteSource {
    // The door closes all sources before it goes.
    unowned let door: ByteDoor
    let id: UInt32
    let end: Int64
    let length: Int64
    let seekable: Bool
    private var position: Int64
    private var piece: [UInt8] = []
    private var pieceStart: Int64 = 0
    /// Doubles while reading goes straight on, so that a header costs little and a long read few questions.
    private var step = ByteSource.smallest
    private static let smallest = 64 << 10
    private static let largest = 512 << 10

    init(door: ByteDoor, id: UInt32, start: Int64, end: Int64, length: Int64, seekable: Bool) {
        self.door = door
        self.id = id
        self.end = end
        self.length = length
        self.seekable = seekable
        position = start
    }

    /// The read callback of an `AVIOContext`.
    func read(into buffer: UnsafeMutablePointer<UInt8>, count: Int) -> CInt {
        var offset = Int(clamping: position - pieceStart)
        if offset < 0 || offset >= piece.count {
            if offset != piece.count { step = ByteSource.smallest }
            var wanted = max(step, min(count, ByteSource.largest))
            if end >= 0 { wanted = Int(min(Int64(wanted), end - position)) }
            guard wanted > 0 else { return flick_averror_eof() }
            switch door.read(id: id, offset: position, count: wanted) {
            case .success(let bytes):
                piece = bytes
                pieceStart = position
                offset = 0
                step = min(step * 2, ByteSource.largest)
            case .failure(let error):
                return error.code == .unreadable ? flick_averror_io() : flick_averror_exit()
            }
        }
        let available = min(count, piece.count - offset)
        guard available > 0 else { return flick_averror_eof() }
        piece.withUnsafeBytes { bytes in
            UnsafeMutableRawPointer(buffer).copyMemory(from: bytes.baseAddress! + offset, byteCount: available)
        }
        position += Int64(available)
        return CInt(available)
    }

    /// The seek callback of an `AVIOContext`.
    func seek(to offset: Int64, whence: CInt) -> Int64 {
        if whence & AVSEEK_SIZE != 0 { return length >= 0 ? length : Int64(flick_averror_io()) }
        let base: Int64
        switch whence & ~AVSEEK_FORCE {
        case SEEK_SET: base = 0
        case SEEK_CUR: base = position
        case SEEK_END where length >= 0: base = length
        default: return Int64(flick_averror_invalid())
        }
        let (place, overflow) = base.addingReportingOverflow(offset)
        guard !overflow, place >= 0 else { return Int64(flick_averror_invalid()) }
        position = place
        return place
    }
}
