/// A way for a server to be wrong, slow or gone, and the requests that are affected: `.status(500).first(3)`,
/// `.cut(after: 1_000).on(2)`.
///
/// Requests are counted from 1 for each path, regardless of the method; see `of(_:)`.
public struct Fault: Sendable {
    enum Kind: Sendable {
        case noRanges
        case contentRange(ContentRange)
        case lengthOff(by: Int64)
        case noLength
        case chunked
        case becomes(Resource)
        case names(HeaderNames)
        case header(String, String)
        case head(@Sendable (String) -> String)
        case slowStart(Duration)
        case stall(after: Int64, for: Duration?)
        case cut(after: Int64, Cut)
        case end(at: Int64, Cut)
        case status(Int, retryAfter: String?)
        case requires(String, String, status: Int)
        case redirect(to: String, status: Int)
        case gzip
        case gzipBomb
        case closes
        case noHead
        case headWithoutLength
        case garbage(seed: UInt64)
        case endlessHeaders
        case continues(Int?)
        case ignoresIfRange
    }

    /// What the `Content-Range` of a 206 claims, while the body has the requested bytes.
    public enum ContentRange: Sendable {
        /// Both ends are off by this many bytes.
        case shifted(by: Int64)
        /// The last byte lies beyond the resource.
        case tooLong
        /// Another total length.
        case total(Int64)
        /// `*` in place of the total length.
        case unknownTotal
        /// Any text.
        case text(String)
        case missing
    }

    public enum HeaderNames: Sendable {
        /// `content-length`
        case lower
        /// `cOnTeNt-lEnGtH`
        case odd
    }

    public enum Cut: Sendable {
        /// The connection ends normally (FIN), as if the response were complete.
        case closed
        /// The connection is reset (RST); bytes that the client's kernel has not accepted are lost.
        case reset
    }

    enum When: Sendable {
        case always
        case first(Int)
        case on(Int)
        case from(Int)
        case chance(Double, seed: UInt64)
        case matching(@Sendable (FaultyServer.Request) -> Bool)
    }

    var kind: Kind
    var when = When.always
    var method: String?

    private init(_ kind: Kind) { self.kind = kind }

    // MARK: Kinds of faults

    /// A range request gets the whole resource with 200 and `Accept-Ranges: none`.
    public static var noRanges: Fault { Fault(.noRanges) }
    public static func contentRange(_ wrong: ContentRange) -> Fault { Fault(.contentRange(wrong)) }
    /// `Content-Length` is off by `count`; the connection ends after the body.
    public static func lengthOff(by count: Int64) -> Fault { Fault(.lengthOff(by: count)) }
    /// No `Content-Length`: the connection's end ends the body.
    public static var noLength: Fault { Fault(.noLength) }
    /// Chunks of uneven sizes instead of a `Content-Length`.
    public static var chunked: Fault { Fault(.chunked) }
    /// Another resource is served, without its own faults. `.becomes(other).from(3)`
    public static func becomes(_ resource: Resource) -> Fault { Fault(.becomes(resource)) }
    public static func headerNames(_ names: HeaderNames) -> Fault { Fault(.names(names)) }
    /// An additional header, sent as given.
    public static func header(_ name: String, _ value: String) -> Fault { Fault(.header(name, value)) }
    /// The head is changed before it is sent, with the empty line at its end.
    public static func head(_ change: @escaping @Sendable (String) -> String) -> Fault { Fault(.head(change)) }
    /// The response begins after this time.
    public static func slowStart(_ time: Duration) -> Fault { Fault(.slowStart(time)) }
    /// The body pauses after `count` bytes; nil means for ever.
    public static func stall(after count: Int64, for time: Duration? = nil) -> Fault {
        Fault(.stall(after: count, for: time))
    }
    /// The connection ends after `count` bytes of the body.
    public static func cut(after count: Int64, _ cut: Cut = .reset) -> Fault { Fault(.cut(after: count, cut)) }
    /// The connection ends before this byte of the resource, whichever range was requested.
    public static func end(at offset: Int64, _ cut: Cut = .closed) -> Fault { Fault(.end(at: offset, cut)) }
    /// - Parameter retryAfter: seconds or a date.
    public static func status(_ status: Int, retryAfter: String? = nil) -> Fault {
        Fault(.status(status, retryAfter: retryAfter))
    }
    /// Requests without this field, or with another value of it, get this status.
    public static func requires(_ name: String, _ value: String, status: Int = 401) -> Fault {
        Fault(.requires(name.lowercased(), value, status: status))
    }
    /// - Parameter url: absolute or relative. A path that redirects to itself makes a loop.
    public static func redirect(to url: String, status: Int = 302) -> Fault {
        Fault(.redirect(to: url, status: status))
    }
    /// The whole resource compressed with gzip, whether that was requested or not.
    public static var gzip: Fault { Fault(.gzip) }
    /// 8 MB of gzip that expand to 158 times as much.
    public static var gzipBomb: Fault { Fault(.gzipBomb) }
    /// The connection ends after the response.
    public static var closes: Fault { Fault(.closes) }
    /// HEAD gets 405.
    public static var noHead: Fault { Fault(.noHead) }
    public static var headWithoutLength: Fault { Fault(.headWithoutLength) }
    /// 4 KB of noise instead of HTTP; then the connection ends.
    public static func garbage(seed: UInt64 = 1) -> Fault { Fault(.garbage(seed: seed)) }
    /// 64 MB of headers.
    public static var endlessHeaders: Fault { Fault(.endlessHeaders) }
    /// Sends `100 Continue` this many times before the answer; nil: for ever.
    public static func continues(_ count: Int? = nil) -> Fault { Fault(.continues(count)) }
    /// Range requests are served whatever `If-Range` says.
    public static var ignoresIfRange: Fault { Fault(.ignoresIfRange) }

    // MARK: Affected requests

    /// The first `count` requests.
    public func first(_ count: Int) -> Fault { with { $0.when = .first(count) } }
    /// Only this request.
    public func on(_ number: Int) -> Fault { with { $0.when = .on(number) } }
    /// This request and all later ones.
    public func from(_ number: Int) -> Fault { with { $0.when = .from(number) } }
    /// Each request with this probability; the seed decides which.
    public func chance(_ share: Double, seed: UInt64) -> Fault { with { $0.when = .chance(share, seed: seed) } }
    /// Requests for which this is true. Called on the connection's thread.
    public func when(_ isMet: @escaping @Sendable (FaultyServer.Request) -> Bool) -> Fault {
        with { $0.when = .matching(isMet) }
    }
    /// Requests with this method only, which are then counted separately.
    public func of(_ method: String) -> Fault { with { $0.method = method } }

    func applies(to request: FaultyServer.Request) -> Bool {
        if let method, method != request.method { return false }
        let number = method == nil ? request.number : request.numberOfMethod
        switch when {
        case .always: return true
        case .first(let count): return number <= count
        case .on(let one): return number == one
        case .from(let first): return number >= first
        case .chance(let share, let seed):
            return Double(PatternBytes.word(UInt64(number), seed: seed) >> 11) / Double(1 << 53) < share
        case .matching(let isMet): return isMet(request)
        }
    }

    private func with(_ change: (inout Fault) -> Void) -> Fault {
        var fault = self
        change(&fault)
        return fault
    }
}
