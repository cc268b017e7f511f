internal import CXML

/// libxml2's events for a piece of a document, until they are delivered. Used by one thread.
final class MarkupEvents {
    private enum Event {
        case begin(MarkupElement)
        case text(String)
        case end(namespace: String, name: String)
    }

    /// The most names that are remembered.
    private static let nameLimit = 1_024

    private let isHTML: Bool
    private var events: [Event] = []
    /// The text since the last tag.
    private var text: [UInt8] = []
    /// As they are written, and those of attributes in small letters.
    private var names: [UnsafePointer<CChar>: String] = [:]
    private var attributes: [UnsafePointer<CChar>: String] = [:]
    /// How many elements are open.
    private(set) var depth = 0

    init(isHTML: Bool) { self.isHTML = isHTML }

    /// Hands over what there is. A text waits for the tag behind it, unless the document ends.
    func deliver(isLast: Bool, to handler: inout some MarkupHandler) {
        if isLast { endText() }
        for event in events where !handler.isDone {
            switch event {
            case .begin(let element): handler.begin(element)
            case .text(let text): handler.text(text)
            case .end(let namespace, let name): handler.end(namespace: namespace, name: name)
            }
        }
        events.removeAll(keepingCapacity: true)
    }

    // MARK: What libxml2 calls

    var context: UnsafeMutableRawPointer { Unmanaged.passUnretained(self).toOpaque() }

    private static func of(_ context: UnsafeMutableRawPointer?) -> MarkupEvents? {
        // It is the pointer from `context`, and the parser retains it while it is called.
        context.map { Unmanaged<MarkupEvents>.fromOpaque($0).takeUnretainedValue() }
    }

    static var callbacks: flick_xml_events {
        flick_xml_events(
            begin: { context, space, name, attributes, count in
                MarkupEvents.of(context)?.begin(
                    space, name, UnsafeBufferPointer(start: attributes, count: Int(count)))
            },
            text: { context, bytes, length in
                MarkupEvents.of(context)?.add(UnsafeRawBufferPointer(start: bytes, count: length))
            },
            end: { context, space, name in MarkupEvents.of(context)?.end(space, name) })
    }

    private func begin(
        _ space: UnsafePointer<CChar>?, _ name: UnsafePointer<CChar>?,
        _ attributes: UnsafeBufferPointer<flick_xml_attribute>
    ) {
        endText()
        depth += 1
        // The outermost element of XML is the repair's.
        guard isHTML || depth > 1 else { return }
        let element = MarkupElement(
            namespace: Self.word(space, &names), name: Self.word(name, &names),
            attributes: attributes.map { attribute in
                MarkupElement.Attribute(
                    namespace: Self.word(attribute.space, &names),
                    name: Self.word(attribute.name, &self.attributes) { $0.lowercased() },
                    value: String(
                        decoding: UnsafeRawBufferPointer(start: attribute.value, count: attribute.length), as: UTF8.self
                    ))
            })
        events.append(.begin(element))
    }

    private func end(_ space: UnsafePointer<CChar>?, _ name: UnsafePointer<CChar>?) {
        endText()
        depth -= 1
        guard isHTML || depth > 0 else { return }
        events.append(.end(namespace: Self.word(space, &names), name: Self.word(name, &names)))
    }

    private func add(_ bytes: UnsafeRawBufferPointer) {
        let room = MarkupParser.textLimit - text.count
        guard room > 0 else { return }
        guard bytes.count > room else { return text.append(contentsOf: bytes) }
        // Up to the last whole character that fits. What comes later finds no room.
        var end = room
        while end > 0, bytes[end] & 0xC0 == 0x80 { end -= 1 }
        text.append(contentsOf: bytes[..<end])
        text.append(contentsOf: repeatElement(0x20, count: room - end))
    }

    private func endText() {
        guard !text.isEmpty else { return }
        // Text outside the document's own elements is dropped.
        if isHTML || depth > 1 { events.append(.text(String(decoding: text, as: UTF8.self))) }
        text.removeAll(keepingCapacity: text.capacity <= 1 << 16)
    }

    /// A name from libxml2. It keeps them in a dictionary, where each has one place until the reader is closed.
    private static func word(
        _ name: UnsafePointer<CChar>?, _ known: inout [UnsafePointer<CChar>: String], form: (String) -> String = { $0 }
    ) -> String {
        guard let name else { return "" }
        if let word = known[name] { return word }
        let word = form(String(cString: name))
        if known.count == Self.nameLimit { known.removeAll(keepingCapacity: true) }
        known[name] = word
        return word
    }
}
