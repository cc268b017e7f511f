import Wire

/// A master playlist (RFC 8216, 4.3.4): the variants of a stream, its sounds and texts. Pure; the text is not trusted.
struct MasterPlaylist {
    /// Where a variant's playlists are.
    struct Place {
        var url: String?
        /// Its separate sound's playlist, unless another is chosen; nil if the sound is in the variant's own segments.
        var soundURL: String?
        /// By a place in `soundTracks`: the playlists of the sounds that it can have; nil as above.
        var sounds: [Int: String?] = [:]
    }

    private(set) var variants: [MediaInfo.Variant] = []
    private(set) var places: [Place] = []
    /// The sounds that there are in any group: those with the same language and name are one.
    private(set) var soundTracks: [MediaInfo.Track] = []
    /// The texts, and for each its playlist's URL.
    private(set) var textTracks: [MediaInfo.Track] = []
    private(set) var textURLs: [String] = []

    /// An EXT-X-MEDIA (4.3.4.1).
    private struct Rendition {
        var group: String
        var uri: String?
        var track: MediaInfo.Track
        var isDefault: Bool
        var isAutomatic: Bool

        init?(_ attributes: [String: String]) {
            guard let group = attributes["GROUP-ID"] else { return nil }
            self.group = group
            uri = attributes["URI"]
            track = MediaInfo.Track(
                language: String((attributes["LANGUAGE"] ?? "").prefix(40)),
                title: String((attributes["NAME"] ?? "").prefix(80)))
            isDefault = attributes["DEFAULT"] == "YES"
            isAutomatic = attributes["AUTOSELECT"] == "YES"
        }
    }

    /// For a master playlist from another source. There must be as many places as variants, and at least one.
    init(variants: [MediaInfo.Variant], places: [Place]) {
        self.variants = variants
        self.places = places
    }

    /// nil if the bytes list no variants: a media playlist, or something else. `base` is its URL.
    init?(_ bytes: [UInt8], base: String) {
        guard var text = PlaylistText(bytes) else { return nil }
        var sounds: [Rendition] = []
        var texts: [Rendition] = []
        var groups: [String?] = []
        var textGroups: Set<String> = []
        var pending: [String: String]?
        while let line = text.nextLine() {
            if let value = text.value(of: "#EXT-X-STREAM-INF", in: line) {
                pending = PlaylistText.attributes(value)
            } else if let value = text.value(of: "#EXT-X-MEDIA", in: line) {
                let attributes = PlaylistText.attributes(value)
                guard let rendition = Rendition(attributes) else { continue }
                if attributes["TYPE"] == "AUDIO", sounds.count < 256 { sounds.append(rendition) }
                if attributes["TYPE"] == "SUBTITLES", texts.count < 256 { texts.append(rendition) }
            } else if text.bytes[line.lowerBound] != UInt8(ascii: "#"), let attributes = pending {
                pending = nil
                guard variants.count < WireLimit.variants else { break }
                variants.append(MasterPlaylist.variant(attributes))
                places.append(Place(url: URLReference.resolve(text.bytes[line], against: base)))
                groups.append(attributes["AUDIO"])
                if let group = attributes["SUBTITLES"] { textGroups.insert(group) }
            }
        }
        if variants.isEmpty { return nil }
        for (index, group) in groups.enumerated() { place(index, sounds.filter { $0.group == group }, base: base) }
        for text in texts where textGroups.contains(text.group) && textTracks.count < WireLimit.tracks {
            guard let url = text.uri.flatMap({ URLReference.resolve($0.utf8, against: base) }),
                !textTracks.contains(text.track)
            else { continue }
            textTracks.append(text.track)
            textURLs.append(url)
        }
    }

    /// The sounds of a variant. The group's default is played, else one with AUTOSELECT, else the first. Without a URI
    /// the sound is in the variant's own segments.
    private mutating func place(_ index: Int, _ offered: [Rendition], base: String) {
        func url(_ sound: Rendition) -> String? { sound.uri.flatMap { URLReference.resolve($0.utf8, against: base) } }
        let usual = offered.first { $0.isDefault } ?? offered.first { $0.isAutomatic } ?? offered.first
        places[index].soundURL = usual.flatMap(url)
        for sound in offered {
            let known = soundTracks.firstIndex(of: sound.track)
            guard let track = known ?? (soundTracks.count < WireLimit.tracks ? soundTracks.count : nil) else {
                continue
            }
            if known == nil { soundTracks.append(sound.track) }
            places[index].sounds[track] = .some(url(sound))
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
