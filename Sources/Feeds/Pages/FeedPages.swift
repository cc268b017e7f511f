import Model
import Synchronization

/// The items that follow a feed's first ones, a page at a time. Any thread.
public protocol FurtherPages: AnyObject, Sendable {
    /// Whether more of the feed is arriving: call `load` at once, not only near the end. Does not block.
    var isArriving: Bool { get }
    /// Reads until there is a new item. Returns nil if there is no further page, or if one is being read. Blocks. After
    /// an error, a later call tries again.
    func load() throws(FeedsError) -> FeedPages.Page?
    /// Puts an item before all others, unless it is among them: when a feed is read again, the current item stays.
    /// Blocks. Do not call it while a page is being read.
    func keep(_ item: Item) -> any ItemList
    /// Ends a running load with an error.
    func cancel()
}

/// The parts of a feed that are still to come: late sources, the rest of a long page, and further pages, first those of
/// its first source that has any, then those of the next. Their items come after all others.
///
/// Reads one page at a time, on any thread that may block.
public final class FeedPages: FurtherPages {
    /// A further page that was read. A value.
    public struct Page: Sendable {
        /// Where it was found.
        public var url: String
        /// All items: the earlier ones with unchanged indices, then the page's.
        public var items: any ItemList
        /// How many items the page added.
        public var added: Int
        /// The URL of the next page; nil if this was the last one.
        public var next: String?
        /// One line for each skipped entry, with the reason.
        public var warnings: [String]
        /// How many entries were left out, as they have nothing to play.
        public var withoutMedia = 0

        public init(
            url: String, items: any ItemList, added: Int, next: String?, warnings: [String], withoutMedia: Int = 0
        ) {
            (self.url, self.items, self.added, self.next) = (url, items, added, next)
            (self.warnings, self.withoutMedia) = (warnings, withoutMedia)
        }
    }

    private struct Work {
        /// The sources with a next page, in reading order.
        var waiting: [SourcePages]
        var arranged: ArrangedList
        /// The source whose items are the last part of the list, and the index of the first of them.
        var last: (source: SourcePages, first: Int)?
        /// Items that come before all others.
        var ahead: [Item] = []
        /// The sources that have not answered.
        var late: PendingSources?
        /// Whether they have not joined the others yet.
        var isBeginning: Bool

        var items: any ItemList { ahead.isEmpty ? arranged : LedList(first: ahead, rest: arranged) }
        var next: String? { arranged.isFull ? nil : waiting.first?.next ?? late?.name }
    }

    private let sources: Mutex<[SourcePages]>
    /// Whether the sources have their pages read in turn, not one to its end before the next.
    private let inTurn: Bool
    private let work: TryLock<Work>
    private let isJoining: Atomic<Bool>

    /// nil if there is no further page.
    /// - Parameters:
    ///   - list: the items read so far.
    ///   - last: the source of the list's last part, if that has pages.
    ///   - late: the sources that have not answered yet.
    init?(
        of sources: [SourcePages], after list: ArrangedList, endingWith last: SourcePages?, inTurn: Bool = false,
        late: PendingSources? = nil
    ) {
        self.sources = Mutex(sources)
        self.inTurn = inTurn
        isJoining = Atomic(late != nil)
        let waiting = sources.filter { $0.next != nil }
        guard late != nil || !waiting.isEmpty && !list.isFull else { return nil }
        work = TryLock(
            Work(
                waiting: waiting, arranged: list, last: last.map { ($0, 0) }, late: late, isBeginning: late != nil))
    }

    public var isArriving: Bool {
        isJoining.load(ordering: .relaxed) || sources.withLock { $0.contains(where: \.isArriving) }
    }

    /// The items of all pages read so far.
    var items: any ItemList { work.peek(\.items) ?? [] }

    /// The page that `load` would read; nil at the end of the feed, and while a page is being read.
    public var next: String? { work.peek(\.next) }

