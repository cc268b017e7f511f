import Model

/// The clips of a feed that have one creator or one topic, or lie in one folder. A value.
public enum FeedPart: Hashable, Sendable {
    /// - `key`: see `Item.Creator.key`; - `id`: the feed's, if it gives one.
    case creator(key: String, id: String?, name: String)
    case topic(String)
    /// Of files without a manifest: see `Item.folder`.
    case folder(String)

    /// Whose clips `u` shows: those of the item's creator, else of its folder; nil without either.
    static func maker(of item: Item) -> FeedPart? {
        guard let creator = item.creator else { return item.folder.map { .folder($0) } }
        return .creator(key: creator.key, id: creator.id, name: creator.name ?? creator.key)
    }

    public func has(_ item: Item) -> Bool {
        switch self {
        case .creator(let key, _, _): item.creator?.key == key
        case .topic(let topic): item.tags.contains(topic)
        case .folder(let folder): item.creator == nil && item.folder == folder
        }
    }

    /// What it is called in the top row. It is not clean.
    public var title: String {
        switch self {
        case .creator(_, _, let name): name
        case .topic(let topic): "#\(topic)"
        case .folder(let folder): folder
        }
    }
}

/// A part of the feed that is being read. A value.
struct WantedPart: Sendable, Equatable {
    var part: FeedPart
    var since: Duration
    /// The notice that the part takes a while was shown.
    var isAnnounced = false

    /// How long it may take without a word: most services answer sooner.
    static let patience = Duration.milliseconds(500)
}

extension State {
    /// Opens the clips of the current one's creator or folder, as a grid of stills.
    mutating func openCreator(now: Duration) -> [Effect] {
        guard let wanted = content.flatMap({ FeedPart.maker(of: $0.item) }) else {
            let isFile = content?.item.isFile == true
            toasts.show(
                isFile
                    ? "No creator or folder"
                    : "No creator", about: .clip, now: now)
            return []
        }
        // From their clips back to the stills of those.
        if feed.part == wanted { return openGrid(now: now) }
        return open(wanted, now: now)
    }

    /// Opens the clips with the current one's only topic, or asks for one of several.
    mutating func openTopics(now: Duration) -> [Effect] {
        if view.sheet == .topics { return open(Sheet.topics) }
        switch topics.count {
        case 0:
            toasts.show("No topics", about: .clip, sheet: .topics, now: now)
            return []
        case 1: return open(.topic(topics[0]), now: now)
        default: return open(Sheet.topics)
        }
    }

    /// Whether a part that was read meanwhile is still wanted.
    public func takes(_ part: FeedPart) -> Bool {
        feed.takes(part, at: content?.item)
    }

    /// The topics of the current clip, as its feed writes them.
    var topics: [String] { content?.topics ?? [] }

    mutating func open(_ part: FeedPart, now: Duration) -> [Effect] {
        guard part != feed.part else { return [.closePart] }
        feed.want(part, now: now)
        return [.openPart(part)]
    }

    /// Shows a notice if the part takes a while to read.
    mutating func announceLatePart(now: Duration) {
        guard let part = feed.takeLatePart(now: now) else { return }
        toasts.show("Looking for more clips by \(CleanText.line(part.title, limit: 60))", now: now)
    }

    /// The part was read: it stands in place of the feed, with the current clip still in view; or the creator's clips
    /// as stills, with that one chosen.
    mutating func opened(_ part: FeedPart, _ list: any ItemList & Sendable, now: Duration) -> [Effect] {
        feed.open(part)
        let title = FeedView.title(part.title)
        if case .topic = part { return replace(list, title: title, now: now) }
        guard list.count > 0 else { return replace(list, title: title, now: now) }
        // The clip waits from now on.
        let opening = openGrid(now: now)
        let effects = replace(list, title: title, now: now)
        feed.grid?.chosen = pager.current
        return opening + effects
    }

    /// The whole feed is there again, where it was left.
    mutating func closedPart(
        _ list: any ItemList & Sendable, title: String?, at index: Int, now: Duration
    ) -> [Effect] {
        feed.closePart()
        let left = currentID
        let effects = replace(list, title: FeedView.title(title), now: now)
        guard index < list.count, list[index].id != left else { return effects }
        return effects + (pager.jump(to: index) ? commit(now: now) + settled(now: now) : [])
    }
}
