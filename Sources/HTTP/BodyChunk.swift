internal import NIOCore

/// Bytes of an answer's body as they came, in memory of the network library: copied nowhere until somebody reads them.
package struct BodyChunk: Sendable {
    private var buffer: ByteBuffer

    init(_ buffer: ByteBuffer) { self.buffer = buffer }

    /// None.
    package init() { buffer = ByteBuffer() }

    /// How many bytes are left to read.
    package var count: Int { buffer.readableBytes }

    package func withBytes<Result>(_ body: (UnsafeRawBufferPointer) throws -> Result) rethrows -> Result {
        try buffer.withUnsafeReadableBytes(body)
    }

    /// Passes over bytes at the beginning. `count` is at most what is left.
    package mutating func removeFirst(_ count: Int) { buffer.moveReaderIndex(forwardBy: count) }
}
