internal import NIOCore

/// Bytes of a response's body as they arrived, in the network library's memory: not copied until somebody reads them. A
/// value.
package struct BodyChunk: Sendable {
    private var buffer: ByteBuffer

    init(_ buffer: ByteBuffer) { self.buffer = buffer }

    /// No bytes.
    package init() { buffer = ByteBuffer() }

    package init(_ bytes: [UInt8]) { buffer = ByteBuffer(bytes: bytes) }

    /// How many bytes are left to read.
    package var count: Int { buffer.readableBytes }

    package func withBytes<Result>(_ body: (UnsafeRawBufferPointer) throws -> Result) rethrows -> Result {
        try buffer.withUnsafeReadableBytes(body)
    }

    /// Takes bytes off the beginning, without copying them; `count` is at most what is left.
    mutating func takeFirst(_ count: Int) -> BodyChunk {
        BodyChunk(buffer.readSlice(length: count) ?? ByteBuffer())
    }

    /// Copies the bytes of another one: for few.
    package mutating func append(_ other: BodyChunk) { buffer.writeImmutableBuffer(other.buffer) }

    /// Skips bytes at the beginning; `count` is at most what is left.
    package mutating func removeFirst(_ count: Int) { buffer.moveReaderIndex(forwardBy: count) }
}
