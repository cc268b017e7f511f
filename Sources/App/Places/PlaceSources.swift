import Engagement
import Feeds
import Model
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
    private let remembers: Bool

    /// - Parameters:
    ///   - first: nil: what the user named, or Home.
    ///   - hasForYou: whether the user wants it.
    ///   - remembers: whether flick remembers what is done: else nothing is known of the user.
    init(
        named: [FeedSource], home: [FeedSource], first: Place? = nil, hasForYou: Bool = true, remembers: Bool = true
    ) throws(AppError) {
        (self.named, self.home) = (named, home)
        (self.hasForYou, self.remembers) = (hasForYou, remembers)
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
        if remembers, hasClips { all += (hasForYou ? [.forYou] : []) + [.following] }
        if remembers { all += [.liked, .saved, .history] }
        let own = list.flatMap { Place(of: $0) } ?? (named.isEmpty ? .home : .source)
        if !all.contains(own) { all.insert(own, at: 0) }
    }

    /// The sources of Home are others now.
    mutating func change(home sources: [FeedSource]) {
        home = sources
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
        default: AppError("--place \(place.rawValue): flick remembers nothing; see [engagement] in config.toml")
        }
    }

    /// What a place's items are of, and whether they are mixed. Of the library's lists, their names.
    func sources(of place: Place) -> (sources: [FeedSource], isHome: Bool) {
        switch place {
        case .source: (named, false)
        case .home: (home, true)
        case .forYou, .following:
            home.isEmpty ? (named, false) : (home, true)
        case .liked, .saved, .history: ([FeedSource("library:\(place.rawValue)")], false)
        }
    }
}
