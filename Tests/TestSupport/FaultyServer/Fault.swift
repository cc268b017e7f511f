/// One way for a server to be wrong, slow or gone, and the requests it happens to: `.status(500).first(3)`, `.cut(after: 1_000).on(2)`.
///
/// Requests are counted from 1, for each path, by all methods; see `of(_:)`.
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
        case slowStart(Duration)
        case stall(after: Int64, for: Duration?)
        case cut(after: Int64, Cut)
        case status(Int, retryAfter: String?)
        case redirect(to: String, status: Int)
        case gzip
        case gzipBomb
        case closes
        case noHead
        case headWithoutLength
        case garbage(seed: UInt64)
        case endlessHeaders
        case ignoresIfRange
    }

    /// What a 206 says that it holds, while it holds what was asked for.
    public enum ContentRange: Sendable {
        /// Both ends are off by so many bytes.
        case shifted(by: Int64)
        /// The last byte is one that the resource has not.
        case tooLong
        /// Another length of the whole.
        case total(Int64)
        /// Any text at all.
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
        /// The connection ends as if all were said (FIN).
        case closed
        /// It breaks (RST); what the client's kernel has no room for is lost.
        case reset
    }

    enum When: Sendable {
        case always
        case first(Int)
        case on(Int)
        case from(Int)
        case chance(Double, seed: UInt64)
    }

    var kind: Kind
    var when = When.always
    var method: String?

    private init(_ kind: Kind) { self.kind = kind }

    // MARK: What happens

    /// A request for a range gets the whole, with 200, and `Accept-Ranges: none`.
    public static var noRanges: Fault { Fault(.noRanges) }
    public static func contentRange(_ wrong: ContentRange) -> Fault { Fault(.contentRange(wrong)) }
    /// `Content-Length` is off by so much; the connection ends after the body.
    public static func lengthOff(by count: Int64) -> Fault { Fault(.lengthOff(by: count)) }
    /// No `Content-Length`: the body ends with the connection.
    public static var noLength: Fault { Fault(.noLength) }
    /// No `Content-Length`: chunks, of uneven sizes.
    public static var chunked: Fault { Fault(.chunked) }
    /// Something else is there; its own faults do not count. `.becomes(other).from(3)`
    public static func becomes(_ resource: Resource) -> Fault { Fault(.becomes(resource)) }
    public static func headerNames(_ names: HeaderNames) -> Fault { Fault(.names(names)) }
    /// One more header, sent as it is given.
    public static func header(_ name: String, _ value: String) -> Fault { Fault(.header(name, value)) }
    /// Nothing is said for so long.
    public static func slowStart(_ time: Duration) -> Fault { Fault(.slowStart(time)) }
    /// Silence after so many bytes of the body; nil: for ever.
    public static func stall(after count: Int64, for time: Duration? = nil) -> Fault {
        Fault(.stall(after: count, for: time))
    }
    /// The connection ends after so many bytes of the body.
    public static func cut(after count: Int64, _ cut: Cut = .reset) -> Fault { Fault(.cut(after: count, cut)) }
    /// - Parameter retryAfter: seconds or a date.
    public static func status(_ status: Int, retryAfter: String? = nil) -> Fault {
        Fault(.status(status, retryAfter: retryAfter))
    }
    /// - Parameter url: absolute or not. A path that leads to itself is a loop.
    public static func redirect(to url: String, status: Int = 302) -> Fault {
        Fault(.redirect(to: url, status: status))
    }
    /// The whole, as gzip, whether that was asked for or not.
    public static var gzip: Fault { Fault(.gzip) }
    /// 8 MB of gzip, of which each holds 158 MB of zeros.
    public static var gzipBomb: Fault { Fault(.gzipBomb) }
    /// The connection ends after the answer.
    public static var closes: Fault { Fault(.closes) }
    /// HEAD is answered with 405.
    public static var noHead: Fault { Fault(.noHead) }
    public static var headWithoutLength: Fault { Fault(.headWithoutLength) }
    /// 4 KB of noise instead of HTTP; then the connection ends.
    public static func garbage(seed: UInt64 = 1) -> Fault { Fault(.garbage(seed: seed)) }
    /// Headers without end: 64 MB of them.
    public static var endlessHeaders: Fault { Fault(.endlessHeaders) }
    /// A range is served whatever `If-Range` says.
    public static var ignoresIfRange: Fault { Fault(.ignoresIfRange) }

    // MARK: When it happens

    /// To the first `count` requests.
    public func first(_ count: Int) -> Fault { with { $0.when = .first(count) } }
    /// To this request only.
    public func on(_ number: Int) -> Fault { with { $0.when = .on(number) } }
    /// To this request and all later ones.
    public func from(_ number: Int) -> Fault { with { $0.when = .from(number) } }
    /// With this probability; which requests these are, the seed decides.
    public func chance(_ share: Double, seed: UInt64) -> Fault { with { $0.when = .chance(share, seed: seed) } }
    /// To requests of this method only, which are then counted on their own.
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
        }
    }

    private func with(_ change: (inout Fault) -> Void) -> Fault {
        var fault = self
        change(&fault)
        return fault
    }
}
