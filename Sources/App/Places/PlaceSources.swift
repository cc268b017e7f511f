import Bytes
import Engagement
import Feeds
import Model
import Ranking
import UI

/// The places of a session, and what each is read from. A value.
struct PlaceSources: Sendable {
    /// What the user named; empty if flick begins at Home.
    private(set) var named: [FeedSource]
    /// The sources of the configuration.
    private(set) var home: [FeedSource]
    /// The place to begin at.
    let first: Place
    private(set) var all: [Place]
    private let hasForYou: Bool
    /// By a rule of the user's.
    private var isForYouHidden = false
    private let remembers: Bool
    private let keepsCache: Bool

    /// - Parameters:
    ///   - first: nil: what the user named, or Home.
    ///   - hasForYou: whether the configuration has it.
    ///   - remembers: whether flick remembers what is done: else nothing is known of the user.
    ///   - keepsCache: whether there is a cache: else nothing is offline.
    init(
        named: [FeedSource], home: [FeedSource], first: Place? = nil, hasForYou: Bool = true, remembers: Bool = true,
        keepsCache: Bool = true
    ) throws(AppError) {
        (self.named, self.home) = (named, home)
        (self.hasForYou, self.remembers, self.keepsCache) = (hasForYou, remembers, keepsCache)
        let own = LibrarySource(named).flatMap { Place(of: $0.list) } ?? (named.isEmpty ? .home : .source)
        self.first = first ?? own
        all = []
        renew()
        if let first, !self.all.contains(first) { throw Self.error(first, remembers: remembers) }
    }

    private mutating func renew() {
        let list = LibrarySource(named)?.list
        all = []
        if !named.isEmpty, list == nil { all.append(.source) }
        if !home.isEmpty { all.append(.home) }
        let hasClips = !all.isEmpty
        if remembers, hasClips { all += (hasForYou && !isForYouHidden ? [.forYou] : []) + [.following] }
        if remembers { all += [.liked, .saved, .history] + (keepsCache ? [.offline] : []) + [.hidden] }
        let own = list.flatMap { Place(of: $0) } ?? (named.isEmpty ? .home : .source)
        if !all.contains(own) { all.insert(own, at: 0) }
    }

    /// The sources of Home are others now.
    mutating func change(home sources: [FeedSource]) {
        home = sources
        renew()
    }

    /// What the user hides has changed, which can be places.
    mutating func change(hidden rules: [HideRule]) {
        isForYouHidden = rules.contains { $0.place == .forYou }
        renew()
    }

    /// The user has chosen another source to show alone.
    mutating func name(_ source: FeedSource) {
        named = [source]
        renew()
    }

    private static func error(_ place: Place, remembers: Bool) -> AppError {
        switch place {
        case .home: AppError("--place home: there are no sources; add one with flick add")
        case .forYou where remembers: AppError("--place for-you: For You is off; see [for_you] in config.toml")
        case .offline where remembers: AppError("--place offline: the cache is off; see [cache] in config.toml")
        default:
            AppError(
                "--place \(place.rawValue): history is off; set remember = true under [engagement] in config.toml")
        }
    }

    /// What to call the place `source` before its feed was read: the name that the user gave it, else its server, or
    /// its file or folder. nil if it is several sources, or says nothing.
    var sourceName: String? {
        guard named.count == 1, let source = named.first else { return nil }
        let name =
            source.name ?? RemoteURL(source.text)?.origin.host
            ?? SafeURL.text(source.text).split(separator: "/").last.map(String.init)
        return name == "." || name == ".." || name == "-" ? nil : name
    }

    /// What a place's items are of, and whether they are mixed. Of the library's lists, their names.
    func sources(of place: Place) -> (sources: [FeedSource], isHome: Bool) {
        switch place {
        case .source: (named, false)
        case .home: (home, true)
        case .forYou, .following:
            home.isEmpty ? (named, false) : (home, true)
        case .liked, .saved, .history, .offline, .hidden: ([FeedSource("library:\(place.rawValue)")], false)
        }
    }
}

/// The clips of the place Offline: those that flick remembers and whose file is wholly in the cache, so that they play
/// without a network. A value.
///
/// Left out are files of this machine, which need no download; streams, as their segments are many files; and clips
/// whose media is found by a program or a service, which takes a network.
struct OfflineClips: Sendable {
    /// How many of the remembered items are looked at, and how many clips are browsed: the newest.
    private static let lookedAt = 50_000
    private static let most = 2_000

    let library: LibraryReader
    let provider: CachedProvider

    /// Those that were downloaded last first. Without a library or a cache that can be read there are no clips. Throws
    /// if another program keeps the library locked. Blocks on the disk.
    ///
    /// - Parameter rules: what is left out.
    func items(without rules: HiddenRules = HiddenRules()) throws(AppError) -> [Item] {
        let whole = provider.wholeFiles()
        guard !whole.isEmpty else { return [] }
        let known = try library.readUnlocked { store throws(StoreError) in
            try store.items(lookingAt: Self.lookedAt) { whole.since($0) != nil }
        }
        var urls: Set<String> = []
        let clips = (known ?? []).compactMap { entry -> (item: Item, since: Double)? in
            guard urls.insert(entry.url).inserted, let since = whole.since(entry.url),
                let item = ItemJSON.item(ofLine: entry.json, feed: entry.feed, privateHosts: library.privateHosts),
                item.resolver == nil, !rules.hides(item)
            else { return nil }
            return (item, since)
        }
        return clips.sorted { $0.since > $1.since }.prefix(Self.most).map(\.item)
    }
}
