import Charset
import Model

/// The text of a document as it arrives: pieces of UTF-8, each of whole characters, whatever encoding its bytes have.
/// Used by one thread.
struct MarkupText {
    private let stream: ByteStream
    private let charset: String?
    private let isHTML: Bool
    private var encoding: MarkupEncoding?
    private var converter: CharsetConverter?
    /// Bytes that were read but not converted: the first ones, later the beginning of a character.
    private var rest: [UInt8] = []
    private var isOver = false

    /// - Parameter charset: the encoding, as the server names it; nil if it does not.
    init(_ stream: ByteStream, charset: String?, isHTML: Bool) {
        self.stream = stream
        self.charset = charset
        self.isHTML = isHTML
    }

    /// The next piece, which is not empty; nil at the end. Blocks.
    mutating func next() -> [UInt8]? {
        if encoding == nil { begin() }
        var text: [UInt8] = []
        while text.isEmpty, !isOver {
            let piece = stream.next()
            isOver = piece.isEmpty
            convert(piece, to: &text)
        }
        return text.isEmpty ? nil : text
    }

    private mutating func begin() {
        var head: [UInt8] = []
        while head.count < MarkupEncoding.headSize {
            let piece = stream.next()
            if piece.isEmpty { break }
            head += piece
        }
        let (encoding, mark) = MarkupEncoding.find(head, charset: charset, isHTML: isHTML)
        self.encoding = encoding
        rest = Array(head[mark...])
        if case .named(let name) = encoding { converter = CharsetConverter(name) }
    }

    private mutating func convert(_ piece: [UInt8], to text: inout [UInt8]) {
        let bytes = rest.isEmpty ? piece : rest + piece
        rest = []
        if case .named = encoding {
            converter?.add(bytes, isLast: isOver, to: &text)
            return
        }
        text.reserveCapacity(bytes.count)
        let read = bytes.withUnsafeBufferPointer { bytes in
            switch encoding {
            case .macintosh(let page):
                page.add(Array(bytes), to: &text)
                return bytes.count
            case .utf16(let isBig): return UnicodeText.addUTF16(bytes, isBig: isBig, isLast: isOver, to: &text)
            case .utf32(let isBig): return UnicodeText.addUTF32(bytes, isBig: isBig, isLast: isOver, to: &text)
            default: return UnicodeText.addUTF8(bytes, isLast: isOver, to: &text)
            }
        }
        rest = Array(bytes[read...])
    }
}
