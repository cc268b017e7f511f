import Engagement
import Feeds
import HTTP
import Model

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// Stores what the page passes on, and gives it what was stored before. Main thread; the disk is the recorder's.
@MainActor
final class LibraryLink {
    let recorder: LibraryWriter
    /// nil if nothing is sent to services.
    let services: Services?
    /// What the user is called beside comments.
    let name: String?
    let inbox: Inbox<LoopMessage>
    private let path: String
    /// The run of flick, in the engagement log.
    private let session = UUID().uuidString
    /// The time of day when the loop's clock was zero: one that is set meanwhile changes nothing.
    private let began: Double
    /// The feed's name in stored state; empty for a list of the library, which says nothing new of its items.
    var source = ""
    /// Where the feed wants reports of what the user does; nil if it wants none.
    var endpoint: String?
    /// What the service there says that it can do besides the first version of its protocol.
    var declared: Set<ServiceAbility> = []
    /// An item as it is remembered, with the user's own reactions in its counts: lists of the library show it so.
    var counted: (Item) -> Item = { $0 }
    /// The items whose stored state was requested for the page.
    private var asked: Set<ItemKey> = []
    /// Those that come near before the first page was seen. Until then the disk is left to the first picture.
    private var waiting: [Item] = []
    private var isOpen = false
    /// The items whose engagement may still come: those in view last, with their pages.
    private var inView: [(item: Item, page: Int?)] = []

    /// How many items are asked for at most, before all of them may be asked for again.
    private static let maxAsked = 10_000

    /// Pages can pass by before one has been in view for long enough: the most items to remember until then.
    private static let maxWaiting = 200

    /// Opens nothing yet.
    ///
    /// - Parameters:
    ///   - path: the library's file.
    ///   - network: nil: nothing is sent to services.
    ///   - name: what the user is called beside comments.
    ///   - comments: what becomes of the user's comments is passed to it.
    ///   - began: when the loop's clock was zero, in seconds since 1970.
    init(
        path: String, network: NetworkOptions?, name: String?, comments: CommentSession, inbox: Inbox<LoopMessage>,
        journal: Journal, began: Double
    ) {
        (self.name, self.path) = (name, path)
        services = network.map { Services($0, inbox: inbox, journal: journal, comments: comments) }
        recorder = LibraryWriter(path: path, sender: services?.sender) {
            inbox.post(.event(journal.complaint(of: "library", $0, as: .remark)))
        }
        (self.inbox, self.began) = (inbox, began)
    }

    // MARK: From the page

    func react(to item: Item, _ reaction: Reaction, now: Duration) {
        recorder.note([.reacted(libraryItem(item), reaction, at: wall(now))])
    }

    func follow(_ item: Item, _ follows: Bool, now: Duration) {
        guard let creator = item.author, let key = CreatorKey(of: item) else { return }
        recorder.note([
            .followed(
                libraryItem(item), key, name: creator.name ?? creator.key,
                feed: FollowedFeed(of: item, endpoint: endpoint(for: item)), hasID: creator.id != nil, follows,
                at: wall(now))
        ])
    }

    func hide(_ rule: HideRule, _ hides: Bool, now: Duration) {
        recorder.note([.hidden(rule, source: source, hides, at: wall(now))])
    }

    func share(_ item: Item, now: Duration) { recorder.note([.shared(libraryItem(item), at: wall(now))]) }

    /// The item whose page is in view.
    var shown: Item.ID? { inView.last?.item.id }

    /// This item's page is in view now; `page` counts from 0, and is nil in a part of the feed.
    func show(_ item: Item, page: Int?) { inView = inView.suffix(2).filter { $0.item.id != item.id } + [(item, page)] }

    /// A long clip that is or was in view is at `place`; nil: it restarts the next time.
    func left(_ id: Item.ID, place: Duration?) {
        guard let item = inView.last(where: { $0.item.id == id })?.item else { return }
        recorder.note([.left(ItemKey(item), place: place)])
    }

