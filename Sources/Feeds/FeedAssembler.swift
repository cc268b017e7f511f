import Bytes
import Model
import Platform
import Threads

/// Reads sources into one feed. A value; reading blocks.
struct FeedAssembler: Sendable {
    struct Part: Sendable {
        let list: any ItemList
        /// How often it has its turn in a mix; see `FeedSource`.
        var weight = 1.0
        /// The further pages of this part, and where its feed wants engagement reported.
        var pages: SourcePages?
        var engagement: String?
        var abilities: Set<ServiceAbility> = []
        /// How old it is, if its server did not answer.
        var age: Duration?
    }

    let provider: any ByteProvider
    private(set) var options: FeedOptions
    var parts: [Part] = []
    /// Clips that were named one by one, until another kind of source follows.
    var clips = PathList()
    private var warnings: [String] = []
    private(set) var withoutMedia = 0
    private var folders: [FollowedFolder] = []
    var failures: [FeedsError] = []
    var late: PendingSources?
    /// Is given a feed's address, page and pages once its first items are there.
    var handOver: (@Sendable (String, FeedPage, SourcePages) -> Void)?
    var named: [String] = []
    /// Whether the sources come from a list, which may not lead to further lists.
    private let isOfList: Bool
    /// The source that is being added.
    private var current = FeedSource("")
    /// The names of the sources, without repetitions.
    private var titles: [String] = []

    init(provider: any ByteProvider, options: FeedOptions, isOfList: Bool = false) {
        self.provider = provider
        self.options = options
        self.isOfList = isOfList
    }

    /// Reads sources, those on servers at the same time. They follow each other in their order.
    ///
    /// - Parameter chosen: is read as if it was one more source on a server, the last one.
    mutating func add(_ sources: [FeedSource], and chosen: ChosenItems? = nil) {
        let remote = sources.filter(Self.isRemote)
        // A single feed is in its own order, unless all items are to be in another one.
        let isMixed = options.mix?.order == .newest
        if beginsEarly, sources.count == 1, chosen == nil, !isMixed { return addBeginning(of: sources[0]) }
        guard remote.count + (chosen == nil ? 0 : 1) > 1 else {
            for source in sources { add(source) }
            if let chosen { add(chosen) }
            return
        }
        let began = ContinuousClock.now
        let empty = FeedAssembler(provider: provider, options: options, isOfList: isOfList)
        let named = remote + [chosen].compactMap(\.self).map { FeedSource($0.name, name: $0.name) }
        let readings = ParallelReadings(count: named.count, atOnce: FeedOptions.readAtOnce) { index in
            var one = empty
            if let chosen, index == remote.count { one.add(chosen) } else { one.add(remote[index]) }
            return one
        }
        if beginsEarly, let mix = options.mix {
            for source in sources where !Self.isRemote(source) { add(source) }
            return addAnswered(of: named, readings, until: began + mix.patience)
        }
        var next = 0
        for source in sources {
            guard Self.isRemote(source) else {
                add(source)
                continue
            }
            merge(readings.result(next))
            next += 1
        }
        if chosen != nil { merge(readings.result(next)) }
    }

    private mutating func add(_ chosen: ChosenItems) {
        named.append(chosen.name)
        parts.append(Part(list: chosen.choose()))
    }

    private static func isRemote(_ source: FeedSource) -> Bool {
        RemoteURL(FeedScheme.plain(source.text)) != nil || Service(namedBy: source.text) != nil
    }

    /// Adds what was gathered of other sources.
    mutating func merge(_ other: FeedAssembler) {
        var other = other
        other.endClips()
        endClips()
        parts += other.parts
        warnings += other.warnings
        withoutMedia += other.withoutMedia
        folders += other.folders
        failures += other.failures
        named += other.named
        for title in other.titles { name(title) }
    }

    mutating func add(_ wanted: FeedSource) {
        begin(wanted)
        let warned = warnings.count
        defer { for place in warnings.indices.dropFirst(warned) { warnings[place] = called(warnings[place]) } }
        do throws(FeedsError) {
            let (source, opened) = try find(wanted.text)
            switch source {
            case .folder(let path): try addFolder(path)
            case .clip(let url): addClip(url)
            case .feed(let url): try addFeed(at: url, opened)
            case .service(let address): try addService(address)
            case .standardInput: try addStandardInput()
            }
        } catch {
            failures.append(error.of(wanted.name))
        }
    }

    /// Items that are added from now on belong to this source.
    mutating func begin(_ source: FeedSource) {
        // Clips that were named one by one are one part, with one weight.
        if source.weight != current.weight { endClips() }
        current = source
    }

    /// A warning about the source that is being added.
    private func called(_ warning: String) -> String {
        current.name.map { FeedsError.text(warning, of: $0) } ?? warning
    }

