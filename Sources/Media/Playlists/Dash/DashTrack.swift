import Wire

/// A form of the pictures or of the sound (ISO 23009-1, 5.3.5: a representation), and how its segments are found. Pure.
struct DashTrack: Equatable {
    enum Kind { case pictures, sound, other }

    var id: String
    /// Bits a second.
    var bandwidth: Int64
    /// In pixels; 0 if unknown.
    var width: UInt32
    var height: UInt32
    var codecs: String
    /// What its references are relative to; or its only file.
    var base: String
    /// What is said of its segments at each level, the innermost first. Empty: its only file is one segment.
    private var levels: [XMLElement]

    /// In characters. It may stand many times in an address.
    private static let longestID = 200
    /// Nobody streams more; sums with it stay far from the ends of 64 bits.
    private static let mostBits: Int64 = 1 << 40

    init(_ element: XMLElement, of set: XMLElement, in period: XMLElement, within base: String) {
        // Attributes of the set apply to all its forms (5.3.7).
        func value(_ name: String) -> String? { element[name] ?? set[name] }
        func pixels(_ name: String) -> UInt32 {
            let number = (value(name)?.utf8).flatMap { PlaylistText.number($0) } ?? 0
            return number <= 65_535 ? UInt32(number) : 0
        }
        id = String((element["id"] ?? "").prefix(DashTrack.longestID))
        bandwidth = min(element.number("bandwidth") ?? 0, DashTrack.mostBits)
        width = pixels("width")
        height = pixels("height")
        if width == 0 || height == 0 { (width, height) = (0, 0) }
        codecs = String((value("codecs") ?? "").prefix(200))
        self.base = DashTrack.base(of: element, within: DashTrack.base(of: set, within: base))
        // The innermost level that says anything says of what kind it is.
        let outward = [element, set, period]
        let names = ["SegmentTemplate", "SegmentList", "SegmentBase"]
        let name = outward.lazy.compactMap { level in names.first { level.child($0) != nil } }.first
        levels = name.map { name in outward.compactMap { $0.child(name) } } ?? []
    }

    /// `SegmentTemplate`, `SegmentList` or `SegmentBase` with what is said farther out. Made when it is asked for: lists are long.
    var addressing: XMLElement? {
        levels.first.map { inner in levels.dropFirst().reduce(inner) { $0.inheriting($1) } }
    }

    /// What references in `element` are relative to: its first `BaseURL` leads there (5.6).
    static func base(of element: XMLElement, within outer: String) -> String {
        element.child("BaseURL").flatMap { URLReference.resolve($0.text.utf8, against: outer) } ?? outer
    }

    /// What an adaptation set contains.
    static func kind(_ set: XMLElement) -> Kind {
        let first = set.child("Representation")
        let type = set["contentType"] ?? set["mimeType"] ?? first?["mimeType"] ?? ""
        switch type.prefix(5) {
        case "video": return .pictures
        case "audio": return .sound
        default: return .other
        }
    }
}
