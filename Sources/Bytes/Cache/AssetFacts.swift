/// What a server says of a resource (L3).
struct AssetFacts: Equatable, Sendable {
    /// Of the whole resource, in bytes; nil if it was not told.
    var length: Int64?
    /// The media type, without parameters, in lower case: "video/mp4".
    var type: String?
    /// As it was sent, quotation marks and `W/` included.
    var etag: String?
    var lastModified: String?
    /// Whether ranges were seen to be served; nil while unknown.
    var servesRanges: Bool?

    /// Whether both can be of the same bytes: no validator or length that both tell differs.
    func agrees(with other: AssetFacts) -> Bool {
        func differ<Fact: Equatable>(_ one: Fact?, _ other: Fact?) -> Bool {
            guard let one, let other else { return false }
            return one != other
        }
        return !differ(length, other.length) && !differ(etag, other.etag) && !differ(lastModified, other.lastModified)
    }

    /// What `If-Range` may say (RFC 9110, 13.1.5): a strong ETag, else a date; nil if there is neither.
    var ifRange: String? {
        if let etag, etag.utf8.count >= 2, etag.hasPrefix("\""), etag.hasSuffix("\"") { return etag }
        return lastModified
    }
}
