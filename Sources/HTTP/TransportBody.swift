import Model
import Synchronization

extension Transport {
    /// The bytes of a response as they arrive. Releasing it ends the transfer. While the caller requests no more, the
    /// server has to wait (back-pressure). One caller at a time, on any thread.
    package final class Body: Sendable {
        private struct State {
            /// nil after the end or a failure.
            var source: Source?
            /// How many bytes are still to come; nil if unknown.
            var left: Int64?
            /// Separates a radio's titles from its bytes; nil for anything else.
            var radio: RadioMetadata?
            /// Bytes that have arrived but were not separated from the metadata yet.
            var rest = BodyChunk()
            /// The error that it failed with; later calls throw it again.
            var failure: BytesError?

            /// The next bytes without titles; nil if more must arrive first.
            mutating func separated() -> BodyChunk? {
                defer { if radio == nil { rest = BodyChunk() } }
                return radio == nil ? (rest.count > 0 ? rest : nil) : radio?.next(from: &rest)
            }
        }

        private let state: Mutex<State>
        private let alarm: StallAlarm
        private let stallTimeout: Duration
        private let url: String

        /// - Parameters:
        ///   - length: the announced length; nil if unknown.
        ///   - decompressor: what the bytes are decompressed with; nil if they are not compressed.
        ///   - radio: separates titles from the bytes, if there are any.
        init(
            _ response: CurlResponse, length: Int64?, decompressor: Decompressor?, radio: RadioMetadata?, url: String,
            stallTimeout: Duration
        ) {
            state = Mutex(State(source: Source(response, decompressor), left: length, radio: radio))
            alarm = StallAlarm(limit: stallTimeout)
            self.stallTimeout = stallTimeout
            self.url = url
        }

        /// The title that a radio sends; nil until it sends one. Not trusted: clean it before showing it.
        package var title: String? { state.withLock { $0.radio?.title } }

        /// The next bytes; nil at the end. Throws `BytesError` if the connection breaks or stalls, and
        /// `CancellationError` if the task is cancelled.
        package func next() async throws -> BodyChunk? {
            let (rest, source, failure) = state.withLock { ($0.separated(), $0.source, $0.failure) }
            if let rest { return rest }
            if let failure { throw failure }
            guard let source else { return nil }
            while true {
                alarm.begin { [stallTimeout] in source.response.timeOut(.timedOut(.nextByte, stallTimeout)) }
                defer { _ = alarm.end() }
                let chunk: BodyChunk?
                do throws(BytesError.Reason) {
                    chunk = try await source.next()
                } catch {
                    // Cancelled by the caller, or because the transport was closed.
                    guard error == .cancelled, Task.isCancelled else { throw fail(error) }
                    state.withLock { $0.source = nil }
                    throw CancellationError()
                }
                guard let chunk else { return try finish() }
                try count(chunk)
                if let bytes = state.withLock({ $0.separated() }) { return bytes }
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

/// A body as it is read: decompressed, if need be. Releasing the last reference ends the transfer.
// @unchecked: a body has one caller, who waits for each `next`, so only one task calls it at a time.
private final class Source: @unchecked Sendable {
    let response: CurlResponse
    private let decompressor: Decompressor?

    init(_ response: CurlResponse, _ decompressor: Decompressor?) {
        (self.response, self.decompressor) = (response, decompressor)
    }

    func next() async throws(BytesError.Reason) -> BodyChunk? {
        guard let decompressor else { return try await response.next() }
        while true {
            if let chunk = try decompressor.next() { return chunk }
            guard let arrived = try await response.next() else {
                try decompressor.finish()
                return nil
            }
            decompressor.add(arrived)
        }
    }
}

/// Bytes of a response's body, which parts of it share. A value.
package struct BodyChunk: Sendable {
    private var bytes: ArraySlice<UInt8>

    /// No bytes.
    package init() { bytes = [] }

    package init(_ bytes: [UInt8]) { self.bytes = bytes[...] }

    private init(_ bytes: ArraySlice<UInt8>) { self.bytes = bytes }

    /// How many bytes are left to read.
    package var count: Int { bytes.count }

    /// The first byte that is left.
    var first: UInt8? { bytes.first }

    package func withBytes<Result>(_ body: (UnsafeRawBufferPointer) throws -> Result) rethrows -> Result {
        try bytes.withUnsafeBytes(body)
    }

    /// Takes bytes off the beginning, without copying them; `count` is at most what is left.
    mutating func takeFirst(_ count: Int) -> BodyChunk {
        defer { removeFirst(count) }
        return BodyChunk(bytes.prefix(count))
    }

    /// Copies the bytes of another one: for few.
    package mutating func append(_ other: BodyChunk) { bytes.append(contentsOf: other.bytes) }

    /// Skips bytes at the beginning; `count` is at most what is left.
    package mutating func removeFirst(_ count: Int) { bytes = bytes[(bytes.startIndex + count)...] }
}
