/// Something that the user does not want to see in any feed. A value.
///
/// Its texts come from feeds and are not trusted: clean them before showing them (see `CleanText`).
public struct HideRule: Hashable, Sendable, Identifiable {
    public enum Kind: String, Sendable, CaseIterable {
        case clip, creator, topic, source, words
        /// Not clips: a feed that flick makes, which is then not among those to choose from.
        case place
    }

    /// What distinguishes a rule from others.
    public struct ID: Hashable, Sendable {
        public var kind: Kind
        /// The feed whose id `value` is, or the origin of the feed; empty if `value` means the same everywhere.
        public var scope: String
        /// Of a clip, its id or URL; of a creator, the id, URL or name; a topic; the URL of a feed or a folder; words;
        /// the name of a place.
        public var value: String
    }

    public var id: ID
    /// Of a clip, its URL, by which it is hidden in other feeds too; empty for other kinds.
    public var url: String
    /// What it is called on the page.
    public var name: String

    public init(_ kind: Kind, scope: String = "", value: String, url: String = "", name: String? = nil) {
        (id, self.url, self.name) = (ID(kind: kind, scope: scope, value: value), url, name ?? value)
    }

    public var kind: Kind { id.kind }

    // MARK: From items

    public init(clip item: Item) {
        // An id that flick made of the URL says no more than the URL.
        let isNamed = item.feed != nil && item.id != ItemID.hash(of: item.url)
        let title = item.title.flatMap { $0.isEmpty ? nil : $0 } ?? SafeURL.text(item.url)
        self.init(
            .clip, scope: isNamed ? item.feed ?? "" : "", value: isNamed ? item.id : item.url, url: item.url,
            name: title)
    }

    /// nil if the item's feed names no creator. A URL means the same everywhere, an id only in feeds of its server.
    public init?(creatorOf item: Item) {
        guard let creator = item.creator else { return nil }
        if let url = creator.url, !url.isEmpty {
            self.init(.creator, value: url, name: creator.name)
        } else if let id = creator.id, !id.isEmpty {
            self.init(.creator, scope: Self.origin(of: item), value: id, name: creator.name)
        } else if let name = creator.name, !name.isEmpty {
            self.init(.creator, value: name)
        } else {
            return nil
        }
    }

    /// The feed that named the item; without one the folder that its file lies in, or its server.
    public init(sourceOf item: Item) {
        if let feed = item.feed {
            self.init(.source, value: feed, name: Self.name(ofFeed: feed))
        } else if item.isFile {
            let folder = Self.folders(ofFile: item.url).last.map(String.init) ?? item.url
            self.init(.source, value: folder, name: SafeURL.text(folder))
        } else {
            let origin = RemoteURL(item.url)?.origin.text ?? item.url
            self.init(.source, value: origin, name: origin.split(separator: "//").last.map(String.init))
        }
    }

    /// Without the scheme; of the interface of a service only the server, as its address says nothing to people; of a
    /// file only its name and folder.
    private static func name(ofFeed feed: String) -> String {
        let text = SafeURL.text(feed)
        if FileURL.path(of: feed) != nil {
            return text.split(separator: "/").suffix(2).joined(separator: "/")
        }
        let name = text.split(separator: "//").last.map(String.init) ?? text
        let isInterface = URLParts(feed)?.path.hasPrefix("/api/") ?? false
        return isInterface ? RemoteURL(feed)?.origin.host ?? name : name
    }

    // MARK: What rules compare

    /// The origin of the feed whose creator an item has; the feed itself if it is a file.
    public static func origin(of item: Item) -> String {
        let feed = item.feed ?? item.url
        return RemoteURL(feed)?.origin.text ?? feed
    }

    /// The URLs of the folders that a file lies in, without a slash at the end, the outermost first.
    public static func folders(ofFile url: String) -> [Substring] {
        url.utf8.indices.dropFirst("file:///".utf8.count).filter { url.utf8[$0] == UInt8(ascii: "/") }.map {
            url[..<$0]
        }
    }
}
