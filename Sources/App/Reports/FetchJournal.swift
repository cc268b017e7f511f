import Bytes
import Model
import Synchronization

/// Records in trace and log which bytes arrived, and from where. Any thread.
final class FetchJournal: Sendable {
    let journal: Journal
    private let items = Mutex(WantedItems())

    init(_ journal: Journal) { self.journal = journal }

    /// These items are wanted now: fetches for them are recorded with their ids.
    func note(_ wanted: some Sequence<Item>) {
        items.withLock { items in
            for item in wanted { items.note(item) }
        }
    }

    /// Whether `record` of a fetch writes anything.
    var writesFetches: Bool { journal.writesFetches }

    func record(_ fetch: Fetch) {
        let item = items.withLock { $0.id(ofURL: fetch.asset) }
        journal.record(FetchJournal.event(fetch, item: item))
    }

    /// The cache cannot be used, or only in part.
    func record(cacheError why: String) {
        journal.record(.error(what: "cache", why: why))
    }

    static func event(_ fetch: Fetch, item: Item.ID?) -> TraceEvent {
        .fetch(
            TraceEvent.FetchFigures(
                item: item, url: fetch.url, from: fetch.from, to: fetch.to, got: fetch.got,
                source: fetch.source.rawValue, status: fetch.status, took: fetch.time))
    }
}

/// The ids of recently wanted URLs: fetches are reported by URL, but the trace names items. A value.
struct WantedItems {
    /// More than the items that have a player or are being prefetched.
    static let limit = 64

    /// The most recent is last.
    private var items: [(url: String, id: Item.ID)] = []

    /// nil if the URL is not an item's, or was wanted long ago.
    func id(ofURL url: String) -> Item.ID? { items.last { $0.url == url }?.id }

    mutating func note(_ item: Item) {
        items.removeAll { $0.url == item.url }
        items.append((item.url, item.id))
        if items.count > WantedItems.limit { items.removeFirst() }
    }
}