    mutating func feed() throws(FeedsError) -> Feed {
        endClips()
        let isEmpty = parts.allSatisfy { $0.list.count == 0 }
        if isEmpty { throw failures.first ?? .noItems(named.joined(separator: " "), skipped: 0, first: nil) }
        let isMixed = parts.count > 1 || late != nil || options.mix?.order == .newest
        let mix = isMixed ? options.mix : nil
        let arranged = ArrangedList(
            parts.map(\.list), shuffle: options.shuffle, order: options.order, mix: mix,
            weights: parts.map(\.weight), limit: options.limit, begun: late == nil ? nil : PendingSources.begun)
        let pages = FeedPages(
            of: parts.compactMap(\.pages), after: arranged, endingWith: parts.last?.pages, inTurn: mix != nil,
            late: late)
        let isPlain =
            parts.count == 1 && !isMixed && options.shuffle == nil && options.order == nil && options.limit == nil
        var feed = Feed(
            title: title, items: isPlain ? parts[0].list : arranged, next: pages?.next,
            pages: pages,
            // With several sources, it is unclear where to report engagement.
            engagement: named.count == 1 && parts.count == 1 ? parts[0].engagement : nil,
            warnings: complaints, source: named.joined(separator: " "))
        if feed.engagement != nil { feed.abilities = parts[0].abilities }
        feed.withoutMedia = withoutMedia
        feed.folders = folders
        let ages = parts.compactMap(\.age)
        if ages.count == parts.count { feed.cachedAge = ages.max() }
        return feed
    }

    /// The names of the sources, joined; of many only the first ones.
    private var title: String? {
        if titles.isEmpty { return nil }
        return titles.prefix(3).joined(separator: ", ") + (titles.count > 3 || late != nil ? ", …" : "")
    }

    /// The errors and the skipped entries, one line each.
    var complaints: [String] { failures.map(\.description) + warnings }

    /// The items of each source, in their order.
    var lists: [any ItemList] { parts.map(\.list) }

    /// How often each has its turn.
    var weights: [Double] { parts.map(\.weight) }

    /// The further pages of the sources that have any.
    var pages: [SourcePages] { parts.compactMap(\.pages) }

    private mutating func name(_ title: String?) {
        guard let title, !titles.contains(title) else { return }
        titles.append(title)
    }

    private func find(_ argument: String) throws(FeedsError) -> (source: Source, opened: OpenedText?) {
        do throws(BytesError) { return try Source.find(argument, provider: provider) } catch {
            throw .unreadable(error)
        }
    }

    private mutating func addFolder(_ path: [UInt8]) throws(FeedsError) {
        let url = FileURL.url(path: path)
        let since = Int64(time(nil))
        var walk: FolderWalk
        do throws(BytesError) { walk = try FolderWalk(path: path) } catch { throw .unreadable(error) }
        guard walk.clips.count > 0 else { throw walk.sawAnything ? .noMedia(url) : .emptyFolder(url) }
        walk.sortNaturally()
        let last = path.split(separator: UInt8(ascii: "/")).last.map { String(decoding: $0, as: UTF8.self) }
        if options.namesFolders { walk.nameRoot(last) }
        warnings += walk.warnings
        endClips()
        parts.append(Part(list: walk.clips, weight: current.weight))
        folders.append(FollowedFolder(path, walk, since: since))
        named.append(url)
        name(current.name ?? last)
    }

    private mutating func addClip(_ url: String) {
        named.append(url)
        name(current.name ?? ClipTitle.ofFeed(clip: url))
        appendClip(url)
    }

    /// Subtitles are looked for beside at most this many clips named in a row.
    private static let lookedBeside = 16

    private mutating func appendClip(_ url: String) {
        if let path = FileURL.path(of: url) {
            // Each costs a look at its folder.
            let beside = clips.count < Self.lookedBeside ? CaptionSidecar.found(beside: path) : []
            if clips.append(path, captions: beside) { return }
        }
        endClips()
        let item = Item(id: ItemID.hash(of: url), url: url, title: ClipTitle.of(url))
        parts.append(Part(list: [item], weight: current.weight))
    }

    private mutating func endClips() {
        // With a single folder the feed's title already names it.
        clips.namesFolders = !clips.isOneFolder
        if clips.count > 0 { parts.append(Part(list: clips, weight: current.weight)) }
        clips = PathList()
    }

    private mutating func addFeed(at url: String, _ opened: OpenedText?) throws(FeedsError) {
        if let opened, opened.kind == .opml, !isOfList { return try addSubscriptions(of: opened) }
        let pages = SourcePages(provider: provider, options: options, name: current.name, creators: current.creators)
        let first = try pages.begin(url, opened, handOver: handOver.map { give in { give(url, $0, pages) } })
        try add(first, pages, at: url)
    }

