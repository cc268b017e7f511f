import Bytes
import Model

/// Something that was opened, and whose first bytes were looked at. It is read from its beginning. Used by one thread.
struct OpenedText {
    /// After redirections.
    let url: String
    /// The media type that the server sends; nil if it sends none.
    let type: MediaType?
    let kind: ContentKind
    /// Whether it has no byte.
    let isEmpty: Bool
    let stream: ByteStream
    /// The bytes; nil for standard input.
    var source: (any ByteSource)?
    /// See `ByteSource.age`. It may become an earlier answer when its first bytes are read.
    var age: Duration? { source?.age }

    /// Blocks until there are enough bytes to decide what it is, or it ends.
    init(_ stream: ByteStream, at url: String, type: MediaType?) throws(BytesError) {
        var bytes = stream.next()
        // A read can return few bytes, perhaps only white space.
        while !bytes.isEmpty, bytes.count < ContentKind.looksAt {
            let more = stream.next()
            if more.isEmpty { break }
            bytes += more
        }
        if bytes.isEmpty, let failure = stream.failure { throw failure }
        isEmpty = bytes.isEmpty
        let path = FileURL.path(of: url) ?? Array((URLParts(url)?.path ?? url).utf8)
        kind = ContentKind(
            bytes.prefix(ContentKind.looksAt), type: type?.name,
            ending: ClipName.ending(of: path))
        self.url = url
        self.type = type
        self.stream = stream.putBack(bytes)
    }
}
