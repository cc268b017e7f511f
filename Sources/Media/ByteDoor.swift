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
    /// Why the last read or opening failed, in flick's words; empty if it did not.
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
        guard send(.openURL(id: id, want: ByteWant(url: url, role: .media, offset: offset, end: end))),
            let answer = wait(for: { inbox.takeSource(id: id) })
        else { return .failure(MediaError(.unreadable, "reading was broken off")) }
        guard answer.error.isEmpty else {
            lastError = answer.error
            return .failure(MediaError(.unreadable, answer.error))
        }
        lastError = ""
        return makeIO(
            ByteSource(door: self, id: id, start: offset, end: end, length: answer.length, seekable: answer.seekable),
            url: url)
    }

    /// Opens `url` as above for libav, and deciphers it: AES-128 in CBC mode, as segments of a playlist may be.
    func open(
        enciphered url: String, offset: Int64, end: Int64, key: [UInt8], vector: [UInt8]
    ) -> Result<UnsafeMutablePointer<AVIOContext>, MediaError> {
        switch open(url: url, offset: offset, end: end) {
        case .failure(let error): return .failure(error)
        case .success(let io):
            // What is deciphered is read from front to back.
            io.pointee.seek = nil
            io.pointee.seekable = 0
            do throws(MediaError) {
                try sources[io]?.takeUnretainedValue().decipher(Decipher(key: key, vector: vector))
                return .success(io)
            } catch {
                close(io)
                return .failure(error)
            }
        }
    }

    /// What libav will read from `io`, the beginning of which it has not read yet.
    func source(of io: UnsafeMutablePointer<AVIOContext>) -> ByteSource? { sources[io]?.takeUnretainedValue() }

    private func makeIO(_ made: ByteSource, url: String) -> Result<UnsafeMutablePointer<AVIOContext>, MediaError> {
        let source = Unmanaged.passRetained(made)
        let size = 32 << 10
        let io = avio_alloc_context(
            av_malloc(size)?.assumingMemoryBound(to: UInt8.self), CInt(size), 0, source.toOpaque(),
            { opaque, buffer, count in
                // Both are libav's promise: the opaque pointer is the one above, the buffer holds `count` bytes.
                Unmanaged<ByteSource>.fromOpaque(opaque!).takeUnretainedValue().read(into: buffer!, count: Int(count))
            }, nil,
            made.seekable
                ? { opaque, offset, whence in
                    Unmanaged<ByteSource>.fromOpaque(opaque!).takeUnretainedValue().seek(to: offset, whence: whence)
                } : nil)
        guard let io else {
            source.release()
            return .failure(MediaError(.limits, "there is not enough memory to read \(url)"))
        }
        io.pointee.seekable = made.seekable ? AVIO_SEEKABLE_NORMAL : 0
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

    func read(id: UInt32, offset: Int64, count: Int) -> Result<[UInt8], MediaError> {
        if isInterrupted { return .failure(MediaError(.other, "interrupted")) }
        guard send(.read(id: id, offset: offset, count: UInt32(count))),
            let answer = wait(for: { inbox.takeData(id: id, offset: offset) })
        else { return .failure(MediaError(.other, "interrupted")) }
        guard answer.error.isEmpty else {
            lastError = answer.error
            return .failure(MediaError(.unreadable, answer.error))
        }
        lastError = ""
        return .success(answer.bytes)
    }
}
