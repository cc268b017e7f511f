import Feeds
import Model

/// A page of the feed: what is known of its items, and where the next one begins. A value.
struct FeedPage {
    struct Entry {
        var item: Item
        /// In bytes.
        var size: Int64
        var type: String
    }

    var title: String
    var entries: [Entry]
    /// The address of the next page, for `feed.json` or `feed.xml`; nil on the last one.
    var next: String?
    var engagement: String
    /// What the service can do for the viewer, besides the first version of the protocol.
    var abilities: [ServiceAbility]

    /// The parameters of a request.
    struct Query: Equatable {
        static let usual = 50
        static let most = 200

        /// The path that the page comes after.
        var after: [UInt8]?
        var limit: Int
        var topic: String?
        var creator: String?

        init(_ query: AddressQuery) throws(RequestError) {
            if let cursor = query["cursor"] {
                guard let path = FeedCursor.path(of: cursor) else {
                    throw RequestError(.badRequest, "cursor: unknown cursor")
                }
                after = path
            }
            limit = try query.number("limit", in: 1...Self.most) ?? Self.usual
            topic = try Self.word(query["topic"], "topic")
            creator = try Self.word(query["creator"], "creator")
        }

        private static func word(_ text: String?, _ name: String) throws(RequestError) -> String? {
            // In characters, as docs/openapi.json counts: others' servers and clients read the limit there.
            guard let text, text.unicodeScalars.count > 1_000 else { return text }
            throw RequestError(.badRequest, "\(name): it is too long")
        }
    }

    /// Gathers the page. A file that is gone since the walk is left out. Blocks on the disk.
    ///
    /// - Parameters:
    ///   - document: `feed.json` or `feed.xml`.
    ///   - addresses: what clients get.
    ///   - isOperator: the viewer runs the server, whose items are the viewer's own.
    ///   - stills: those that this server makes, if it does.
    ///   - tallies: of these items, by id; nil if they cannot be had.
    init(
        _ query: Query, document: String, of index: FolderIndex, keeper: FolderKeeper, addresses: ItemAddresses,
        isOperator: Bool, stills: Stills?, tallies: ([String]) -> [String: Tally]?
    ) {
        title = keeper.name
        let (places, hasMore) = index.page(
            after: query.after, limit: query.limit, topic: query.topic, creator: query.creator)
        let counts = tallies(places.map(index.id))
        entries = places.compactMap { place in
            var entry = Self.entry(
                place, of: index, root: keeper.root, addresses: addresses, stills: stills, counts: counts)
            entry?.item.own = isOperator
            return entry
        }
        abilities = ServiceAbility.allCases.filter { $0 != .deleteItem || isOperator }
        engagement = addresses.server.url("/")
        // More may be found after the last item while the folder is still walked.
        if hasMore || !index.isWhole, let last = places.last {
            var pairs = [("cursor", FeedCursor.text(of: index.paths.relativePath(at: last)))]
            if query.limit != Query.usual { pairs.append(("limit", String(query.limit))) }
            if let topic = query.topic { pairs.append(("topic", topic)) }
            if let creator = query.creator { pairs.append(("creator", creator)) }
            next = addresses.server.url("/\(document)", pairs)
        }
    }

    private static func entry(
        _ place: Int, of index: FolderIndex, root: Int32, addresses: ItemAddresses, stills: Stills?,
        counts: [String: Tally]?
    ) -> Entry? {
        let path = index.paths.relativePath(at: place)
        guard let file = ServedFile(below: root, path: path) else { return nil }
        let id = FolderIndex.id(ofPath: path)
        var item = Item(
            id: id, url: addresses.clip(id, at: path), title: ClipTitle.of(path: Array(path)),
            published: .init(secondsSince1970: file.validators.modified),
            creator: index.creatorByFolder(at: place))
        let poster = Poster.find(beside: path, below: root)?.path
        let makesStill = poster == nil && stills?.mayBeMade(id, at: path, file) == true
        item.thumbnail = addresses.picture(id, poster: poster, makesStill: makesStill)
        item.captions = ServedCaptions.found(beside: path, at: place, of: index, below: root).map { caption in
            CaptionLink(url: addresses.captions(id, caption, beside: path), language: caption.language)
        }
        index.tags(at: place)?.apply(to: &item)
        for (path, kind) in index.sidecars(at: place) {
            guard let file = ServedFile(below: root, path: path) else { continue }
            do throws(Sidecar.ReadError) { try Sidecar(file, kind).apply(to: &item) } catch {
                // The walk has warned of it. The item is what is known without it.
            }
        }
        if item.creator?.id == nil, let name = item.creator?.name { item.creator?.id = FolderIndex.creatorID(name) }
        item.stats = counts.map { counts in
            let tally = counts[id] ?? Tally()
            return Item.Stats(
                likes: tally.likes, dislikes: tally.dislikes, comments: tally.comments, saves: tally.saves,
                shares: tally.shares)
        }
        return Entry(item: item, size: file.size, type: ServedMediaType.of(path: path))
    }

    /// The page as a manifest.
    var manifest: String {
        var object = JSONLine()
        object.put("title", .text(title))
        if let next { object.put("next", .text(next)) }
        object.put("engagement", .text(engagement))
        object.put("accepts", texts: abilities.map(\.rawValue))
        object.put("items", entries.map { ItemJSON.object($0.item) })
        return object.object
    }
}

extension Sidecar {
    /// Reads what counts of the file. Blocks.
    init(_ file: ServedFile, _ kind: Kind) throws(ReadError) {
        guard let bytes = file.beginning(upTo: kind.sizeLimit + 1) else { throw ReadError(why: "it cannot be read") }
        try self.init(bytes, kind: kind)
    }
}
