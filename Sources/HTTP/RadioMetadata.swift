import Model

/// The titles that a radio server sends between the bytes of its stream, as SHOUTcast does: after each `icy-metaint`
/// bytes comes one byte, the length of a text in units of 16 bytes, and the text, such as
/// `StreamTitle='Artist - Title';StreamUrl='';`. Separates the two. Pure.
struct RadioMetadata: Sendable {
    /// In bytes. No server sends titles less often.
    private static let longestInterval = 16 << 20

    private let interval: Int
    /// How many bytes of the stream come before the next text.
    private var left: Int
    /// The text read so far.
    private var text: [UInt8] = []
    /// How many bytes of it are still to come; nil outside a text.
    private var textLeft: Int?
    /// The title being played; nil until the server sends one.
    private(set) var title: String?

    /// - Parameter interval: the value of `icy-metaint`; nil if it is not a usable number.
    init?(interval: String) {
        guard let length = HTTPFields.length(interval.trimmed), (1...Int64(Self.longestInterval)).contains(length)
        else { return nil }
        self.interval = Int(length)
        left = self.interval
    }

    /// Takes the next bytes of the stream from `chunk`, and reads the texts before them; nil if `chunk` has no more.
    mutating func next(from chunk: inout BodyChunk) -> BodyChunk? {
        while chunk.count > 0 {
            if left > 0 {
                let bytes = chunk.takeFirst(min(left, chunk.count))
                left -= bytes.count
                return bytes
            }
            guard let textLeft else {
                textLeft = 16 * Int(chunk.takeFirst(1).withBytes { $0[0] })
                endText()
                continue
            }
            let part = chunk.takeFirst(min(textLeft, chunk.count))
            part.withBytes { text += $0 }
            self.textLeft = textLeft - part.count
            endText()
        }
        return nil
    }

    private mutating func endText() {
        guard textLeft == 0 else { return }
        if let title = Self.title(in: text) { self.title = title.isEmpty ? nil : title }
        (textLeft, left) = (nil, interval)
        text.removeAll(keepingCapacity: true)
    }

    /// nil if the text does not mention the title; empty if the title is empty.
    private static func title(in bytes: [UInt8]) -> String? {
        let bytes = bytes.prefix { $0 != 0 }
        let text = String(validating: bytes, as: UTF8.self) ?? Windows1252.text(bytes)
        guard let begin = text.firstRange(of: "StreamTitle='")?.upperBound else { return nil }
        // A title may have quotes in it.
        let rest = text[begin...]
        let end = rest.firstRange(of: "';")?.lowerBound ?? (rest.last == "'" ? rest.indices.last! : rest.endIndex)
        return String(rest[..<end]).trimmed
    }
}
