import Engagement
import Feeds
import Model

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// What the page passes on to be remembered, and what it is told that was. Main thread; the disk is the recorder's.
@MainActor
final class LibraryLink {
    private let recorder: Recorder
    private let inbox: Inbox<Browser.Message>
    /// The run of flick, in the engagement log.
    private let session = UUID().uuidString
    /// The wall clock at the beginning, and the time on the loop's clock then: a wall clock that is set meanwhile changes nothing.
    private let began: Double
    /// The feed's name in stored state.
    var source = ""
    /// Which items the page was told about, or will be.
    private var asked: Set<ItemKey> = []
    /// Those that come near before the first page was seen. Until then the disk is left to the first picture.
    private var waiting: [Item] = []
    private var isOpen = false
    /// The items whose engagement may still come: those in view last.
    private var inView: [Item] = []

    /// How many items are asked for at most, before all of them may be asked for again.
    private static let mostAsked = 10_000

    /// Pages can pass by before one has been in view for long enough: so many items are remembered to be asked for.
    private static let mostWaiting = 200

    /// - Parameter began: when the loop's clock was zero, in seconds since 1970.
    init(recorder: Recorder, inbox: Inbox<Browser.Message>, began: Double) {
        (self.recorder, self.inbox, self.began) = (recorder, inbox, began)
    }

    // MARK: From the page

    func react(to item: Item, _ reaction: Reaction, now: Duration) {
        asked.insert(ItemKey(item))
        recorder.note([.reacted(libraryItem(item), reaction, at: wall(now))])
    }

    func follow(_ item: Item, _ follows: Bool, now: Duration) {
        guard let creator = item.creator else { return }
        let key = CreatorKey(scope: ItemKey(item).scope, id: creator.key)
        recorder.note([.followed(key, name: creator.name ?? creator.key, follows, at: wall(now))])
    }

    /// The item whose page is in view.
    var shown: Item.ID? { inView.last?.id }

    /// This item's page is in view now.
    func show(_ item: Item) { inView = inView.suffix(2).filter { $0.id != item.id } + [item] }

    func note(_ events: [EngagementEvent]) {
        var changes: [Change] = []
        for event in events {
            guard let item = inView.last(where: { $0.id == event.item }) else { continue }
            let entry = libraryItem(item)
            if event.what == .impression { changes.append(.seen(entry, at: wall(event.at))) }
            let logged = LoggedEvent(
                id: UUID().uuidString, session: session, at: wall(event.at), what: event.name, detail: event.detail)
            changes.append(.event(entry, logged))
        }
        guard !changes.isEmpty else { return }
        recorder.note(changes)
        if !isOpen {
            isOpen = true
            recall(waiting)
            waiting = []
        }
    }

    func close() { recorder.close(within: .seconds(2)) }

    // MARK: To the page

    /// These items come near: what is remembered of them comes as a message.
    func recall(_ items: [Item]) {
        guard isOpen else {
            waiting = (waiting + items).suffix(Self.mostWaiting)
            return
        }
        if asked.count > Self.mostAsked { asked = [] }
        var ids: [ItemKey: Item.ID] = [:]
        var creators: [CreatorKey: String] = [:]
        for item in items {
            let key = ItemKey(item)
            guard asked.insert(key).inserted else { continue }
            ids[key] = item.id
            if let creator = item.creator { creators[CreatorKey(scope: key.scope, id: creator.key)] = creator.key }
        }
        guard !ids.isEmpty else { return }
        recorder.read { [ids] store throws(StoreTrouble) in
            (try store.memories(of: Array(ids.keys)), try store.follows())
        } then: { [inbox, ids, creators] memories, follows in
            let reactions = memories.compactMap { key, memory in ids[key].map { ($0, memory.reaction) } }
            let followed = Set(follows.compactMap { creators[$0] })
            guard !reactions.isEmpty || !followed.isEmpty else { return }
            inbox.post(.remembered(Dictionary(reactions) { first, _ in first }, follows: followed))
        }
    }

    private func wall(_ time: Duration) -> Double { began + time / .seconds(1) }

    private func libraryItem(_ item: Item) -> LibraryItem {
        LibraryItem(
            key: ItemKey(item), url: item.url, json: ItemJSON.line(item, source: source), feed: item.feed,
            source: LibrarySource([source]) == nil ? source : "")
    }
}

extension EngagementEvent {
    /// More of it, as the engagement log has it: an object of JSON.
    var detail: String {
        var line = JSONLine()
        switch what {
        case .impression: break
        case .start(let how, let after):
            line.put("how", .text(how.rawValue))
            line.put("after", .number(after / .seconds(1)))
        case .view(let watched): line.put("watched", .number(watched / .seconds(1)))
        case .milestone(let percent): line.put("percent", .integer(percent))
        case .skip(let completion): line.put("completion", .number(completion))
        case .summary(let summary):
            line.put("watch_time", .number(summary.watchTime / .seconds(1)))
            line.put("completion", .number(summary.completion))
            line.put("milestones", integers: summary.milestones)
            line.put("replay_count", .integer(summary.replays))
            line.put("has_skipped", .flag(summary.hasSkipped))
            line.put("buffer_duration", .number(summary.stallTime / .seconds(1)))
        }
        return line.object
    }
}