    func note(_ events: [EngagementEvent]) {
        var changes: [Change] = []
        // Most are of one item.
        var entries: [Item.ID: LibraryItem] = [:]
        for event in events {
            guard let (item, page) = inView.last(where: { $0.item.id == event.item }) else { continue }
            let entry = entries[item.id] ?? libraryItem(item)
            entries[item.id] = entry
            if event.what == .impression || event.what == .again {
                changes.append(.seen(entry, page: page, at: wall(event.at)))
            }
            if event.what == .impression, let creator = CreatorKey(of: item),
                let feed = FollowedFeed(of: item, endpoint: endpoint(for: item))
            {
                changes.append(.foundFeed(feed, of: creator))
            }
            // The log has what is counted.
            if event.what == .again { continue }
            let logged = LoggedEvent(
                id: UUID().uuidString, session: session, at: wall(event.at), what: event.name, detail: event.detail)
            changes.append(.event(entry, logged, event.what))
        }
        guard !changes.isEmpty else { return }
        recorder.note(changes)
        if !isOpen {
            isOpen = true
            recall(waiting)
            waiting = []
        }
    }

    /// How long what is left may take to be written, on a busy disk.
    private static let lastMoment = Duration.seconds(2)
    /// How long another program may keep the file locked meanwhile: that does not keep flick from ending.
    private static let lastLock = Duration.milliseconds(400)

    /// Writes what is left, and gives services a moment to receive it. Blocks.
    /// The terminal is already restored: errors are printed.
    func close() {
        let isWritten = recorder.close(within: Self.lastMoment, lockLimit: Self.lastLock)
        if !isWritten {
            printError(
                "flick: cannot save your latest changes in '\(path)': the file is locked or cannot be written")
        }
        services?.close(drains: isWritten)
    }

    // MARK: To the page

    /// These items come near: what is remembered of them comes as a message.
    func recall(_ items: [Item]) {
        guard isOpen else {
            waiting = (waiting + items).suffix(Self.maxWaiting)
            return
        }
        if asked.count > Self.maxAsked { asked = [] }
        var ids: [ItemKey: Item.ID] = [:]
        var creators: [CreatorKey: String] = [:]
        for item in items {
            let key = ItemKey(item)
            guard asked.insert(key).inserted else { continue }
            ids[key] = item.id
            if let creator = CreatorKey(of: item) { creators[creator] = creator.id }
        }
        guard !ids.isEmpty else { return }
        recorder.read { [ids, creators] store throws(StoreError) in
            (try store.memories(of: Array(ids.keys)), try store.follows(among: Array(creators.keys)))
        } then: { [inbox, ids, creators] memories, follows in
            let followed = Set(follows.compactMap { creators[$0] })
            guard !memories.isEmpty || !followed.isEmpty else { return }
            var (reactions, places): ([Item.ID: Reaction], [Item.ID: Duration]) = ([:], [:])
            for (key, memory) in memories {
                guard let id = ids[key] else { continue }
                reactions[id] = memory.reaction
                places[id] = memory.place
            }
            if !places.isEmpty { inbox.post(.places(places)) }
            inbox.post(.event(.remembered(reactions, follows: followed)))
        }
    }

    func wall(_ time: Duration) -> Double { began + time.seconds }

    func libraryItem(_ item: Item) -> LibraryItem {
        LibraryItem(
            key: ItemKey(item), url: item.url, json: ItemJSON.line(counted(item), source: source), feed: item.feed,
            source: source, endpoint: endpoint(for: item))
    }

    /// Where to report what the user does with an item: only to the feed from the network that listed the item, which
    /// knows its id.
    ///
    /// - Parameter declared: where its feed wants such reports.
    nonisolated static func itemEndpoint(_ declared: String?, for item: Item) -> String? {
        guard !item.isFile, let feed = item.feed, RemoteURL(feed) != nil, !ItemKey(item).scope.isEmpty else {
            return nil
        }
        return declared
    }

