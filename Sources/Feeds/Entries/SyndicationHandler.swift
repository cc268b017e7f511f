import Model

/// A syndication feed's own properties. A value.
struct SyndicationFeed: Equatable {
    var title: FeedEntry.Text?
    /// The absolute address of the page that continues it: `rel="next"`, or `prev-archive` (RFC 5005, 3 and 4).
    var next: String?
    /// The absolute address of its picture.
    var image: String?
    var creator: Item.Creator?
    /// BCP 47, as it is written.
    var language: String?
}

/// Reads RSS 0.90 to 2.0, RDF, and Atom 0.3 and 1.0 with the namespaces that feeds with media have, as they arrive: of
/// a feed of any length, one entry is in memory.
enum SyndicationReader {
    /// Reads a feed. Blocks while the stream does.
    ///
    /// Entries are passed on as they end. Those without a creator or an image get the feed's, if it has come by then.
    ///
    /// - Parameters:
    ///   - url: where the feed was found: relative addresses are relative to it.
    ///   - charset: the encoding, as the server names it; nil if it does not.
    ///   - entry: also receives the feed's properties read so far. Returns false to stop.
    /// - Returns: nil if it is no feed.
    static func read(
        _ stream: ByteStream, at url: String, charset: String?, entry: (FeedEntry, SyndicationFeed) -> Bool
    ) throws(MarkupParser.ParseError) -> SyndicationFeed? {
        try MarkupParser.entries(of: stream, charset: charset, entry) { add in
            SyndicationHandler(at: url, add: add)
        }
    }
}

/// Builds entries from the parser's events. Used by one thread.
struct SyndicationHandler: EntryHandler {
    typealias Field = SyndicationField
    typealias Vocabulary = SyndicationVocabulary

    /// A document without a feed among its first elements is rejected.
    private static let rootReach = 64
    /// The most namespaces that are remembered: more than can be declared at a time.
    private static let vocabularyLimit = 512

    private let add: (FeedEntry, SyndicationFeed) -> Bool
    var feed = SyndicationFeed()
    var draft: EntryDraft?
    /// The field that is being read.
    var field: Field?
    private(set) var isDone = false
    /// How many elements are open.
    private(set) var depth = 0
    private var isFeed = false
    private var elements = 0
    private var vocabularies: [String: Vocabulary] = [:]
    /// The bases of relative addresses, and the depth of the element that declares each.
    private var bases: [(depth: Int, url: String)]
    private(set) var entryDepth = 0
    /// The depth of an element whose inside is of no interest.
    private var skippedDepth: Int?
    /// The depth of an element in which others have another meaning.
    var containers = Containers()

    struct Containers {
        var image: Int?
        var author: Int?
        /// `media:content`, and its place among the entry's media.
        var media: (depth: Int, place: Int)?
        /// `podcast:alternateEnclosure`, and what its sources have in common.
        var alternate: (depth: Int, media: FeedMedia)?

        fileprivate mutating func leave(_ depth: Int) {
            if image == depth { image = nil }
            if author == depth { author = nil }
            if media?.depth == depth { media = nil }
            if alternate?.depth == depth { alternate = nil }
        }
    }

    /// - Parameter url: where the feed was found.
    init(at url: String, add: @escaping (FeedEntry, SyndicationFeed) -> Bool) {
        self.add = add
        bases = [(0, url)]
    }

    /// The feed's own properties; nil if the document is no feed.
    mutating func finish() -> SyndicationFeed? {
        endField()
        endEntry()
        return isFeed ? feed : nil
    }

    // MARK: Events

    mutating func begin(_ element: MarkupElement) {
        depth += 1
        guard skippedDepth == nil else { return }
        let name = element.name.lowercased()
        guard isFeed || beginsFeed(element, name) else { return }
        let vocabulary = vocabulary(of: element.namespace)
        if let base = element.attributes.first(where: { $0.name == "base" && $0.namespace.hasSuffix("/namespace") })?
            .value,
            let url = address(base)
        {
            bases.append((depth, url))
        }
        let isEntry = vocabulary == .core && (name == "item" || name == "entry")
        if let field {
            let ends =
                isEntry
                || (field.content == .inline ? Self.endsMarkup(name, vocabulary) : isField(element, name, vocabulary))
            guard ends, !field.isDeclaredInline else {
                self.field?.begin(name)
                return
            }
            // Text before an element within an image is no address.
            if field.kind == .image { self.field = nil } else { endField() }
        }
        if isEntry { return beginEntry(element) }
        if Self.isForeign(name, vocabulary, element, inEntry: draft != nil) {
            skippedDepth = depth
        } else {
            beginField(element, name, vocabulary)
        }
    }

