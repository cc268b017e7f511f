import Model

/// A manifest is a page of items in JSON: an object with `items` (or `videos`), or a bare list; an item is an object
/// with a `url`, or a plain URL. This value has everything but the items, which `ManifestReader` puts into a spool.
struct Manifest {
    /// The most bytes of a manifest. It is read as it arrives, so this limits time, not memory.
    static let sizeLimit: Int64 = 1 << 30
    /// The most bytes of one item, and of any other value.
    static let valueLimit = 1 << 20
    /// The most warnings; one more says how many were dropped.
    static let warningLimit = 100

    /// Where it was found: relative URLs are relative to it.
    var url: String
    var title: String?
    /// The URL of the next page.
    var next: String?
    var engagement: String?
    /// How many items were put into the spool.
    var added = 0
    /// How many items were skipped, with or without a warning.
    var skipped = 0
    /// One line for each skipped item with its index and the reason, and for anything else that was left out.
    private(set) var warnings: [String] = []
    private var unwarned = 0
    /// Why the bytes ended early; the items until then are in the spool.
    var failure: BytesError?

    init(url: String) { self.url = url }

    /// Whether bytes look like a manifest: JSON's `{` or `[` after white space and a byte order mark, and behind it what an object or a list of items begins with.
    static func isLikely(_ bytes: some Sequence<UInt8>) -> Bool {
        var marks = bytes.lazy.filter { !blanks.contains($0) }.makeIterator()
        let (first, second) = (marks.next(), marks.next())
        let object = [UInt8(ascii: "\""), UInt8(ascii: "}")]
        switch first {
        case UInt8(ascii: "{"): return second.map(object.contains) ?? true
        case UInt8(ascii: "["): return second.map((object + [UInt8(ascii: "{"), UInt8(ascii: "]")]).contains) ?? true
        default: return false
        }
    }

    /// Whether more bytes are needed to tell.
    static func isBlank(_ bytes: [UInt8]) -> Bool { bytes.allSatisfy(blanks.contains) }

    private static let blanks: Set<UInt8> = [0x20, 0x09, 0x0A, 0x0D, 0xEF, 0xBB, 0xBF]

    mutating func warn(_ text: String) {
        guard warnings.count < Manifest.warningLimit else { return unwarned += 1 }
        warnings.append(text)
    }

    /// Forgets what was added and skipped so far.
    mutating func forgetItems() {
        (added, skipped, unwarned) = (0, 0, 0)
        warnings = []
    }

    /// All warnings, each prefixed with the manifest's name.
    var namedWarnings: [String] {
        (warnings + (unwarned > 0 ? ["and \(unwarned) more"] : [])).map { "\(ShownName.of(url)): \($0)" }
    }
}
