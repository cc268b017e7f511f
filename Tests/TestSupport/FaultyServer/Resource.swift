/// What a `FaultyServer` has at a path. Without faults it is served as RFC 9110 wants it: ranges, `If-Range`, HEAD.
public struct Resource: Sendable {
    public enum Body: Sendable {
        case bytes([UInt8])
        /// Read when it is asked for; a path that cannot be read is answered with 404.
        case file(String)
        /// `PatternBytes` of this seed.
        case pattern(length: Int64, seed: UInt64)
        /// Made anew for each request, on the connection's thread.
        case dynamic(@Sendable (FaultyServer.Request) -> [UInt8])
    }

    public var body: Body
    /// `Content-Type`; nil: none is sent.
    public var type: String?
    /// As it is sent, quotation marks included.
    public var etag: String?
    public var lastModified: String?
    /// Others are answered with 405.
    public var methods: Set<String> = ["GET", "HEAD"]
    /// All that apply to a request happen to it; of those that exclude each other the first.
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
