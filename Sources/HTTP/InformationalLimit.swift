internal import NIOCore
internal import NIOHTTP1

/// Ends a connection whose server sends one informational response (1xx) after the other: such a request would be over only with its time limit, and keep
/// a core busy until then. On the event loop's thread.
final class InformationalLimit: ChannelInboundHandler {
    typealias InboundIn = HTTPClientResponsePart
    typealias InboundOut = HTTPClientResponsePart

    /// A server has nothing more to say than `100 Continue`, `102 Processing` and some `103 Early Hints`.
    static let most = 16

    struct Exceeded: Error {}

    /// Since the last response.
    private var count = 0
    private var isExceeded = false

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        guard !isExceeded else { return }
        if case .head(let head) = unwrapInboundIn(data) {
            count = (100..<200).contains(head.status.code) ? count + 1 : 0
            if count > InformationalLimit.most {
                isExceeded = true
                context.fireErrorCaught(Exceeded())
                context.close(promise: nil)
                return
            }
        }
        context.fireChannelRead(data)
    }

    /// Adds a limit to a connection of HTTP/1.1, behind what makes responses of its bytes.
    static func add(to channel: any Channel) -> EventLoopFuture<Void> {
        channel.eventLoop.submit {
            let pipeline = channel.pipeline.syncOperations
            let decoder = try pipeline.handler(type: ByteToMessageHandler<HTTPResponseDecoder>.self)
            try pipeline.addHandler(InformationalLimit(), position: .after(decoder))
        }
    }
}
