import Bytes
import Engagement
import Feeds
import Model
import Platform
import Threads
import UI

/// The sheet of all places: counts what is new, and changes the sources of Home. Main thread; reading and writing are
/// done on threads of their own, one after the other.
@MainActor
final class PlacesSession {
    /// What those threads need. A value.
    fileprivate struct Work: Sendable {
        let file: SourceFile?
        /// The sources of the configuration.
        let configured: [FeedSource]
        let provider: any ByteProvider
        /// What is kept of feeds; no server is asked.
        let kept: any ByteProvider
        let options: FeedOptions
        let hidden: HiddenItems
        let offline: OfflineClips?
        let libraryPath: String?
        let flushLibrary: @Sendable () -> Void
        let inbox: Inbox<LoopMessage>
    }

    private let work: Work
    private let thread = SerialThread()
    /// How many changes of sources the user has made, and how many of them are done.
    private var changes = (made: 0, done: 0)

    init(_ settings: BrowseSettings, loader: FeedLoader, kept: any ByteProvider) {
        var options = loader.options
        // It would start a program for each source.
        options.ytDLP = nil
        work = Work(
            file: settings.setup.sourceFile, configured: settings.setup.configuration.home.sources,
            provider: loader.provider, kept: kept, options: options, hidden: loader.hidden,
            offline: loader.offline, libraryPath: loader.placesPath, flushLibrary: loader.flushLibrary,
            inbox: loader.inbox)
    }

    /// Counts what is new. The list comes as an `Arrival`.
    func read(_ places: PlaceSources) { count(places) { $0.kept } }

    /// Reads all sources again, and counts.
    func refresh(_ places: PlaceSources) { count(places) { $0.provider } }

    private func count(_ places: PlaceSources, with provider: @escaping @Sendable (Work) -> any ByteProvider) {
        run { [done = changes.done] work in
            work.inbox.post(.feed(.counted(work.list(places, provider(work)), changes: done)))
        }
    }

    /// Whether a list has all changes. One without them would undo them on the page.
    ///
    /// - Parameter changes: how many were done before it was made.
    func isCurrent(after changes: Int) -> Bool { changes == self.changes.made }

    /// A change is done, or has failed.
    func settle() { changes.done += 1 }

    /// Changes a source. The sources of Home then come as an `Arrival`, even if the change has failed.
    func change(_ change: SourceChange) {
        changes.made += 1
        run { work in
            var sources: [FeedSource]?
            do throws(AppError) {
                guard let file = work.file else {
                    throw AppError("cannot find the configuration folder; set HOME or XDG_CONFIG_HOME")
                }
                let result = Result { () throws(AppError) in try work.change(change, in: file) }
                sources = Setup.homeSources(work.configured, try file.read().sources)
                if let words = try result.get() { work.inbox.post(.event(.notice(words))) }
            } catch {
                work.inbox.post(.event(.notice("\(error)", .failure)))
            }
            work.inbox.post(.feed(.sources(sources)))
        }
    }

    /// What is not done by then is not waited for.
    func close() { thread.end() }

    private func run(_ job: @escaping @Sendable (Work) -> Void) {
        let work = work
        if thread.put({ job(work) }) { thread.wake() }
    }
}

extension PlacesSession.Work {
    /// Blocks on the disk, and on servers.
    fileprivate func change(_ change: SourceChange, in file: SourceFile) throws(AppError) -> String? {
        switch change {
        case .open, .refresh: return nil
        case .remove(let source):
            _ = try file.change { list throws(AppError) in list.remove(source.text) }
            return nil
        case .weigh(let source):
            _ = try file.change { list throws(AppError) in
                list.change(source.text, name: nil, weight: source.weight)
            }
            return nil
        case .restore(let source):
            let restored = FeedSource(source.text, name: source.name, weight: source.weight)
            _ = try file.change { list throws(AppError) in list.add([restored]) }
            return "Restored: \(source.name ?? SafeURL.text(source.text))"
        case .add(let source):
            let found = try found(source)
            let new = found.filter { one in !configured.contains { $0.text == one.source.text } }.map(\.source)
            let added = try file.change { list throws(AppError) in list.add(new) }
            guard let first = found.first, added.contains(true) else { return "Already in Home" }
            let name = first.source.name ?? first.title ?? SafeURL.text(first.source.text)
            return found.count == 1 ? "Added: \(name)" : "Added: \(added.count { $0 }) sources"
        }
    }

