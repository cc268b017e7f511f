import CDeflate
internal import NIOCore

/// How a body is compressed (RFC 9110, 8.4.1). A value.
enum ContentCoding: Sendable {
    case gzip
    /// zlib's format (RFC 1950), or deflate without it (RFC 1951), which some servers mean.
    case deflate

    /// - Parameter names: in lower case, in the order in which they were applied; nil for others than one of these.
    init?(_ names: [String]) {
        switch names {
        case ["gzip"], ["x-gzip"]: self = .gzip
        case ["deflate"]: self = .deflate
        default: return nil
        }
    }
}

/// Decompresses a body as it arrives. One caller at a time, on any thread.
final class Inflater {
    /// The bytes are not what was compressed: they are invalid, their checksum is wrong, or they end too early.
    struct Damaged: Error {}
    /// The output exceeds the limit.
    struct TooLarge: Error {}

    /// The fewest bytes that there is room for at once.
    private static let pieceSize = 64 << 10

    private let coding: ContentCoding
    /// How many bytes of output are still allowed.
    private var left: Int
    /// What has arrived and is not yet decompressed.
    private var input = ByteBuffer()
    /// nil until enough has arrived to know the format.
    private var stream: OpaquePointer?
    /// There was not enough room for all the output.
    private var isFull = false
    /// A stream has come to its end, and no other has begun since.
    private var hasEnded = false
    /// What follows is not part of it.
    private var isOver = false

    /// - Parameter limit: in bytes, of what the body becomes.
    init(_ coding: ContentCoding, limit: Int) { (self.coding, left) = (coding, limit) }

    deinit { if let stream { flick_inflate_end(stream) } }

    func add(_ chunk: BodyChunk) {
        // What follows may be endless.
        guard !isOver else { return }
        input.discardReadBytes()
        _ = chunk.withBytes { input.writeBytes($0) }
    }

    /// The next bytes; nil if more has to arrive first. Throws `Damaged` and `TooLarge`.
    func next() throws -> BodyChunk? {
        while !isOver, isFull || input.readableBytes > 0 {
            if hasEnded {
                // Another member of a gzip file (RFC 1952, 2.2). Anything else, mostly zeros, fills up a block.
                guard coding == .gzip, input.getInteger(at: input.readerIndex, as: UInt8.self) == 0x1F else {
                    isOver = true
                    return nil
                }
            }
            guard let stream = try begun() else { return nil }
            let output = try run(stream)
            left -= output.readableBytes
            guard left >= 0 else { throw TooLarge() }
            if output.readableBytes > 0 { return BodyChunk(output) }
        }
        return nil
    }

    /// The body has ended. Throws `Damaged` if that is too early.
    func finish() throws {
        // Responses without content have no bytes at all.
        let isEmpty = stream == nil && input.readableBytes == 0
        guard hasEnded || isEmpty else { throw Damaged() }
    }

    private func run(_ stream: OpaquePointer) throws -> ByteBuffer {
        var output = ByteBuffer()
        var result: Int32 = 0
        var isFull = false
        _ = input.readWithUnsafeReadableBytes { bytes in
            var count = bytes.count
            _ = output.writeWithUnsafeMutableBytes(minimumWritableBytes: Self.pieceSize) { room in
                var space = room.count
                result = flick_inflate_run(
                    stream, bytes.baseAddress?.assumingMemoryBound(to: UInt8.self), &count,
                    room.baseAddress?.assumingMemoryBound(to: UInt8.self), &space)
                isFull = space == 0
                return room.count - space
            }
            return bytes.count - count
        }
        guard result >= 0 else { throw Damaged() }
        hasEnded = result == 1
        self.isFull = isFull && !hasEnded
        return output
    }

    private func begun() throws -> OpaquePointer? {
        if let stream { return stream }
        var form = FLICK_GZIP
        if coding == .deflate {
            guard let head = input.getInteger(at: input.readerIndex, as: UInt16.self) else { return nil }
            // The first two bytes of zlib's format (RFC 1950, 2.2): the method, and a sum that 31 divides.
            let isZlib = head >> 8 & 0x0F == 8 && head >> 12 <= 7 && head % 31 == 0
            form = isZlib ? FLICK_ZLIB : FLICK_RAW
        }
        // It needs 7 KB, and a window of 32 KB once there is output.
        guard let stream = flick_inflate_begin(form) else { throw Damaged() }
        self.stream = stream
        return stream
    }
}
