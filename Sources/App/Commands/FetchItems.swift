import Bytes
import Engagement
import Feeds
import Model
import Platform
import Ranking
import Screen

/// `flick fetch`: brings items of a source whole into the cache, with their subtitles, first those that were never
/// seen.
/// Prints a line for each, on a terminal with how far it is. Returns whether all are whole. Throws
/// `AppError`. Blocks; what has come is kept when a signal ends it.
///
/// - Parameters:
///   - sources: none for those of the configuration.
///   - limit: the most items.
public func fetchItems(
    sources: [String], limit: Int, json: Bool, shuffle: Bool, order: FeedOrder?, stateFolder: String?, setup: Setup
) throws -> Bool {
    setup.printWarnings()
    guard let cache = setup.cache else { throw AppError("cannot download: the cache is off") }
    let command = try setup.commandProvider()
    defer { command.close() }
    let libraryPath =
        setup.configuration.engagement.remembers ? ReportSettings(stateFolder: stateFolder).libraryPath : nil
    let feed = try feedToFetch(
        sources, shuffle: shuffle, order: order, libraryPath: libraryPath, provider: command.provider, setup: setup)
    let hidden = setup.hidden(libraryPath: libraryPath)
    let (choice, failure) = try choose(from: feed, limit: limit, hidden: hidden, libraryPath: libraryPath)
    var report = FetchReport(json: json)
    // An eviction leaves so much, the files that came last.
    var room = Int64(Double(cache.limit) * cache.lowWater)
    var (count, missing) = (0, 0)
    var offline = FetchedClips(libraryPath)
    for item in choice.items where !report.isClosed {
        count += 1
        guard RemoteURL(item.url) != nil else {
            report.file(item, number: count)
            continue
        }
        let asset = Asset(item, retention: .lasting)
        let result = command.provider.fetchWhole(asset, room: room) { report.show($0, of: item, number: count) }
        var captions = KeptCaptions()
        if case .whole(let bytes, _) = result {
            room -= bytes
            captions = KeptCaptions(of: item, with: command.provider)
            offline.add(LibraryItem(fetched: item, from: feed))
        } else {
            missing += 1
        }
        report.add(result, captions, of: item, number: count)
    }
    try report.finish()
    for remark in [choice.summary, offline.warning].compactMap(\.self) { printError("flick: \(remark)") }
    if let failure { throw failure }
    if missing > 0 { printError("flick: incomplete: \(missing) of \(count) items") }
    return missing == 0
}

/// The items to fetch, none of them hidden, and why the feed could not be read further.
func choose(
    from feed: Feed, limit: Int, hidden: HiddenRules, libraryPath: String?
) throws(AppError) -> (choice: FetchChoice, failure: AppError?) {
    let store = try openLibrary(libraryPath)
    var (course, choice) = (FeedIterator(feed), FetchChoice(limit: limit))
    while !choice.isComplete {
        let item: Item?
        do throws(AppError) { item = try course.next() } catch { return (choice, error) }
        guard let item else { break }
        if hidden.hides(item) { continue }
        let wasSeen = try store.map { store throws(AppError) in
            try readingLibrary { () throws(StoreError) in try !store.seen(among: [ItemKey(item)]).isEmpty }
        }
        choice.add(item, wasSeen: wasSeen ?? false)
    }
    return (choice, nil)
}

private func feedToFetch(
    _ sources: [String], shuffle: Bool, order: FeedOrder?, libraryPath: String?, provider: any ByteProvider,
    setup: Setup
) throws(AppError) -> Feed {
    let home = setup.homeSources
    let named = try Installation.sourcesOrDemo(sources.isEmpty ? home : sources.map { FeedSource($0) })
    var options = setup.feedOptions(shuffle: shuffle ? .random(in: 0 ... .max) : nil, order: order)
    if sources.isEmpty, home.count > 1 {
        // No picture waits for it, and to fetch what was seen would cost more.
        options.mix = .unseenFirst(path: libraryPath, within: .seconds(20))
    }
    if let library = LibrarySource(named) {
        return try library.feed(path: libraryPath, privateHosts: options.privateHosts)
    }
    do throws(FeedsError) {
        return try loadFeed(sources: named, provider: provider, options: options)
    } catch {
        throw AppError("\(error)")
    }
}

/// Enters downloaded clips in the library, so that Offline lists them.
private struct FetchedClips {
    /// nil where flick remembers nothing, or cannot write.
    private var library: Store?
    private var missing = 0
    private var why: StoreError?

    init(_ path: String?) {
        guard let path else { return }
        do throws(StoreError) { library = try Store(path: path) } catch { why = error }
    }

    mutating func add(_ item: LibraryItem) {
        guard let library else {
            missing += 1
            return
        }
        do throws(StoreError) { _ = try library.apply([.fetched(item)], queuesMessages: false) } catch {
            missing += 1
            why = why ?? error
        }
    }

