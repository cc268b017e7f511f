import Model

/// Reads what a service answers, one entry at a time: a list, or an object with a list in `data`. A value.
struct ServiceReader {
    /// The most bytes of an answer. It is a page of a dozen entries, or of forty.
    static let answerLimit: Int64 = 8 << 20

    private let address: ServiceAddress
    private let links: FeedLinks
    private let need: MediaNeed
    private var end = ServicePageEnd()
    private var hasList = false

    init(_ address: ServiceAddress, links: FeedLinks, need: MediaNeed) {
        (self.address, self.links, self.need) = (address, links, need)
    }

    /// Blocks. What ends early or is ill-formed is an error only if no item came before.
    mutating func read(_ text: OpenedText, into sink: inout PageSink) throws(FeedsError) {
        sink.noteAge(of: text)
        if text.kind == .page {
            throw address.failure("\(address.host) sent a web page instead of \(address.service.name)")
        }
        do throws(FeedsError) {
            try sink.readJSON(text.stream) { parser, sink throws(JSONError) in
                try read(&parser, text.stream, &sink)
            }
        } catch {
            guard case .notJSON(_, let error) = error else { throw error }
            throw address.failure("\(address.host) did not send JSON (\(error))")
        }
        if let failure = sink.failure { throw failure }
        guard hasList else {
            throw address.failure("unexpected response from \(address.host); is it a \(address.service.name) server?")
        }
        sink.page.title = address.title
        sink.page.next = address.nextPage(after: text.url, end).flatMap(links.address)
    }

    private mutating func read(
        _ parser: inout JSONParser, _ stream: ByteStream, _ sink: inout PageSink
    ) throws(JSONError) {
        switch (parser.first(), address.part) {
        case (UInt8(ascii: "{"), .one):
            hasList = true
            add(try parser.value(upTo: ManifestReader.valueLimit), to: &sink)
        case (UInt8(ascii: "["), _): try readList(&parser, stream, &sink)
        case (UInt8(ascii: "{"), _):
            try parser.fields { parser, key throws(JSONError) in
                switch key {
                case "data" where parser.first() == UInt8(ascii: "["): try readList(&parser, stream, &sink)
                case "total": end.total = try parser.value(upTo: ManifestReader.valueLimit)?.asCount
                // Loops has it here, and in an address there.
                case "meta":
                    let meta = try parser.value(upTo: ManifestReader.valueLimit)
                    if let cursor = Self.cursor(meta?["next_cursor"]) { end.cursor = cursor }
                case "links":
                    let links = try parser.value(upTo: ManifestReader.valueLimit)
                    guard end.cursor == nil, case .text(let next)? = links?["next"],
                        next.utf8.count <= ItemLimit.url
                    else { return }
                    let value = URLParts(next)?.query.flatMap { QueryItem.value("cursor", in: $0) }
                    end.cursor = Self.cursor(value.map { .text($0) })
                default: try parser.skip()
                }
            }
        default: try parser.skip()
        }
    }

    private mutating func readList(
        _ parser: inout JSONParser, _ stream: ByteStream, _ sink: inout PageSink
    ) throws(JSONError) {
        hasList = true
        try parser.elements { parser throws(JSONError) in
            add(try parser.value(upTo: ManifestReader.valueLimit), to: &sink)
            if sink.isEnded { stream.stop() }
        }
    }

    private mutating func add(_ value: JSON?, to sink: inout PageSink) {
        end.count += 1
        guard let value else { return sink.skip("it is larger than \(ManifestReader.valueLimit >> 20) MB") }
        if let id = ServiceEntry.id(value["id"]) { end.lastID = id }
        let items = ServiceEntry.items(of: value, from: address.service, base: links.base, need: need)
        guard let items else { return sink.skip("not a \(address.service.name) item") }
        if items.isEmpty { return sink.leaveOut() }
        for item in items {
            do throws(ItemError) { sink.add(try links.checked(item)) } catch { sink.skip(error.why) }
        }
    }

    /// Some 2,000 bytes at most, as its own server takes no more.
    private static func cursor(_ value: JSON?) -> String? {
        guard case .text(let cursor)? = value, (1...2_000).contains(cursor.utf8.count) else { return nil }
        return cursor
    }
}
