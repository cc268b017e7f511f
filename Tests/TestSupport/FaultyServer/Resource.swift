/// What a `FaultyServer` has at a path. Without faults it is served as RFC 9110 says, with ranges, `If-Range` and HEAD.
public struct Resource: Sendable {
    public enum Body: Sendable {
        case bytes([UInt8])
        /// Read on request; a path that cannot be read gets 404.
        case file(String)
        /// `PatternBytes` with this seed.
        case pattern(length: Int64, seed: UInt64)
        /// Made for each request, on the connection's thread.
        case dynamic(@Sendable (FaultyServer.Request) -> [UInt8])
    }

    public var body: Body
    /// `Content-Type`; nil for none.
    public var type: String?
    /// As it is sent, including quotation marks.
    public var etag: String?
    public var lastModified: String?
    /// Of the whole answer; without ranges if it is not 200.
    public var status = 200
    /// Whether a request that names its ETag or date is answered with 304 (RFC 9110, 13.1).
    public var answersConditions = false
    /// Other methods get 405.
    public var methods: Set<String> = ["GET", "HEAD"]
    /// All that match a request apply; of conflicting ones the first.
    public var faults: [Fault]

    public init(
        _ body: Body, type: String? = "video/mp4", etag: String? = "\"1\"", lastModified: String? = nil,
        faults: [Fault] = []
    ) {
        self.body = body
        self.type = type
        self.etag = etag
        self.lastModified = lastModified
        self.faults = faults
    }

    public static func text(_ text: String, type: String = "text/plain", faults: [Fault] = []) -> Resource {
        Resource(.bytes(Array(text.utf8)), type: type, faults: faults)
    }
}
