/// Bytes on their way to the terminal: grows on request, writes without checks.
///
/// The encoder reserves room for a whole row of cells at once and then writes through a bare pointer,
/// as an array's bounds and uniqueness checks for each byte would cost more than the writing itself.
public struct ByteBuffer: ~Copyable {
    private var base: UnsafeMutablePointer<UInt8>
    public private(set) var capacity: Int
    public private(set) var count = 0

    /// An empty buffer with room for `capacity` bytes.
    public init(capacity: Int = 64 * 1024) {
        self.capacity = max(capacity, 64)
        base = .allocate(capacity: self.capacity)
    }

    deinit { base.deallocate() }

    public var isEmpty: Bool { count == 0 }

    /// Empties the buffer and keeps its memory.
    public mutating func removeAll() { count = 0 }

    /// The bytes written so far, valid only during the call.
    public borrowing func withUnsafeBytes<Result, Failure: Error>(
        _ body: (UnsafeRawBufferPointer) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        try body(UnsafeRawBufferPointer(start: base, count: count))
    }

    /// Drops everything after the first `count` bytes.
    public mutating func shorten(to count: Int) {
        precondition(count >= 0 && count <= self.count, "that many bytes were written")
        self.count = count
    }

    public mutating func append(_ byte: UInt8) {
        reserve(1)[0] = byte
        count += 1
    }

    public mutating func append(_ text: StaticString) {
        append(UnsafeBufferPointer(start: text.utf8Start, count: text.utf8CodeUnitCount))
    }

    public mutating func append(_ text: String) {
        var text = text
        text.withUTF8 { append($0) }
    }

    public mutating func append(_ bytes: UnsafeBufferPointer<UInt8>) {
        guard let source = bytes.baseAddress else { return }
        reserve(bytes.count).update(from: source, count: bytes.count)
        count += bytes.count
    }

    /// Lets `fill` write at most `count` bytes; it returns how many it wrote.
    public mutating func append(atMost count: Int, _ fill: (UnsafeMutableRawBufferPointer) -> Int) {
        let written = fill(UnsafeMutableRawBufferPointer(start: reserve(count), count: count))
        precondition(written >= 0 && written <= count, "no more was written than there is room for")
        self.count += written
    }

    /// Where the next byte goes; at least `room` bytes may be written there before `commit(upTo:)`.
    mutating func reserve(_ room: Int) -> UnsafeMutablePointer<UInt8> {
        if count + room > capacity {
            let grown = max(capacity * 2, count + room)
            let larger = UnsafeMutablePointer<UInt8>.allocate(capacity: grown)
            larger.update(from: base, count: count)
            base.deallocate()
            base = larger
            capacity = grown
        }
        return base + count
    }

    /// Commits the reserved bytes before `end`.
    mutating func commit(upTo end: UnsafeMutablePointer<UInt8>) {
        count = end - base
        assert(count <= capacity, "more was written than was reserved")
    }
}
