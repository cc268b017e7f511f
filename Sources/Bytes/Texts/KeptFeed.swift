import Cache
import Model
import Threads

/// A feed's last good answer, for use when its server has nothing newer or is unreachable. A value.
///
/// As bytes: six lines (a mark, the URL, media type, charset, ETag, date; empty if unknown), and the body.
struct KeptFeed: Equatable, Sendable {
    /// After redirections.
    var url: String
    var facts: AssetFacts
    var body: [UInt8]
    /// In seconds, when it was found.
    var age = 0.0

    private static let mark = "flick feed 1"

    init(url: String, facts: AssetFacts, body: [UInt8]) {
        (self.url, self.facts, self.body) = (url, facts, body)
    }

    /// nil if the bytes are not a stored feed.
    init?(_ bytes: [UInt8], age: Double) {
        var lines: [String] = []
        var rest = bytes[...]
        while lines.count < 6 {
            guard let end = rest.prefix(64 << 10).firstIndex(of: 0x0A) else { return nil }
            lines.append(String(decoding: rest[..<end], as: UTF8.self))
            rest = rest[(end + 1)...]
        }
        guard lines[0] == Self.mark, !lines[1].isEmpty else { return nil }
        url = lines[1]
        let known = lines.map { $0.isEmpty ? nil : $0 }
        facts = AssetFacts(type: known[2], etag: known[4], lastModified: known[5])
        facts.charset = known[3]
        body = Array(rest)
        self.age = age
    }

    /// nil if there is no place for it.
    var bytes: [UInt8]? {
        let lines = [
            Self.mark, url, facts.type ?? "", facts.charset ?? "", facts.etag ?? "", facts.lastModified ?? "",
        ]
        guard lines.allSatisfy({ !$0.utf8.contains(0x0A) }) else { return nil }
        return Array((lines.joined(separator: "\n") + "\n").utf8) + body
    }

    /// Whether an earlier answer is more useful than this error: the server cannot be reached, or is failing.
    static func stands(inPlaceOf error: BytesError) -> Bool {
        switch error.reason {
        case .timedOut, .dropped, .busy, .empty, .nonsense, .damaged, .webPage, .untrusted, .redirected,
            .compressed:
            true
        // A captive portal can answer in the name of any host.
        case .privateHost: true
        case .status(let status): status >= 500 || status == 407 || BytesError.mayPass(status)
        default: error.isOffline
        }
    }

    /// The last answer stored under that key; nil if there is no such answer. Blocks on the disk.
    init?(_ key: AssetKey, in writer: CacheWriter) {
        guard let text = writer.store()?.text(.feed, for: key) else { return nil }
        self.init(text.bytes, age: text.age)
    }
}

extension AssetFacts {
    var mediaType: MediaType? { type.map { MediaType(name: $0, charset: charset) } }
}

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