    private func found(_ source: PlaceList.Source) throws(AppError) -> [FoundSource] {
        let name = SafeURL.text(CleanText.line(source.text, limit: 200))
        guard let kept = FoundSource.kept(source.text, home: BaseFolder.environment("HOME")) else {
            throw AppError("cannot add \(name): no such file or folder, and not a URL")
        }
        do throws(FeedsError) {
            let found = try FoundSource.checked(kept, provider: provider, options: options).filter { $0.failure == nil }
            guard !found.isEmpty else { throw FeedsError.noSources }
            return found
        } catch {
            throw AppError("cannot add \(name): \(error)")
        }
    }

    fileprivate func list(_ places: PlaceSources, _ provider: any ByteProvider) -> PlaceList {
        flushLibrary()
        let (configured, rules) = (Set(configured.map(\.text)), hidden.snapshot.rules)
        let home = counts(of: places.home, provider)
        var list = PlaceList(
            sources: zip(places.home, home).map { source, count in
                PlaceList.Source(
                    source.text, name: source.name, weight: source.weight,
                    isAdded: !configured.contains(source.text), unseen: count?.unseen,
                    isHidden: rules.hides(source: source.text))
            })
        // Standard input is read once, and lists of the library have counts of their own.
        let isRead = !places.named.isEmpty && !places.named.contains { $0.text == "-" }
        let named = isRead && LibrarySource(places.named) == nil ? counts(of: places.named, provider) : []
        let followed = places.all.contains(.following) ? counts(of: followedFeeds, atOnce: 32, provider) : []
        // Without a library that can be read there are no counts.
        let lists = library.read { store throws(StoreError) in try store.counts() } ?? [:]
        for place in places.all {
            let chosenFrom = places.home.isEmpty ? named : home
            let count: Int? =
                switch place {
                case .source: Self.sum(named, \.unseen)
                case .home: Self.sum(home, \.unseen)
                case .forYou: Self.sum(chosenFrom, \.unseen)
                case .following: Self.sum(followed, \.unseen, and: Self.sum(chosenFrom, \.followed))
                case .liked, .saved, .history: place.list.flatMap { lists[$0] }
                // `try?`: a library that is locked now is read with the next count.
                case .offline: (try? offline?.items(without: rules))?.count
                // The page knows.
                case .hidden: nil
                }
            list.counts[place] = count
        }
        return list
    }

    /// Another program that keeps the file locked delays the counts no longer than other places.
    private var library: LibraryReader {
        LibraryReader(path: libraryPath, privateHosts: options.privateHosts, lockLimit: FeedLoader.lockLimit)
    }

    /// The feeds of creators that the user follows.
    private var followedFeeds: [FeedSource] {
        let follows = library.read { store throws(StoreError) in try store.follows() } ?? []
        return FollowedFeeds(follows, without: hidden.snapshot.rules).sources
    }

    private func counts(
        of sources: [FeedSource], atOnce: Int = 4, _ provider: any ByteProvider
    ) -> [UnseenCount?] {
        guard !sources.isEmpty else { return [] }
        // `try?`: the recorder reports a library that cannot be read; then nothing was seen.
        let counts = try? UnseenCount.counts(
            of: sources, atOnce: atOnce, provider: provider, options: options, hidden: hidden.snapshot.rules,
            libraryPath: libraryPath, lockLimit: FeedLoader.lockLimit)
        return counts ?? sources.map { _ in nil }
    }

    /// nil if no source was read, and there is no `other` figure.
    private static func sum(
        _ counts: [UnseenCount?], _ figure: KeyPath<UnseenCount, Int>, and other: Int? = nil
    ) -> Int? {
        let known = counts.compactMap(\.self)
        return known.isEmpty ? other : known.reduce(other ?? 0) { $0 + $1[keyPath: figure] }
    }
}