    private mutating func addService(_ address: ServiceAddress) throws(FeedsError) {
        let pages = SourcePages(provider: provider, options: options, name: current.name, creators: current.creators)
        try add(try pages.begin(address), pages, at: address.text)
    }

    mutating func add(_ first: FeedPage, _ pages: SourcePages, at url: String) throws(FeedsError) {
        warnings += first.namedWarnings
        withoutMedia += first.withoutMedia
        if let failure = first.failure { warnings.append(FeedsError.unreadable(failure).description) }
        // The first page may be empty and still have a next page.
        if first.added == 0, let page = try pages.load() {
            warnings += page.warnings
            withoutMedia += page.withoutMedia
        }
        guard pages.list.count > 0 else {
            if first.skipped == 0, first.withoutMedia > 0 {
                throw .noEntryWithMedia(url, entries: first.withoutMedia)
            }
            throw .noItems(url, skipped: first.skipped, first: first.warnings.first)
        }
        endClips()
        parts.append(
            Part(
                list: pages.list, weight: current.weight, pages: pages, engagement: first.engagement,
                abilities: first.abilities, age: first.age))
        named.append(url)
        name(current.name ?? first.title ?? ClipTitle.ofFeed(manifest: url))
    }

    /// Adds the feeds that a list of subscriptions names.
    private mutating func addSubscriptions(of list: OpenedText) throws(FeedsError) {
        let subscriptions = try Subscription.read(list, privateHosts: options.privateHosts)
        var feeds = FeedAssembler(provider: provider, options: options, isOfList: true)
        feeds.options.beginsEarly = false
        feeds.add(
            subscriptions.map {
                FeedSource($0.url, name: FeedSource.name(from: $0.title), weight: current.weight)
            })
        feeds.named = [list.url]
        merge(feeds)
    }

    /// Reads a list of sources: one per line, or each ended by NUL if there is one (`find -print0`). Or a feed.
    private mutating func addStandardInput() throws(FeedsError) {
        let descriptor = options.standardInput
        let stream = ByteStream("standard input", limit: FeedPage.sizeLimit) { _, buffer throws(BytesError) in
            while true {
                let count = read(descriptor, buffer.baseAddress, buffer.count)
                if count >= 0 { return count }
                guard errno == EINTR else {
                    throw BytesError(verb: .read, url: "standard input", reason: .system(errno))
                }
            }
        }
        let here = FileURL.url(path: FileURL.absolute([]) + [UInt8(ascii: "/")])
        let opened: OpenedText
        do throws(BytesError) { opened = try OpenedText(stream, at: here, type: nil) } catch {
            throw .unreadable(error)
        }
        switch opened.kind {
        case .json, .syndication, .channels, .pls, .xspf: return try addFeed(at: here, opened)
        case .media, .stream, .opml, .page, .other: break
        }
        var bytes = stream.next()
        while true {
            let more = stream.next()
            if more.isEmpty { break }
            bytes += more
            guard bytes.count <= FeedAssembler.listLimit else { throw .listTooLarge(limit: FeedAssembler.listLimit) }
        }
        if let failure = stream.failure { throw .unreadable(failure) }
        addList(bytes)
    }

    /// The most bytes of a list of sources.
    private static let listLimit = 64 << 20

    private mutating func addList(_ bytes: [UInt8]) {
        named.append("-")
        let separator: UInt8 = bytes.contains(0) ? 0 : 0x0A
        for entry in bytes.split(separator: separator) {
            var entry = entry
            if separator == 0x0A, entry.last == 0x0D { entry = entry.dropLast() }
            guard !entry.isEmpty, !entry.elementsEqual([UInt8(ascii: "-")]) else { continue }
            addEntry(entry)
        }
    }

    /// Does not examine files whose name is a clip's, and asks no server: a
    /// list can be long, and a missing clip gets an error page.
    private mutating func addEntry(_ entry: ArraySlice<UInt8>) {
        let given = String(decoding: entry, as: UTF8.self)
        let text = FeedScheme.plain(given)
        let parts = URLParts(text)
        let isURL = parts?.scheme != nil && parts?.authority != nil
        if !isURL && ClipName.isClip(entry) { return appendClip(FileURL.url(path: FileURL.absolute(entry))) }
        if isURL, text == given, parts?.scheme != "file", ClipName.ending(of: Array((parts?.path ?? "").utf8)) != "json"
        {
            return appendClip(text)
        }
        do throws(FeedsError) {
            let isText = String(validating: entry, as: UTF8.self) != nil
            let (source, opened) = try find(isText ? text : FileURL.url(path: FileURL.absolute(entry)))
            switch source {
            case .folder(let path): try addFolder(path)
            case .clip(let url): appendClip(url)
            case .feed(let url): try addFeed(at: url, opened)
            case .service(let address): try addService(address)
            case .standardInput: break
            }
        } catch {
            failures.append(error)
        }
    }
}
