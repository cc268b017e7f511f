import Model

/// Reads a manifest as it arrives into a spool. Only one item at a time is in memory, however many there are.
struct ManifestReader {
    private let spool: ItemSpool
    private let page: Int
    private let rewriter: URLRewriter
    private let items: ItemReader
    /// Where the page's items begin in the spool, and what the spool knew before them.
    private let start: Int
    private let before: RecentItems
    private(set) var recent: RecentItems
    private var manifest: Manifest
    /// The other values of the object.
    private var fields: [String: JSON] = [:]
    /// The key of the list whose items are in the spool.
    private var listKey: String?
    private var headers: [String: String] = [:]
    private var place = 0
    private var spoolFailure: FeedsError?

    /// - Parameters:
    ///   - url: where the manifest was found. Decides where it may lead.
    ///   - page: the number of the page: an item that an earlier page has in `recent` is a repetition.
    init(
        at url: String, into spool: ItemSpool, recent: RecentItems, page: Int, rewriter: URLRewriter,
        privateHosts: LinkPolicy.PrivateHosts
    ) {
        self.spool = spool
        self.page = page
        self.rewriter = rewriter
        self.recent = recent
        before = recent
        items = ItemReader(base: url, privateHosts: privateHosts)
        start = spool.count
        manifest = Manifest(url: url)
    }

    /// Blocks. Invalid JSON is an error if no item came before it, else a warning.
    mutating func read(_ stream: ByteStream) throws(FeedsError) -> Manifest {
        var parser = JSONParser(stream)
        do throws(JSONError) {
            try read(&parser, stream)
            try parser.end()
        } catch {
            if let spoolFailure { throw spoolFailure }
            manifest.failure = stream.failure
            if stream.failure == nil {
                guard manifest.added > 0 else { throw .notJSON(manifest.url, error) }
                manifest.warn("the rest is not JSON: \(error)")
            }
        }
        if let failure = stream.failure {
            manifest.failure = failure
            guard manifest.added > 0 else { throw .unreadable(failure) }
        }
        // If `items` is not a list, `videos` does not replace it.
        guard listKey != nil, (fields["items"] ?? .null) == .null else { throw .notManifest(manifest.url) }
        try finish()
        return manifest
    }

    private mutating func read(_ parser: inout JSONParser, _ stream: ByteStream) throws(JSONError) {
        switch parser.first() {
        case UInt8(ascii: "["): try readList("", &parser, stream)
        case UInt8(ascii: "{"):
            try parser.fields { parser, key throws(JSONError) in
                switch key {
                case "items", "videos":
                    if parser.first() == UInt8(ascii: "[") {
                        // `items` takes precedence over `videos`, in either order. Of two equal keys the last counts.
                        if key == "videos", listKey == "items" { return try parser.skip() }
                        fields[key] = nil
                        try readList(key, &parser, stream)
                    } else {
                        fields[key] = try parser.value(upTo: Manifest.valueLimit)
                    }
                case "title", "next", "engagement", "headers":
                    fields[key] = try parser.value(upTo: Manifest.valueLimit)
                    if key == "headers", listKey == nil { readHeaders() }
                default: try parser.skip()
                }
            }
        default: try parser.skip()
        }
    }

    private mutating func readList(
        _ key: String, _ parser: inout JSONParser, _ stream: ByteStream
    ) throws(JSONError) {
        if listKey != nil {
            manifest.forgetItems()
            recent = before
            place = 0
            do throws(FeedsError) { try spool.rewrite(from: start) { _ in nil } } catch { fail(error, stream) }
        }
        listKey = key
        try parser.elements { parser throws(JSONError) in
            let value = try parser.value(upTo: Manifest.valueLimit)
            add(value, stream)
            place += 1
        }
    }

    private mutating func add(_ value: JSON?, _ stream: ByteStream) {
        do throws(ItemReader.Refusal) {
            guard let value else {
                throw ItemReader.Refusal(why: "it is larger than \(Manifest.valueLimit >> 20) MB")
            }
            var (item, warnings) = try items.item(rewriter.rewrite(value, key: "url"))
            for warning in warnings { manifest.warn("item \(place): \(warning)") }
            item.headers = ItemHeaders.merge(item.headers, over: headers)
            guard let distinct = recent.distinct(item, page: page) else { return }
            do throws(FeedsError) {
                try spool.append(distinct)
                manifest.added += 1
            } catch {
                fail(error, stream)
            }
        } catch {
            manifest.skipped += 1
            manifest.warn("item \(place) is skipped: \(error.why)")
        }
    }

    /// The spool is full or broken, so reading on makes no sense.
    private mutating func fail(_ error: FeedsError, _ stream: ByteStream) {
        spoolFailure = error
        stream.stop()
    }

    private mutating func readHeaders() {
        guard let value = fields["headers"], value != .null else { return }
        let (headers, warnings) = ItemHeaders.read(value)
        self.headers = headers
        for warning in warnings { manifest.warn(warning) }
        fields["headers"] = nil
    }

    /// Values after the list apply to all of its items.
    private mutating func finish() throws(FeedsError) {
        manifest.title = fields["title"]?.asText(limit: ItemReader.titleLimit)
        manifest.next = address("next")
        manifest.engagement = address("engagement")
        guard fields["headers"] != nil else { return }
        readHeaders()
        let headers = headers
        try spool.rewrite(from: start) { item in
            var item = item
            item.headers = ItemHeaders.merge(item.headers, over: headers)
            return item
        }
    }

    private mutating func address(_ key: String) -> String? {
        guard let text = fields[key]?.asText(limit: ItemReader.urlLimit) else { return nil }
        guard let address = URLParts.resolve(text, against: manifest.url),
            LinkPolicy.allows(address, from: manifest.url, privateHosts: items.privateHosts)
        else {
            manifest.warn("\"\(key)\" is ignored: it may not lead to \(ShownName.of(text))")
            return nil
        }
        return address
    }
}
