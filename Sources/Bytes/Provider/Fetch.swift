/// Bytes that came from the network or the cache: what the trace logs as `fetch`. A value.
public struct Fetch: Sendable, Equatable {
    public enum Source: String, Sendable { case cache, network }

    /// Of the item or feed.
    public var asset: String
    /// Without user, password and query values that look like secrets.
    public var url: String
    /// What was asked for; `to` is the last byte, nil: to the end.
    public var from: Int64
    public var to: Int64?
    /// How many bytes came.
    public var got: Int64
    public var source: Source
    /// HTTP's; 0 for the cache, and where no answer came.
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