    mutating func text(_ text: String) {
        if skippedDepth == nil { field?.add(text) }
    }

    mutating func end(namespace: String, name: String) {
        defer { depth -= 1 }
        if let skipped = skippedDepth {
            if skipped == depth { skippedDepth = nil }
            return
        }
        if let field {
            if field.depth == depth { endField() } else { self.field?.end(name.lowercased()) }
        }
        containers.leave(depth)
        if draft != nil, entryDepth == depth { endEntry() }
        if let last = bases.last, last.depth == depth { bases.removeLast() }
    }

    // MARK: Feed and entries

    private mutating func beginsFeed(_ element: MarkupElement, _ name: String) -> Bool {
        guard ["rss", "rdf", "feed", "channel"].contains(name) else {
            elements += 1
            isDone = elements > Self.rootReach
            return false
        }
        isFeed = true
        // Whatever its namespace is, its elements are those of a feed.
        vocabularies[element.namespace] = .core
        feed.language = element.attributes.first { $0.name == "lang" }?.value
        return true
    }

    private mutating func beginEntry(_ element: MarkupElement) {
        // One within another was not closed.
        endEntry()
        containers = Containers()
        draft = EntryDraft()
        entryDepth = depth
        draft?.id = element.attributes.first { $0.name == "about" }?.value
        // Channel Definition Format, which has these as attributes.
        if let url = address(element.attribute("href")) { draft?.setLink(url) }
        if let date = element.attribute("lastmod").flatMap(FeedDate.date) { draft?.setDate(.updated, date) }
    }

    private mutating func endEntry() {
        guard let draft else { return }
        self.draft = nil
        if !isDone, !add(draft.finished(feed), feed) { isDone = true }
    }

    private mutating func vocabulary(of namespace: String) -> Vocabulary {
        if let known = vocabularies[namespace] { return known }
        if vocabularies.count == Self.vocabularyLimit { vocabularies.removeAll(keepingCapacity: true) }
        let vocabulary = Vocabulary(namespace: namespace)
        vocabularies[namespace] = vocabulary
        return vocabulary
    }

    /// An absolute address.
    func address(_ text: String?) -> String? {
        guard let text, text.utf8.count <= ItemLimit.url else { return nil }
        // Line breaks within are those of the document.
        let plain =
            text.utf8.contains(where: { $0 < 0x20 }) ? String(text.filter { !$0.isNewline && $0 != "\t" }) : text
        let trimmed = plain.stripped
        guard !trimmed.isEmpty else { return nil }
        return Self.isPlain(trimmed) ? trimmed : URLParts.resolve(trimmed, against: bases.last?.url ?? "")
    }

    /// Whether resolving an address changes nothing: it is absolute, and has no byte that needs encoding. Most are so,
    /// and resolving is a fifth of all work.
    private static func isPlain(_ address: String) -> Bool {
        (address.utf8.starts(with: "https://".utf8) || address.utf8.starts(with: "http://".utf8))
            && address.utf8.allSatisfy { $0 > 0x20 && $0 < 0x7F && $0 != UInt8(ascii: "%") }
    }

    /// Whether an element's children are named like an entry's own fields, but describe something else.
    private static func isForeign(
        _ name: String, _ vocabulary: Vocabulary, _ element: MarkupElement, inEntry: Bool
    ) -> Bool {
        switch (vocabulary, name) {
        case (.core, "source"), (.core, "textinput"), (.core, "contributor"), (.core, "cloud"), (.itunes, "owner"): true
        // The list of a channel's items.
        case (.core, "items"): !inEntry
        default: false
        }
    }

    /// Elements that end unclosed markup: HTML has none of these names.
    private static func endsMarkup(_ name: String, _ vocabulary: Vocabulary) -> Bool {
        vocabulary == .core && ["guid", "pubdate", "enclosure", "published", "updated"].contains(name)
    }
}
