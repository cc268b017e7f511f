internal import NIOCore
internal import NIOHTTP1

/// Repairs the heads of responses (`ResponseHead`) before they are parsed. Bodies pass it unseen. On the event loop's
/// thread.
final class HeadRepair: ChannelDuplexHandler {
    typealias InboundIn = ByteBuffer
    typealias InboundOut = ByteBuffer
    typealias OutboundIn = HTTPClientRequestPart
    typealias OutboundOut = HTTPClientRequestPart

    /// A request was sent, and the head of its response has not passed.
    private var expectsHead = false
    /// What has arrived of the head.
    private var begun: ByteBuffer?
    /// How much of it has no end in it.
    private var searched = 0

    func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
        // A connection has one request at a time.
        if case .head = unwrapOutboundIn(data) { expectsHead = true }
        context.write(data, promise: promise)
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        guard expectsHead else { return context.fireChannelRead(data) }
        var bytes = unwrapInboundIn(data)
        if var begun = begun.take() {
            begun.writeBuffer(&bytes)
            bytes = begun
        }
        while expectsHead, bytes.readableBytes > 0 {
            let view = bytes.readableBytesView
            guard ResponseHead.mayBegin(with: view.prefix(8)) else { break }
            guard let end = ResponseHead.end(of: view, from: searched) else {
                guard bytes.readableBytes <= ResponseHead.longest else { break }
                (begun, searched) = (bytes, bytes.readableBytes)
                return
            }
            searched = 0
            let head = ResponseHead(view.prefix(end))
            let original = bytes.readSlice(length: end)
            if let head, head.isRepaired {
                context.fireChannelRead(wrapInboundOut(ByteBuffer(bytes: head.bytes)))
            } else if let original {
                context.fireChannelRead(wrapInboundOut(original))
            }
            expectsHead = head?.isInformational ?? false
        }
        if bytes.readableBytes > 0 {
            (expectsHead, searched) = (false, 0)
            context.fireChannelRead(wrapInboundOut(bytes))
        }
    }

    func channelInactive(context: ChannelHandlerContext) {
        if let begun = begun.take() { context.fireChannelRead(wrapInboundOut(begun)) }
        context.fireChannelInactive()
    }

    /// Adds it to a connection of HTTP/1.1, before what makes responses of its bytes.
    static func add(to channel: any Channel) -> EventLoopFuture<Void> {
        channel.eventLoop.submit {
            let pipeline = channel.pipeline.syncOperations
            let decoder = try pipeline.handler(type: ByteToMessageHandler<HTTPResponseDecoder>.self)
            try pipeline.addHandler(HeadRepair(), position: .before(decoder))
        }
    }
}
