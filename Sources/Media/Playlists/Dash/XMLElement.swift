/// An XML element with its contents. A value.
struct XMLElement: Equatable {
    /// More than any manifest has.
    static let maxElements = 300_000
    static let deepest = 24

    var name: String
    var attributes: [XMLReader.Attribute]
    var children: [XMLElement] = []
    /// The text of the element itself, without that of its children and without surrounding white space.
    var text = ""

    /// The root element of a whole document; nil if it is not well-formed, too large or too deep.
    init?(document bytes: [UInt8]) {
        var reader = XMLReader(bytes)
        var count = 0
        while let event = reader.next() {
            guard case .start(let name, let attributes) = event else { continue }
            self.init(name: name, attributes: attributes, &reader, depth: 1, &count)
            return
        }
        return nil
    }

    private init?(
        name: String, attributes: [XMLReader.Attribute], _ reader: inout XMLReader, depth: Int, _ count: inout Int
    ) {
        self.name = name
        self.attributes = attributes
        count += 1
        guard count <= XMLElement.maxElements, depth <= XMLElement.deepest else { return nil }
        while let event = reader.next() {
            switch event {
            case .text(let more): text += more
            case .start(let name, let attributes):
                guard
                    let child = XMLElement(
                        name: name, attributes: attributes, &reader, depth: depth + 1, &count)
                else { return nil }
                children.append(child)
            case .end(let name):
                guard name == self.name else { return nil }
                text = XMLElement.trimmed(text)
                return
            }
        }
        return nil
    }

    private static func trimmed(_ text: String) -> String {
        var bytes = Array(text.utf8)[...]
        bytes = bytes.drop { $0 <= 0x20 }
        while let last = bytes.last, last <= 0x20 { bytes.removeLast() }
        return String(decoding: bytes, as: UTF8.self)
    }

    subscript(_ attribute: String) -> String? { attributes.first { $0.name == attribute }?.value }

    /// A whole number that is not negative.
    func number(_ attribute: String) -> Int64? { (self[attribute]?.utf8).flatMap { PlaylistText.number($0) } }

    func children(_ name: String) -> [XMLElement] { children.filter { $0.name == name } }
    func child(_ name: String) -> XMLElement? { children.first { $0.name == name } }

    /// This element with the attributes and children that it lacks taken from `outer`, an element of the same kind on
    /// an outer level.
    func inheriting(_ outer: XMLElement?) -> XMLElement {
        guard let outer else { return self }
        var whole = self
        whole.attributes += outer.attributes.filter { self[$0.name] == nil }
        let own = Set(children.map(\.name))
        whole.children += outer.children.filter { !own.contains($0.name) }
        return whole
    }
}
