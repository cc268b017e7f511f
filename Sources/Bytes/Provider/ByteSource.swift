import Model
import Threads

/// The bytes of one URL. Any thread may read them, at any offset; several may at once.
public protocol ByteSource: AnyObject, Sendable {
    /// Where the bytes were found after all redirections: relative URLs in them start there.
    var url: String { get }
    /// In bytes; nil while unknown.
    var length: Int64? { get }
    /// Whether `read` may go back, or far ahead, at no great cost.
    var isSeekable: Bool { get }
    /// Copies bytes from `offset` on into `buffer`, and returns how many. It may copy fewer than fit, and copies 0 only at the end (or for an empty
    /// buffer). Blocks until there is a byte: not for the main thread, nor the shared pool. An offset beyond the end is the end; a negative one is an
    /// error. A read that is cancelled while it waits throws `.cancelled`.
    func read(
        at offset: Int64, into buffer: UnsafeMutableRawBufferPointer, cancellation: Cancellation
    ) throws(BytesError) -> Int
}

extension ByteSource {
    /// A read that nobody cancels.
    public func read(at offset: Int64, into buffer: UnsafeMutableRawBufferPointer) throws(BytesError) -> Int {
        try read(at: offset, into: buffer, cancellation: Cancellation())
    }
}

/// Where every byte of every clip, playlist and manifest comes from. Behind it are policy, cache, network and their faults. Any thread.
public protocol ByteProvider: Sendable {
    /// Opens an absolute URL. Blocks until it is known whether there is anything to read, or until cancelled: not for the main thread, nor the shared pool.
    func open(_ request: ByteRequest, cancellation: Cancellation) throws(BytesError) -> any ByteSource
    /// Announces what will soon be opened: the provider may fetch it ahead. Returns at once.
    func expect(_ request: ByteRequest)
    /// Names the asset in view. Its bytes come first and may be fetched whole; for others only what they wait for is fetched. Returns at once.
    func focus(on asset: Asset?)
    /// Names clips that may be wanted soon, the likeliest first: the beginnings of their files are fetched (C3). Replaces the clips named before. Returns at once.
    func prefetch(_ assets: [Asset])
    /// Forgets what is in memory of an asset that did not play, and confirms with the server what is cached of it (C10). Returns at once.
    func distrust(_ asset: Asset)
    /// The parts of a clip that need no network, in order, as fractions 0 … 1 of its bytes (a file) or of its `duration` (segments). Does not block.
    func available(of asset: Asset, duration: Duration?) -> [ClosedRange<Double>]
    /// Why an asset's bytes are late, in one line: a request failed and will be tried again. nil if none did. Does not block.
    func delay(of asset: Asset) -> String?
    /// The network's speed as measured lately, in bits a second; nil while unknown. Does not block.
    var throughput: Int64? { get }
}

extension ByteProvider {
    public func expect(_ request: ByteRequest) {}
    public func focus(on asset: Asset?) {}
    public func prefetch(_ assets: [Asset]) {}
    public func distrust(_ asset: Asset) {}
    public func available(of asset: Asset, duration: Duration?) -> [ClosedRange<Double>] { [] }
    public func delay(of asset: Asset) -> String? { nil }
    public var throughput: Int64? { nil }

    /// Opens `url` on behalf of what lies at `asset`. Blocks; nobody cancels it.
    public func open(_ url: String, for asset: String) throws(BytesError) -> any ByteSource {
        try open(ByteRequest(url: url, asset: Asset(url: asset)), cancellation: Cancellation())
    }
}

extension ByteProvider {
    /// Reads all bytes of something small. Blocks. More than `limit` bytes are an error.
    public func readAll(_ url: String, limit: Int) throws(BytesError) -> [UInt8] {
        let request = ByteRequest(url: url, asset: Asset(url: url), role: .playlist)
        let source = try open(request, cancellation: Cancellation())
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
