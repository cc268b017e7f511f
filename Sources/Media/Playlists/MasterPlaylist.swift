import Wire

/// A master playlist (RFC 8216, 4.3.4): the variants of a stream. Pure; the text is not trusted.
struct MasterPlaylist {
    private(set) var variants: [MediaInfo.Variant] = []
    /// For each variant the URL of its playlist, and of its separate sound's playlist if there is one.
    private(set) var places: [(url: String?, soundURL: String?)] = []

    private struct Sound {
        var group: String
        var uri: String?
        var isDefault: Bool
        var isAutomatic: Bool
    }

    /// For a master playlist from another source. There must be as many places as variants, and at least one.
    init(variants: [MediaInfo.Variant], places: [(url: String?, soundURL: String?)]) {
        self.variants = variants
        self.places = places
    }

    /// nil if the bytes list no variants: a media playlist, or something else. `base` is its URL.
    init?(_ bytes: [UInt8], base: String) {
        guard var text = PlaylistText(bytes) else { return nil }
        var sounds: [Sound] = []
        var groups: [String?] = []
        var pending: [String: String]?
        while let line = text.nextLine() {
            if let value = text.value(of: "#EXT-X-STREAM-INF", in: line) {
                pending = PlaylistText.attributes(value)
            } else if let value = text.value(of: "#EXT-X-MEDIA", in: line), sounds.count < 256 {
                let attributes = PlaylistText.attributes(value)
                guard attributes["TYPE"] == "AUDIO", let group = attributes["GROUP-ID"] else { continue }
                sounds.append(
                    Sound(
                        group: group, uri: attributes["URI"], isDefault: attributes["DEFAULT"] == "YES",
                        isAutomatic: attributes["AUTOSELECT"] == "YES"))
            } else if text.bytes[line.lowerBound] != UInt8(ascii: "#"), let attributes = pending {
                pending = nil
                guard variants.count < WireLimit.variants else { break }
                variants.append(MasterPlaylist.variant(attributes))
                places.append((URLReference.resolve(text.bytes[line], against: base), nil))
                groups.append(attributes["AUDIO"])
            }
        }
        if variants.isEmpty { return nil }
        for (index, group) in groups.enumerated() {
            // The group's default, else one with AUTOSELECT, else the first. Without a URI the sound is in the
            // variant's own segments.
            let offered = sounds.filter { $0.group == group }
            let sound = offered.first { $0.isDefault } ?? offered.first { $0.isAutomatic } ?? offered.first
            places[index].soundURL = sound?.uri.flatMap { URLReference.resolve($0.utf8, against: base) }
        }
    }

    private static func variant(_ attributes: [String: String]) -> MediaInfo.Variant {
        let size = (attributes["RESOLUTION"] ?? "").utf8.split(separator: UInt8(ascii: "x"))
            .map { PlaylistText.number($0) ?? 0 }
        let isSize = size.count == 2 && size.allSatisfy { (1...65_535).contains($0) }
        return MediaInfo.Variant(
            bandwidth: (attributes["BANDWIDTH"]?.utf8).flatMap { PlaylistText.number($0) } ?? 0,
            width: isSize ? UInt32(size[0]) : 0, height: isSize ? UInt32(size[1]) : 0,
            codecs: String((attributes["CODECS"] ?? "").prefix(200)))
    }
}
