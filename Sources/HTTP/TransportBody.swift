internal import AsyncHTTPClient
import Model
internal import NIOCore
import Synchronization

extension Transport {
    /// The bytes of a response as they arrive. Releasing it ends the transfer. While nobody asks for more, the server
    /// has to wait (back-pressure). One caller at a time, on any thread.
    package final class Body: Sendable {
        private struct State {
            /// nil after the end or a failure.
            var source: Source?
            /// How many bytes are still to come; nil if unknown.
            var left: Int64?
            /// Separates a radio's titles from its bytes; nil for anything else.
            var radio: RadioMetadata?
            /// What has arrived and was not separated yet.
            var rest = BodyChunk()
            /// The error that it failed with; later calls throw it again.
            var failure: BytesError?

            /// The next bytes without titles; nil if more must arrive first.
            mutating func separated() -> BodyChunk? {
                defer { if radio == nil { rest = BodyChunk() } }
                return radio == nil ? (rest.count > 0 ? rest : nil) : radio?.next(from: &rest)
            }
        }

        private struct Outcome: Sendable {
            var result: Result<BodyChunk?, any Error>
            var hasStalled: Bool
        }

        private let state: Mutex<State>
        private let alarm: StallAlarm
        private let stallTimeout: Duration
        private let url: String
        private let fault: @Sendable (any Error) -> BytesError.Reason

        /// - Parameters:
        ///   - length: the announced length; nil if unknown.
        ///   - inflater: what the bytes are decompressed with; nil if they are not compressed.
        ///   - radio: separates titles from the bytes, if there are any.
        ///   - fault: translates the HTTP client's errors.
        init(
            _ body: HTTPClientResponse.Body, length: Int64?, inflater: Inflater?, radio: RadioMetadata?, url: String,
            stallTimeout: Duration, loop: any EventLoop,
            fault: @escaping @Sendable (any Error) -> BytesError.Reason
        ) {
            state = Mutex(State(source: Source(body.makeAsyncIterator(), inflater), left: length, radio: radio))
            alarm = StallAlarm(limit: stallTimeout, on: loop)
            self.stallTimeout = stallTimeout
            self.url = url
            self.fault = fault
        }

        /// What a radio plays now, as it says; nil while it does not. Not trusted: clean it before showing it.
        package var title: String? { state.withLock { $0.radio?.title } }

        /// The next bytes; nil at the end. Throws `BytesError` if the connection breaks or stalls, and
        /// `CancellationError` if the task is cancelled.
        package func next() async throws -> BodyChunk? {
            let (rest, source, failure) = state.withLock { ($0.separated(), $0.source, $0.failure) }
            if let rest { return rest }
            if let failure { throw failure }
            guard let source else { return nil }
            while true {
                // A separate task, which the alarm can cancel to end the transfer. It runs on the event loop's thread
                // and ends the wait there, so that a busy pool is not mistaken for a silent server.
                let reading = Transport.task { [alarm] () -> Outcome in
                    let result: Result<BodyChunk?, any Error>
                    do { result = .success(try await source.next()) } catch { result = .failure(error) }
                    return Outcome(result: result, hasStalled: alarm.end())
                }
                alarm.begin { reading.cancel() }
                let outcome = await withTaskCancellationHandler {
                    await reading.value
                } onCancel: {
                    reading.cancel()
                }
                // Again, in case the reading was over before the wait began.
                _ = alarm.end()
                let hasStalled = outcome.hasStalled
                switch outcome.result {
                case .success(let chunk?):
                    try count(chunk)
                    if let bytes = state.withLock({ $0.separated() }) { return bytes }
                case .success(nil) where !hasStalled && !Task.isCancelled:
                    return try finish()
                case .success(nil), .failure(is CancellationError):
                    // Cancelled by the alarm, by the caller, or because the client was shut down.
                    if !hasStalled, Task.isCancelled {
                        state.withLock { $0.source = nil }
                        throw CancellationError()
                    }
                    throw fail(hasStalled ? .timedOut(.nextByte, stallTimeout) : .cancelled)
                case .failure(let error):
                    // A wait that the alarm broke off may end in an error of the client's own: then it was not somebody who lost interest.
                    throw fail(hasStalled ? .timedOut(.nextByte, stallTimeout) : fault(error))
                }
            }
        }

        private func count(_ chunk: BodyChunk) throws(BytesError) {
            let isTooMuch = state.withLock { state in
                state.rest = chunk
                guard let left = state.left else { return false }
                state.left = left - Int64(chunk.count)
                return left < chunk.count
            }
            if isTooMuch { throw fail(.otherBytes) }
        }

        private func finish() throws(BytesError) -> BodyChunk? {
            let left = state.withLock { state in
                state.source = nil
                return state.left ?? 0
            }
            if left > 0 { throw fail(.dropped) }
            return nil
        }

        private func fail(_ reason: BytesError.Reason) -> BytesError {
            let failure = BytesError(verb: .read, url: url, reason: reason)
            state.withLock { state in
                (state.source, state.rest) = (nil, BodyChunk())
                state.failure = failure
            }
            return failure
        }
    }
}

/// The iterator of a body. Different tasks can use it one after the other. Releasing the last reference ends the
/// transfer.
// @unchecked: a body has one caller, who waits for each `next`, so only one task calls it at a time.
private final class Source: @unchecked Sendable {
    private var iterator: HTTPClientResponse.Body.AsyncIterator
    private let inflater: Inflater?

    init(_ iterator: HTTPClientResponse.Body.AsyncIterator, _ inflater: Inflater?) {
        (self.iterator, self.inflater) = (iterator, inflater)
    }

    func next() async throws -> BodyChunk? {
        guard let inflater else { return try await iterator.next().map(BodyChunk.init) }
        while true {
            if let chunk = try inflater.next() { return chunk }
            guard let arrived = try await iterator.next() else {
                try inflater.finish()
                return nil
            }
            inflater.add(BodyChunk(arrived))
        }
    }
}
