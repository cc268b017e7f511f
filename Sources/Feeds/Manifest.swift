import Model

/// A page of items as JSON: an object with `items` (or `videos`), or a bare list; an item is an object with a `url`, or a plain URL.
/// This is what it says besides its items, which `ManifestReader` puts into a spool.
struct Manifest {
    /// The most bytes of a manifest. It is read as it arrives, so that the limit is one of patience.
    static let sizeLimit: Int64 = 1 << 30
    /// The most bytes of one item, and of any other value.
    static let valueLimit = 1 << 20
    /// The most warnings; one more says how many were left out.
    static let warningLimit = 100

    /// Where it was found: relative URLs in it start there.
    var url: String
    var title: String?
    /// Where the next page is.
    var next: String?
    var engagement: String?
    /// The items that were put into the spool.
    var added = 0
    /// Items that were skipped, whether warned of or not.
    var skipped = 0
    /// One line for each item that was skipped, with its index and the reason, and for what else is left out.
    private(set) var warnings: [String] = []
    private var unwarned = 0
    /// Why bytes stopped coming before the end; what had come by then is in the spool.
    var failure: BytesError?

    init(url: String) { self.url = url }

    /// Whether bytes look like a manifest: JSON's `{` or `[` after blanks and a byte order mark.
    static func isLikely(_ bytes: some Sequence<UInt8>) -> Bool {
        let first = bytes.first { !blanks.contains($0) }
        return first == UInt8(ascii: "{") || first == UInt8(ascii: "[")
    }

    /// Whether more bytes are needed to say it.
    static func isBlank(_ bytes: [UInt8]) -> Bool { bytes.allSatisfy(blanks.contains) }

    private static let blanks: Set<UInt8> = [0x20, 0x09, 0x0A, 0x0D, 0xEF, 0xBB, 0xBF]

    mutating func warn(_ text: String) {
        guard warnings.count < Manifest.warningLimit else { return unwarned += 1 }
        warnings.append(text)
    }

    /// Forgets what was added and left out so far.
    mutating func forgetItems() {
        (added, skipped, unwarned) = (0, 0, 0)
        warnings = []
    }

    /// All warnings, each after the manifest's name.
    var namedWarnings: [String] {
        (warnings + (unwarned > 0 ? ["and \(unwarned) more"] : [])).map { "\(ShownName.of(url)): \($0)" }
    }
}
