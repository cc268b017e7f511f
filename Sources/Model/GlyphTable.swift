import Synchronization

/// The grapheme clusters of more than one scalar that have been seen, so that a cell stays a fixed size.
///
/// Codes from `firstCluster` on are indices here. The table is shared by the process and safe from any thread. It holds at most
/// `limit` clusters; what does not fit any more becomes U+FFFD, so that a hostile feed cannot grow it without end.
public enum GlyphTable {
    static let firstCluster: UInt32 = 0x11_0000
    static let limit = 65_536

    private struct Clusters {
        var codes: [String: UInt32] = [:]
        var texts: [String] = []
    }

    private static let clusters = Mutex(Clusters())

    /// The glyph of one grapheme cluster, which must already be clean of control characters.
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
