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
        let libraryPath: String?
        let inbox: Inbox<LoopMessage>
    }

    private let work: Work
    private let thread = SerialThread()

    init(_ settings: BrowseSettings, loader: FeedLoader, kept: any ByteProvider) {
        var options = loader.options
        // It would start a program for each source.
        options.ytDLP = nil
        work = Work(
            file: settings.setup.sourceFile, configured: settings.setup.configuration.home.sources,
            provider: loader.provider, kept: kept, options: options, hidden: loader.hidden,
            libraryPath: loader.placesPath, inbox: loader.inbox)
    }

    /// Counts what is new. The list comes as an event.
    func read(_ places: PlaceSources) { run { $0.read(places, $0.kept) } }

    /// Reads all sources again, and counts.
    func refresh(_ places: PlaceSources) { run { $0.read(places, $0.provider) } }

    /// Changes a source. What Home is of then comes as a message.
    func change(_ change: SourceChange) {
        run { work in
            do throws(AppError) {
                guard let file = work.file else {
                    throw AppError("cannot find the configuration folder: set HOME or XDG_CONFIG_HOME")
                }
                if let words = try work.change(change, in: file) { work.inbox.post(.event(.notice(words))) }
                work.inbox.post(.feed(.sources(Setup.homeSources(work.configured, try file.read().sources))))
            } catch {
                work.inbox.post(.event(.notice("\(error)", .failure)))
            }
        }
    }

    /// What is not done by then is not waited for.
    func close() { thread.end() }

    private func run(_ job: @escaping @Sendable (Work) -> Void) {
        let work = work
        let isQueued = thread.put { runs in if runs { job(work) } }
        if isQueued { thread.wake() }
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
            return "Added again: \(source.name ?? SafeURL.text(source.text))"
        case .add(let source):
            let found = try found(source)
            let new = found.filter { one in !configured.contains { $0.text == one.source.text } }.map(\.source)
            let added = try file.change { list throws(AppError) in list.add(new) }
            guard let first = found.first, added.contains(true) else { return "This source is in Home already" }
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

    fileprivate func read(_ places: PlaceSources, _ provider: any ByteProvider) {
        let configured = Set(configured.map(\.text))
        let home = counts(of: places.home, provider)
        var list = PlaceList(
            sources: zip(places.home, home).map { source, count in
                PlaceList.Source(
                    source.text, name: source.name, weight: source.weight,
                    isAdded: !configured.contains(source.text), unseen: count?.unseen)
            })
        // Standard input is read once, and lists of the library have counts of their own.
        let isRead = !places.named.isEmpty && !places.named.contains { $0.text == "-" }
        let named = isRead && LibrarySource(places.named) == nil ? counts(of: places.named, provider) : []
        let store = libraryPath.flatMap { Store.exists(at: $0) ? $0 : nil }
        for place in places.all {
            let chosenFrom = places.home.isEmpty ? named : home
            let count: Int? =
                switch place {
                case .source: Self.sum(named, \.unseen)
                case .home: Self.sum(home, \.unseen)
                case .forYou: Self.sum(chosenFrom, \.unseen)
                case .following: Self.sum(chosenFrom, \.followed)
                case .liked, .saved, .history:
                    // `try?`: without a library that can be read there is no count.
                    store.flatMap { path in place.list.flatMap { try? Store(reading: path).count(of: $0) } }
                }
            list.counts[place] = count
        }
        inbox.post(.event(.placeList(list)))
    }

    private func counts(of sources: [FeedSource], _ provider: any ByteProvider) -> [UnseenCount?] {
        guard !sources.isEmpty else { return [] }
        // `try?`: the recorder reports a library that cannot be read; then nothing was seen.
        let counts = try? UnseenCount.counts(
            of: sources, provider: provider, options: options, hidden: hidden.snapshot.rules, libraryPath: libraryPath)
        return counts ?? sources.map { _ in nil }
    }

    /// nil if no source was read.
    private static func sum(_ counts: [UnseenCount?], _ figure: KeyPath<UnseenCount, Int>) -> Int? {
        let known = counts.compactMap(\.self)
        return known.isEmpty ? nil : known.reduce(0) { $0 + $1[keyPath: figure] }
    }
}
