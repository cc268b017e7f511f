import Model
import Wire

/// Resolves references in playlists (RFC 3986, section 5). Pure; both texts are not trusted.
///
/// Any scheme is accepted: flick decides what may be opened.
enum URLReference {
    /// The absolute URL of `reference` in a text from `base`, without its fragment, which is never sent; nil if it is
    /// invalid, or too long for a message to flick.
    static func resolve(_ reference: some Collection<UInt8>, against base: String) -> String? {
        guard !reference.isEmpty, reference.count <= WireLimit.text, base.utf8.count <= WireLimit.text,
            let base = URLParts(base, shortestScheme: 1),
            var url = URLParts(escaped(reference), shortestScheme: 1)?.resolved(against: base)
        else { return nil }
        url.fragment = nil
        let text = url.text
        return text.utf8.count <= WireLimit.text ? text : nil
    }

    /// Percent-encodes bytes that no URL may contain: playlists are written by hand.
    private static func escaped(_ text: some Collection<UInt8>) -> String {
        var clean: [UInt8] = []
        for byte in text {
            if byte > 0x20, byte < 0x7F, !"\"<>\\^`{|}".utf8.contains(byte) {
                clean.append(byte)
            } else {
                clean += [UInt8(ascii: "%"), FileURL.hex(byte >> 4), FileURL.hex(byte & 15)]
            }
        }
        return String(decoding: clean, as: UTF8.self)
    }
}
