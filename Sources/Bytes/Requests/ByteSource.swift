import Model
import Threads

/// The bytes of one URL. Any thread may read at any offset, also several threads at once.
public protocol ByteSource: AnyObject, Sendable {
    /// The URL after all redirections: relative URLs in the text are relative to it.
    var url: String { get }
    /// In bytes; nil while unknown.
    var length: Int64? { get }
    /// What the server says that it is; nil if unknown, as of files.
    var type: MediaType? { get }
    /// How old the bytes are, if they are an earlier answer because the server cannot be asked now; else nil.
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
    /// Announces what will be opened soon, so that the provider can fetch it ahead. Returns at once.
    func expect(_ request: ByteRequest)
    /// Sets the asset in view. Its bytes come first and may be fetched whole; other assets get only bytes that their
    /// readers wait for. Returns at once.
    func focus(on asset: Asset?)
    /// Whether the clip in view stands still for want of bytes. While it does and they come, other assets get none. The
    /// next `focus` ends that. Returns at once.
    func setViewStalled(_ isStalled: Bool)
    /// The user stays with the asset in view: on a slow link, too, it and what follows are fetched as far as they ever
    /// are. The next `focus` ends that. Returns at once.
    func stay()
    /// Sets the clips that may be wanted soon, the likeliest first: the beginnings of their files are fetched. Replaces
    /// earlier ones. Returns at once.
    func prefetch(_ assets: [Asset])
    /// Sets the stills that may be wanted soon, the likeliest first. They are fetched at the same time: three of them,
    /// and a dozen of the others. Replaces earlier ones. Returns at once.
    func prefetchStills(_ assets: [Asset])
    /// Begins or ends to keep a file offline: all of it is fetched, and stays
    /// in the cache beside its limit. Returns at once.
    func keepOffline(_ asset: Asset, _ isKept: Bool)
    /// Whether a clip is kept offline, and how far that is. Does not block.
    func offline(_ asset: Asset) -> OfflineState
    /// Drops the buffered bytes of an asset that did not play, and confirms its
    /// cached bytes with the server. Returns at once.
    func revalidate(_ asset: Asset)
    /// Drops all bytes of an asset that failed to play again, and has them fetched anew past every cache on the way,
    /// even if the server says that they have not changed. Only if it cannot be reached are they used. Returns at once.
    func reject(_ asset: Asset)
    /// The parts of a clip that need no network, in order, as fractions 0 … 1 of a file's bytes, or of `duration` for
    /// segments. Does not block.
    func available(of asset: Asset, duration: Duration?) -> [ClosedRange<Double>]
    /// Why an asset's bytes are late, in one line: a request failed and will be
    /// retried. nil if none did. Does not block.
    func delay(of asset: Asset) -> String?
    /// What a radio plays now, as its server says; nil for anything else. Not trusted. Does not block.
    func title(of asset: Asset) -> String?
    /// The network's recently measured speed in bits a second; nil while unknown. Does not block.
    var throughput: Int64? { get }
}

extension ByteProvider {
    public func expect(_ request: ByteRequest) {}
    public func focus(on asset: Asset?) {}
    public func setViewStalled(_ isStalled: Bool) {}
    public func stay() {}
    public func prefetch(_ assets: [Asset]) {}
    public func prefetchStills(_ assets: [Asset]) {}
    public func keepOffline(_ asset: Asset, _ isKept: Bool) {}
    public func offline(_ asset: Asset) -> OfflineState { .no }
    public func revalidate(_ asset: Asset) {}
    public func reject(_ asset: Asset) {}
    public func available(of asset: Asset, duration: Duration?) -> [ClosedRange<Double>] { [] }
    public func delay(of asset: Asset) -> String? { nil }
    public func title(of asset: Asset) -> String? { nil }
    public var throughput: Int64? { nil }

    /// Opens `url` for the asset with the URL `asset`. Blocks and cannot be cancelled.
    public func open(_ url: String, for asset: String) throws(BytesError) -> any ByteSource {
        try open(ByteRequest(url: url, asset: Asset(url: asset)), cancellation: Cancellation())
    }
}

extension ByteProvider {
    /// Reads all bytes of something small. Throws if there are more than `limit`. Blocks.
    public func readAll(_ url: String, limit: Int) throws(BytesError) -> [UInt8] {
        try readAll(
            ByteRequest(url: url, asset: Asset(url: url), role: .playlist), limit: limit, cancellation: Cancellation())
    }

    /// The same of what is asked for like this.
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
