/// A server's description of a resource. A value.
package struct AssetFacts: Equatable, Sendable {
    /// The length of the whole resource in bytes; nil if unknown.
    package var length: Int64?
    /// The media type, without parameters, in lower case: "video/mp4".
    package var type: String?
    /// The encoding of a text, as the server names it; nil if it does not. Not kept in the cache.
    package var charset: String?
    /// As it was sent, including quotation marks and `W/`.
    package var etag: String?
    package var lastModified: String?
    /// Whether the server serves ranges; nil while unknown.
    package var servesRanges: Bool?

    package init(
        length: Int64? = nil, type: String? = nil, etag: String? = nil, lastModified: String? = nil,
        servesRanges: Bool? = nil
    ) {
        self.length = length
        self.type = type
        self.etag = etag
        self.lastModified = lastModified
        self.servesRanges = servesRanges
    }

    /// Whether both can describe the same bytes: no validator or length differs that both have.
    package func agrees(with other: AssetFacts) -> Bool {
        func differ<Fact: Equatable>(_ one: Fact?, _ other: Fact?) -> Bool {
            guard let one, let other else { return false }
            return one != other
        }
        return !differ(length, other.length) && !differ(etag, other.etag) && !differ(lastModified, other.lastModified)
    }

    /// The value for `If-Range` (RFC 9110, 13.1.5): a strong ETag, else a date; nil without either.
    package var ifRange: String? {
        if let etag, etag.utf8.count >= 2, etag.hasPrefix("\""), etag.hasSuffix("\"") { return etag }
        return lastModified
    }

    /// Adds facts that were unknown.
    package mutating func fill(from other: AssetFacts) {
        length = length ?? other.length
        type = type ?? other.type
        etag = etag ?? other.etag
        lastModified = lastModified ?? other.lastModified
        servesRanges = servesRanges ?? other.servesRanges
    }
}
