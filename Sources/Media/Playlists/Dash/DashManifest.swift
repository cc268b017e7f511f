import Wire

/// A manifest of DASH (ISO 23009-1) that is finished: its periods, and what may be chosen from in each. Pure; the text is hostile.
struct DashManifest {
    /// A part of the clip, whose stamps have nothing to do with those of other parts.
    struct Period: Equatable {
        /// In the clip.
        var start: Microseconds
        /// nil if unknown.
        var duration: Microseconds?
        /// Forms of the pictures, with their sound perhaps, of which one is played.
        var pictures: [DashTrack] = []
        /// Forms of the sound beside them.
        var sounds: [DashTrack] = []
    }

    /// Each may have an index that is asked for.
    static let mostPeriods = 1_000

    private(set) var periods: [Period] = []

    /// Whether something that begins with these bytes is a manifest.
    static func isOne(_ beginning: ArraySlice<UInt8>) -> Bool {
        let head = beginning.prefix(2_048)
        guard head.first(where: { $0 > 0x20 && $0 != 0xEF && $0 != 0xBB && $0 != 0xBF }) == UInt8(ascii: "<") else {
            return false
        }
        // A prefix may stand before the name.
        let marks = [Array("<MPD".utf8), Array(":MPD".utf8)]
        return head.indices.contains { place in marks.contains { head[place...].starts(with: $0) } }
    }

    /// `base` is where it was found.
    init(_ bytes: [UInt8], base: String) throws(MediaError) {
        guard let root = XMLElement(document: bytes), root.name == "MPD" else {
            throw MediaError(.notMedia, "its manifest is broken off, or no XML")
        }
        guard root["type"] != "dynamic" else {
            throw MediaError(.notMedia, "it is a live DASH manifest; only finished ones are played")
        }
        let whole = root["mediaPresentationDuration"].flatMap { DashTime.duration($0) }
        let elements = root.children("Period")
        guard elements.count <= DashManifest.mostPeriods else {
            throw MediaError(.limits, "its manifest has more than \(DashManifest.mostPeriods) periods")
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
            throw MediaError(.notMedia, "its manifest holds nothing that can be played")
        }
    }

    private static func period(
        _ element: XMLElement, start: Microseconds, duration: Microseconds?, base: String
    ) throws(MediaError) -> Period {
        let base = DashTrack.base(of: element, within: base)
        let sets = element.children("AdaptationSet").filter { !isTrick($0) }
        func tracks(_ kind: DashTrack.Kind) throws(MediaError) -> [DashTrack] {
            let offered = sets.filter { DashTrack.kind($0) == kind }
            // Sets differ in language or view: the main one, else the first.
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
        // One of the schemes of ISO 23001-7; a manifest may say anything.
        let value = scheme["value"] ?? ""
        let name = ["cenc", "cens", "cbc1", "cbcs"].contains(value) ? value : "DASH"
        return MediaError(.undecodable, "it is protected (\(name))")
    }

    private static func isMain(_ set: XMLElement) -> Bool {
        set.children("Role").contains { $0["value"] == "main" }
    }

    /// Key pictures only, for winding.
    private static func isTrick(_ set: XMLElement) -> Bool {
        (set.children("EssentialProperty") + set.children("SupplementalProperty")).contains {
            $0["schemeIdUri"] == "http://dashif.org/guidelines/trickmode"
        }
    }
}
