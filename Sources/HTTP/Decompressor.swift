import CCompression
import Model

/// How a body is compressed (RFC 9110, 8.4.1). A value.
enum ContentCoding: Sendable {
    case gzip
    /// zlib's format (RFC 1950), or deflate without it (RFC 1951), which some servers mean.
    case deflate
    case brotli
    case zstd

    /// The value of `Accept-Encoding`. The libraries of brotli and zstd can be missing.
    static let accepted: String = {
        let brotli = flick_can_decompress(FLICK_BROTLI) != 0 ? ", br" : ""
        let zstd = flick_can_decompress(FLICK_ZSTD) != 0 ? ", zstd" : ""
        return "gzip, deflate" + brotli + zstd
    }()

    /// nil if there is another coding or several, or if the library for it is missing.
    ///
    /// - Parameter names: in lower case, in the order in which they were applied.
    init?(_ names: [String]) {
        switch names {
        case ["gzip"], ["x-gzip"]: self = .gzip
        case ["deflate"]: self = .deflate
        case ["br"] where flick_can_decompress(FLICK_BROTLI) != 0: self = .brotli
        case ["zstd"] where flick_can_decompress(FLICK_ZSTD) != 0: self = .zstd
        default: return nil
        }
    }

    /// Whether after the end of a stream this byte begins another, which belongs to
    /// the same body: a member of a gzip file (RFC 1952, 2.2), a frame of zstd or
    /// one to skip (RFC 8878, 3.1). Anything else, mostly zeros, fills up a block.
    fileprivate func isContinued(by first: UInt8?) -> Bool {
        switch self {
        case .gzip: first == 0x1F
        case .zstd: first.map { $0 == 0x28 || 0x50...0x5F ~= $0 } ?? false
        case .deflate, .brotli: false
        }
    }
}

/// Decompresses a body as it arrives. One caller at a time, on any thread.
final class Decompressor {
    /// The fewest bytes that there is room for at once.
    private static let pieceSize = 64 << 10

    private let coding: ContentCoding
    /// How many bytes of output are still allowed.
    private var left: Int
    /// Input that is not decompressed yet.
    private var input = BodyChunk()
    /// nil until enough has arrived to know the format.
    private var stream: OpaquePointer?
    /// There was not enough room for all the output.
    private var isFull = false
    /// A stream has come to its end, and no other has begun since.
    private var hasEnded = false
    /// The compressed data has ended.
    private var isOver = false

    /// - Parameter limit: in bytes, of what the body becomes.
    init(_ coding: ContentCoding, limit: Int) { (self.coding, left) = (coding, limit) }

    deinit { if let stream { flick_decompress_end(stream) } }

    func add(_ chunk: BodyChunk) {
        // Input behind the end may be endless.
        guard !isOver else { return }
        input.append(chunk)
    }

    /// The next bytes; nil if more has to arrive first. Throws `.damaged` if they are not what was compressed:
    /// invalid, or with a wrong checksum; and `.compressed` if the output exceeds the limit.
    func next() throws(BytesError.Reason) -> BodyChunk? {
        while !isOver, isFull || input.count > 0 {
            if hasEnded, !coding.isContinued(by: input.first) {
                isOver = true
                return nil
            }
            guard let stream = try begun() else { return nil }
            let output = try run(stream)
            left -= output.count
            guard left >= 0 else { throw .compressed }
            if !output.isEmpty { return BodyChunk(output) }
        }
        return nil
    }

    /// The body has ended. Throws `.damaged` if that is too early.
    func finish() throws(BytesError.Reason) {
        // Responses without content have no bytes at all.
        let isEmpty = stream == nil && input.count == 0
        guard hasEnded || isEmpty else { throw .damaged }
    }

    private func run(_ stream: OpaquePointer) throws(BytesError.Reason) -> [UInt8] {
        var result: Int32 = 0
        var (count, space) = (0, Decompressor.pieceSize)
        let output = input.withBytes { bytes in
            [UInt8](unsafeUninitializedCapacity: Decompressor.pieceSize) { room, written in
                count = bytes.count
                result = flick_decompress_run(
                    stream, bytes.baseAddress?.assumingMemoryBound(to: UInt8.self), &count, room.baseAddress, &space)
                written = Decompressor.pieceSize - space
            }
        }
        input.removeFirst(input.count - count)
        guard result >= 0 else { throw .damaged }
        hasEnded = result == 1
        isFull = space == 0 && !hasEnded
        return output
    }

    private func begun() throws(BytesError.Reason) -> OpaquePointer? {
        if let stream { return stream }
        guard let format else { return nil }
        // It needs a window once there is output: 32 KB, with brotli up to 16 MB, with zstd up to 8 MB.
        guard let stream = flick_decompress_begin(format) else { throw .damaged }
        self.stream = stream
        return stream
    }

    /// nil until enough has arrived to know.
    private var format: flick_coding? {
        switch coding {
        case .gzip: return FLICK_GZIP
        case .brotli: return FLICK_BROTLI
        case .zstd: return FLICK_ZSTD
        case .deflate:
            guard input.count > 1 else { return nil }
            let head = input.withBytes { UInt16($0[0]) << 8 | UInt16($0[1]) }
            // The first two bytes of zlib's format (RFC 1950, 2.2): the method, and a sum that 31 divides.
            return head >> 8 & 0x0F == 8 && head >> 12 <= 7 && head % 31 == 0 ? FLICK_ZLIB : FLICK_RAW
        }
    }
}