    /// After an error, a later call tries the same page again, after the pages of other sources.
    public func load() throws(FeedsError) -> Page? {
        try work.run { work throws(FeedsError) in
            if let page = join(&work) { return page }
            var warnings: [String] = []
            var withoutMedia = 0
            while !work.arranged.isFull, let source = work.waiting.first {
                let had = source.list.count
                work.waiting.removeFirst()
                let page: SourcePages.Page?
                do throws(FeedsError) { page = try source.load() } catch {
                    work.waiting.append(source)
                    throw error
                }
                if source.next != nil { work.waiting.insert(source, at: inTurn ? work.waiting.count : 0) }
                guard let page else { continue }
                warnings += page.warnings
                withoutMedia += page.withoutMedia
                add(source, from: had, &work)
                // If the last page of a source has no new item, continue with the next source.
                if page.added > 0 || work.next == nil {
                    return Page(
                        url: page.url, items: work.items, added: page.added, next: work.next, warnings: warnings,
                        withoutMedia: withoutMedia)
                }
            }
            return nil
        } ?? nil
    }

    /// Adds the late sources that have answered; nil if none has. The first call blocks until all have answered or the
    /// limit has passed; later calls block only if there is nothing else to read.
    private func join(_ work: inout Work) -> Page? {
        guard var late = work.late else { return nil }
        let wasBeginning = work.isBeginning
        let joined =
            wasBeginning ? late.takeAll() : work.waiting.isEmpty ? late.takeNext() : late.takeAnswered()
        work.late = late.isEmpty ? nil : late
        work.isBeginning = false
        isJoining.store(false, ordering: .relaxed)
        guard joined != nil || wasBeginning else { return nil }
        let had = work.items.count
        work.arranged.join(joined?.lists ?? [], weights: joined?.weights ?? [])
        work.last = nil
        let pages = joined?.pages ?? []
        sources.withLock { $0 += pages }
        work.waiting += pages.filter { $0.next != nil }
        var warnings = joined?.complaints ?? []
        if wasBeginning, work.late != nil { warnings += late.complaints }
        return Page(
            url: late.name, items: work.items, added: work.items.count - had, next: work.next,
            warnings: warnings, withoutMedia: joined?.withoutMedia ?? 0)
    }

    private func add(_ source: SourcePages, from had: Int, _ work: inout Work) {
        if let last = work.last, last.source === source {
            work.arranged.replaceLast(with: ListTail(list: source.list, first: last.first))
        } else {
            work.arranged.append(ListTail(list: source.list, first: had))
            work.last = (source, had)
        }
    }

    public func keep(_ item: Item) -> any ItemList {
        let kept = work.run { work -> any ItemList in
            let items = work.items
            if !(0..<items.count).contains(where: { items[$0].id == item.id }) {
                for source in work.waiting { source.leaveOut(item) }
                work.ahead.insert(item, at: 0)
            }
            return work.items
        }
        return kept ?? items
    }

    public func cancel() {
        for source in sources.withLock(\.self) { source.cancel() }
    }
}

/// Some items, followed by a list.
private struct LedList: ItemList {
    let first: [Item]
    let rest: any ItemList

    var count: Int { first.count + rest.count }

    subscript(index: Int) -> Item { index < first.count ? first[index] : rest[index - first.count] }
}

/// A list without its first `first` items.
private struct ListTail: ItemList {
    let list: SpooledList
    let first: Int

    var count: Int { list.count - first }

    subscript(index: Int) -> Item { list[first + index] }
}

/// State that one thread works with at a time. Other threads do not wait; they get nil meanwhile. Any thread.
package final class TryLock<Work: Sendable>: Sendable {
    /// nil while a thread works with it, and before `set`.
    private let work: Mutex<Work?>

    package init(_ work: Work? = nil) { self.work = Mutex(work) }

    func set(_ work: Work) { self.work.withLock { $0 = work } }

    /// Reads the state; nil while a thread works with it. `body` must be quick.
    func peek<Result: Sendable>(_ body: (Work) -> Result?) -> Result? { work.withLock { $0.flatMap(body) } }

    /// Runs `body` with the state; nil if another thread works with it.
    package func run<Result, Failure: Error>(_ body: (inout Work) throws(Failure) -> Result) throws(Failure) -> Result?
    {
        guard var work = self.work.withLock({ $0.take() }) else { return nil }
        defer { self.work.withLock { $0 = work } }
        return try body(&work)
    }
}
