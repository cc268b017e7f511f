import Bytes
import Feeds
import HTTP
import Model
import Synchronization
import TestSupport
import Testing
import UI

@testable import App

/// Further pages that answer as a test says, in order; then there is no further one. Counts the calls. Any thread.
final class ScriptedPages: FurtherPages {
    typealias Answer = Result<FeedPages.Page?, FeedsError>

    private struct State {
        var answers: [Answer]
        var loads = 0
        var cancels = 0
    }

    let isArriving: Bool
    private let items: [Item]
    private let state: Mutex<State>

    /// - Parameter items: those that `keep` puts an item before.
    init(_ answers: [Answer] = [], items: [Item] = [], isArriving: Bool = false) {
        (self.items, self.isArriving) = (items, isArriving)
        state = Mutex(State(answers: answers))
    }

    var loads: Int { state.withLock(\.loads) }
    var cancels: Int { state.withLock(\.cancels) }

    func load() throws(FeedsError) -> FeedPages.Page? {
        let answer = state.withLock { state -> Answer in
            state.loads += 1
            return state.answers.isEmpty ? .success(nil) : state.answers.removeFirst()
        }
        return try answer.get()
    }

    func keep(_ item: Item) -> any ItemList { [item] + items }

    func cancel() { state.withLock { $0.cancels += 1 } }
}

extension Inbox {
    /// Waits for a message that is meant. Returns all that were posted by then, in order.
    func messages(until isMeant: (Message) -> Bool) -> [Message] {
        var all: [Message] = []
        let isThere = holds(within: .seconds(30)) {
            all += drain()
            return all.contains(where: isMeant)
        }
        #expect(isThere)
        return all
    }
}

extension LoopStage {
    /// A feed session with the stage's parts, beside the loop's.
    ///
    /// - Parameters:
    ///   - feed: that the page begins with.
    ///   - places: nil: the stage's. The same of `hidden`.
    ///   - change: changes the settings.
    func session(
        _ feed: Feed? = nil, places: PlaceSources? = nil, hidden: HiddenItems? = nil, library: LibraryLink? = nil,
        change: (inout BrowseSettings) -> Void = { _ in }
    ) -> FeedSession {
        var (loader, settings) = (loop.feed.loader, loop.settings)
        if let places { loader.places = places }
        if let hidden { loader.hidden = hidden }
        change(&settings)
        return FeedSession(
            feed.map { ($0, ReturnPoint()) }, loader: loader, pool: pool, library: library, journal: loop.journal,
            settings: settings, kept: FileProvider())
    }

    /// A library whose feeds can have services. The caller closes it.
    func libraryWithServices() -> LibraryLink {
        var network = NetworkOptions()
        network.environment = [:]
        return LibraryLink(
            path: folder.path + "/services.db", network: network, name: nil, comments: comments, inbox: inbox,
            journal: loop.journal, began: 0)
    }

    /// What was logged so far.
    var log: String { fileText(folder.path + "/flick.log") ?? "" }
}

extension Event {
    /// Its kind, and what a notice says.
    var summary: String {
        switch self {
        case .notice(let text, let kind): "\(kind): \(text)"
        case .cachedFeed: "cachedFeed"
        case .more: "more"
        case .moreFailed: "moreFailed"
        case .place(let place, let items, let title, let index):
            "\(place), \(title ?? "no title"), \(index) of \(items.count)"
        case .places(let places): "places: \(places)"
        case .placeList: "placeList"
        case .part(let part, let items): "\(part.title): \(items.count)"
        case .wholeFeed(let items, let title, let index):
            "whole feed, \(title ?? "no title"), \(index) of \(items.count)"
        case .hidden(let rules, let configured): "hidden: \(rules.map(\.name)), \(configured.map(\.name))"
        case .visible(let items, let index): "visible, \(index) of \(items.count)"
        case .service: "service"
        default: "other"
        }
    }
}
