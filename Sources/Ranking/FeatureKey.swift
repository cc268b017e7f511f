import Model
import Platform

/// 64-bit names of features. The model stores only these, never a title or a name. Pure.
///
/// The upper four bits say what kind of feature it is; the rest is a hash. Two of 32,768 features share a key with a
/// probability of 1 in 2 thousand million.
enum FeatureKey {
    /// Kinds of features, and how far a weight of each may be from zero before anything was watched: the standard
    /// deviation of its prior, in shares of a clip watched.
    enum Kind: UInt64, CaseIterable {
        case base = 1
        case creator, source, topic, word, length, kind, age, dayPart

        var deviation: Double {
            switch self {
            case .base, .creator, .topic: 0.25
            case .source, .length, .word: 0.12
            case .kind: 0.1
            case .age, .dayPart: 0.05
            }
        }
    }

    static let base = key(.base, 0)

    static func kind(of key: UInt64) -> Kind? { Kind(rawValue: key >> 60) }

    static func key(_ kind: Kind, _ hash: UInt64) -> UInt64 { kind.rawValue << 60 | hash >> 4 }

    /// Of one of few classes.
    static func key(_ kind: Kind, class number: Int) -> UInt64 { key(kind, mix(UInt64(truncatingIfNeeded: number))) }

    // MARK: From items

    /// nil if it has neither URL, id nor name.
    static func creator(_ creator: Item.Creator, of item: Item) -> UInt64? {
        // A URL is the same in every feed, an id only in its own.
        if let url = creator.url, !url.isEmpty { return key(.creator, hash(url)) }
        if let id = creator.id, !id.isEmpty {
            return key(.creator, hash(String(Substring(origin(of: item.feed ?? item.url))), id))
        }
        guard let name = creator.name, !name.isEmpty else { return nil }
        return key(.creator, Self.name(name))
    }

    /// Of a name, without case and diacritics.
    static func name(_ text: String) -> UInt64 { hash(folded(text, limit: 256)[...]) }

    /// The feed that named the item; without one the folder or server that it lies in.
    static func source(of item: Item) -> UInt64 {
        if let feed = item.feed { return key(.source, hash(feed)) }
        guard item.isFile else { return key(.source, hash(origin(of: item.url))) }
        let folder = item.url.utf8.lastIndex(of: UInt8(ascii: "/")) ?? item.url.utf8.endIndex
        return key(.source, hash(Substring(item.url[..<folder]).utf8))
    }

    /// nil for a tag without letters and digits.
    static func topic(_ tag: String) -> UInt64? {
        let bytes = folded(tag, limit: 128)
        guard let first = bytes.firstIndex(where: isLetter), let last = bytes.lastIndex(where: isLetter) else {
            return nil
        }
        return key(.topic, hash(bytes[first...last]))
    }

    /// Appends the words of a text: runs of letters and digits, without case and diacritics.
    static func appendWords(of text: String, scalars: Int, limit: Int, to keys: inout [UInt64]) {
        let bytes = folded(text, limit: scalars)
        let end = keys.count + limit
        var start = 0
        while keys.count < end, let first = bytes[start...].firstIndex(where: isLetter) {
            let last = bytes[first...].firstIndex { !isLetter($0) } ?? bytes.count
            keys.append(word(bytes[first..<last]))
            start = last
        }
    }

    /// Only words of three bytes and more say something about a taste: the lowest bit marks them.
    private static func word(_ bytes: ArraySlice<UInt8>) -> UInt64 {
        key(.word, hash(bytes)) & ~1 | (bytes.count >= 3 ? 1 : 0)
    }

    static func isFeature(word: UInt64) -> Bool { word & 1 == 1 }

    /// "https://host:port" of a URL, or as much of it as there is.
    private static func origin(of url: String) -> Substring.UTF8View {
        var slashes = 0
        return Substring(url).utf8.prefix { byte in
            if byte == UInt8(ascii: "/") { slashes += 1 }
            return slashes < 3
        }
    }

    private static func folded(_ text: String, limit: Int) -> [UInt8] {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(min(text.utf8.count, 4 * limit))
        LetterFold.append(text, limit: limit, to: &bytes)
        return bytes
    }

    /// Everything beyond ASCII counts as a letter.
    private static func isLetter(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "0")...UInt8(ascii: "9"), 0x80...: true
        default: false
        }
    }

    // MARK: Hashes

    static func hash(_ text: String) -> UInt64 { mix(ItemID.number(of: text)) }

    static func hash(_ scope: String, _ id: String) -> UInt64 { mix(ItemID.number(of: scope) &+ hash(id)) }

    private static func hash(_ bytes: Substring.UTF8View) -> UInt64 { mix(ItemID.number(of: String(Substring(bytes)))) }

    /// As `ItemID.number`, which is ten times as slow where the compiler does not see both ends of it.
    private static func hash(_ bytes: ArraySlice<UInt8>) -> UInt64 {
        var hash: UInt64 = 0xCBF2_9CE4_8422_2325
        for byte in bytes { hash = (hash ^ UInt64(byte)) &* 0x100_0000_01B3 }
        return mix(hash)
    }

    /// Spreads a number over all bits.
    static func mix(_ number: UInt64) -> UInt64 {
        var random = SplitMix64(state: number)
        return random.next()
    }
}
