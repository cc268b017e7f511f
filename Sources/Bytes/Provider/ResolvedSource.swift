import Model
import Synchronization
import Threads

/// The bytes of a clip where its resolver has found it. When the server does not give them out any more, the resolver
/// is asked again, and reading goes on.
final class ResolvedSource: ByteSource {
    /// What was opened, and where.
    struct Opened: Sendable {
        var source: any ByteSource
        var media: ResolvedMedia
    }

    private let request: ByteRequest
    /// Keeps the provider alive as long as somebody reads.
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
            let after = try provider.openAnew(request, after: before.media, error, cancellation)
            guard length == nil || after.source.length == nil || after.source.length == length else {
                throw BytesError(verb: .read, url: request.url, reason: .changed)
            }
            opened.withLock { $0 = after }
            return try after.source.read(at: offset, into: buffer, cancellation: cancellation)
        }
    }
}

/// The bytes of something that a resolved clip leads to, such as a segment. When the server does not give them out any
/// more, the clip is resolved anew the next time that it is opened.
final class ResolvedPart: ByteSource {
    private let source: any ByteSource
    private let fails: @Sendable (BytesError) -> Void

    /// - Parameter fails: is told of reads that failed, on the thread that reads.
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
