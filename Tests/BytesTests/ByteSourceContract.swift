import Bytes
import Model

/// The contract of every `ByteSource`.
enum ByteSourceContract {
    /// Reads a source in all the ways its readers do. Returns one line for each
    /// broken promise; an empty list means success.
    ///
    /// `open` must return a source with exactly the given bytes.
    static func faults(_ open: (_ bytes: [UInt8]) throws -> any ByteSource) throws -> [String] {
        let bytes = (0..<100_003).map { UInt8(truncatingIfNeeded: $0 &* 31 ^ $0 >> 8) }
        var faults: [String] = []
        func expect(_ holds: Bool, _ promise: String) { if !holds { faults.append(promise) } }

        let source = try open(bytes)
        expect(source.length.map { $0 == 100_003 } ?? true, "a known length is the right one")
        expect(try wholeOf(source, step: 4_096) == bytes, "reading on from the start gives all bytes")
        expect(try wholeOf(source, step: 1 << 20) == bytes, "a buffer larger than the rest does no harm")
        expect(try read(source, at: 100_000, count: 10) == Array(bytes[100_000...]), "a read over the end stops there")
        expect(try read(source, at: 100_003, count: 10).isEmpty, "at the end there is nothing")
        expect(try read(source, at: .max - 1, count: 10).isEmpty, "far beyond the end there is nothing")
        expect(try read(source, at: 5, count: 0).isEmpty, "an empty buffer takes nothing")
        if source.isSeekable {
            expect(try read(source, at: 7, count: 3) == Array(bytes[7..<10]), "going back is possible")
        }
        do {
            _ = try read(source, at: -1, count: 1)
            faults.append("a negative offset is refused")
        } catch is BytesError {}
        expect(try wholeOf(try open([]), step: 10).isEmpty, "an empty source ends at once")
        return faults
    }

    private static func wholeOf(_ source: any ByteSource, step: Int) throws -> [UInt8] {
        var whole: [UInt8] = []
        while true {
            let piece = try read(source, at: Int64(whole.count), count: step)
            if piece.isEmpty { return whole }
            whole += piece
        }
    }

    /// One read, checked to stay within its buffer.
    private static func read(_ source: any ByteSource, at offset: Int64, count: Int) throws -> [UInt8] {
        var buffer = [UInt8](repeating: 0, count: count)
        let got = try buffer.withUnsafeMutableBytes { try source.read(at: offset, into: $0) }
        return Array(buffer[..<got])
    }
}
