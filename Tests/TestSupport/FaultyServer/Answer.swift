/// A server's response to one request, decided before its first byte is sent.
struct Answer {
    /// 0 if the response is not HTTP.
    var status: Int
    var headers: [FaultyServer.Request.Header] = []
    /// Sent instead of a head and a body.
    var noise: [UInt8]?
    var hasEndlessHeaders = false
    /// How often `100 Continue` comes before it; nil: for ever.
    var continues: Int? = 0
    var body: BodyReader?
    private var changeHead: @Sendable (String) -> String = { $0 }
    /// The part of the body that is sent.
    var span: Range<Int64> = 0..<0
    var isChunked = false
    /// Whether the connection ends after it.
    var closes = false
    var delay = Duration.zero
    var stall: (after: Int64, time: Duration?)?
    var cut: (after: Int64, how: Fault.Cut)?

    init(to request: FaultyServer.Request, from resource: Resource?) {
        let faults = resource?.faults.filter { $0.applies(to: request) }.map(\.kind) ?? []
        var resource = resource
        for case .becomes(let other) in faults { resource = other }
        status = 0
        if let status = refusal(of: request, resource, faults) {
            fail(status)
        } else if let resource, let body = BodyReader(resource.body, for: request) {
            succeed(body, request, resource, faults)
        } else {
            fail(404)
        }
        if request.method == "HEAD" { body = nil }
        apply(faults)
    }

    /// The head as it is sent, with the empty line at its end.
    var head: [UInt8] {
        let reason = Self.reasons[status] ?? "Status"
        let lines = ["HTTP/1.1 \(status) \(reason)"] + headers.map { "\($0.name): \($0.value)" }
        return Array(changeHead(lines.joined(separator: "\r\n") + "\r\n\r\n").utf8)
    }

    // MARK: Deciding

    /// The status if the request fails; adds its headers.
    private mutating func refusal(
        of request: FaultyServer.Request, _ resource: Resource?, _ faults: [Fault.Kind]
    ) -> Int? {
        for fault in faults {
            switch fault {
            case .status(let status, let retryAfter):
                add("Retry-After", retryAfter)
                return status
            case .requires(let name, let value, let status):
                if request.headers[name] != value { return status }
            case .redirect(let url, let status):
                add("Location", url)
                return status
            case .noHead where request.method == "HEAD": return 405
            case .garbage(let seed):
                noise = PatternBytes.bytes(seed: seed, at: 0, count: 4_096)
                return 0
            default: break
            }
        }
        return resource?.methods.contains(request.method) ?? true ? nil : 405
    }

    private mutating func succeed(
        _ body: BodyReader, _ request: FaultyServer.Request, _ resource: Resource, _ faults: [Fault.Kind]
    ) {
        status = resource.status
        if resource.answersConditions, isKnown(to: request, resource) {
            status = 304
            add("ETag", resource.etag)
            return
        }
        add("Content-Type", resource.type)
        add("ETag", resource.etag)
        add("Last-Modified", resource.lastModified)
        if !encode(body, faults) {
            if status == 200 {
                choosePart(of: body, request, resource, faults)
            } else {
                (self.body, span) = (body, 0..<body.length)
            }
        }
        if status != 416 { announceLength(request, faults) }
    }

    private func isKnown(to request: FaultyServer.Request, _ resource: Resource) -> Bool {
        // The tag counts more than the date (13.2.2).
        if let tag = request.headers["if-none-match"] { return tag == resource.etag }
        return resource.lastModified != nil && request.headers["if-modified-since"] == resource.lastModified
    }

    private mutating func fail(_ status: Int) {
        self.status = status
        // These have no content (RFC 9110, 15.3.5, 15.4.5): what came after the
        // head would be taken for the next response.
        if status == 204 || status == 304 { return }
        let text = Array("\(status)\n".utf8)
        body = BodyReader(text)
        span = 0..<Int64(text.count)
        add("Content-Length", "\(text.count)")
    }

    /// Compresses the whole body with gzip, if that is among the faults.
    private mutating func encode(_ whole: BodyReader, _ faults: [Fault.Kind]) -> Bool {
        var encoded: BodyReader?
        for fault in faults {
            switch fault {
            case .gzip: encoded = BodyReader(StoredGzip(whole))
            case .gzipBomb: encoded = BodyReader(Gzip.bomb(8 << 20))
            default: break
            }
        }
        guard let encoded else { return false }
        add("Content-Encoding", "gzip")
        body = encoded
        span = 0..<encoded.length
        return true
    }

