import Wire

/// A representation of the pictures or the sound (ISO 23009-1, 5.3.5), and how its segments are addressed. Pure.
struct DashTrack: Equatable {
    enum Kind { case pictures, sound, other }

    var id: String
    /// Bits a second.
    var bandwidth: Int64
    /// In pixels; 0 if unknown.
    var width: UInt32
    var height: UInt32
    var codecs: String
    /// The base URL of its references, or the URL of its only file.
    var base: String
    /// The addressing elements of all levels, innermost first. Empty: the only file is a single segment.
    private var levels: [XMLElement]

    /// In characters. A URL template can repeat it many times.
    private static let longestID = 200
    /// No stream has more. Sums with it cannot overflow 64 bits.
    private static let maxBits: Int64 = 1 << 40

    init(_ element: XMLElement, of set: XMLElement, in period: XMLElement, within base: String) {
        // Attributes of the adaptation set apply to all of its representations (5.3.7).
        func value(_ name: String) -> String? { element[name] ?? set[name] }
        func pixels(_ name: String) -> UInt32 {
            let number = (value(name)?.utf8).flatMap { PlaylistText.number($0) } ?? 0
            return number <= 65_535 ? UInt32(number) : 0
        }
        id = String((element["id"] ?? "").prefix(DashTrack.longestID))
        bandwidth = min(element.number("bandwidth") ?? 0, DashTrack.maxBits)
        width = pixels("width")
        height = pixels("height")
        if width == 0 || height == 0 { (width, height) = (0, 0) }
        codecs = String((value("codecs") ?? "").prefix(200))
        self.base = DashTrack.base(of: element, within: DashTrack.base(of: set, within: base))
        // The innermost level with an addressing element decides on its kind.
        let outward = [element, set, period]
        let names = ["SegmentTemplate", "SegmentList", "SegmentBase"]
        let name = outward.lazy.compactMap { level in names.first { level.child($0) != nil } }.first
        levels = name.map { name in outward.compactMap { $0.child(name) } } ?? []
    }

    /// `SegmentTemplate`, `SegmentList` or `SegmentBase`, including inherited
    /// values. Computed on demand, because lists are long.
    var addressing: XMLElement? {
        levels.first.map { inner in levels.dropFirst().reduce(inner) { $0.inheriting($1) } }
    }

    /// The URL that references in `element` are relative to: that of its first `BaseURL` (5.6).
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
