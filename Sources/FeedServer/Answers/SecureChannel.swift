import HummingbirdCore
import Logging
import NIOCore

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
