import Bytes
import Model
import Platform
import Threads

/// Reads bytes from the beginning to the end, a piece at a time: a manifest as it arrives. Used by one thread.
final class ByteStream {
    /// The most bytes of a piece.
    static let pieceSize = 1 << 16

    /// Why the stream ended early.
    private(set) var failure: BytesError?
    private var isOver = false
    private var putBack: [UInt8]?
    private let read: (Int64, UnsafeMutableRawBufferPointer) throws(BytesError) -> Int
    private var offset: Int64 = 0
    private let name: String
    private let limit: Int64

    /// - Parameters:
    ///   - name: the URL for error messages.
    ///   - limit: more bytes are an error.
    ///   - read: copies bytes from an offset on and returns how many; 0 at the end. Blocks.
    init(
        _ name: String, limit: Int64,
        read: @escaping (Int64, UnsafeMutableRawBufferPointer) throws(BytesError) -> Int
    ) {
        self.name = name
        self.limit = limit
        self.read = read
    }

    convenience init(_ source: any ByteSource, limit: Int64, cancellation: Cancellation) {
        self.init(source.url, limit: limit) { offset, buffer throws(BytesError) in
            try source.read(at: offset, into: buffer, cancellation: cancellation)
        }
    }

    convenience init(_ bytes: [UInt8], name: String) {
        self.init(name, limit: .max) { offset, buffer in
            let piece = bytes[Int(offset)...].prefix(buffer.count)
            buffer.copyBytes(from: piece)
            return piece.count
        }
    }

    /// The next bytes; none at the end, after a failure, and after `stop`. Blocks.
    func next() -> [UInt8] {
        if let putBack = putBack.take() { return putBack }
        guard !isOver else { return [] }
        let piece = [UInt8](unsafeUninitializedCapacity: ByteStream.pieceSize) { buffer, count in
            do throws(BytesError) {
                count = try read(offset, UnsafeMutableRawBufferPointer(buffer))
            } catch {
                failure = error
            }
        }
        offset += Int64(piece.count)
        if offset > limit {
            failure = BytesError(verb: .read, url: name, reason: .tooLarge(limit: Int(clamping: limit)))
        }
        isOver = piece.isEmpty || failure != nil
        return isOver ? [] : piece
    }

    /// Returns a stream that gives `bytes` again, then the rest.
    func putBack(_ bytes: [UInt8]) -> ByteStream {
        putBack = bytes
        return self
    }

    /// Ends the stream before its end.
    func stop() {
        isOver = true
        putBack = nil
    }
}
