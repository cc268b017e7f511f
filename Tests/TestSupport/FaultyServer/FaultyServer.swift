/// An HTTP/1.1 server on loopback that does every wrong a test asks for, and tells what was asked of it. Without faults it is a good one.
///
/// It speaks through plain sockets, a thread a connection, so that every byte on the wire is its own. Any thread may use it.
///
///     let server = try FaultyServer()
///     server.serve("/clip.mp4", Resource(.bytes(clip), faults: [.status(503).first(2), .cut(after: 1_000).on(3)]))
///     … read server.url("/clip.mp4") …
///     #expect(server.requests(for: "/clip.mp4").count == 4)
public final class FaultyServer: Sendable {
    /// What happened since the beginning, or the last `resetCounts`.
    public struct Counts: Sendable, Equatable {
        public var connections: Int
        /// At this moment.
        public var openConnections: Int
        public var requests: Int
        /// Requests of which the answer is not whole yet.
        public var answering: Int
        /// Of all answers' bodies, as handed to the kernel.
        public var bodyBytes: Int64
    }

    public let port: UInt16
    private let desk = ServerDesk()

    /// Binds 127.0.0.1 and serves at once. What is not there is answered with 404.
    public init() throws { port = try desk.start(port: 0) }

    deinit { desk.stop() }

    /// The URL of a path, which begins with a slash.
    public func url(_ path: String) -> String { "http://127.0.0.1:\(port)\(path)" }

    /// Serves a resource at a path, which is compared without its query; what was there before goes, and requests are counted anew. nil: nothing is there.
    public func serve(_ path: String, _ resource: Resource?) { desk.serve(path, resource) }

    /// Serves `bytes` at a path, with nothing wrong but `faults`.
    public func serve(_ path: String, _ bytes: [UInt8], faults: [Fault] = []) {
        serve(path, Resource(.bytes(bytes), faults: faults))
    }

    /// Goes offline: all connections end, new ones are refused. Blocks until all of it is gone.
    public func stop() { desk.stop() }

    /// Comes back at the same port. Throws if another has taken it.
    public func restart() throws {
        desk.stop()
        _ = try desk.start(port: port)
    }

    public var link: Link {
        get { desk.link }
        set { desk.link = newValue }
    }

    public var counts: Counts { desk.counts }

    /// All requests in their order.
    public var requests: [Request] { desk.requests }
    public func requests(for path: String) -> [Request] { desk.requests.filter { $0.path == path } }

    /// Forgets counts and requests; what faults count goes on.
    public func resetCounts() { desk.resetCounts() }

    /// Blocks until the condition holds; false if it does not within `limit`.
    public func waitUntil(within limit: Duration = .seconds(10), _ condition: (Counts) -> Bool) -> Bool {
        desk.wait(upTo: limit, until: condition)
    }
}
