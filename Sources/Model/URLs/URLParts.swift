/// The parts of a URL or a URL reference by RFC 3986 §3 (appendix B). Nothing is decoded. A value.
public struct URLParts: Equatable, Sendable {
    /// In lower case.
    public var scheme: String?
    public var authority: String?
    public var path: String
    public var query: String?
    public var fragment: String?

    /// nil only if the text contains NUL and so cannot be a URL.
    ///
    /// - Parameter shortestScheme: in characters. Where paths are written too, "C:" is a drive.
    public init?(_ text: String, shortestScheme: Int = 2) {
        var text = text
        guard let parts = text.withUTF8({ URLParts(utf8: $0, shortestScheme: shortestScheme) }) else { return nil }
        self = parts
    }

    /// Splits bytes, as "#" with a combining mark is a single Character.
    private init?(utf8 bytes: UnsafeBufferPointer<UInt8>, shortestScheme: Int) {
        guard !bytes.contains(0) else { return nil }
        func text(_ range: Range<Int>) -> String { String(decoding: bytes[range], as: UTF8.self) }
        var (start, end) = (0, bytes.count)
        if let colon = URLParts.endOfScheme(bytes), colon >= shortestScheme {
            scheme = text(0..<colon).lowercased()
            start = colon + 1
        }
        if let hash = bytes[start...].firstIndex(of: UInt8(ascii: "#")) {
            fragment = text((hash + 1)..<end)
            end = hash
        }
        if let mark = bytes[start..<end].firstIndex(of: UInt8(ascii: "?")) {
            query = text((mark + 1)..<end)
            end = mark
        }
        if bytes[start..<end].starts(with: "//".utf8) {
            let slash = bytes[(start + 2)..<end].firstIndex(of: UInt8(ascii: "/")) ?? end
            authority = text((start + 2)..<slash)
            start = slash
        }
        path = text(start..<end)
    }

    /// The parts joined again (§5.3).
    public var text: String {
        var text = ""
        if let scheme { text += scheme + ":" }
        if let authority { text += "//" + authority }
        text += path
        if let query { text += "?" + query }
        if let fragment { text += "#" + fragment }
        return text
    }

    /// The absolute URL of `reference` in a text at `base` (§5.2); nil if it is invalid.
    ///
    /// Texts in manifests are often not valid URLs: spaces, other letters and stray percent signs get percent-encoded.
    public static func resolve(_ reference: String, against base: String) -> String? {
        guard var target = URLParts(PercentEncoding.repaired(reference)) else { return nil }
        if target.scheme != nil {
            // "file:clip.mp4" and "https:clip.mp4" have no clear meaning.
            return target.authority == nil && target.scheme != "data" ? nil : target.text
        }
        guard let base = URLParts(base) else { return nil }
        if base.scheme == "file" {
            // A file URL has neither query nor fragment (see FileURL): they are part of the name.
            if let query = target.query { target.path += "%3F" + query }
            if let fragment = target.fragment { target.path += "%23" + fragment }
            target.query = nil
            target.fragment = nil
        }
        return target.resolved(against: base)?.text
    }

    /// Resolves these parts of a reference in a text at `base` (§5.2.2); nil if neither has a scheme.
    package func resolved(against base: URLParts) -> URLParts? {
        var target = self
        if scheme == nil {
            guard base.scheme != nil else { return nil }
            target.scheme = base.scheme
            if authority == nil {
                target.authority = base.authority
                if path.isEmpty {
                    target.path = base.path
                    target.query = query ?? base.query
                } else if !path.utf8.starts(with: "/".utf8) {
                    target.path = base.folder + path
                }
            }
        }
        target.path = URLParts.withoutDots(target.path)
        return target
    }

    /// The folder that a relative path is appended to (§5.2.3).
    private var folder: String {
        guard let slash = path.utf8.lastIndex(of: UInt8(ascii: "/")) else { return authority == nil ? "" : "/" }
        return String(path[...slash])
    }

    /// §5.2.4: removes `.` and `..`; `..` stops at the root.
    package static func withoutDots(_ path: String) -> String {
        guard hasDots(path) else { return path }
        let isAbsolute = path.utf8.starts(with: "/".utf8)
        var steps: [Substring] = []
        let all = path.split(separator: "/", omittingEmptySubsequences: false).dropFirst(isAbsolute ? 1 : 0)
        for (index, step) in zip(all.indices, all) {
            let isLast = index == all.indices.last
            switch step {
            case ".": if isLast { steps.append("") }
            case "..":
                if !steps.isEmpty { steps.removeLast() }
                if isLast { steps.append("") }
            default: steps.append(step)
            }
        }
        return (isAbsolute ? "/" : "") + steps.joined(separator: "/")
    }

    /// Whether a step begins with a dot, as `.` and `..` do.
    private static func hasDots(_ path: String) -> Bool {
        var before = UInt8(ascii: "/")
        for byte in path.utf8 {
            if before == UInt8(ascii: "/"), byte == UInt8(ascii: ".") { return true }
            before = byte
        }
        return false
    }

    /// The index of the colon after a letter, then letters, digits, `+`, `-`, `.`; nil if the text begins otherwise.
    private static func endOfScheme(_ bytes: UnsafeBufferPointer<UInt8>) -> Int? {
        for (index, byte) in bytes.enumerated() {
            switch byte {
            case 0x41...0x5A, 0x61...0x7A: continue
            case 0x30...0x39, UInt8(ascii: "+"), UInt8(ascii: "-"), UInt8(ascii: "."): if index == 0 { return nil }
            case UInt8(ascii: ":"): return index == 0 ? nil : index
            default: return nil
            }
        }
        return nil
    }
}
