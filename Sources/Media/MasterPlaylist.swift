import Wire

/// A playlist of variants (RFC 8216, 4.3.4), and the one of them that is played. Pure; the text is hostile.
struct MasterPlaylist {
    /// More than any playlist of variants has.
    static let mostBytes = 1 << 20
    static let mark = "#EXTM3U"

    private struct Entry {
        var line: Int
        var uriLine: Int
        var attributes: [String: String]
    }

    private var lines: [Substring]
    private var entries: [Entry] = []
    private(set) var variants: [MediaInfo.Variant] = []

    /// nil if these bytes list no variants: a playlist of segments, or something else.
    init?(_ bytes: [UInt8]) {
        let text = String(decoding: bytes, as: UTF8.self)
        guard text.utf8.starts(with: MasterPlaylist.mark.utf8) else { return nil }
        lines = text.split(omittingEmptySubsequences: true, whereSeparator: \.isNewline)
        for (index, line) in lines.enumerated() where line.utf8.starts(with: "#EXT-X-STREAM-INF:".utf8) {
            guard let uri = lines[(index + 1)...].firstIndex(where: { !$0.hasPrefix("#") }),
                entries.count < WireLimit.variants
            else { break }
            let attributes = MasterPlaylist.attributes(line)
            entries.append(Entry(line: index, uriLine: uri, attributes: attributes))
            let size = (attributes["RESOLUTION"] ?? "").split(separator: "x").map { UInt32($0) ?? 0 }
            let isSize = size.count == 2 && size.allSatisfy { (1...65_535).contains($0) }
            variants.append(
                MediaInfo.Variant(
                    bandwidth: attributes["BANDWIDTH"].flatMap { Int64($0) } ?? 0, width: isSize ? size[0] : 0,
                    height: isSize ? size[1] : 0, codecs: String((attributes["CODECS"] ?? "").prefix(200))))
        }
        if entries.isEmpty { return nil }
    }

    /// Chooses the smallest variant that covers the surface (C14), or the largest if none does. Of equals in size the one of most bits.
    mutating func choose(for surface: SurfaceRequest?) {
        var candidates = variants.indices.filter { MasterPlaylist.canDecode(variants[$0].codecs) }
        if candidates.isEmpty { candidates = Array(variants.indices) }
        let sized = candidates.filter { variants[$0].width > 0 }
        func size(_ index: Int) -> (UInt64, Int64) {
            (UInt64(variants[index].width) * UInt64(variants[index].height), variants[index].bandwidth)
        }
        let chosen: Int
        let why: String
        if let surface, surface.width > 0, surface.height > 0, !sized.isEmpty {
            let covering = sized.filter { MasterPlaylist.covers(variants[$0], surface) }
            let least = covering.map { size($0).0 }.min()
            if let best = covering.filter({ size($0).0 == least }).max(by: { size($0) < size($1) }) {
                (chosen, why) = (best, "the smallest that covers \(surface.width)x\(surface.height)")
            } else {
                // Not empty: it is what was looked through.
                chosen = sized.max { size($0) < size($1) }!
                why = "the largest: none covers \(surface.width)x\(surface.height)"
            }
        } else if let best = sized.max(by: { size($0) < size($1) }) {
            (chosen, why) = (best, "the largest: no surface is known")
        } else {
            (chosen, why) = (candidates[0], "the first: no sizes are told")
        }
        variants[chosen].isChosen = true
        variants[chosen].why = why
    }

    /// The playlist with the chosen variant only, and of its group of sound the one that is played: libav opens all that are listed.
    func reduced() -> [UInt8] {
        guard let index = variants.firstIndex(where: \.isChosen) else {
            return Array(lines.joined(separator: "\n").utf8)
        }
        let chosen = entries[index]
        let sound = soundLine(group: chosen.attributes["AUDIO"])
        var kept: [Substring] = []
        for (number, line) in lines.enumerated() {
            if line.hasPrefix("#EXT-X-MEDIA:") {
                if number == sound { kept.append(line) }
            } else if line.hasPrefix("#EXT-X-STREAM-INF:") || line.hasPrefix("#EXT-X-I-FRAME-STREAM-INF:")
                || !line.hasPrefix("#")
            {
                if number == chosen.line || number == chosen.uriLine { kept.append(line) }
            } else {
                kept.append(line)
            }
        }
        return Array((kept.joined(separator: "\n") + "\n").utf8)
    }

    /// The line of the sound to play: the group's default, else one that may be chosen unasked, else the first.
    private func soundLine(group: String?) -> Int? {
        guard let group else { return nil }
        let found = lines.indices.compactMap { index -> (Int, [String: String])? in
            guard lines[index].hasPrefix("#EXT-X-MEDIA:") else { return nil }
            let attributes = MasterPlaylist.attributes(lines[index])
            return attributes["TYPE"] == "AUDIO" && attributes["GROUP-ID"] == group ? (index, attributes) : nil
        }
        return (found.first { $0.1["DEFAULT"] == "YES" } ?? found.first { $0.1["AUTOSELECT"] == "YES" } ?? found.first)?
            .0
    }

    /// Whether a picture of the variant is not blown up on the surface.
    private static func covers(_ variant: MediaInfo.Variant, _ surface: SurfaceRequest) -> Bool {
        let aspect =
            surface.aspectNumerator > 0 && surface.aspectDenominator > 0
            ? Double(surface.aspectNumerator) / Double(surface.aspectDenominator) : 1
        let (width, height) = (Double(variant.width), Double(variant.height))
        // Surface pixels, by their height, to one of the variant.
        let (across, down) = (Double(surface.width) * aspect / width, Double(surface.height) / height)
        return (surface.fill ? max(across, down) : min(across, down)) <= min(1, aspect)
    }

    private static func canDecode(_ codecs: String) -> Bool {
        codecs.split(separator: ",").allSatisfy { codec in
            // Dolby Vision without a base layer; the rest is found out when it is opened.
            !["dvh1", "dvhe", "dva1", "dvav"].contains { codec.drop { $0 == " " }.hasPrefix($0) }
        }
    }

    /// The attributes of a tag (RFC 8216, 4.2): NAME=value, where a value in quotation marks may hold commas.
    static func attributes(_ line: Substring) -> [String: String] {
        var found: [String: String] = [:]
        var rest = line.utf8.drop { $0 != UInt8(ascii: ":") }.dropFirst()
        while !rest.isEmpty {
            let name = rest.prefix { $0 != UInt8(ascii: "=") }
            rest = rest.dropFirst(name.count + 1)
            let value: Substring.UTF8View.SubSequence
            if rest.first == UInt8(ascii: "\"") {
                rest = rest.dropFirst()
                value = rest.prefix { $0 != UInt8(ascii: "\"") }
                rest = rest.dropFirst(value.count + 1)
                rest = rest.drop { $0 != UInt8(ascii: ",") }.dropFirst()
            } else {
                value = rest.prefix { $0 != UInt8(ascii: ",") }
                rest = rest.dropFirst(value.count + 1)
            }
            let key = String(Substring(name)).trimmingSpaces
            if !key.isEmpty { found[key] = String(Substring(value)) }
        }
        return found
    }
}

extension String {
    fileprivate var trimmingSpaces: String { String(drop { $0 == " " }.reversed().drop { $0 == " " }.reversed()) }
}
