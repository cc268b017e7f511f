import Model

/// A page of a feed without its items, which `PageSink` puts into a spool: a manifest, a syndication feed, a list of
/// channels. A value.
struct FeedPage {
    /// The most bytes of a page. It is read as it arrives, so this limits time, not memory.
    static let sizeLimit: Int64 = 1 << 30
    /// The most warnings; one more says how many were dropped.
    static let warningLimit = 100

    /// Where it was found: relative URLs are relative to it.
    var url: String
    var title: String?
    /// The URL of the next page.
    var next: String?
    var engagement: String?
    var abilities: Set<ServiceAbility> = []
    /// How many items were put into the spool.
    var added = 0
    /// How many items were skipped, with or without a warning.
    var skipped = 0
    /// How many entries have nothing to play.
    var withoutMedia = 0
    /// One line for each skipped item with its index and the reason, and for anything else that was left out.
    private(set) var warnings: [String] = []
    private var unwarned = 0
    /// How old the page is, if its server did not answer and this is an earlier answer.
    var age: Duration?
    /// Why the bytes ended early; the items until then are in the spool.
    var failure: BytesError?

    init(url: String) { self.url = url }

    mutating func warn(_ text: String) {
        guard warnings.count < FeedPage.warningLimit else { return unwarned += 1 }
        warnings.append(text)
    }

    /// Warns why the page was cut short, however many warnings there are.
    mutating func warnOfEnd(_ text: String) { warnings.append(text) }

    /// Leaves what came after `first`, which is the same page when less of it was read.
    func rest(after first: FeedPage) -> FeedPage {
        var rest = self
        rest.added -= first.added
        rest.skipped -= first.skipped
        rest.withoutMedia -= first.withoutMedia
        rest.warnings.removeFirst(first.warnings.count)
        return rest
    }

    /// Removes all items and skipped entries.
    mutating func forgetItems() {
        (added, skipped, withoutMedia, unwarned) = (0, 0, 0, 0)
        warnings = []
    }

    /// All warnings, each prefixed with the page's name.
    var namedWarnings: [String] {
        var lines = warnings
        if unwarned > 0 { lines.append("and \(unwarned) more") }
        return lines.map { "\(ShownName.of(url)): \($0)" }
    }
}
