/// Which words an element's name is one of. A value.
enum SyndicationVocabulary: Equatable {
    /// RSS, RDF and Atom, which feeds mix.
    case core
    case media, itunes, dublinCore, content, podcast, xhtml
    /// Podlove Simple Chapters.
    case simpleChapters
    /// How many comments there are.
    case discussion
    case other

    /// A namespace is recognized by a characteristic part, because feeds misspell them in many
    /// ways. If a prefix is not declared, the prefix itself decides.
    init(namespace: String) {
        let name = namespace.lowercased()
        self = Self.prefixes[name] ?? Self.parts.first { Self.contains(name, $0.part) }?.vocabulary ?? .other
    }

    private static let prefixes: [String: SyndicationVocabulary] = [
        "": .core, "rss": .core, "rdf": .core, "atom": .core, "atom10": .core, "a10": .core, "atom03": .core,
        "http://purl.org/rss/1.0/": .core, "media": .media, "itunes": .itunes, "googleplay": .itunes, "dc": .dublinCore,
        "dcterms": .dublinCore, "content": .content, "podcast": .podcast, "xhtml": .xhtml, "slash": .discussion,
        "thr": .discussion, "psc": .simpleChapters, "http://example.com/newformat#": .core,
        "http://example.com/necho": .core,
        "uri/of/echo/namespace#": .core, "http://purl.org/rss/1.0/modules/rss091#": .core,
    ]

    private static let parts: [(part: StaticString, vocabulary: SyndicationVocabulary)] = [
        ("www.w3.org/2005/atom", .core), ("purl.org/atom", .core), ("purl.org/echo", .core), ("purl.org/pie", .core),
        ("backend.userland.com/rss", .core), ("law.harvard.edu/tech/rss", .core), ("my.netscape.com/", .core),
        ("22-rdf-syntax-ns", .core), ("channel.netscape.com/rdf", .core), ("mrss", .media), ("itunes.com", .itunes),
        ("podcast-1.0.dtd", .itunes), ("play-podcasts", .itunes), ("purl.org/dc/", .dublinCore),
        ("modules/content", .content), ("podcastindex.org/namespace", .podcast), ("podcast-namespace", .podcast),
        ("podlove.org/simple-chapters", .simpleChapters),
        ("1999/xhtml", .xhtml), ("modules/slash", .discussion), ("syndication/thread", .discussion),
    ]

    private static func contains(_ text: String, _ part: StaticString) -> Bool {
        let count = part.utf8CodeUnitCount
        var rest = Substring(text).utf8
        while rest.count >= count {
            if zip(rest, UnsafeBufferPointer(start: part.utf8Start, count: count)).allSatisfy(==) { return true }
            rest = rest.dropFirst()
        }
        return false
    }
}