    /// The requested range if it is valid (RFC 9110, 14.2), else the whole body.
    private mutating func choosePart(
        of whole: BodyReader, _ request: FaultyServer.Request, _ resource: Resource, _ faults: [Fault.Kind]
    ) {
        body = whole
        span = 0..<whole.length
        let servesRanges = !faults.contains { if case .noRanges = $0 { true } else { false } }
        add("Accept-Ranges", servesRanges ? "bytes" : "none")
        let obeysIfRange = !faults.contains { if case .ignoresIfRange = $0 { true } else { false } }
        if obeysIfRange, let condition = request.headers["if-range"] {
            // A weak validator never matches (13.1.5).
            let isStrong = condition == resource.etag && !condition.hasPrefix("W/")
            guard isStrong || condition == resource.lastModified else { return }
        }
        guard servesRanges, request.method == "GET", let range = request.range else { return }
        let start = range.from ?? max(0, whole.length - (range.to ?? 0))
        let last = range.from == nil ? whole.length - 1 : min(range.to ?? .max, whole.length - 1)
        guard start <= last else {
            fail(416)
            add("Content-Range", "bytes */\(whole.length)")
            return
        }
        status = 206
        span = start..<last + 1
        add("Content-Range", contentRange(whole.length, faults))
    }

    private func contentRange(_ length: Int64, _ faults: [Fault.Kind]) -> String? {
        let (first, last) = (span.lowerBound, span.upperBound - 1)
        for case .contentRange(let wrong) in faults {
            switch wrong {
            case .shifted(let count): return "bytes \(first &+ count)-\(last &+ count)/\(length)"
            case .tooLong: return "bytes \(first)-\(length)/\(length)"
            case .total(let total): return "bytes \(first)-\(last)/\(total)"
            case .unknownTotal: return "bytes \(first)-\(last)/*"
            case .text(let text): return text
            case .missing: return nil
            }
        }
        return "bytes \(first)-\(last)/\(length)"
    }

    private mutating func announceLength(_ request: FaultyServer.Request, _ faults: [Fault.Kind]) {
        let length = Int64(span.count)
        for fault in faults {
            switch fault {
            case .chunked:
                isChunked = true
                return add("Transfer-Encoding", "chunked")
            case .noLength:
                closes = request.method != "HEAD"
                return
            case .lengthOff(let count):
                closes = true
                return add("Content-Length", "\(max(0, length &+ count))")
            case .headWithoutLength where request.method == "HEAD": return
            default: break
            }
        }
        add("Content-Length", "\(length)")
    }

    /// Faults that any response can have.
    private mutating func apply(_ faults: [Fault.Kind]) {
        for fault in faults {
            switch fault {
            case .slowStart(let time): delay += time
            case .stall(let after, let time): stall = stall ?? (after, time)
            case .cut(let after, let how): cut = cut ?? (after, how)
            case .end(let offset, let how):
                if status < 300, offset < span.upperBound { cut = cut ?? (max(0, offset - span.lowerBound), how) }
            case .closes: closes = true
            case .endlessHeaders: hasEndlessHeaders = true
            case .continues(let count): continues = count
            case .header(let name, let value): add(name, value)
            case .head(let change): changeHead = change
            default: break
            }
        }
        if noise != nil || hasEndlessHeaders { closes = true }
        if closes { add("Connection", "close") }
        for case .names(let names) in faults {
            for index in headers.indices { headers[index].name = Self.spell(headers[index].name, names) }
        }
    }

    private mutating func add(_ name: String, _ value: String?) {
        if let value { headers.append(.init(name: name, value: value)) }
    }

    private static func spell(_ name: String, _ names: Fault.HeaderNames) -> String {
        switch names {
        case .lower: name.lowercased()
        case .odd:
            String(
                name.enumerated().map { index, letter in
                    Character(index % 2 == 0 ? letter.lowercased() : letter.uppercased())
                })
        }
    }

    private static let reasons = [
        200: "OK", 206: "Partial Content", 301: "Moved Permanently", 302: "Found", 303: "See Other",
        307: "Temporary Redirect", 308: "Permanent Redirect", 404: "Not Found", 405: "Method Not Allowed",
        416: "Range Not Satisfiable", 429: "Too Many Requests", 500: "Internal Server Error",
        503: "Service Unavailable",
    ]
}
