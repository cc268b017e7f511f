import Engagement
import Feeds
import Model
import Threads

/// A list of the library as a source: `library:history`, `library:liked`, `library:saved`. A value.
struct LibrarySource: Equatable {
    let list: LibraryList

    /// How many of its items are browsed: the newest.
    static let most = 2_000

    /// nil if the sources are others.
    init?(_ sources: [FeedSource]) {
        guard sources.count == 1, sources[0].text.hasPrefix("library:"),
            let list = LibraryList(rawValue: String(sources[0].text.dropFirst("library:".count)))
        else { return nil }
        self.list = list
    }

    /// Reads the list. Blocks. Items that their feeds may not lead to, by the settings of today, are left out.
    ///
    /// - Parameter path: the library's file; there may be none.
    func feed(path: String?, privateHosts: URLAccessPolicy.PrivateHosts) throws(AppError) -> Feed {
        let entries = try openLibrary(path).map { store throws(AppError) in
            try readingLibrary { () throws(StoreError) in try store.entries(of: list, limit: Self.most) }
        }
        let items = (entries ?? []).compactMap {
            ItemJSON.item(ofLine: $0.item.json, feed: $0.item.feed, privateHosts: privateHosts)
        }
        return Feed(title: title, items: items, source: "library:\(list.rawValue)")
    }

    private var title: String {
        switch list {
        case .history: "History"
        case .liked: "Liked"
        case .saved: "Saved"
        }
    }
}

/// Opens the library's file to read it; nil if nothing was ever remembered. Blocks.
func openLibrary(_ path: String?) throws(AppError) -> Store? {
    guard let path, Store.exists(at: path) else { return nil }
    do throws(StoreError) {
        return try Store(reading: path)
    } catch {
        throw AppError("cannot read flick's database '\(path)': \(error)")
    }
}

func readingLibrary<Value>(_ body: () throws(StoreError) -> Value) throws(AppError) -> Value {
    do throws(StoreError) { return try body() } catch { throw AppError("cannot read flick's database: \(error)") }
}

/// A lookup in flick's history before the first picture, which waits neither for the disk nor for a program that keeps
/// the file locked.
enum BriefLookup {
    static let limit = Duration.milliseconds(200)

    /// What `body` returns; nil if that takes longer than `limit`. It then ends later, on its own thread. Blocks.
    static func run<Value: Sendable>(
        within limit: Duration = limit, _ body: @escaping @Sendable () -> Value
    ) -> Value? {
        let result = Monitor<Value?>(nil)
        BlockingThread.start {
            let value = body()
            result.change { $0 = value }
        }
        return result.wait(upTo: limit) { $0 }
    }
}
