import Wire

/// Resolves references in playlists (RFC 3986, section 5). Pure; both texts are not trusted.
///
/// Any scheme is accepted: flick decides what may be opened.
enum URLReference {
    private struct Parts {
        var scheme: ArraySlice<UInt8>?
        var authority: ArraySlice<UInt8>?
        var path: ArraySlice<UInt8>
        var query: ArraySlice<UInt8>?

        /// RFC 3986, appendix B, without the fragment, which is never sent.
        init(_ text: ArraySlice<UInt8>) {
            var rest = text.prefix { $0 != UInt8(ascii: "#") }
            let name = rest.prefix { $0 != UInt8(ascii: ":") && $0 != UInt8(ascii: "/") && $0 != UInt8(ascii: "?") }
            if let first = name.first, isLetter(first), name.endIndex < rest.endIndex,
                rest[name.endIndex] == UInt8(ascii: ":"), name.allSatisfy(isOfScheme)
            {
                scheme = name
                rest = rest[(name.endIndex + 1)...]
            }
            if rest.starts(with: "//".utf8) {
                let name = rest.dropFirst(2).prefix { $0 != UInt8(ascii: "/") && $0 != UInt8(ascii: "?") }
                authority = name
                rest = rest[name.endIndex...]
            }
            path = rest.prefix { $0 != UInt8(ascii: "?") }
            if path.endIndex < rest.endIndex { query = rest[(path.endIndex + 1)...] }
        }
    }

    private static func isLetter(_ byte: UInt8) -> Bool {
        (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte | 0x20)
    }

    private static func isOfScheme(_ byte: UInt8) -> Bool {
        isLetter(byte) || (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) || "+-.".utf8.contains(byte)
    }

    /// The absolute URL of `reference` in a text from `base`; nil if it is invalid, or too long for a message to flick.
    static func resolve(_ reference: some Collection<UInt8>, against base: String) -> String? {
        guard !reference.isEmpty, reference.count <= WireLimit.text, base.utf8.count <= WireLimit.text else {
            return nil
        }
        let clean = escaped(reference)
        let target = Parts(clean[...])
        let origin = Parts(Array(base.utf8)[...])
        var url: [UInt8] = []
        guard let scheme = target.scheme ?? origin.scheme else { return nil }
        url += scheme + ":".utf8
        let hasOwnPlace = target.scheme != nil || target.authority != nil
        if let authority = hasOwnPlace ? target.authority : origin.authority { url += "//".utf8 + authority }
        if hasOwnPlace || target.path.first == UInt8(ascii: "/") {
            url += withoutDots(target.path)
        } else if target.path.isEmpty {
            url += origin.path
        } else {
            url += withoutDots(merged(target.path, into: origin)[...])
        }
        if let query = target.query ?? (hasOwnPlace || !target.path.isEmpty ? nil : origin.query) {
            url += "?".utf8 + query
        }
        return url.count <= WireLimit.text ? String(decoding: url, as: UTF8.self) : nil
    }

    /// RFC 3986, 5.2.3.
    private static func merged(_ path: ArraySlice<UInt8>, into base: Parts) -> [UInt8] {
        if base.authority != nil, base.path.isEmpty { return Array("/".utf8) + path }
        guard let slash = base.path.lastIndex(of: UInt8(ascii: "/")) else { return Array(path) }
        return Array(base.path[...slash]) + path
    }

    /// RFC 3986, 5.2.4: resolves "." and "..".
    private static func withoutDots(_ path: ArraySlice<UInt8>) -> [UInt8] {
        let slash = UInt8(ascii: "/")
        let isAbsolute = path.first == slash
        var kept: [ArraySlice<UInt8>] = []
        let pieces = path.split(separator: slash, omittingEmptySubsequences: false).dropFirst(isAbsolute ? 1 : 0)
        for (index, piece) in pieces.enumerated() {
            let isLast = index == pieces.count - 1
            if piece.elementsEqual("..".utf8) {
                if !kept.isEmpty { kept.removeLast() }
                if isLast { kept.append([]) }
            } else if piece.elementsEqual(".".utf8) {
                if isLast { kept.append([]) }
            } else {
                kept.append(piece)
            }
        }
        return (isAbsolute ? [slash] : []) + kept.joined(separator: [slash])
    }

    /// Percent-encodes bytes that no URL may contain: playlists are written by hand.
    private static func escaped(_ text: some Collection<UInt8>) -> [UInt8] {
        var clean: [UInt8] = []
        for byte in text {
            if byte > 0x20, byte < 0x7F, !"\"<>\\^`{|}".utf8.contains(byte) {
                clean.append(byte)
            } else {
                let digits = Array("0123456789ABCDEF".utf8)
                clean += [UInt8(ascii: "%"), digits[Int(byte >> 4)], digits[Int(byte & 15)]]
            }
        }
        return clean
    }
}
