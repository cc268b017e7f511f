import Model
import Threads

/// A text in memory. Any thread.
final class TextSource: ByteSource {
    let url: String
    let length: Int64?
    let isSeekable = true
    let type: MediaType?
    let age: Duration?
    private let bytes: [UInt8]

    init(_ text: TextLoader.Text) {
        url = text.url
        length = Int64(text.bytes.count)
        bytes = text.bytes
        (type, age) = (nil, nil)
    }

    init(_ feed: KeptFeed) {
        url = feed.url
        length = Int64(feed.body.count)
        bytes = feed.body
        type = feed.facts.mediaType
        age = .seconds(feed.age)
    }

    func read(
        at offset: Int64, into buffer: UnsafeMutableRawBufferPointer, cancellation: Cancellation
    ) throws(BytesError) -> Int {
        guard offset >= 0 else { throw BytesError(verb: .read, url: url, reason: .negativeOffset) }
        guard offset < bytes.count, buffer.count > 0 else { return 0 }
        let part = bytes[Int(offset)...].prefix(buffer.count)
        buffer.copyBytes(from: part)
        return part.count
    }
}
