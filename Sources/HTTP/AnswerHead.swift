import Model
import Platform

/// The checked head of a response: its values may come from a hostile server. Pure, but a `Retry-After` date is
/// compared with the clock.
struct AnswerHead: Sendable {
    let status: Int
    /// Of any response's body.
    let type: MediaType?
    let facts: AssetFacts
    let span: ClosedRange<Int64>?
    let retryAfter: Duration?
    /// The announced length of the body; nil if unknown.
    let bodyLength: Int64?
    /// How the body is compressed; nil if it is not.
    let coding: ContentCoding?
    /// Whether it is the live stream of a radio or a camera: it has no beginning, length or ranges, and each request
    /// returns other bytes.
    let isBroadcast: Bool
    /// Separates the titles in the body from its bytes; nil if there are no titles.
    let radio: RadioMetadata?

    /// - Parameter values: all values of a field; the field's name is not case-sensitive.
    init(status: Int, to request: Transport.Request, values: (String) -> [String]) throws(BytesError.Reason) {
        func first(_ name: String) -> String? { values(name).first }
        // A proxy has changed it on the way (RFC 9110, 15.3.4).
        let status = status == 203 ? 200 : status
        self.status = status
        type = first("Content-Type").flatMap { MediaType($0) }
        retryAfter = first("Retry-After").flatMap { RetryAfter.parse($0, now: Int64(time(nil))) }

        let codings = values("Content-Encoding").flatMap { $0.split(separator: ",") }.map {
            String($0).trimmed.lowercased()
        }
        .filter { $0 != "identity" && !$0.isEmpty }
        let isCompressed = !codings.isEmpty
        coding = request.acceptsCompressed && request.range == nil ? ContentCoding(codings) : nil
        if isCompressed, coding == nil, (200...299).contains(status) { throw .compressed }
        // The length of a compressed body is useless.
        let announced =
            values("Content-Length").isEmpty || isCompressed ? nil : HTTPFields.contentLength(values("Content-Length"))
        if !isCompressed, !values("Content-Length").isEmpty, announced == nil { throw .nonsense }

        radio = first("icy-metaint").flatMap(RadioMetadata.init)
        // Icecast speaks HTTP, and names its station. For a file it sends the length.
        let isStation =
            announced == nil && ["icy-name", "icy-br", "icy-genre", "icy-pub"].contains { first($0) != nil }
        // A camera sends one JPEG after the other.
        let isCamera = announced == nil && type?.name == "multipart/x-mixed-replace"
        isBroadcast = status == 200 && (radio != nil || isStation || isCamera)

        var facts = AssetFacts()
        var span: ClosedRange<Int64>?
        switch status {
        case 200:
            facts.length = announced
            facts.servesRanges = request.range == nil ? AnswerHead.offersRanges(values("Accept-Ranges")) : false
        case 206:
            // Ranges make no sense with titles among the bytes.
            if radio != nil { throw .otherBytes }
            guard let asked = request.range, let range = first("Content-Range").flatMap(ContentRange.init),
                range.answers(asked),
                let bytes = range.span, announced == nil || request.method == .head || announced == Int64(bytes.count)
            else { throw .otherBytes }
            span = bytes
            facts.length = range.length
            facts.servesRanges = true
        case 416:
            facts.length = first("Content-Range").flatMap(ContentRange.init)?.length
        default: break
        }
        if status == 200 || status == 206 {
            (facts.type, facts.charset) = (type?.name, type?.charset)
            facts.etag = first("ETag").flatMap(HTTPFields.validator)
            facts.lastModified = first("Last-Modified").flatMap(HTTPFields.validator)
        }
        if isBroadcast {
            (facts.length, facts.servesRanges) = (nil, false)
            (facts.etag, facts.lastModified) = (nil, nil)
        }
        self.facts = facts
        self.span = span
        // These have no body, whatever their fields say (RFC 9112, 6.3).
        let hasNoBody = request.method == .head || status == 204 || status == 304
        bodyLength = hasNoBody ? 0 : span.map { Int64($0.count) } ?? announced
    }

    private static func offersRanges(_ values: [String]) -> Bool? {
        guard let value = values.first?.trimmed.lowercased() else { return nil }
        return value == "bytes" ? true : value == "none" ? false : nil
    }
}
