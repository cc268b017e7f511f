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
