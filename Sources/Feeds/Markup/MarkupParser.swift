internal import CXML
import Model

/// The beginning of an element. A value.
struct MarkupElement: Equatable {
    struct Attribute: Equatable {
        /// As `MarkupElement.namespace`.
        let namespace: String
        /// Without prefix, in small letters.
        let name: String
        let value: String
    }

    /// "" if it has none; its prefix, if that is declared nowhere.
    let namespace: String
    /// Without prefix, as it is written; in small letters in HTML.
    let name: String
    let attributes: [Attribute]

    /// The value of an attribute without namespace.
    ///
    /// - Parameter name: in small letters; in the document capitals count as those.
    func attribute(_ name: String) -> String? {
        attributes.first { $0.name == name && $0.namespace.isEmpty }?.value
    }
}

/// Wants to know what a document has. Used by one thread.
protocol MarkupHandler {
    mutating func begin(_ element: MarkupElement)
    /// Some text of the innermost element, all of it up to the next beginning or end. Of more than
    /// `MarkupParser.textLimit` bytes, the rest is missing.
    mutating func text(_ text: String)
    mutating func end(namespace: String, name: String)
    /// The handler needs no more events.
    var isDone: Bool { get }
}

/// Reads XML and HTML as they arrive. Ill-formed input is repaired where possible (`MarkupRepair`).
///
/// Nothing is fetched, no entity is known but the five of XML and those of HTML, and memory holds one piece of the
/// stream and one text at most.
enum MarkupParser {
    /// The most bytes of a text between two tags.
    static let textLimit = 1 << 20
    /// HTML that is nested deeper is not read on.
    static let depthLimit = 256

    enum Kind { case xml, html }

    /// Why reading stops.
    struct ParseError: Error, Equatable { var why: String }

    /// Why no XML can be read; nil if it can. Takes some milliseconds the first time.
    static func missing() -> String? {
        guard flick_xml_load() != 0 else { return nil }
        return CleanText.line(String(cString: flick_xml_load_error()), limit: 200)
    }

    /// Blocks while the stream does.
    ///
    /// - Parameter charset: the encoding, as the server names it; nil if it does not.
    static func parse(
        _ stream: ByteStream, kind: Kind, charset: String?, into handler: inout some MarkupHandler
    ) throws(ParseError) {
        if let why = missing() { throw ParseError(why: why) }
        let events = MarkupEvents(isHTML: kind == .html)
        var callbacks = MarkupEvents.callbacks
        guard let reader = flick_xml_open(kind == .html ? 1 : 0, &callbacks, events.context) else {
            throw ParseError(why: "out of memory")
        }
        // It calls `events` until it is closed.
        defer { withExtendedLifetime(events) { flick_xml_close(reader) } }
        var text = MarkupText(stream, charset: charset, isHTML: kind == .html)
        var repair = MarkupRepair()
        while !handler.isDone {
            let piece = text.next()
            let bytes: [UInt8]
            switch kind {
            case .xml:
                if let piece { repair.add(piece) } else { repair.end() }
                bytes = repair.take()
            case .html: bytes = piece.map(MarkupParser.withoutControls) ?? []
            }
            bytes.withUnsafeBytes { bytes in
                flick_xml_push(
                    reader, bytes.baseAddress?.assumingMemoryBound(to: CChar.self), bytes.count, piece == nil ? 1 : 0)
            }
            events.deliver(isLast: piece == nil, to: &handler)
            if piece == nil { return }
            if kind == .html, events.depth > depthLimit { throw ParseError(why: "it is nested too deeply") }
        }
    }

    /// HTML may contain what libxml2's reader takes for the end.
    private static func withoutControls(_ text: [UInt8]) -> [UInt8] {
        text.contains(0) ? text.filter { $0 != 0 } : text
    }
}
