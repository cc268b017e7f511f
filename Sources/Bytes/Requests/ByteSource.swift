import Model
import Threads

/// The bytes of one URL. Any thread may read at any offset, also several threads at once.
public protocol ByteSource: AnyObject, Sendable {
    /// The URL after all redirections: relative URLs in the text are relative to it.
    var url: String { get }
    /// In bytes; nil while unknown.
    var length: Int64? { get }
    /// The media type that the server sends; nil if unknown, as for files.
    var type: MediaType? { get }
    /// How old the bytes are, if they are an earlier answer because the server is unreachable; otherwise nil.
    var age: Duration? { get }
    /// Whether `read` can go back, or far ahead, at low cost.
    var isSeekable: Bool { get }
    /// The response is not what the reader expected, such as a login page in place of a feed: it is not cached. Returns
    /// whether there is an earlier answer, which is read from now on, from its beginning.
    func fallBack() -> Bool
    /// Copies bytes from `offset` on into `buffer` and returns how many. It may copy fewer than fit; it copies 0 only
    /// at the end or for an empty buffer. An offset beyond the end counts as the end; a negative one is an error. A
    /// read that is cancelled while it waits throws `.cancelled`. Blocks until there is a byte: do not call it on the
    /// main thread or the shared pool.
    func read(
        at offset: Int64, into buffer: UnsafeMutableRawBufferPointer, cancellation: Cancellation
    ) throws(BytesError) -> Int
}

extension ByteSource {
    public var type: MediaType? { nil }
    public var age: Duration? { nil }
    public func fallBack() -> Bool { false }

    /// Reads without a cancellation.
    public func read(at offset: Int64, into buffer: UnsafeMutableRawBufferPointer) throws(BytesError) -> Int {
        try read(at: offset, into: buffer, cancellation: Cancellation())
    }
}

/// Where all bytes of clips, playlists and manifests come from. It contains link policy, cache and network. Any thread.
public protocol ByteProvider: Sendable {
    /// Opens an absolute URL. Blocks until it is known whether there is anything to read, or until it is cancelled: do
    /// not call it on the main thread or the shared pool.
    func open(_ request: ByteRequest, cancellation: Cancellation) throws(BytesError) -> any ByteSource
}

extension ByteProvider {
    /// Opens `url` for the asset with the URL `asset`. Blocks and cannot be cancelled.
    public func open(_ url: String, for asset: String) throws(BytesError) -> any ByteSource {
        try open(ByteRequest(url: url, asset: Asset(url: asset)), cancellation: Cancellation())
    }

    /// Reads all bytes of something small. Throws if there are more than `limit`. Blocks.
    public func readAll(_ url: String, limit: Int) throws(BytesError) -> [UInt8] {
        try readAll(
            ByteRequest(url: url, asset: Asset(url: url), role: .playlist), limit: limit, cancellation: Cancellation())
    }

    /// Reads all bytes of a small resource. Throws if there are more than `limit`. Blocks.
    public func readAll(
        _ request: ByteRequest, limit: Int, cancellation: Cancellation
    ) throws(BytesError) -> [UInt8] {
        let url = request.url
        let source = try open(request, cancellation: cancellation)
        if let length = source.length, length > limit {
            throw BytesError(verb: .read, url: url, reason: .tooLarge(limit: limit))
        }
        var bytes: [UInt8] = []
        var chunk = [UInt8](repeating: 0, count: 1 << 16)
        while true {
            let offset = Int64(bytes.count)
            // The closure of withUnsafeMutableBytes cannot throw typed errors, so it returns a Result.
            let result: Result<Int, BytesError> = chunk.withUnsafeMutableBytes { buffer in
                do throws(BytesError) {
                    return .success(try source.read(at: offset, into: buffer, cancellation: cancellation))
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