    func endpoint(for item: Item) -> String? { Self.itemEndpoint(endpoint, for: item) }
}

// What is said about items. Their feed's service has it; what the user says waits in the store until it is there.
extension LibraryLink {
    /// Whether the current feed has a service that shows and takes comments.
    var takesComments: Bool { services != nil && endpoint != nil }

    var abilities: Set<ServiceAbility> { takesComments ? declared : [] }

    /// Reads a page of an item's comments, which comes as a message. `next` is
    /// what the page before it named; nil: the first page.
    func loadComments(of item: Item, after next: String?) {
        guard let services, let endpoint = self.endpoint(for: item), let feed = item.feed else {
            return inbox.post(.event(.commentsUnavailable(item.id, why: "this feed has no comments")))
        }
        services.loadComments(of: item.id, at: endpoint, feed: feed, after: next)
    }

    /// Whether an item's feed takes comments on it.
    func takesComments(on item: Item) -> Bool { services != nil && endpoint(for: item) != nil }

    /// Whether comments on an item stay in the library: on files of this machine, which no server has.
    nonisolated static func keepsComments(on item: Item) -> Bool {
        item.isFile && item.feed.flatMap { RemoteURL($0) } == nil
    }

    /// Reads the user's comments on an item that stay in the library, the newest first.
    ///
    /// - Parameter then: called once, on another thread.
    func readOwnComments(on item: Item, then: @escaping @Sendable ([Comment]) -> Void) {
        let key = ItemKey(item)
        recorder.read { store throws(StoreError) in
            try store.comments(on: key).map { comment in
                Comment(
                    id: comment.id, text: comment.text, at: Date(timeIntervalSince1970: comment.at),
                    parent: comment.parent, isOwn: true)
            }
        } otherwise: {
            then([])
        } then: {
            then($0)
        }
    }

    /// Stores a comment that no server is sent.
    func keepComment(on item: Item, id: String, _ text: String, parent: String?, now: Duration) {
        let comment = OwnComment(id: id, text: text, parent: parent, at: wall(now))
        recorder.note([.keptComment(libraryItem(item), comment)])
    }

    /// Stores a comment again that was deleted.
    func restore(_ comment: Comment, on item: Item) {
        let own = OwnComment(
            id: comment.id, text: comment.text, parent: comment.parent, at: comment.at.timeIntervalSince1970)
        recorder.note([.keptComment(libraryItem(item), own)])
    }

    func deleteComment(_ id: String) { recorder.note([.deletedComment(id)]) }

    /// Sends what the user does with a comment that an item's service has.
    func change(_ comment: String, on item: Item, _ act: CommentAct, now: Duration) {
        recorder.note([.changedComment(libraryItem(item), comment: comment, act, at: wall(now))])
    }

    /// Has an item's service delete it, or bring it back.
    func delete(_ item: Item, _ deletes: Bool, now: Duration) {
        recorder.note([.deletedItem(libraryItem(item), deletes, at: wall(now))])
    }

    /// Sends a comment on an item whose feed takes them.
    ///
    /// - Parameter id: what the service's answer names it by.
    func comment(on item: Item, id: String, _ text: String, parent: String?, now: Duration) {
        let comment = OwnComment(id: id, text: text, parent: parent, name: name, at: wall(now))
        recorder.note([.commented(libraryItem(item), comment)])
    }
}

extension EngagementEvent {
    /// More of it, as the engagement log has it: an object of JSON.
    var detail: String {
        var line = JSONLine()
        switch what {
        case .impression, .again: break
        case .start(let how, let after):
            line.put("how", .text(how.rawValue))
            line.put("after", .number(after.seconds))
        case .view(let watched): line.put("watched", .number(watched.seconds))
        case .milestone(let percent): line.put("percent", .integer(percent))
        case .skip(let completion): line.put("completion", .number(completion))
        case .summary(let summary):
            line.put(summary)
        }
        return line.object
    }
}
