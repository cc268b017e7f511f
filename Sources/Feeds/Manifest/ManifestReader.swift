import Model

/// Reads a manifest as it arrives. Only one item at a time is in memory, however many there are. The same reader reads
/// a JSON Feed, recognized by its fields (https://www.jsonfeed.org/version/1.1/).
///
/// A manifest is an object with `items` (or `videos`), or a bare list; an item
/// is an object with a `url`, or a plain URL.
struct ManifestReader {
    /// The most bytes of one item, and of any other value.
    static let valueLimit = 1 << 20

    private let links: FeedLinks
    private let need: MediaNeed
    private let items: ItemReader
    /// The other values of the object.
    private var fields: [String: JSON] = [:]
    /// The key of the list whose items are in the spool.
    private var listKey: String?
    private var headers: [String: String] = [:]
    private var isJSONFeed = false

    /// - Parameter links: decide where the manifest may lead.
    init(links: FeedLinks, need: MediaNeed) {
        self.links = links
        self.need = need
        items = ItemReader(base: links.base, privateHosts: links.privateHosts)
    }

    /// Blocks. Invalid JSON is an error if no item came before it, else a warning.
    mutating func read(_ stream: ByteStream, into sink: inout PageSink) throws(FeedsError) {
        try sink.readJSON(stream) { parser, sink throws(JSONError) in try read(&parser, stream, &sink) }
        // If `items` is not a list, `videos` does not replace it.
        guard listKey != nil, (fields["items"] ?? .null) == .null else { throw .notManifest(sink.page.url) }
        finish(&sink)
        if let failure = sink.failure { throw failure }
    }

    private mutating func read(
        _ parser: inout JSONParser, _ stream: ByteStream, _ sink: inout PageSink
    ) throws(JSONError) {
        switch parser.first() {
        case UInt8(ascii: "["): try readList("", &parser, stream, &sink)
        case UInt8(ascii: "{"):
            try parser.fields { parser, key throws(JSONError) in
                switch key {
                case "items", "videos":
                    if parser.first() == UInt8(ascii: "[") {
                        // `items` takes precedence over `videos`, in either order. Of two equal keys the last counts.
                        if key == "videos", listKey == "items" { return try parser.skip() }
                        fields[key] = nil
                        try readList(key, &parser, stream, &sink)
                    } else {
                        fields[key] = try parser.value(upTo: ManifestReader.valueLimit)
                    }
                case "title", "next", "next_url", "engagement", "accepts", "headers", "version":
                    fields[key] = try parser.value(upTo: ManifestReader.valueLimit)
                    if key == "headers", listKey == nil { readHeaders(&sink) }
                    if key == "version" { isJSONFeed = Self.isJSONFeed(version: fields[key]) }
                default: try parser.skip()
                }
            }
        default: try parser.skip()
        }
    }

    private mutating func readList(
        _ key: String, _ parser: inout JSONParser, _ stream: ByteStream, _ sink: inout PageSink
    ) throws(JSONError) {
        if listKey != nil { sink.forgetItems() }
        listKey = key
        try parser.elements { parser throws(JSONError) in
            add(try parser.value(upTo: ManifestReader.valueLimit), to: &sink)
            if sink.isEnded { stream.stop() }
        }
    }

    private func add(_ value: JSON?, to sink: inout PageSink) {
        do throws(ItemError) {
            guard let value else {
                throw ItemError(why: "it is larger than \(ManifestReader.valueLimit >> 20) MB")
            }
            if isJSONFeed || Self.isJSONFeed(entry: value) {
                guard let entry = FeedEntry(jsonFeed: value, base: links.base) else {
                    throw ItemError(why: "not a JSON Feed entry")
                }
                return try sink.add(entry, links, need)
            }
            var (item, remarks) = try items.item(links.rewriter.rewrite(value, key: "url"))
            item.headers = FieldName.merge(item.headers, over: headers)
            sink.add(item, remarks: remarks)
        } catch {
            sink.skip(error.why)
        }
    }

    private mutating func readHeaders(_ sink: inout PageSink) {
        guard let value = fields["headers"], value != .null else { return }
        let (headers, warnings) = ItemHeaders.read(value)
        self.headers = headers
        for warning in warnings { sink.page.warn(warning) }
        fields["headers"] = nil
    }

    /// Values after the list apply to all of its items.
    private mutating func finish(_ sink: inout PageSink) {
        sink.page.title = fields["title"]?.asText(limit: ItemLimit.title)
        sink.page.next = address(isJSONFeed ? "next_url" : "next", &sink)
        sink.page.engagement = address("engagement", &sink)
        let words = fields["accepts"]?.asTexts(limit: ItemLimit.list, each: ItemLimit.word) ?? []
        sink.page.abilities = Set(words.compactMap(ServiceAbility.init(rawValue:)))
        guard fields["headers"] != nil else { return }
        readHeaders(&sink)
        let headers = headers
        sink.rewrite { item in
            var item = item
            item.headers = FieldName.merge(item.headers, over: headers)
            return item
        }
    }

    private func address(_ key: String, _ sink: inout PageSink) -> String? {
        guard let text = fields[key]?.asText(limit: ItemLimit.url) else { return nil }
        guard let address = links.address(text) else {
            sink.page.warn("\"\(key)\" is ignored: it may not link to \(ShownName.of(text))")
            return nil
        }
        return address
    }

    /// Whether a feed's `version` is that of a JSON Feed.
    private static func isJSONFeed(version: JSON?) -> Bool {
        guard case .text(let text)? = version else { return false }
        return text.contains("jsonfeed.org/version/")
    }

    /// Whether an item is an entry of a JSON Feed, whose version may come later or be missing: its `url` is a web page.
    private static func isJSONFeed(entry: JSON) -> Bool {
        ["attachments", "content_html", "content_text", "date_published"].contains { entry[$0] != nil }
    }
}
