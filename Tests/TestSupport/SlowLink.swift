/// A slow line between a program and its terminal, as ssh would make one. Bytes that go in come out later. A value;
/// times are given.
public struct SlowLink {
    /// In bytes a second.
    public let rate: Double
    public let roundTrip: Duration
    /// How many bytes may be under way before the program is made to wait: socket buffers, and ssh's window.
    public let buffer: Int

    private struct Piece {
        var bytes: [UInt8]
        /// When the last of them has left, and when it arrives.
        var left: Duration
        var arrives: Duration
    }

    private var pieces: [Piece] = []
    /// When everything sent so far has left.
    private var free = Duration.zero
    /// What the line carries in one piece.
    private static let packet = 1_400

    public init(rate: Double, roundTrip: Duration, buffer: Int) {
        (self.rate, self.roundTrip, self.buffer) = (rate, roundTrip, buffer)
    }

    /// The bytes that have not left yet.
    public func backlog(at now: Duration) -> Int { pieces.reduce(0) { $0 + ($1.left > now ? $1.bytes.count : 0) } }

    /// How many bytes may be sent now.
    public func room(at now: Duration) -> Int { max(buffer - backlog(at: now), 0) }

    public mutating func send(_ bytes: UnsafeRawBufferPointer, now: Duration) {
        var rest = bytes[...]
        while !rest.isEmpty {
            let piece = Array(rest.prefix(Self.packet))
            free = max(free, now) + .seconds(Double(piece.count) / rate)
            pieces.append(Piece(bytes: piece, left: free, arrives: free + roundTrip / 2))
            rest = rest.dropFirst(piece.count)
        }
    }

    /// What has arrived by now.
    public mutating func receive(now: Duration) -> [UInt8] {
        let count = pieces.prefix { $0.arrives <= now }.count
        defer { pieces.removeFirst(count) }
        return pieces[..<count].flatMap(\.bytes)
    }

    /// When more arrives; nil if nothing is under way.
    public var nextArrival: Duration? { pieces.first?.arrives }
}
