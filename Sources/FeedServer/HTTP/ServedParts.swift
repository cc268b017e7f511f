import HTTPTypes
import Logging
import NIOCore
import NIOHTTP1
import NIOPosix

/// Stands in a connection between the bytes of HTTP/1 and what Hummingbird makes of
/// them. It keeps the limits of time, ends connections that are over, answers what
/// is no HTTP, and sends files past Hummingbird by sendfile(2). On its event loop.
final class ServedParts: ChannelDuplexHandler {
    typealias InboundIn = HTTPServerRequestPart
    typealias InboundOut = HTTPServerRequestPart
    typealias OutboundIn = HTTPServerResponsePart
    typealias OutboundOut = HTTPServerResponsePart

    private var watch: ConnectionWatch {
        didSet {
            guard let context, watch.wait != oldValue.wait else { return }
            connections.changed(context.channel, watch.wait)
        }
    }
    private let connections: OpenConnections
    private var context: ChannelHandlerContext?
    private var tick: Scheduled<Void>?
    private var hasLeft = false
    /// The answer in progress is the last one of this connection.
    private var isLast = false
    private var isClosing = false
    private var isAnswering = false
    /// For each request without an answer yet, whether the connection may continue after it.
    private var asked: [Bool] = []
    /// The input after those was not HTTP: the answer to it, which is the last one.
    private var broken: (status: HTTPResponseStatus, why: String)?
    /// The body of the last request waits for 100 (RFC 9110, 10.1.1).
    private var awaitsContinue = false
    /// The part of a file that is being sent.
    private var piece: (file: ServedFile, end: Int64)?

    init(limits: ConnectionWatch.Limits, connections: OpenConnections) {
        watch = ConnectionWatch(limits: limits, now: OpenConnections.now)
        self.connections = connections
    }

    func handlerAdded(context: ChannelHandlerContext) {
        self.context = context
        connections.entered(context.channel, watch.wait)
        schedule(context)
    }

    func handlerRemoved(context: ChannelHandlerContext) {
        tick?.cancel()
        if !hasLeft { connections.left(context.channel) }
        hasLeft = true
        self.context = nil
    }

    func channelInactive(context: ChannelHandlerContext) {
        tick?.cancel()
        if !hasLeft { connections.left(context.channel) }
        hasLeft = true
        context.fireChannelInactive()
    }

    // MARK: Time

    private func schedule(_ context: ChannelHandlerContext) {
        // Bound to this event loop, as the handler is.
        let bound = NIOLoopBound((self, context), eventLoop: context.eventLoop)
        tick = context.eventLoop.scheduleTask(in: .seconds(1)) {
            let (parts, context) = bound.value
            parts.look(context)
        }
    }

    private func look(_ context: ChannelHandlerContext) {
        guard context.channel.isActive else { return }
        // The system sends no more of a file that has become shorter, and does not say so.
        if let piece, piece.file.isShorter(than: piece.end) { return context.close(promise: nil) }
        let now = OpenConnections.now
        watch.saw(waitingBytes: waitingBytes(context.channel), now: now)
        if let excess = watch.excess(now: now) {
            connections.cut(excess)
            switch excess {
            case .slowHead where !isAnswering, .slowBody where !isAnswering:
                answer(context, .requestTimeout, "the request took too long")
            default: context.close(promise: nil)
            }
            return
        }
        schedule(context)
    }

    /// The bytes that were written but not yet accepted by the system.
    private func waitingBytes(_ channel: any Channel) -> Int {
        do { return try channel.syncOptions?.getOption(.bufferedWritableBytes) ?? 0 } catch {
            // Every stream channel of NIO has this option until it is closed, and then nothing waits.
            return 0
        }
    }

    /// Bytes of a request arrive: called by `ByteArrival`, which stands before the parser.
    func bytesArrived() { watch.bytesArrived(now: OpenConnections.now) }

