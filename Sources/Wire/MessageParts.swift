/// Appends the parts of a message, little-endian; texts and lists with their length before them.
struct MessageWriter {
    private(set) var bytes: [UInt8]

    init(kind: UInt8) {
        bytes = [0, 0, 0, 0, kind]
    }

    mutating func put<Number: FixedWidthInteger>(_ number: Number) {
        withUnsafeBytes(of: number.littleEndian) { bytes.append(contentsOf: $0) }
    }

    mutating func put(_ flag: Bool) { bytes.append(flag ? 1 : 0) }

    mutating func put(_ text: String, limit: Int = WireLimit.text) {
        let utf8 = text.utf8.count > limit ? MessageWriter.cut(Array(text.utf8), to: limit) : Array(text.utf8)
        put(UInt32(utf8.count))
        bytes.append(contentsOf: utf8)
    }

    /// The beginning of a text that is too long. It ends between
    /// two characters: a byte 10xxxxxx continues the one before it.
    private static func cut(_ utf8: [UInt8], to limit: Int) -> [UInt8] {
        var end = limit
        while end > 0, utf8[end] & 0xC0 == 0x80 { end -= 1 }
        return Array(utf8[..<end])
    }

    mutating func put(_ data: [UInt8]) {
        put(UInt32(data.count))
        bytes.append(contentsOf: data)
    }

    mutating func put(_ samples: [Int16]) {
        put(UInt32(samples.count))
        samples.withUnsafeBytes { bytes.append(contentsOf: $0) }
    }

    /// The whole message, its length first.
    func finished() -> [UInt8] {
        var bytes = bytes
        let length = UInt32(bytes.count - 4).littleEndian
        withUnsafeBytes(of: length) { for (index, byte) in $0.enumerated() { bytes[index] = byte } }
        return bytes
    }
}

/// Reads the parts of a message back, never past its end.
struct MessageReader {
    private let bytes: UnsafeRawBufferPointer
    private var position = 0

    init(_ bytes: UnsafeRawBufferPointer) { self.bytes = bytes }

    private mutating func next(_ count: Int) throws(WireError) -> UnsafeRawBufferPointer {
        guard count >= 0, bytes.count - position >= count else { throw .truncated }
        defer { position += count }
        return UnsafeRawBufferPointer(rebasing: bytes[position..<position + count])
    }

    mutating func number<Number: FixedWidthInteger>(_: Number.Type = Number.self) throws(WireError) -> Number {
        let part = try next(MemoryLayout<Number>.size)
        return Number(littleEndian: part.loadUnaligned(as: Number.self))
    }

    /// A time below `WireLimit.time` either way, so that sums of a few do not overflow.
    mutating func time() throws(WireError) -> Microseconds {
        let time = try number(Microseconds.self)
        guard time.magnitude < WireLimit.time.magnitude else { throw .invalid("time") }
        return time
    }

    mutating func flag() throws(WireError) -> Bool {
        switch try number(UInt8.self) {
        case 0: false
        case 1: true
        default: throw .invalid("flag")
        }
    }

    mutating func text(limit: Int = WireLimit.text) throws(WireError) -> String {
        let count = Int(try number(UInt32.self))
        guard count <= limit else { throw .tooLarge(count) }
        return String(decoding: try next(count), as: UTF8.self)
    }

    mutating func data(limit: Int) throws(WireError) -> [UInt8] {
        let count = Int(try number(UInt32.self))
        guard count <= limit else { throw .tooLarge(count) }
        return Array(try next(count))
    }

    mutating func samples(limit: Int) throws(WireError) -> [Int16] {
        let count = Int(try number(UInt32.self))
        guard count <= limit else { throw .tooLarge(count) }
        let part = try next(count * 2)
        return Array(unsafeUninitializedCapacity: count) { buffer, filled in
            UnsafeMutableRawBufferPointer(buffer).copyMemory(from: part)
            filled = count
        }
    }

    func finish() throws(WireError) {
        guard position == bytes.count else { throw .trailing(bytes.count - position) }
    }
}
