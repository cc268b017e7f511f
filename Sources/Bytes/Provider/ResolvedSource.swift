import Model
import Synchronization
import Threads

/// The bytes of a clip where its resolver has found it. When the server no longer serves them,
/// the source asks the resolver again, and reading continues.
final class ResolvedSource: ByteSource {
    /// The open source, and where it was found.
    struct Opened: Sendable {
        var source: any ByteSource
        var media: ResolvedMedia
    }

    private let request: ByteRequest
    /// Keeps the provider alive while there are readers.
    private let provider: CachedProvider
    private let opened: Mutex<Opened>

    /// - Parameter request: as it was before it was resolved.
    init(_ opened: Opened, of request: ByteRequest, by provider: CachedProvider) {
        self.request = request
        self.provider = provider
        self.opened = Mutex(opened)
    }

    private var now: Opened { opened.withLock(\.self) }

    var url: String { now.source.url }
    var length: Int64? { now.source.length }
    var type: MediaType? { now.source.type }
    var age: Duration? { now.source.age }
    var isSeekable: Bool { now.source.isSeekable }

    func read(
        at offset: Int64, into buffer: UnsafeMutableRawBufferPointer, cancellation: Cancellation
    ) throws(BytesError) -> Int {
        let before = now
        do throws(BytesError) {
            return try before.source.read(at: offset, into: buffer, cancellation: cancellation)
        } catch {
            guard error.isOfOldAddress else { throw error }
            let length = before.source.length
            let after = try provider.reopen(request, after: before.media, error, cancellation)
            guard length == nil || after.source.length == nil || after.source.length == length else {
                throw BytesError(verb: .read, url: request.url, reason: .changed)
            }
            opened.withLock { $0 = after }
            return try after.source.read(at: offset, into: buffer, cancellation: cancellation)
        }
    }
}

/// The bytes of something that a resolved clip leads to, such as a segment. When the server no longer serves
/// them, the clip is resolved again the next time that it is opened.
final class ResolvedPart: ByteSource {
    private let source: any ByteSource
    private let fails: @Sendable (BytesError) -> Void

    /// - Parameter fails: receives the errors of failed reads, on the thread that reads.
    init(_ source: any ByteSource, fails: @escaping @Sendable (BytesError) -> Void) {
        (self.source, self.fails) = (source, fails)
    }

    var url: String { source.url }
    var length: Int64? { source.length }
    var type: MediaType? { source.type }
    var age: Duration? { source.age }
    var isSeekable: Bool { source.isSeekable }

    func read(
        at offset: Int64, into buffer: UnsafeMutableRawBufferPointer, cancellation: Cancellation
    ) throws(BytesError) -> Int {
        do throws(BytesError) {
            return try source.read(at: offset, into: buffer, cancellation: cancellation)
        } catch {
            fails(error)
            throw error
        }
    }
}