    /// The server is about to stop: a connection without a request ends, any other after its answer.
    func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
        if event is ChannelShouldQuiesceEvent {
            isLast = true
            if !isAnswering, asked.isEmpty { context.close(promise: nil) }
        }
        context.fireUserInboundEventTriggered(event)
    }

    // MARK: Requests

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        // Input after the last answer is not read as a request.
        guard !isClosing, broken == nil else { return }
        switch unwrapInboundIn(data) {
        case .head(var head):
            if let why = HeadRules.error(in: &head) {
                broken = (.badRequest, why)
                // The requests before it are answered first.
                if !isAnswering { answerBroken(context) }
                return
            }
            watch.headEnded(now: OpenConnections.now)
            asked.append(head.isKeepAlive)
            awaitsContinue = head.headers.contains(name: "expect")
            return context.fireChannelRead(wrapInboundOut(.head(head)))
        case .body: awaitsContinue = false
        case .end:
            awaitsContinue = false
            watch.requestEnded(now: OpenConnections.now)
        }
        context.fireChannelRead(data)
    }

    /// Sends 100 Continue for the request that is being answered, if its client waits for that. On the event loop.
    func sendContinue() {
        // A request that was pipelined after that one waits for its own turn.
        guard let context, awaitsContinue, asked.count == 1, !isClosing else { return }
        awaitsContinue = false
        let head = HTTPResponseHead(version: .http1_1, status: .continue)
        context.writeAndFlush(wrapOutboundOut(.head(head)), promise: nil)
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        guard !isClosing, context.channel.isActive else { return }
        guard let error = error as? HTTPParserError else { return context.fireErrorCaught(error) }
        guard broken == nil else { return }
        if watch.isInRequest {
            // It is the body of a request whose answer has begun, which then ends the connection.
            guard !asked.isEmpty else {
                isLast = true
                return
            }
            asked.removeLast()
        }
        switch error {
        case .headerOverflow: broken = (.requestHeaderFieldsTooLarge, "the headers are too large")
        default: broken = (.badRequest, "this is not HTTP")
        }
        // The requests before it are answered first.
        if !isAnswering { answerBroken(context) }
    }

    private func answerBroken(_ context: ChannelHandlerContext) {
        guard let broken, asked.isEmpty else { return }
        answer(context, broken.status, broken.why)
    }

    // MARK: Answers

    func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
        guard !isClosing else {
            promise?.fail(ChannelError.outputClosed)
            return
        }
        switch unwrapOutboundIn(data) {
        case .head(var head):
            if !(100..<200).contains(head.status.code) {
                isAnswering = true
                let keepsAlive = asked.isEmpty ? false : asked.removeFirst()
                if !keepsAlive || head.headers["connection"].contains(where: { $0.lowercased() == "close" }) {
                    isLast = true
                }
                if isLast { head.headers.replaceOrAdd(name: "connection", value: "close") }
            }
            context.write(wrapOutboundOut(.head(head)), promise: promise)
        case .body(let body): context.write(wrapOutboundOut(.body(body)), promise: promise)
        case .end(let trailers):
            isAnswering = false
            // The rest of a request that was answered before its end is not worth reading. If
            // others were requested since, this one has ended.
            if watch.isInRequest, asked.isEmpty, broken == nil { isLast = true }
            watch.answerEnded(now: OpenConnections.now)
            guard isLast else {
                context.write(wrapOutboundOut(.end(trailers)), promise: promise)
                answerBroken(context)
                return
            }
            context.writeAndFlush(wrapOutboundOut(.end(trailers)), promise: promise)
            linger(context)
        }
    }

    /// An answer that Hummingbird knows nothing of, and the end of the connection.
    private func answer(_ context: ChannelHandlerContext, _ status: HTTPResponseStatus, _ why: String) {
        let body = ByteBuffer(bytes: RequestError.body(why))
        let headers: HTTPHeaders = [
            "content-type": "application/json", "content-length": "\(body.readableBytes)", "connection": "close",
        ]
        connections.refused(Int(status.code))
        context.write(
            wrapOutboundOut(.head(HTTPResponseHead(version: .http1_1, status: status, headers: headers))), promise: nil)
        context.write(wrapOutboundOut(.body(.byteBuffer(body))), promise: nil)
        context.writeAndFlush(wrapOutboundOut(.end(nil)), promise: nil)
        linger(context)
    }

    /// Ends our half, and all of it once the client has had a second to read: closing at once with unread bytes would
    /// be a reset, which loses the answer.
    private func linger(_ context: ChannelHandlerContext) {
        isClosing = true
        let bound = NIOLoopBound(context, eventLoop: context.eventLoop)
        let channel = context.channel
        context.close(mode: .output, promise: nil)
        context.eventLoop.scheduleTask(in: .seconds(1)) {
            if channel.isActive { bound.value.close(promise: nil) }
        }
    }

    // MARK: Files

    /// The most bytes that are handed to the system at once.
    static let pieceSize = 512 << 10
    /// The same where they have to be in memory.
    static let readPieceSize = 256 << 10

    /// Sends a part of a file as the body of the answer that has begun, a piece after the other. On the event loop.
    func send(
        _ file: ServedFile, _ range: Range<Int64>, isSecure: Bool, pool: NIOThreadPool,
        _ promise: EventLoopPromise<Void>
    ) {
        guard let context else { return promise.fail(ChannelError.ioOnClosedChannel) }
        sendPiece(context, file, range, isSecure: isSecure, pool: pool, promise)
    }

    private func sendPiece(
        _ context: ChannelHandlerContext, _ file: ServedFile, _ range: Range<Int64>, isSecure: Bool,
        pool: NIOThreadPool, _ promise: EventLoopPromise<Void>
    ) {
        self.piece = nil
        guard !range.isEmpty else { return promise.succeed() }
        guard context.channel.isActive else { return promise.fail(ChannelError.ioOnClosedChannel) }
        let count = min(range.count, isSecure ? Self.readPieceSize : Self.pieceSize)
        let piece = range.lowerBound..<(range.lowerBound + Int64(count))
        let rest = piece.upperBound..<range.upperBound
        let bound = NIOLoopBound((self, context), eventLoop: context.eventLoop)
        let next: @Sendable (Result<Void, any Error>) -> Void = { result in
            let (parts, context) = bound.value
            switch result {
            case .success: parts.sendPiece(context, file, rest, isSecure: isSecure, pool: pool, promise)
            case .failure(let error): promise.fail(error)
            }
        }
        self.piece = (file, piece.upperBound)
        if !isSecure, file.isResident(piece) {
            write(context, .fileRegion(file.region(piece)), next)
            return
        }
        // The disk is waited for on a thread that may block.
        pool.runIfActive(eventLoop: context.eventLoop) { try isSecure ? file.read(piece) : file.warm(piece) }
            .whenComplete { result in
                let (parts, context) = bound.value
                switch result {
                case .success(let buffer):
                    parts.write(context, buffer.map { .byteBuffer($0) } ?? .fileRegion(file.region(piece)), next)
                case .failure(let error): promise.fail(error)
                }
            }
    }

    private func write(
        _ context: ChannelHandlerContext, _ data: IOData, _ next: @escaping @Sendable (Result<Void, any Error>) -> Void
    ) {
        let written = context.eventLoop.makePromise(of: Void.self)
        // Not at once: a client that takes every piece as it comes would make a call within a call for each, and keep
        // all others waiting.
        let loop = context.eventLoop
        written.futureResult.whenComplete { result in loop.execute { next(result) } }
        context.writeAndFlush(wrapOutboundOut(.body(data)), promise: written)
    }
}

/// Notifies `ServedParts` of arriving bytes: the parser in between passes only complete parts on.
final class ByteArrival: ChannelInboundHandler {
    typealias InboundIn = ByteBuffer
    typealias InboundOut = ByteBuffer

    private let parts: ServedParts

    init(_ parts: ServedParts) { self.parts = parts }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        parts.bytesArrived()
        context.fireChannelRead(data)
    }
}
