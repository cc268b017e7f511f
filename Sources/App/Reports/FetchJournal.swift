import Bytes
import Model
import Synchronization

/// Tells trace and log what came through the provider, and where from. From any thread.
final class FetchJournal: Sendable {
    private let journal: Journal
    private let items = Mutex(WantedItems())

    init(_ journal: Journal) { self.journal = journal }

    /// These are wanted now: what is fetched for them is told with their ids.
    func note(_ wanted: some Sequence<Item>) {
        items.withLock { items in
            for item in wanted { items.note(item) }
        }
    }

    /// Whether anybody listens to `tell(_:)` of fetches.
    var isHeard: Bool { journal.hears("fetch") }

    func tell(_ fetch: Fetch) {
        let item = items.withLock { $0.id(ofURL: fetch.asset) }
        journal.tell(FetchJournal.event(fetch, item: item))
    }

    /// The cache cannot be used, or not as it should.
    func tell(trouble: String) {
        journal.tell(TraceEvent("error", ["what": .text("cache"), "why": .text(trouble)]))
    }

    static func event(_ fetch: Fetch, item: Item.ID?) -> TraceEvent {
        TraceEvent(
            "fetch", item: item,
            [
                "url": .text(fetch.url), "from": .integer(Int(fetch.from)),
                "to": fetch.to.map { .integer(Int($0)) } ?? .null, "got": .integer(Int(fetch.got)),
                "source": .text(fetch.source.rawValue), "status": .integer(fetch.status),
                "ms": .number(fetch.time.milliseconds),
            ])
    }
}
