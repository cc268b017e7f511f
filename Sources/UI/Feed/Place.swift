import Model

/// A feed that stays where it was left while another one is shown: the top row names all of them. A value.
public enum Place: String, Hashable, Sendable, CaseIterable {
    /// The sources that flick was started with.
    case source
    /// The sources of the configuration, mixed.
    case home
    /// The same clips, in the order that suits what was watched.
    case forYou = "for-you"
    /// The clips of creators that are followed, of their own feeds where they have some.
    case following
    case liked, saved, history
    /// The clips that play without a network, because the cache has all of them.
    case offline
    /// What the user hides: a list, not clips, as nothing hidden is fetched or shown.
    case hidden

    /// What it is called; `source` only if its feed has no title.
    public var name: String {
        switch self {
        case .source: "Feed"
        case .home: "Home"
        case .forYou: "For You"
        case .following: "Following"
        case .liked: "Liked"
        case .saved: "Saved"
        case .history: "History"
        case .offline: "Offline"
        case .hidden: "Hidden"
        }
    }

    /// Whether it is one of the library, which share a name in the top row and are read again whenever they are opened.
    public var isOfLibrary: Bool {
        switch self {
        case .liked, .saved, .history, .offline, .hidden: true
        case .source, .home, .forYou, .following: false
        }
    }

    /// The list of what flick remembers that it shows; nil for any other place.
    public var list: LibraryList? {
        switch self {
        case .liked: .liked
        case .saved: .saved
        case .history: .history
        case .source, .home, .forYou, .following, .offline, .hidden: nil
        }
    }

    public init?(of list: LibraryList) { self.init(rawValue: list.rawValue) }
}

/// The place that is shown, and those that could be. A value.
public struct Places: Sendable, Equatable {
    /// Those that can be chosen, which the current one need not be any longer.
    private var offered: [Place]
    public private(set) var current: Place
    /// The place that is being opened.
    public private(set) var wanted: Place?

    public init(_ all: [Place] = [.source], current: Place = .source) {
        (offered, self.current) = (all, current)
    }

    /// In the order of the top row; `current` is one of them.
    public var all: [Place] {
        guard !offered.contains(current) else { return offered }
        var all = offered
        all.insert(current, at: Self.index(for: current, in: offered))
        return all
    }

    /// Where a place is to be inserted among others: before the first that comes after it.
    static func index(for place: Place, in others: [Place]) -> Int {
        let later = Place.allCases.drop { $0 != place }
        return others.firstIndex(where: later.contains) ?? others.endIndex
    }

    /// The one that the user has chosen, whether it is there yet or not.
    var chosen: Place { wanted ?? current }

    /// The place after the chosen one, in a circle; nil if there is no other.
    func next(by step: Int) -> Place? {
        guard all.count > 1, let index = all.firstIndex(of: chosen) else { return nil }
        return all[((index + step) % all.count + all.count) % all.count]
    }

    /// The places are others now; the one that is shown stays among them until it is left.
    mutating func change(_ all: [Place]) { offered = all }

    /// The place can be chosen from now on.
    mutating func add(_ place: Place) { if !offered.contains(place) { offered.insert(place, at: 0) } }

    mutating func want(_ place: Place) { wanted = place == current ? nil : place }

    /// The place is there. Says whether it is still wanted.
    mutating func arrive(at place: Place) -> Bool {
        guard wanted == place else { return false }
        (current, wanted) = (place, nil)
        return true
    }

    /// The place cannot be shown. Says whether it was still wanted.
    mutating func fail(_ place: Place) -> Bool {
        guard wanted == place else { return false }
        wanted = nil
        return true
    }
}

extension State {
    /// Goes to the place after the one shown, or the one before it.
    mutating func turnPlace(by step: Int, now: Duration) -> [Effect] {
        guard let place = feed.places.next(by: step) else {
            toasts.show("There is no other place", sheet: .places, now: now)
            return []
        }
        return open(place)
    }

    /// Shows a place, where it was left.
    mutating func open(_ place: Place) -> [Effect] {
        if place == .hidden, feed.places.current == .hidden { showHiddenList() }
        guard place != feed.places.chosen else { return [] }
        feed.places.want(place)
        // Back, before the other one was there.
        guard let wanted = feed.places.wanted else { return [] }
        return [.openPlace(wanted)]
    }

    /// A place was read, or is there again: it stands on the page, at this index.
    mutating func arrived(
        at place: Place, _ list: any ItemList & Sendable, title: String?, index: Int, now: Duration
    ) -> [Effect] {
        guard feed.places.arrive(at: place) else { return [] }
        leaveField()
        view.closeAll()
        feed.closePart()
        feed.arrive()
        reactions.startCounting(hasOwn: feedCountsReactions)
        let effects = replace(list, title: FeedView.title(title), at: index, now: now)
        showHiddenList()
        return effects
    }

    /// A place cannot be shown: the page stays at the one that is there.
    mutating func failed(_ place: Place, why: String, now: Duration) {
        guard feed.places.fail(place) else { return }
        toasts.show(CleanText.line(why, limit: 300), as: .failure, now: now)
    }
}