    /// What is not in Offline, and why: one line.
    var warning: String? {
        guard let why, missing > 0 else { return nil }
        return "cannot add \(missing == 1 ? "1 clip" : "\(missing) clips") to Offline: \(why)"
    }
}

extension LibraryItem {
    init(fetched item: Item, from feed: Feed) {
        // A list of the library says nothing new of where its items are of.
        let source = feed.source.hasPrefix("library:") ? "" : SourceName.text(feed.source)
        self.init(
            key: ItemKey(item), url: item.url, json: ItemJSON.line(item, source: source), feed: item.feed,
            source: source, endpoint: LibraryLink.itemEndpoint(feed.engagement, for: item))
    }
}

/// What `flick fetch` prints.
struct FetchReport {
    let json: Bool
    /// nil where standard output is no terminal.
    private let columns: Int?
    private var output = StandardOutput()

    init(json: Bool) {
        self.json = json
        columns = json ? nil : standardOutputSize()?.columns
    }

    var isClosed: Bool { output.isClosed }

    mutating func finish() throws { try output.finish() }

    /// How far an item is; on a terminal only.
    mutating func show(_ progress: WholeFile.Progress, of item: Item, number: Int) {
        guard columns != nil else { return }
        var how = Amount.text(bytes: progress.cached)
        if let length = progress.length, length > 0 {
            let part = min(max(Double(progress.cached) / Double(length), 0), 1)
            let full = Int(part * 20)
            let bar = String(repeating: "#", count: full) + String(repeating: ".", count: 20 - full)
            how = "[\(bar)] \(Int(part * 100)) % of \(Amount.text(bytes: length))"
        }
        write(Self.line(number, how, item), isLast: false)
    }

    mutating func file(_ item: Item, number: Int) {
        write(json ? Self.object(item, "file") { _ in } : Self.line(number, "local file", item))
    }

    /// - Parameter captions: of a whole clip.
    mutating func add(_ result: WholeFile, _ captions: KeptCaptions, of item: Item, number: Int) {
        write(Self.text(result, captions, of: item, number: number, json: json))
    }

    static func text(
        _ result: WholeFile, _ captions: KeptCaptions, of item: Item, number: Int, json: Bool
    ) -> String {
        let (state, words, bytes): (String, String, Int64?) =
            switch result {
            case .whole(let bytes, fetched: 0): ("whole", "already downloaded, \(Amount.text(bytes: bytes))", bytes)
            case .whole(let bytes, _): ("whole", "downloaded, \(Amount.text(bytes: bytes))", bytes)
            case .stream: ("stream", "skipped: streams cannot be downloaded", nil)
            case .tooLarge(let bytes):
                ("too_large", "skipped: no room for its \(Amount.text(bytes: bytes)); see cache.size", bytes)
            case .failed(let why): ("failed", "incomplete: \(CleanText.line(why, limit: 200))", nil)
            }
        guard json else { return line(number, words + Self.words(captions), item) }
        return object(item, state) { line in
            if let bytes { line.put("bytes", .integer(Int(bytes))) }
            if case .whole(_, let fetched) = result { line.put("fetched", .integer(Int(fetched))) }
            if case .failed(let why) = result { line.put("why", .text(CleanText.line(why, limit: 200))) }
            if captions.count > 0 { line.put("subtitles", .integer(captions.count)) }
            guard let why = captions.why else { return }
            line.put("subtitles_missing", .integer(captions.missing))
            line.put("subtitles_why", .text(CleanText.line(why, limit: 200)))
        }
    }

    private static func words(_ captions: KeptCaptions) -> String {
        let all = captions.count + captions.missing
        guard let why = captions.why else { return all > 0 ? ", subtitles: \(all)" : "" }
        return ", subtitles: \(captions.count) of \(all): \(CleanText.line(why, limit: 200))"
    }

    private static func object(_ item: Item, _ state: String, _ more: (inout JSONLine) -> Void) -> String {
        var line = JSONLine()
        line.put("id", .text(item.id))
        line.put("url", .text(SafeURL.text(item.url)))
        line.put("state", .text(state))
        more(&line)
        return line.object
    }

    private static func line(_ number: Int, _ words: String, _ item: Item) -> String {
        "\(number)\t\(words)\t\(CleanText.line(item.title ?? SafeURL.text(item.url), limit: 300))"
    }

    /// On a terminal in place of what was shown of the same item, in one row.
    private mutating func write(_ text: String, isLast: Bool = true) {
        if let columns {
            let row = text.split(separator: "\t", omittingEmptySubsequences: false).joined(separator: "  ")
            output.write("\r\u{1B}[K" + GlyphLine(row).truncated(to: max(columns - 1, 1)).text + (isLast ? "\n" : ""))
        } else {
            output.write(text + "\n")
        }
        // Each line stands for work that took long.
        output.flush()
    }
}
