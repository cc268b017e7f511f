import Engagement
import Feeds
import Model

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
    /// - Parameters:
    ///   - path: the library's file; there may be none.
    ///   - lockLimit: how long another program may keep the file locked; nil: 5 s.
    func feed(
        path: String?, privateHosts: URLAccessPolicy.PrivateHosts, lockLimit: Duration? = nil
    ) throws(AppError) -> Feed {
        let entries = try openLibrary(path, lockLimit: lockLimit).map { store throws(AppError) in
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
///
/// - Parameter lockLimit: how long another program may keep it locked; nil: 5 s.
func openLibrary(_ path: String?, lockLimit: Duration? = nil) throws(AppError) -> Store? {
    guard let path, Store.exists(at: path) else { return nil }
    do throws(StoreError) {
        return try Store(reading: path, lockLimit: lockLimit)
    } catch {
        throw AppError("cannot read flick's database '\(path)': \(error)")
    }
}

func readingLibrary<Value>(_ body: () throws(StoreError) -> Value) throws(AppError) -> Value {
    do throws(StoreError) { return try body() } catch { throw AppError(library: error) }
}

extension AppError {
    init(library error: StoreError) { self.init("cannot read flick's database: \(error)") }
}
