/// The bytes of one URL, read at any offset by any thread.
public protocol ByteSource: AnyObject, Sendable {
    /// In bytes; nil while unknown.
    var length: Int64? { get }
    /// Whether `read` may go back, or far ahead, at no great cost.
    var isSeekable: Bool { get }
    /// Copies bytes from `offset` on into `buffer`, and returns how many: fewer than asked for when that is what is at hand, 0 only at the end
    /// (or for an empty buffer). Blocks until there is a byte. An offset beyond the end is the end; a negative one is an error.
    func read(at offset: Int64, into buffer: UnsafeMutableRawBufferPointer) throws(BytesError) -> Int
}

/// The one door through which every byte of every clip, playlist and manifest comes: policy, caching, counting and faults live behind it.
public protocol ByteDoor: Sendable {
    /// Opens an absolute URL. Blocks.
    ///
    /// `asset` is the URL of the item (or feed) that this read is part of: what a remote asset leads to is held to `LinkPolicy` (L9).
    func open(_ url: String, for asset: String) throws(BytesError) -> any ByteSource
}

extension ByteDoor {
    /// All bytes of a small thing, such as a manifest. Blocks. More than `limit` bytes are an error.
    public func readAll(_ url: String, limit: Int) throws(BytesError) -> [UInt8] {
        let source = try open(url, for: url)
        if let length = source.length, length > limit {
            throw BytesError(verb: .read, url: url, reason: .tooLarge(limit: limit))
        }
        var bytes: [UInt8] = []
        var chunk = [UInt8](repeating: 0, count: 1 << 16)
        while true {
            let offset = Int64(bytes.count)
            // The closure of withUnsafeMutableBytes cannot carry a typed error through, so a Result does.
            let result: Result<Int, BytesError> = chunk.withUnsafeMutableBytes { buffer in
                do throws(BytesError) {
                    return .success(try source.read(at: offset, into: buffer))
                } catch {
                    return .failure(error)
                }
            }
            let count = try result.get()
            if count == 0 { return bytes }
            bytes.append(contentsOf: chunk[..<count])
            if bytes.count > limit { throw BytesError(verb: .read, url: url, reason: .tooLarge(limit: limit)) }
        }
    }
}
