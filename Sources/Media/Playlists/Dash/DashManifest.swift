import Wire

/// A static DASH manifest (ISO 23009-1): its periods and their tracks. Pure; the text is not trusted.
struct DashManifest {
    /// A part of the clip with its own timestamps.
    struct Period: Equatable {
        /// In the clip.
        var start: Microseconds
        /// nil if unknown.
        var duration: Microseconds?
        /// The representations of the pictures, perhaps with sound; one of them is played.
        var pictures: [DashTrack] = []
        /// The representations of separate sound.
        var sounds: [DashTrack] = []
    }

    /// Each period can need a request for an index.
    static let maxPeriods = 1_000

    private(set) var periods: [Period] = []

    /// The root element of a text, judged by its beginning.
    enum Root {
        case manifest
        /// Another element, or no XML.
        case other
        /// It comes after these bytes: before it may stand declarations and comments of any length.
        case unfinished
    }

    /// The root of a text that begins with these bytes. A document type is refused, as in `XMLReader`.
    static func root(of beginning: ArraySlice<UInt8>) -> Root {
        var rest = beginning
        if rest.starts(with: [0xEF, 0xBB, 0xBF]) { rest = rest.dropFirst(3) }
        while true {
            rest = rest.drop { $0 <= 0x20 && $0 > 0 }
            guard let first = rest.first else { return .unfinished }
            guard first == UInt8(ascii: "<") else { return .other }
            if rest.starts(with: "<!--".utf8) {
                rest = after("-->", in: rest.dropFirst(4))
            } else if rest.starts(with: "<?".utf8) {
                rest = after("?>", in: rest.dropFirst(2))
            } else if "<!--".utf8.starts(with: rest) {
                return .unfinished
            } else {
                let name = rest.dropFirst().prefix { $0 > 0x20 && !"<>/=\"'&!?".utf8.contains($0) }
                if name.endIndex == rest.endIndex, name.count < 64 { return .unfinished }
                // The element's name can have a prefix.
                return name.split(separator: UInt8(ascii: ":")).last?.elementsEqual("MPD".utf8) == true
                    ? .manifest : .other
            }
        }
    }

    /// What follows the first `mark`; empty if it does not occur.
    private static func after(_ mark: StaticString, in text: ArraySlice<UInt8>) -> ArraySlice<UInt8> {
        let mark = UnsafeBufferPointer(start: mark.utf8Start, count: mark.utf8CodeUnitCount)
        guard let place = text.indices.first(where: { text[$0] == mark[0] && text[$0...].starts(with: mark) }) else {
            return text[text.endIndex...]
        }
        return text[(place + mark.count)...]
    }

    /// `base` is the manifest's URL.
    init(_ bytes: [UInt8], base: String) throws(MediaError) {
        guard let root = XMLElement(document: bytes), root.name == "MPD" else {
            throw MediaError(.notMedia, "its manifest is truncated or not XML")
        }
        guard root["type"] != "dynamic" else {
            throw MediaError(.notMedia, "live DASH streams are not supported")
        }
        let whole = root["mediaPresentationDuration"].flatMap { DashTime.duration($0) }
        let elements = root.children("Period")
        guard elements.count <= DashManifest.maxPeriods else {
            throw MediaError(.limits, "its manifest has more than \(DashManifest.maxPeriods) periods")
        }
        let base = DashTrack.base(of: root, within: base)
        for (index, element) in elements.enumerated() {
            let given = element["start"].flatMap { DashTime.duration($0) }
            let before = periods.last.flatMap { before in before.duration.map { before.start + $0 } }
            let start = min(given ?? before ?? periods.last?.start ?? 0, MediaTime.longest)
            let next = index + 1 < elements.count ? elements[index + 1]["start"].flatMap { DashTime.duration($0) } : nil
            let end = next ?? (index + 1 == elements.count ? whole : nil)
            let duration = element["duration"].flatMap { DashTime.duration($0) } ?? end.map { max(0, $0 - start) }
            periods.append(try DashManifest.period(element, start: start, duration: duration, base: base))
        }
        guard periods.contains(where: { !$0.pictures.isEmpty || !$0.sounds.isEmpty }) else {
            throw MediaError(.notMedia, "its manifest lists nothing playable")
        }
    }

    private static func period(
        _ element: XMLElement, start: Microseconds, duration: Microseconds?, base: String
    ) throws(MediaError) -> Period {
        let base = DashTrack.base(of: element, within: base)
        let sets = element.children("AdaptationSet").filter { !isTrick($0) }
        func tracks(_ kind: DashTrack.Kind) throws(MediaError) -> [DashTrack] {
            let offered = sets.filter { DashTrack.kind($0) == kind }
            // Adaptation sets differ in language or view: take the main one, else the first.
            guard let set = offered.first(where: isMain) ?? offered.first else { return [] }
            let open = set.children("Representation").filter { $0.child("ContentProtection") == nil }
            if let scheme = set.child("ContentProtection") { throw isProtected(scheme) }
            if open.isEmpty, let closed = set.child("Representation")?.child("ContentProtection") {
                throw isProtected(closed)
            }
            return open.prefix(WireLimit.variants).map {
                DashTrack($0, of: set, in: element, within: base)
            }
        }
        return Period(
            start: start, duration: duration, pictures: try tracks(.pictures), sounds: try tracks(.sound))
    }

    private static func isProtected(_ scheme: XMLElement) -> MediaError {
        // One of the schemes of ISO 23001-7; the text in the manifest is not trusted.
        let value = scheme["value"] ?? ""
        let name = ["cenc", "cens", "cbc1", "cbcs"].contains(value) ? value : "DASH"
        return Encryption.error(scheme: name[...])
    }

    private static func isMain(_ set: XMLElement) -> Bool {
        set.children("Role").contains { $0["value"] == "main" }
    }

    /// Key frames only, for fast winding.
    private static func isTrick(_ set: XMLElement) -> Bool {
        (set.children("EssentialProperty") + set.children("SupplementalProperty")).contains {
            $0["schemeIdUri"] == "http://dashif.org/guidelines/trickmode"
        }
    }
}
