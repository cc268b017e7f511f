/// Makes entries of the elements of a document.
protocol EntryHandler: MarkupHandler {
    associatedtype Facts
    /// What the document says of itself; nil if it is none of its kind.
    mutating func finish() -> Facts?
}

extension MarkupParser {
    /// Reads a document in XML whose entries `handler` makes. Blocks while the stream does.
    ///
    /// - Parameters:
    ///   - charset: the encoding, as the server names it; nil if it does not.
    ///   - entry: is given each entry as it ends, and what the document has said of itself until then. Returns false if
    ///     there are enough.
    ///   - handler: gives its entries to the closure that it is made with.
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
