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
