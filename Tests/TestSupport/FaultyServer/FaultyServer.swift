/// An HTTP/1.1 server on loopback that has every fault a test asks for and records all requests. Without faults it
/// behaves correctly. Any thread.
///
/// It uses plain sockets and one thread per connection, so that it controls every byte on the wire.
///
///     let server = try FaultyServer()
///     server.serve("/clip.mp4", Resource(.bytes(clip), faults: [.status(503).first(2), .cut(after: 1_000).on(3)]))
///     … read server.url("/clip.mp4") …
///     #expect(server.requests(for: "/clip.mp4").count == 4)
public final class FaultyServer: Sendable {
    /// What happened since the start or the last `resetCounts`.
    public struct Counts: Sendable, Equatable {
        public var connections: Int
        /// Currently open.
        public var openConnections: Int
        public var requests: Int
        /// Requests whose response is not complete yet.
        public var answering: Int
        /// Bytes of all bodies, as passed to the kernel.
        public var bodyBytes: Int64
    }

    public var port: UInt16 { reserved.number }
    private let reserved: ReservedPort
    private let state = ServerState()

    /// Binds 127.0.0.1 and serves at once. Unknown paths get 404.
    public init() throws {
        reserved = try ReservedPort()
        try state.start(port: reserved.number)
    }

    deinit { state.stop() }

    /// The URL of a path, which begins with a slash.
    public func url(_ path: String) -> String { "http://127.0.0.1:\(port)\(path)" }

    /// Serves a resource at a path, which is compared without its query. Replaces the earlier resource and resets the
    /// path's count of requests. nil removes the resource.
    public func serve(_ path: String, _ resource: Resource?) { state.serve(path, resource) }

    /// Serves `bytes` at a path with only `faults` wrong.
    public func serve(_ path: String, _ bytes: [UInt8], faults: [Fault] = []) {
        serve(path, Resource(.bytes(bytes), faults: faults))
    }

    /// Goes offline: ends all connections and refuses new ones. Blocks until all threads have ended.
    public func stop() { state.stop() }

    /// Comes back at the same port.
    public func restart() throws {
        state.stop()
        try state.start(port: port)
    }

    public var link: Link {
        get { state.link }
        set { state.link = newValue }
    }

    public var counts: Counts { state.counts }

    /// All requests in order.
    public var requests: [Request] { state.requests }
    public func requests(for path: String) -> [Request] { state.requests.filter { $0.path == path } }

    /// Forgets counts and requests; the counts for faults continue.
    public func resetCounts() { state.resetCounts() }

    /// Blocks until the condition is true; returns false if that takes longer than `limit`.
    public func waitUntil(within limit: Duration = .seconds(10), _ condition: (Counts) -> Bool) -> Bool {
        state.wait(upTo: limit, until: condition)
    }
}
