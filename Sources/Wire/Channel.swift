import CProcess
import Platform

/// One end of the socket between flick and a decoder. Messages go out as `Outgoing` and come in as `Incoming`.
///
/// `send` and `receive` block. One thread may send while another receives; two
/// may not do the same at once (the owner sees to it).
// @unchecked: `descriptor` never changes until deinit; `incoming` is only touched by the one receiver, `outgoing` by
// the one sender.
public final class Channel<Outgoing: WireMessage, Incoming: WireMessage>: @unchecked Sendable {
    public let descriptor: Int32
    private var incoming: [UInt8]
    private var start = 0
    private var end = 0
    /// Whole messages that `enqueue` has left for the next `flush`.
    private var outgoing: [UInt8] = []

    /// - Parameter descriptor: a connected stream socket, which the channel owns from now on and closes in `deinit`.
    public init(descriptor: Int32) {
        self.descriptor = descriptor
        incoming = Array(repeating: 0, count: 64 << 10)
    }

    deinit { close(descriptor) }

    /// Sends a whole message, after those that were enqueued before it. Blocks while the other side does not read.
    public func send(_ message: Outgoing) throws(WireError) {
        enqueue(message)
        try flush()
    }

    /// Keeps a message until the next `send` or `flush`: each of those wakes the other side up once.
    public func enqueue(_ message: Outgoing) { outgoing += message.encoded() }

    /// Sends the queued messages. Blocks while the other side does not read.
    public func flush() throws(WireError) {
        guard !outgoing.isEmpty else { return }
        defer { outgoing.removeAll(keepingCapacity: true) }
        var sent = 0
        while sent < outgoing.count { sent += try write(outgoing[sent...], waits: true) }
    }

    /// Sends as many of `bytes` as the socket takes, and returns how many. With `waits` it blocks until that is at
    /// least one; without, it may be none.
    public func write(_ bytes: ArraySlice<UInt8>, waits: Bool) throws(WireError) -> Int {
        while true {
            let count = bytes.withUnsafeBytes { buffer in
                Descriptor(descriptor).send(buffer, waits: waits)
            }
            if count >= 0 { return count }
            switch errno {
            case EINTR: continue
            case EAGAIN, EWOULDBLOCK: return 0
            case EPIPE, ECONNRESET: throw .closed
            default: throw .system(call: "send", code: errno)
            }
        }
    }

    /// Returns the next message. Blocks until there is one; throws `.closed` when the other
    /// side has closed its end, and another `WireError` when it has sent an invalid message.
    ///
    /// - Parameter patience: throws `.silent` if no whole message arrives in this time; nil waits forever.
    public func receive(within patience: Duration? = nil) throws(WireError) -> Incoming {
        let deadline = patience.map { ContinuousClock.now + $0 }
        while true {
            if let message = try bufferedMessage() { return message }
            try fill(until: deadline)
        }
    }

    /// Whether `receive` would return at once, with a message that was read already. Only for the thread that receives.
    public var hasMessage: Bool {
        guard let length = bufferedLength else { return false }
        return end - start >= 4 + length
    }

    /// Makes a `receive` or `send` that blocks on any thread end with `.closed`.
    public func shutDown() { _ = shutdown(descriptor, Int32(SHUT_RDWR)) }

    private var bufferedLength: Int? {
        guard end - start >= 4 else { return nil }
        return incoming.withUnsafeBytes {
            Int(UInt32(littleEndian: $0.loadUnaligned(fromByteOffset: start, as: UInt32.self)))
        }
    }

    private func bufferedMessage() throws(WireError) -> Incoming? {
        guard let length = bufferedLength else { return nil }
        guard length <= WireLimit.message else { throw .tooLarge(length) }
        guard end - start >= 4 + length else { return nil }
        let range = start + 4..<start + 4 + length
        start = range.upperBound
        // Typed throws do not go through `withUnsafeBytes`' rethrows; a Result does.
        let decoded: Result<Incoming, WireError> = incoming.withUnsafeBytes { bytes in
            do throws(WireError) {
                return .success(try Incoming(decoding: UnsafeRawBufferPointer(rebasing: bytes[range])))
            } catch { return .failure(error) }
        }
        return try decoded.get()
    }

    /// Reads more bytes, after making room for the whole of the message that has begun.
    private func fill(until deadline: ContinuousClock.Instant?) throws(WireError) {
        if start > 0 {
            // Never empty: it has 64 KB from the beginning, and only grows.
            incoming.withUnsafeMutableBytes { bytes in
                if end > start { memmove(bytes.baseAddress!, bytes.baseAddress! + start, end - start) }
            }
            end -= start
            start = 0
        }
        let needed = 4 + (bufferedLength ?? 0)
        if incoming.count < needed + 4_096 {
            incoming.append(contentsOf: repeatElement(0, count: needed + 4_096 - incoming.count))
        }
        while true {
            // A `read` that waits on a socket is also woken whenever the other side has read something (Linux, unix(7)
            // sockets); `poll` is not.
            var readable = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
            // Rounded up, so that a remaining fraction of a millisecond never causes a busy loop.
            let left = deadline.map { Int32(clamping: Int((max($0 - .now, .zero) / .milliseconds(1)).rounded(.up))) }
            let ready = poll(&readable, 1, left ?? -1)
            if ready == 0 { throw .silent }
            if ready < 0, errno == EINTR { continue }
            // Not empty, as above.
            let count = incoming.withUnsafeMutableBytes { read(descriptor, $0.baseAddress! + end, $0.count - end) }
            if count > 0 {
                end += count
                return
            }
            if count == 0 { throw .closed }
            if errno == EINTR { continue }
            throw errno == ECONNRESET ? .closed : .system(call: "read", code: errno)
        }
    }
}

/// flick's end.
public typealias DecoderChannel = Channel<ToDecoder, FromDecoder>
/// The decoder's end.
public typealias OwnerChannel = Channel<FromDecoder, ToDecoder>
