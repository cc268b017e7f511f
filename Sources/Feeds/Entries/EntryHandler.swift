/// Makes entries of the elements of a document.
protocol EntryHandler: MarkupHandler {
    associatedtype Facts
    /// The document's own properties; nil if the document is of another kind.
    mutating func finish() -> Facts?
}

extension MarkupParser {
    /// Reads a document in XML whose entries `handler` makes. Blocks while the stream does.
    ///
    /// - Parameters:
    ///   - charset: the encoding, as the server names it; nil if it does not.
    ///   - entry: receives each entry when it ends, and the document's properties read so far. Returns false to stop.
    ///   - handler: creates the handler, which passes its entries to the given closure.
    static func entries<Handler: EntryHandler>(
        of stream: ByteStream, charset: String?, _ entry: (FeedEntry, Handler.Facts) -> Bool,
        handler: (@escaping (FeedEntry, Handler.Facts) -> Bool) -> Handler
    ) throws(ParseError) -> Handler.Facts? {
        // The handler is gone when this returns.
        let result: Result<Handler.Facts?, ParseError> = withoutActuallyEscaping(entry) { entry in
            var handler = handler(entry)
            do throws(ParseError) {
                try parse(stream, kind: .xml, charset: charset, into: &handler)
            } catch {
                return .failure(error)
            }
            return .success(handler.finish())
        }
        return try result.get()
    }
}
