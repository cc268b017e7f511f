/// Bytes that came from the network or the cache, logged in the trace as `fetch`. A value.
public struct Fetch: Sendable, Equatable {
    public enum Source: String, Sendable { case cache, network }

    /// The URL of the item or feed.
    public var asset: String
    /// Without user, password and query values that look like secrets.
    public var url: String
    /// The requested range; `to` is the last byte, nil for the end.
    public var from: Int64
    public var to: Int64?
    /// How many bytes arrived.
    public var got: Int64
    public var source: Source
    /// The HTTP status; 0 for the cache, and without a response.
    public var status: Int
    public var time: Duration

    public init(
        asset: String, url: String, from: Int64, to: Int64?, got: Int64, source: Source, status: Int, time: Duration
    ) {
        self.asset = asset
        self.url = url
        self.from = from
        self.to = to
        self.got = got
        self.source = source
        self.status = status
        self.time = time
    }
}
