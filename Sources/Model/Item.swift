#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// One item of a feed. Only `id` and `url` always have a value. A value.
///
/// Its text comes from feeds and files and is not trusted: clean it before showing it (see `CleanText`).
public struct Item: Hashable, Sendable, Identifiable {
    public struct Creator: Hashable, Sendable {
        public var id: String?
        public var name: String?
        public var avatar: String?
        public var url: String?

        public init(id: String? = nil, name: String? = nil, avatar: String? = nil, url: String? = nil) {
            self.id = id
            self.name = name
            self.avatar = avatar
            self.url = url
        }

        /// Identifies a creator among the followed ones, in the feeds of one server.
        public var key: String { id ?? url ?? name ?? "" }
    }

    public struct Sound: Hashable, Sendable {
        public var title: String?
        public var artist: String?

        public init(title: String? = nil, artist: String? = nil) {
            self.title = title
            self.artist = artist
        }
    }

    public struct Trust: Hashable, Sendable {
        /// 0 (none) … 100 (full).
        public var score: Int
        public var label: String?
        public var reasons: [String]

        public init(score: Int, label: String? = nil, reasons: [String] = []) {
            self.score = score
            self.label = label
            self.reasons = reasons
        }
    }

    public struct Stats: Hashable, Sendable {
        public var likes: Int?
        public var dislikes: Int?
        public var comments: Int?
        public var saves: Int?
        public var shares: Int?

        public init(
            likes: Int? = nil, dislikes: Int? = nil, comments: Int? = nil, saves: Int? = nil, shares: Int? = nil
        ) {
            self.likes = likes
            self.dislikes = dislikes
            self.comments = comments
            self.saves = saves
            self.shares = shares
        }
    }

    public var id: String
    /// Absolute: `file:///…` for a local file.
    public var url: String
    /// Whether it is a local file.
    public var isFile: Bool { url.prefix(5).lowercased() == "file:" }
    public var thumbnail: String?
    /// The thumbnail's few main colours as a text; see `BlurHash`. Not checked.
    public var blurHash: String?
    public var title: String?
    /// The manifest's `description`.
    public var text: String?
    public var duration: Duration?
    public var published: Date?
    public var creator: Creator?
    /// The name of the folder that a file lies in, unless the feed's title names it. Only for files without a manifest.
    public var folder: String?
    public var tags: [String]
    public var sound: Sound?
    public var trust: Trust?
    public var stats: Stats?
    /// The web page to share and to open elsewhere.
    public var link: String?
    /// Not everybody wants to see it unasked, as the feed says.
    public var isSensitive = false
    /// The content warning; nil for none.
    public var warning: String?
    /// The user's own clip.
    public var own: Bool
    /// Headers for every request for the clip, by name: `Referer`, `User-Agent`.
    public var headers: [String: String]
    /// The absolute URL of the feed that named it; nil if the user named it.
    public var feed: String?
    /// Files of subtitles, in the feed's order.
    public var captions: [CaptionLink] = []
    /// The chapters that its feed names, in order of their starts; those of the file itself are not among them.
    public var chapters: [Chapter] = []
    /// Where its chapters are listed, as podcasts do; absolute.
    public var chaptersURL: String?
    /// Where comments are listed, as a feed's service lists them; absolute.
    public var commentsURL: String?
    /// The resolver of the media, if `url` is only its name: a web page, an entry of a service; nil
    /// if `url` is the media itself. No feed's own text sets it.
    public var resolver: Resolver?

    public init(
        id: String, url: String, thumbnail: String? = nil, blurHash: String? = nil, title: String? = nil,
        text: String? = nil, duration: Duration? = nil, published: Date? = nil, creator: Creator? = nil,
        folder: String? = nil, tags: [String] = [], sound: Sound? = nil, trust: Trust? = nil, stats: Stats? = nil,
        link: String? = nil, own: Bool = false, headers: [String: String] = [:], feed: String? = nil,
        resolver: Resolver? = nil
    ) {
        self.id = id
        self.url = url
        self.thumbnail = thumbnail
        self.blurHash = blurHash
        self.title = title
        self.text = text
        self.duration = duration
        self.published = published
        self.creator = creator
        self.folder = folder
        self.tags = tags
        self.sound = sound
        self.trust = trust
        self.stats = stats
        self.link = link
        self.own = own
        self.headers = headers
        self.feed = feed
        self.resolver = resolver
    }
}

/// The items of a feed, made on demand, so that a folder of a hundred thousand clips stays a list of names. Any thread.
///
/// A list never changes; a feed that grows returns a longer list.
public protocol ItemList: Sendable {
    var count: Int { get }
    /// The item at `index`, 0 ..< count. Cheap but not free: keep items that you need often.
    subscript(index: Int) -> Item { get }
    /// The id of the item at `index`, where that costs less than the item.
    func id(at index: Int) -> Item.ID
}

extension ItemList {
    public func id(at index: Int) -> Item.ID { self[index].id }

    /// Where an item is that was at `place`: searched outwards from there. nil if it is not in the list, or further
    /// away than `reach`: an id can cost a microsecond, and the main thread asks.
    public func index(of id: Item.ID, near place: Int, reach: Int = 4_096) -> Int? {
        for distance in 0...min(reach, max(count, place)) {
            for index in distance == 0 ? [place] : [place + distance, place - distance]
            where index >= 0 && index < count && self.id(at: index) == id { return index }
        }
        return nil
    }
}

extension Array: ItemList where Element == Item {}

/// Makes ids for items that have none. Pure.
public enum ItemID {
    /// The 64-bit FNV-1a hash of a URL, as 16 hexadecimal digits.
    ///
    /// It must be the same in every run and version, which Swift's `Hasher` is not, and fast enough for a hundred
    /// thousand names. It need not resist attacks, because a feed can choose any id anyway. The probability that any
    /// two of 100,000 URLs collide is 1 in 3.7 thousand million.
    public static func hash(of url: String) -> String { text(of: number(of: url)) }

    /// A hash as its digits.
    package static func text(of number: UInt64) -> String {
        let digits = String(number, radix: 16)
        return String(repeating: "0", count: 16 - digits.count) + digits
    }

    /// The same hash as a number.
    public static func number(of text: String) -> UInt64 { number(ofBytes: text.utf8) }

    package static func number(ofBytes bytes: some Sequence<UInt8>) -> UInt64 {
        var hash: UInt64 = 0xCBF2_9CE4_8422_2325
        for byte in bytes { hash = (hash ^ UInt64(byte)) &* 0x100_0000_01B3 }
        return hash
    }
}
