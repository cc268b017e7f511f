import Model

/// The headers that the lines of an M3U list name for the next address, in the ways of VLC, Kodi and others. A value.
///
/// Of several with one name the one that comes nearest to the address counts. `ItemHeaders` decides what may be sent.
struct M3UHeaders {
    /// Whether it is encrypted for players with a licence.
    private(set) var needsLicence = false
    private var found: [String: (name: String, value: String?)] = [:]
    private var warnings: [String] = []

    /// The headers that can be sent, and one line for each other header with the reason.
    func fields() -> (headers: [String: String], warnings: [String]) {
        if found.isEmpty { return ([:], warnings) }
        let (headers, warned) = ItemHeaders.read(found.sorted { $0.key < $1.key }.map(\.value))
        return (headers, warnings + warned)
    }

    // MARK: Lines

    /// `http-user-agent="…"` among the attributes of `#EXTINF`.
    mutating func note(_ info: ExtInf) {
        if let agent = info.attribute("http-user-agent") ?? info.attribute("user-agent") {
            put("User-Agent", LineText.of(agent))
        }
        if let page = info.attribute("http-referrer") ?? info.attribute("http-referer") {
            put("Referer", LineText.of(page))
        }
        if let origin = info.attribute("http-origin") { put("Origin", LineText.of(origin)) }
    }

    /// `#EXTVLCOPT:http-user-agent=…`; also `--http-user-agent=…`, as on a command line.
    mutating func noteOption(_ line: ArraySlice<UInt8>) {
        guard let (name, value) = Self.pair(line) else { return }
        switch name.drop(while: { $0 == "-" }) {
        case "http-user-agent": put("User-Agent", value)
        case "http-referrer", "http-referer": put("Referer", value)
        case "http-origin": put("Origin", value)
        default: break
        }
    }

    /// `#KODIPROP:inputstream.adaptive.stream_headers=…`
    mutating func noteProperty(_ line: ArraySlice<UInt8>) {
        let family = "inputstream.adaptive."
        guard let (name, value) = Self.pair(line), name.hasPrefix(family) else { return }
        switch name.dropFirst(family.count) {
        case "stream_headers", "manifest_headers", "common_headers": putPairs(value)
        case "license_type", "drm", "drm_legacy":
            if !value.isEmpty, value.lowercased() != "none" { needsLicence = true }
        default: break
        }
    }

    /// `#EXTHTTP:{"Cookie": "…"}`
    mutating func noteObject(_ line: ArraySlice<UInt8>) {
        do throws(JSONError) {
            guard case .object(let object) = try JSON(whole: Array(LineText.trimmed(line))) else { return }
            for (name, value) in object.sorted(by: { $0.key < $1.key }) {
                if case .text(let text) = value { put(name, text) } else { put(name, nil) }
            }
        } catch {
            warnings = ["its headers are ignored: \(error)"]
        }
    }

    /// `http://h.example/a|User-Agent=…&Referer=…`. Returns the address alone.
    mutating func noteAddress(_ line: ArraySlice<UInt8>) -> ArraySlice<UInt8> {
        // In paths, and where no name follows, a "|" is one.
        guard let bar = line.firstIndex(of: UInt8(ascii: "|")), ListAddress.scheme(of: line) != nil,
            Self.pair(line[(bar + 1)...]) != nil
        else { return line }
        putPairs(LineText.of(line[(bar + 1)...]))
        return LineText.trimmed(line[..<bar])
    }

    // MARK: Fields

    /// "name=value", the name in lower case. nil without a name.
    private static func pair(_ line: ArraySlice<UInt8>) -> (name: String, value: String)? {
        guard let equals = line.firstIndex(of: UInt8(ascii: "=")) else { return nil }
        let name = LineText.trimmed(line[..<equals])
        let isName = name.allSatisfy { byte in
            switch byte {
            case 0x30...0x39, 0x41...0x5A, 0x61...0x7A: true
            default: "!-_.".utf8.contains(byte)
            }
        }
        guard isName, !name.isEmpty else { return nil }
        let value = LineText.trimmed(line[(equals + 1)...])
        return (String(decoding: name, as: UTF8.self).lowercased(), LineText.of(value))
    }

    /// Options that players have behind a "|" besides, which are no headers.
    private static let options: Set = [
        "acceptencoding", "active-remote", "auth", "connection-timeout", "customrequest", "drmlicense", "encoding",
        "failonerror", "httpproxy", "noshout", "postdata", "redirect-limit", "seekable", "sslcipherlist", "verifypeer",
    ]

    /// `User-Agent=…&Referer=…`, encoded as in a query.
    private mutating func putPairs(_ text: String) {
        for pair in text.split(separator: "&").prefix(ItemHeaders.countLimit) {
            guard let equals = pair.firstIndex(of: "=") else { continue }
            // With "!" Kodi sends what it would take for an option.
            let isForced = pair.first == "!"
            let name = String(pair[..<equals].dropFirst(isForced ? 1 : 0)).stripped
            let key = name.lowercased()
            if key == "drmscheme" {
                needsLicence = true
            } else if isForced || !Self.options.contains(key) {
                put(name, Self.decoded(pair[pair.index(after: equals)...]))
            }
        }
    }

    private static func decoded(_ value: Substring) -> String {
        let spaced = String(value.map { $0 == "+" ? " " : $0 })
        return LineText.of(FileURL.percentDecoded(spaced)[...]).stripped
    }

    private mutating func put(_ name: String, _ value: String?) {
        let key = name.lowercased()
        // One more than may be sent, so that the excess is reported.
        guard found[key] != nil || found.count <= ItemHeaders.countLimit else { return }
        found[key] = (name, value)
    }
}
