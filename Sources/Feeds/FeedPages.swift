import Model

/// The further pages of a feed: those of the first of its manifests that has any, then those of the next. Their items come after all others.
///
/// One page is read at a time, on any thread that may block.
public final class FeedPages: Sendable {
    /// What a further page brought.
    public struct Page: Sendable {
        /// Where it was found.
        public var url: String
        /// All items from now on: those that were there, with their indices, and the page's.
        public var items: any ItemList
        /// How many the page brought.
        public var added: Int
        /// Where the next page is; nil: this was the last one.
        public var next: String?
        /// What was left out and why, a line each.
        public var warnings: [String]
    }

    private struct Work {
        /// The manifests with a next page, in the order in which they are read on.
        var waiting: [ManifestPages]
        var arranged: ArrangedList
        /// The manifest whose items are the last part of the list, and from which of them on.
        var last: (manifest: ManifestPages, first: Int)?
        /// Comes before all others.
        var ahead: Item?

        var items: any ItemList { ahead.map { LedList(first: $0, rest: arranged) } ?? arranged }
        var next: String? { arranged.isFull ? nil : waiting.first?.next }
    }

    private let manifests: [ManifestPages]
    private let work: ExclusiveWork<Work>

    /// nil if there is no further page.
    /// - Parameters:
    ///   - list: the items so far.
    ///   - last: the manifest that the last part of the list is from, if it is from one.
    init?(of manifests: [ManifestPages], after list: ArrangedList, endingWith last: ManifestPages?) {
        self.manifests = manifests
        let waiting = manifests.filter { $0.next != nil }
        guard !waiting.isEmpty, !list.isFull else { return nil }
        work = ExclusiveWork(Work(waiting: waiting, arranged: list, last: last.map { ($0, 0) }))
    }

    /// The items of the pages so far.
    var items: any ItemList { work.peek(\.items) ?? [] }

    /// The page that `load` would read; nil at the end of the feed, and while a page is being read.
    public var next: String? { work.peek(\.next) }

    /// Reads on, up to the next page that has a new item. nil when there is no further page, or one is being read. Blocks.
    ///
    /// After an error a later call tries the same page again, after the pages of other manifests.
    public func load() throws(FeedsError) -> Page? {
        try work.run { work throws(FeedsError) in
            var warnings: [String] = []
            while !work.arranged.isFull, let manifest = work.waiting.first {
                let had = manifest.list.count
                work.waiting.removeFirst()
                let page: ManifestPages.Page?
                do throws(FeedsError) { page = try manifest.load() } catch {
                    work.waiting.append(manifest)
                    throw error
                }
                if manifest.next != nil { work.waiting.insert(manifest, at: 0) }
                guard let page else { continue }
                warnings += page.warnings
                add(manifest, from: had, &work)
                // An end without a new item is none, as long as another manifest goes on.
                if page.added > 0 || work.next == nil {
                    return Page(
                        url: page.url, items: work.items, added: page.added, next: work.next, warnings: warnings)
                }
            }
            return nil
        } ?? nil
    }

    private func add(_ manifest: ManifestPages, from had: Int, _ work: inout Work) {
        if let last = work.last, last.manifest === manifest {
            work.arranged.replaceLast(with: ListTail(list: manifest.list, first: last.first))
        } else {
            work.arranged.append(ListTail(list: manifest.list, first: had))
            work.last = (manifest, had)
        }
    }

    /// Puts an item before all others, unless it is among them: a feed that is read again keeps the one that is being watched. Blocks: the
    /// spools are read. Call it while no page is being read.
    public func keep(_ item: Item) -> any ItemList {
        let kept = work.run { work -> any ItemList in
            let items = work.items
            if !(0..<items.count).contains(where: { items[$0].id == item.id }) {
                for manifest in work.waiting { manifest.leaveOut(item) }
                work.ahead = item
            }
            return work.items
        }
        return kept ?? items
    }

    /// Ends a load that is under way, with an error. From any thread.
    public func cancel() {
        for manifest in manifests { manifest.cancel() }
    }
}

/// An item, and a list after it.
private struct LedList: ItemList {
    let first: Item
    let rest: any ItemList

    var count: Int { rest.count + 1 }

    subscript(index: Int) -> Item { index == 0 ? first : rest[index - 1] }
}

/// A list from its `first` item on.
private struct ListTail: ItemList {
    let list: SpooledList
    let first: Int

    var count: Int { list.count - first }

    subscript(index: Int) -> Item { list[first + index] }
}
