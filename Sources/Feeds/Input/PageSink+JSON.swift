import Model

extension PageSink {
    /// Reads a stream of JSON whose values `body` parses. Blocks while the stream does.
    ///
    /// Invalid JSON and a premature end are errors only before the first item, and warnings after it.
    mutating func readJSON(
        _ stream: ByteStream, _ body: (inout JSONParser, inout PageSink) throws(JSONError) -> Void
    ) throws(FeedsError) {
        var parser = JSONParser(stream)
        do throws(JSONError) {
            try body(&parser, &self)
            try parser.end()
        } catch {
            if let failure { throw failure }
            // An error in a part that is no longer needed does not count.
            if stream.failure == nil, !isEnded {
                guard page.added > 0 else { throw .notJSON(page.url, error) }
                page.warn("the rest is not JSON: \(error)")
            }
        }
        if let failure = stream.failure {
            page.failure = failure
            guard page.added > 0 else { throw .unreadable(failure) }
        }
    }
}
