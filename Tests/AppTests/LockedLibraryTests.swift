import Bytes
import Engagement
import Feeds
import HTTP
import Model
import TestSupport
import Testing
import UI

@testable import App

/// What the loader posts while another program keeps the library's file locked, with folders and SQLite.
@Suite(.timeLimit(.minutes(2))) struct LockedLibraryTests {
    /// Of a place on a busy machine: less than SQLite waits for a lock.
    private static let limit = Duration.seconds(3)

    private let folder = TemporaryFolder()
    private let provider: CachedProvider
    private let inbox: Inbox<LoopMessage>
    private var path: String { folder.path + "/flick.db" }

    init() throws {
        inbox = try Inbox<LoopMessage>()
        var network = NetworkOptions()
        network.environment = [:]
        provider = CachedProvider(cache: nil, network: network)
    }

    /// Folders with this many clips each.
    private func clips(_ names: [String], _ count: Int) throws -> [String] {
        for name in names {
            for number in 0..<count { try folder.write("\(name)/\(number).mp4") }
        }
        return names.map { "\(folder.path)/\($0)" }
    }

    private func loader(
        named: [String] = [], home: [String] = [], hidden: HiddenItems = HiddenItems()
    ) throws -> FeedLoader {
        FeedLoader(
            places: try PlaceSources(named: named.map { FeedSource($0) }, home: home.map { FeedSource($0) }),
            libraryPath: path, placesPath: path, ignoresLastSeen: false, isShuffled: false, exploration: 0,
            subtitles: nil, provider: provider, options: FeedOptions(spoolFolder: folder.path), inbox: inbox,
            hidden: hidden)
    }

    /// What comes of reading a place.
    private func read(_ place: Place, with loader: FeedLoader) throws -> Result<LoadedFeed, AppError> {
        loader.load(place)
        let messages = inbox.messages { if case .feed(.read(place, _)) = $0 { true } else { false } }
        let results: [Result<LoadedFeed, AppError>] = messages.compactMap {
            if case .feed(.read(place, let result)) = $0 { result } else { nil }
        }
        return try #require(results.first)
    }

    @Test(arguments: [Place.source, .home, .forYou])
    func clipsDoNotWaitForTheLibrary(place: Place) throws {
        let rule = HideRule(.topic, value: "cats")
        try Store(path: path).apply([.hidden(rule, source: "s", true, at: 1)])
        let home = try clips(["one", "other"], 6)
        let hidden = HiddenItems(libraryPath: path)
        let loader = try loader(named: clips(["named"], 12), home: home, hidden: hidden)
        let database = try LockedDatabase(path, by: LockedDatabase.excludesReaders)
        let began = ContinuousClock.now
        let result = Result { try read(place, with: loader).get() }
        let took = ContinuousClock.now - began
        database.release()
        #expect(took < Self.limit)
        #expect(try result.get().feed.items.count == (place == .forYou ? ForYouChoice.chosenAtOnce : 12))
        // What the user hides is applied once it can be read.
        #expect(holds(within: .seconds(20)) { hidden.own == [rule] })
    }

    @Test(arguments: [Place.following, .liked, .saved, .history])
    func listsSayThatTheLibraryIsLocked(place: Place) throws {
        _ = try Store(path: path)
        let loader = try loader(home: clips(["one"], 2))
        let database = try LockedDatabase(path, by: LockedDatabase.excludesReaders)
        defer { database.release() }
        let began = ContinuousClock.now
        let result = try read(place, with: loader)
        #expect(ContinuousClock.now - began < Self.limit)
        guard case .failure(let error) = result else {
            Issue.record("\(place) was read")
            return
        }
        #expect(error.message.hasSuffix("locked by another program"))
    }

    /// The first choice cannot wait for what was watched, and the second one can read nothing either.
    @Test func laterChoiceKnowsWhatWasReadLate() throws {
        let feed = "https://h.example/feed.json"
        let items = (0..<40).map { number in
            let name = number < 20 ? "Bo" : "Ilma"
            return Item(
                id: "i\(number)", url: "https://h.example/\(number).mp4",
                creator: Item.Creator(id: name, name: name), feed: feed)
        }
        for item in items[20..<26] {
            let entry = LibraryItem(
                key: ItemKey(item), url: item.url, json: ItemJSON.line(item, source: ""), feed: feed, source: "s")
            let event = LoggedEvent(
                id: item.id, session: "s", at: 1_780_000_000, what: "summary",
                detail: #"{"watch_time":20,"completion":1,"replay_count":0}"#)
            try Store(path: path).apply([.seen(entry, at: 1_780_000_000), .event(entry, event)])
        }
        let lookups = BriefLookup()
        let library = LibraryReader(path: path, privateHosts: .always, lookups: lookups)
        let pages = ChosenPages(
            "for-you:", of: Feed(title: "Home", items: items, source: "s"),
            by: ForYouChoice(library, exploration: 0) { _ in })
        func loadWhileLocked() throws -> FeedPages.Page? {
            let database = try LockedDatabase(path, by: LockedDatabase.excludesReaders)
            defer { database.release() }
            return try pages.load()
        }
        let first = try #require(try loadWhileLocked())
        #expect(first.items.id(at: 0) == "i0")
        try #require(holds(within: .seconds(20)) { lookups.lateLookups == 0 })
        let second = try #require(try loadWhileLocked())
        #expect(second.items[ForYouChoice.chosenAtOnce].creator?.name == "Ilma")
    }
}
