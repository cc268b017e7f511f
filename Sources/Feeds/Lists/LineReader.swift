import Charset
import Model

/// The lines of a stream as they arrive, however long it is. No more than one line is in memory, and no more of it than
/// `limit`. Used by one thread.
struct LineReader {
    /// The most bytes of a line.
    static let limit = 64 << 10

    enum Line: Equatable {
        /// Without line break and byte order mark. Never empty.
        case bytes(ArraySlice<UInt8>)
        /// It had more than `limit` bytes, which were skipped.
        case tooLong
    }

    private let stream: ByteStream
    private var piece: [UInt8] = []
    private var index = 0
    /// The part of the current line in earlier pieces.
    private var begun: [UInt8] = []
    private var isTooLong = false
    private var isFirst = true

    init(_ stream: ByteStream) { self.stream = stream }

    /// The next line that is not empty; nil at the end. Lines end with LF, CR or both. Blocks.
    mutating func next() -> Line? {
        while true {
            if index == piece.count {
                piece = stream.next()
                index = 0
                if piece.isEmpty { return finish() }
            }
            let begin = index
            let end = piece[begin...].firstIndex { $0 == 0x0A || $0 == 0x0D } ?? piece.count
            index = min(end + 1, piece.count)
            if end == piece.count || !begun.isEmpty || isTooLong {
                keep(piece[begin..<end])
                if end < piece.count, let line = finish() { return line }
            } else if end - begin > Self.limit {
                return .tooLong
            } else if let line = whole(piece[begin..<end]) {
                return line
            }
        }
    }

    private mutating func keep(_ part: ArraySlice<UInt8>) {
        guard !isTooLong else { return }
        isTooLong = begun.count + part.count > Self.limit
        if isTooLong { begun = [] } else { begun += part }
    }

    /// The line that earlier pieces began.
    private mutating func finish() -> Line? {
        let line = isTooLong ? .tooLong : whole(begun[...])
        begun = []
        isTooLong = false
        return line
    }

    private mutating func whole(_ line: ArraySlice<UInt8>) -> Line? {
        var line = line
        if isFirst, !line.isEmpty {
            isFirst = false
            if line.starts(with: [0xEF, 0xBB, 0xBF]) { line = line.dropFirst(3) }
        }
        return line.isEmpty ? nil : .bytes(line)
    }
}

/// Titles and other words of a list for people, which does not say which encoding it has. Used by one thread.
struct ListWords {
    /// For what is not UTF-8; nil: it is windows-1252.
    private let converter: CharsetConverter?

    /// - Parameter beginning: of the list, from which its encoding is detected.
    init(of beginning: [UInt8]) { converter = TextEncoding.detect(beginning).flatMap { CharsetConverter($0) } }

    /// Reads the beginning of a list, which the stream then gives again. Blocks.
    init(_ stream: ByteStream) {
        let beginning = stream.next()
        _ = stream.putBack(beginning)
        self.init(of: beginning)
    }

    func text(_ bytes: ArraySlice<UInt8>) -> String {
        guard let converter else { return LineText.of(bytes) }
        if let text = String(validating: bytes, as: UTF8.self) { return text }
        var text: [UInt8] = []
        converter.add(Array(bytes), isLast: true, to: &text)
        return String(decoding: text, as: UTF8.self)
    }
}

/// Lines as texts.
enum LineText {
    /// In UTF-8, or else in windows-1252: addresses, and what is sent to servers.
    static func of(_ bytes: ArraySlice<UInt8>) -> String {
        String(validating: bytes, as: UTF8.self) ?? Windows1252.text(bytes)
    }

    /// Without blanks at both ends.
    static func trimmed(_ bytes: ArraySlice<UInt8>) -> ArraySlice<UInt8> {
        guard let last = bytes.lastIndex(where: { $0 > 0x20 }) else { return [] }
        return bytes[...last].drop { $0 <= 0x20 }
    }
}

/// A list's own properties. A value.
struct ListFacts: Equatable, Sendable {
    var title: String?
}

/// An entry of a list: its item, and one line for each part that was dropped; or why it has no item.
typealias ListEntry = Result<(item: Item, warnings: [String]), ItemError>

extension ItemError {
    static let tooLongLine = ItemError(why: "its line is longer than \(LineReader.limit >> 10) KB")
}
