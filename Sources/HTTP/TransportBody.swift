internal import AsyncHTTPClient
import Model
internal import NIOCore
import Synchronization

extension Transport {
    /// The bytes of an answer as they arrive. Its end ends the transfer; while nobody asks for more, the server has to wait (back-pressure). For one
    /// caller at a time, on any thread.
    package final class Body: Sendable {
        private struct State {
            /// nil once it has ended or failed.
            var source: Source?
            /// How many bytes are to come; nil if that is not known.
            var left: Int64?
            /// The error it failed with; each later call throws it too.
            var failure: BytesError?
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
        ///   - length: how many bytes it is to have; nil if that is not known.
        ///   - fault: names what the HTTP client throws.
        init(
            _ body: HTTPClientResponse.Body, length: Int64?, url: String, stallTimeout: Duration, loop: any EventLoop,
            fault: @escaping @Sendable (any Error) -> BytesError.Reason
        ) {
            state = Mutex(State(source: Source(body.makeAsyncIterator()), left: length))
            alarm = StallAlarm(limit: stallTimeout, on: loop)
            self.stallTimeout = stallTimeout
            self.url = url
            self.fault = fault
        }

        /// The next bytes; nil at the end. Throws `BytesError` when the connection is cut or stalls, `CancellationError` when the task is cancelled.
        package func next() async throws -> BodyChunk? {
            let (source, failure) = state.withLock { ($0.source, $0.failure) }
            if let failure { throw failure }
            guard let source else { return nil }
            while true {
                // A task of its own, that the alarm can cancel: this ends the transfer. It runs, and ends the wait, on the event loop's thread, so that
                // a busy pool is not taken for a silent server.
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
                // Once more, if it was over before it began.
                _ = alarm.end()
                let hasStalled = outcome.hasStalled
                switch outcome.result {
                case .success(let chunk?):
                    if chunk.count > 0 { return try count(chunk) }
                case .success(nil) where !hasStalled && !Task.isCancelled:
                    return try finish()
                case .success(nil), .failure(is CancellationError):
                    // Cancelled by the alarm, the caller, or the client's end.
                    if !hasStalled, Task.isCancelled {
                        state.withLock { $0.source = nil }
                        throw CancellationError()
                    }
                    throw fail(hasStalled ? .timedOut(.nextByte, stallTimeout) : .cancelled)
                case .failure(let error):
                    throw fail(fault(error))
                }
            }
        }

        private func count(_ chunk: BodyChunk) throws(BytesError) -> BodyChunk {
            let isTooMuch = state.withLock { state in
                guard let left = state.left else { return false }
                state.left = left - Int64(chunk.count)
                return left < chunk.count
            }
            if isTooMuch { throw fail(.otherBytes) }
            return chunk
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
                state.source = nil
                state.failure = failure
            }
            return failure
        }
    }
}

/// The iterator of a body, which may be used by one task after the other. ARC ends the transfer with the last reference.
// @unchecked: a body has one caller, who waits for each `next`; so it is called by one task at a time.
private final class Source: @unchecked Sendable {
    private var iterator: HTTPClientResponse.Body.AsyncIterator

    init(_ iterator: HTTPClientResponse.Body.AsyncIterator) { self.iterator = iterator }

    func next() async throws -> BodyChunk? { try await iterator.next().map(BodyChunk.init) }
}
