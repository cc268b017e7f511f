internal import CSodium
import Model

/// The cache's key for a URL, or for bytes that are named in another way. URLs that
/// lead to the same bytes have the same key. A value.
///
/// The key lower-cases scheme and host, drops default port, user, fragment and dot segments, and
/// normalises percent signs (RFC 3986, 6.2.2). It leaves out signatures that expire, so a feed that
/// signs its URLs again each hour still finds its cached bytes.
package struct AssetKey: Hashable, Sendable {
    /// The canonical URL, or the name.
    package let text: String
    /// SHA-256 of `text` in hexadecimal digits.
    package let hash: String

    /// nil if `url` is not an http or https URL.
    package init?(_ url: String) {
        guard var remote = RemoteURL(url) else { return nil }
        remote.path = URLParts.withoutDots(PercentEncoding.canonical(remote.path))
        remote.query = remote.query.flatMap { AssetKey.withoutSignature(PercentEncoding.canonical($0)) }
        text = remote.text
        hash = AssetKey.hash(of: text)
    }

    /// The prefix of a text that is not a URL.
    static let nameMark = "media:"

    /// The key of bytes that have a name of their own, as their URLs change. No URL has the same key.
    package init(name: String) {
        text = AssetKey.nameMark + name
        hash = AssetKey.hash(of: text)
    }

    /// The items of a query without those of a signature, in their order; nil if none is left.
    private static func withoutSignature(_ query: String) -> String? {
        let items = query.split(separator: "&", omittingEmptySubsequences: false)
        let names = items.map { $0.prefix { $0 != "=" }.lowercased() }
        let present = Set(names)
        let kept = zip(items, names).filter { !isOfSignature($0.1, among: present) }.map(\.0)
        return kept.isEmpty ? nil : kept.joined(separator: "&")
    }

    /// Short names such as `sp` count only if the signature that they belong to (`sig`) is present too; otherwise they
    /// mean something else.
    private static func isOfSignature(_ name: String, among present: Set<String>) -> Bool {
        switch name {
        // Signature version 4 of S3 and Google's storage.
        case _ where name.hasPrefix("x-amz-") || name.hasPrefix("x-goog-"): true
        // Akamai's tokens.
        case "hdnts", "hdnea", "hdntl", "__token__": true
        // CloudFront, and version 2 of S3 and Google's storage.
        case "expires", "signature", "key-pair-id", "policy", "awsaccesskeyid", "googleaccessid":
            present.contains("signature")
        // Azure's shared access signatures.
        case "sig", "se", "st", "sp", "sv", "sr": present.contains("sig")
        default: false
        }
    }

    private static func hash(of text: String) -> String {
        let bytes = Array(text.utf8)
        let digest = [UInt8](unsafeUninitializedCapacity: flick_sha256_size) { room, count in
            flick_sha256(bytes, bytes.count, room.baseAddress)
            count = flick_sha256_size
        }
        return String(decoding: digest.flatMap { [digit($0 >> 4), digit($0 & 15)] }, as: UTF8.self)
    }

    private static func digit(_ nibble: UInt8) -> UInt8 { nibble < 10 ? 0x30 + nibble : 0x61 + nibble - 10 }
}
