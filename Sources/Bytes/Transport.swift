internal import NIOCore

/// Speaks HTTP: the only importer of the HTTP client. Sends one request at a time for its caller; redirections (ten at most) and policy are its own.
final class Transport: Sendable {
    struct Request: Sendable {
        enum Method: String, Sendable { case get = "GET", head = "HEAD" }
        var method = Method.get
        var url: String
        var asset: Asset
        /// `Range`; nil: the whole resource.
        var range: Range?
        /// `If-Range`: only with `range`.
        var ifRange: String?
        /// Caches on the way are to be passed by.
        var isFresh = false
        /// Whether the body may come compressed: for text that is read whole.
        var takesCompressed = false

        struct Range: Equatable, Sendable {
            var from: Int64
            /// The last byte; nil: to the end.
            var to: Int64?
        }
    }

    /// The beginning of an answer of status 200, 206, 416 or any other that is no redirection.
    struct Answer: Sendable {
        /// After all redirections.
        var url: String
        var status: Int
        var facts: AssetFacts
        /// `Content-Range` of a 206, checked for sense.
        var span: ClosedRange<Int64>?
        /// `Retry-After`.
        var retryAfter: Duration?
        var body: Body
    }

    /// The bytes of an answer as they arrive. Dropping it ends the transfer; not asking for more holds it up (back-pressure).
    final class Body: Sendable {
        /// The next bytes; nil at the end. Throws `BytesError` when the connection is cut or stalls, `CancellationError` when the task is cancelled.
        func next() async throws -> ByteBuffer? { fatalError("to come") }
    }

    init(_ options: NetworkOptions) { fatalError("to come") }

    /// Sends a request and waits for the beginning of the answer. Throws `BytesError`, `CancellationError` when the task is cancelled.
    func send(_ request: Request) async throws -> Answer { fatalError("to come") }

    /// Ends all transfers. Blocks for a moment.
    func close() { fatalError("to come") }
}
