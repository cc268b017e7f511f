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
