import Platform

/// Paths and their `file:` URLs (RFC 8089). Pure, except that it reads the working directory.
///
/// A path consists of arbitrary bytes. Newlines, `#`, `?`, `%` and invalid UTF-8 survive the way to a URL and back,
/// because they are percent-encoded. In a file URL `?` and `#` have no special meaning: they are part of the name even
/// if they are not encoded.
public enum FileURL {
    /// The URL of an absolute path.
    public static func url(path: some Sequence<UInt8>) -> String { "file://" + PercentEncoding.path(path) }

    /// An argument of the command line as text. One that is not UTF-8 is a path, and becomes its file URL.
    package static func text(ofArgument argument: [UInt8]) -> String {
        if let text = String(validating: argument, as: UTF8.self) { return text }
        // No option is written with such bytes.
        if argument.first == UInt8(ascii: "-") { return String(decoding: argument, as: UTF8.self) }
        return url(path: absolute(argument))
    }

    /// The path of a file URL on this machine; nil for anything else, and for paths that contain NUL.
    public static func path(of url: String) -> [UInt8]? {
        guard let parts = URLParts(url), parts.scheme == "file" else { return nil }
        guard parts.authority == nil || parts.authority == "" || parts.authority == "localhost" else { return nil }
        var rest = parts.path
        if let query = parts.query { rest += "?" + query }
        if let fragment = parts.fragment { rest += "#" + fragment }
        let bytes = percentDecoded(rest)
        return bytes.first == UInt8(ascii: "/") && !bytes.contains(0) ? bytes : nil
    }

    /// A path from the command line, made absolute with the working directory, without `.` and empty components. `..`
    /// stays: behind a symbolic link only the system knows where it leads.
    public static func absolute(_ path: some Collection<UInt8>) -> [UInt8] {
        let slash = UInt8(ascii: "/")
        var full = Array(path)
        if full.first != slash { full = workingDirectory() + [slash] + full }
        var clean: [UInt8] = []
        for step in full.split(separator: slash) where !step.elementsEqual([UInt8(ascii: ".")]) {
            clean.append(slash)
            clean += step
        }
        return clean.isEmpty ? [slash] : clean
    }

    /// Decodes percent-encoding. A `%` without two hexadecimal digits stands for itself.
    package static func percentDecoded(_ text: String) -> [UInt8] {
        let bytes = Array(text.utf8)
        var decoded: [UInt8] = []
        decoded.reserveCapacity(bytes.count)
        var index = 0
        while index < bytes.count {
            if bytes[index] == UInt8(ascii: "%"), index + 2 < bytes.count, let high = digit(bytes[index + 1]),
                let low = digit(bytes[index + 2])
            {
                decoded.append(high << 4 | low)
                index += 3
            } else {
                decoded.append(bytes[index])
                index += 1
            }
        }
        return decoded
    }

    private static func workingDirectory() -> [UInt8] {
        var buffer = [CChar](repeating: 0, count: Int(PATH_MAX) + 1)
        // If the working directory was removed, relative paths cannot be resolved. Treat them as relative to the root,
        // so that opening them fails with a message.
        guard getcwd(&buffer, buffer.count) != nil else { return [] }
        return buffer.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }
    }

    /// RFC 3986's unreserved characters and `/`: a path contains these unencoded.
    package static func isPlain(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "."), UInt8(ascii: "_"),
            UInt8(ascii: "~"), UInt8(ascii: "/"):
            true
        default: false
        }
    }

    package static func hex(_ nibble: UInt8) -> UInt8 { nibble < 10 ? 0x30 + nibble : 0x41 + nibble - 10 }

    package static func digit(_ byte: UInt8) -> UInt8? {
        switch byte {
        case 0x30...0x39: byte - 0x30
        case 0x41...0x46: byte - 0x41 + 10
        case 0x61...0x66: byte - 0x61 + 10
        default: nil
        }
    }
}
