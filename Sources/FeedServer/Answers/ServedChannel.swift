import HTTPTypes
import HummingbirdCore
import Logging
import NIOCore
import NIOHTTP1
import NIOHTTPTypes
import NIOHTTPTypesHTTP1

/// A connection of HTTP/1 as Hummingbird makes it, with limits of time and size, and a way to send files.
struct ServedChannel: ServerChildChannel, HTTPChannelHandler {
    typealias Value = NIOAsyncChannel<HTTPRequestPart, HTTPResponsePart>

    /// The most bytes of a request's address, and of all its headers. The longest address that an answer names, a
    /// `next` with topic, creator and the longest path, has 30 KB: each of their characters may take 12 bytes.
    static let headLimit = 32 << 10
    static let fieldCountLimit = 100

    let responder: HTTPChannelHandler.Responder
    let limits: ConnectionWatch.Limits
    let connections: OpenConnections
    let isSecure: Bool

    func setup(channel: any Channel, logger: Logger) -> EventLoopFuture<Value> {
        channel.eventLoop.makeCompletedFuture {
            let pipeline = channel.pipeline.syncOperations
            let parts = ServedParts(limits: limits, connections: connections)
            var sizes = NIOHTTPDecoderLimitConfiguration()
            sizes.maxHeaderFieldSize = Self.headLimit
            sizes.maxHeaderListSize = Self.headLimit
            sizes.maxHeaderFieldCount = Self.fieldCountLimit
            try pipeline.addHandler(ByteArrival(parts))
            try pipeline.configureHTTPServerPipeline(
                withPipeliningAssistance: false, withErrorHandling: false, withOutboundHeaderValidation: false,
                withEncoderConfiguration: .init(), withDecoderLimitConfiguration: sizes)
            try pipeline.addHandler(parts)
            try pipeline.addHandler(HTTP1ToHTTPServerCodec(secure: isSecure))
            return try NIOAsyncChannel(
                wrappingChannelSynchronously: channel, configuration: .init(isOutboundHalfClosureEnabled: true))
        }
    }

    func handle(value: Value, logger: Logger) async { await handleHTTP(asyncChannel: value, logger: logger) }
}

/// A connection whose bytes are encrypted before `base` has them.
struct SecureChannel<Base: ServerChildChannel & HTTPChannelHandler>: ServerChildChannel, HTTPChannelHandler {
    typealias Value = Base.Value

    let base: Base
    let context: TLSContext
    var responder: HTTPChannelHandler.Responder { base.responder }

    func setup(channel: any Channel, logger: Logger) -> EventLoopFuture<Value> {
        channel.eventLoop.makeCompletedFuture {
            guard let session = context.session() else { throw ServerError("out of memory") }
            try channel.pipeline.syncOperations.addHandler(TLSHandler(session))
        }.flatMap { base.setup(channel: channel, logger: logger) }
    }

    func handle(value: Value, logger: Logger) async { await base.handle(value: value, logger: logger) }
}
