import Synchronization

/// The grapheme clusters of several scalars that have been seen, so that a cell has a fixed size. Any thread.
///
/// Glyph codes from `firstCluster` on are indices into this table, which the whole process shares. It contains at most
/// `limit` clusters; further ones become U+FFFD, so that a hostile feed cannot fill the memory.
public enum GlyphTable {
    static let firstCluster: UInt32 = 0x11_0000
    static let limit = 65_536

    private struct Clusters {
        var codes: [String: UInt32] = [:]
        var texts: [String] = []
    }

    private static let clusters = Mutex(Clusters())

    /// The glyph of one grapheme cluster, which must not contain control characters.
    public static func glyph(for character: Character) -> Glyph {
        let scalars = character.unicodeScalars
        if scalars.count == 1, let scalar = scalars.first { return Glyph(scalar) }
        let text = String(character)
        return clusters.withLock { clusters in
            if let code = clusters.codes[text] { return Glyph(code: code) }
            guard clusters.texts.count < limit else { return Glyph("\u{FFFD}") }
            let code = firstCluster + UInt32(clusters.texts.count)
            clusters.texts.append(text)
            clusters.codes[text] = code
            return Glyph(code: code)
        }
    }

    /// The text of a glyph; empty for `.none` and `.continuation`.
    public static func text(of glyph: Glyph) -> String {
        if glyph.code >= firstCluster {
            let index = Int(glyph.code - firstCluster)
            return clusters.withLock { index < $0.texts.count ? $0.texts[index] : "" }
        }
        guard glyph != .none, let scalar = Unicode.Scalar(glyph.code) else { return "" }
        return String(Character(scalar))
    }
}
