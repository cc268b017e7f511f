import Bytes
import Model
import TestSupport

@testable import Feeds

/// A manifest that was read from bytes, with its items.
struct ReadManifest {
    let manifest: FeedPage
    let items: [Item]

    /// `piece`: how many bytes arrive at a time.
    init(
        _ bytes: [UInt8], at url: String = "file:///m/feed.json", piece: Int = 1 << 16,
        rewriting rules: [URLRewriter.Rule] = []
    ) throws {
        let spool = ItemSpool(folder: "/tmp")
        var links = FeedLinks(base: url, privateHosts: .sameOrigin)
        links.rewriter = URLRewriter(rules)
        var sink = PageSink(at: url, into: spool, recent: RecentItems(), number: 1)
        var reader = ManifestReader(links: links, need: MediaNeed(height: 720))
        try reader.read(stream(bytes, piece: piece), into: &sink)
        manifest = sink.page
        let list = spool.list
        items = (0..<list.count).map { list[$0] }
    }

    var title: String? { manifest.title }
    var next: String? { manifest.next }
    var engagement: String? { manifest.engagement }
    var abilities: Set<ServiceAbility> { manifest.abilities }
    var warnings: [String] { manifest.warnings }
}

/// Bytes that arrive a few at a time.
func stream(_ bytes: [UInt8], piece: Int = 1 << 16) -> ByteStream {
    ByteStream("file:///m/feed.json", limit: .max) { offset, buffer in
        let bytes = bytes[Int(offset)...].prefix(min(piece, buffer.count))
        buffer.copyBytes(from: bytes)
        return bytes.count
    }
}

/// Parses one value with nothing after it.
func parseJSON(_ bytes: [UInt8], piece: Int = 1 << 16) throws -> JSON {
    var parser = JSONParser(stream(bytes, piece: piece))
    let value = try parser.value(upTo: 1 << 30)
    try parser.end()
    return value ?? .null
}
