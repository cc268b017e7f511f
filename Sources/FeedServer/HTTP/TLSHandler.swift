import CTLS
import Model
import NIOCore

/// Why a connection of TLS was closed.
struct TLSError: Error {}

/// The first handler of a secure connection: encrypts output, and decrypts input.
///
/// Belongs to the event loop of its channel. A close_notify ends one direction (RFC 8446, 6.1): a request that came
/// before it is still answered. Any violation of the protocol ends the connection, with an alert that names it.
final class TLSHandler: ChannelDuplexHandler {
    typealias InboundIn = ByteBuffer
    typealias InboundOut = ByteBuffer
    typealias OutboundIn = ByteBuffer
    typealias OutboundOut = ByteBuffer

    /// The most bytes of a record of TLS.
    private static let recordLimit = 16 << 10

    private let session: OpaquePointer
    /// Output from before the end of the handshake, in order.
    private var early: [(bytes: ByteBuffer, promise: EventLoopPromise<Void>?)] = []
    /// close_notify was sent.
    private var isClosing = false
    /// The other side sends nothing more, or nothing more of it is read after a failure.
    private var hasEnded = false

    /// Frees the session at its own end.
    init(_ session: OpaquePointer) { self.session = session }

    deinit { flick_tls_free(session) }

    // MARK: What arrives

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        guard !hasEnded else { return }
        let arrived = unwrapInboundIn(data)
        let isKept = arrived.withUnsafeReadableBytes { flick_tls_arrived(session, $0.baseAddress, $0.count) == 0 }
        guard isKept else { return fail(context) }
        var end = Int(FLICK_TLS_WAITS)
        while true {
            var plain = context.channel.allocator.buffer(capacity: Self.recordLimit)
            let count = plain.writeWithUnsafeMutableBytes(minimumWritableBytes: Self.recordLimit) { room in
                end = Int(flick_tls_read(session, room.baseAddress, Int32(Self.recordLimit)))
                return max(end, 0)
            }
            guard count > 0 else { break }
            context.fireChannelRead(wrapInboundOut(plain))
        }
        writeEarly(context)
        // Parts of the handshake, tickets and alerts.
        if sendPending(context) { context.flush() }
        if end == FLICK_TLS_FAILED { fail(context) }
        if end == FLICK_TLS_END, !hasEnded {
            hasEnded = true
            if isClosing {
                context.close(promise: nil)
            } else {
                context.fireUserInboundEventTriggered(ChannelEvent.inputClosed)
            }
        }
    }

    func channelInactive(context: ChannelHandlerContext) {
        failEarly(ChannelError.ioOnClosedChannel)
        context.fireChannelInactive()
    }

    // MARK: What goes out

    func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
        let bytes = unwrapOutboundIn(data)
        if isClosing {
            promise?.fail(ChannelError.ioOnClosedChannel)
        } else if flick_tls_is_open(session) != 0 {
            encrypt(bytes, context, promise: promise)
        } else {
            early.append((bytes, promise))
        }
    }

    func close(context: ChannelHandlerContext, mode: CloseMode, promise: EventLoopPromise<Void>?) {
        if mode != .input, !isClosing {
            isClosing = true
            flick_tls_close(session)
            if sendPending(context) { context.flush() }
            failEarly(ChannelError.ioOnClosedChannel)
        }
        context.close(mode: mode, promise: promise)
    }

    private func encrypt(_ bytes: ByteBuffer, _ context: ChannelHandlerContext, promise: EventLoopPromise<Void>?) {
        var sent = context.channel.allocator.buffer(capacity: bytes.readableBytes + Self.recordLimit / 8)
        // Taken record by record: the session's own buffer keeps the size that it once had.
        let isWritten = bytes.withUnsafeReadableBytes { all in
            stride(from: 0, to: all.count, by: Self.recordLimit).allSatisfy { start in
                let record = UnsafeRawBufferPointer(rebasing: all[start..<min(start + Self.recordLimit, all.count)])
                let isWritten = flick_tls_write(session, record.baseAddress, Int32(record.count)) == 0
                takePending(into: &sent)
                return isWritten
            }
        }
        if isWritten {
            context.write(wrapOutboundOut(sent), promise: promise)
        } else {
            promise?.fail(TLSError())
            fail(context)
        }
    }

    private func writeEarly(_ context: ChannelHandlerContext) {
        guard !early.isEmpty, flick_tls_is_open(session) != 0 else { return }
        let waiting = early
        early = []
        for (bytes, promise) in waiting { encrypt(bytes, context, promise: promise) }
        context.flush()
    }

    private func failEarly(_ error: any Error) {
        let waiting = early
        early = []
        for (_, promise) in waiting { promise?.fail(error) }
    }

    /// Writes what the session wants to be sent. Returns whether that was anything.
    private func sendPending(_ context: ChannelHandlerContext) -> Bool {
        guard flick_tls_pending(session) > 0 else { return false }
        var bytes = context.channel.allocator.buffer(capacity: flick_tls_pending(session))
        takePending(into: &bytes)
        context.write(wrapOutboundOut(bytes), promise: nil)
        return true
    }

    private func takePending(into bytes: inout ByteBuffer) {
        let count = flick_tls_pending(session)
        guard count > 0 else { return }
        bytes.writeWithUnsafeMutableBytes(minimumWritableBytes: count) { room in
            Int(flick_tls_take(session, room.baseAddress, Int32(count)))
        }
    }

    private func fail(_ context: ChannelHandlerContext) {
        hasEnded = true
        guard !isClosing else { return }
        context.fireErrorCaught(TLSError())
        context.close(promise: nil)
    }
}

/// A server's certificate and key. OpenSSL is loaded with the first one.
final class TLSContext: Sendable {
    /// OpenSSL counts references with atomics, and only `flick_tls_new` is called with it, which any thread may do.
    private nonisolated(unsafe) let context: OpaquePointer

    /// Two files in PEM. Throws `ServerError`. Blocks.
    init(certificate: String, key: String) throws {
        guard flick_tls_load() == 0 else {
            let reason = CleanText.line(String(cString: flick_tls_load_error()), limit: 200)
            throw ServerError("cannot serve TLS: \(reason); install libssl 3")
        }
        var why = [CChar](repeating: 0, count: 256)
        guard let made = flick_tls_context_new(certificate, key, &why, why.count) else {
            let text = String(decoding: why.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
            let what = "cannot use the certificate '\(certificate)' with the key '\(key)'"
            let advice = "pass PEM files, and a key without a passphrase"
            throw ServerError("\(what): \(CleanText.line(text, limit: 200)); \(advice)")
        }
        context = made
    }

    deinit { flick_tls_context_free(context) }

    /// nil without memory.
    func session() -> OpaquePointer? { flick_tls_new(context) }
}
