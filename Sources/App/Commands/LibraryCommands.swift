import Engagement
import Feeds
import Model
import Platform
import Screen

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// How many rows are read at a time.
private let rowsAtOnce = 500

/// `flick history`, `flick liked`, `flick saved`: prints the list, the newest first. Throws `AppError`.
public func listLibrary(_ list: LibraryList, json: Bool, limit: Int?, stateFolder: String?) throws {
    let store = try openLibrary(ReportSettings(stateFolder: stateFolder).libraryPath)
    var isEmpty = true
    defer { if isEmpty, !json { printError("flick: nothing \(list.participle) yet") } }
    guard let store else { return }
    let (demo, now) = (Installation.demoName, WallClock.now)
    var output = StandardOutput()
    var (left, place): (Int, LibraryEntry.Place?) = (limit ?? .max, nil)
    while left > 0, !output.isClosed {
        let page = try readingLibrary { () throws(StoreError) in
            try store.entries(of: list, after: place, limit: min(left, rowsAtOnce))
        }
        // Scripts get all of it.
        let shown = json || list != .history ? page : page.filter { $0.item.source != demo }
        for entry in shown { output.write((json ? entry.jsonLine : entry.textLine(now: now)) + "\n") }
        guard let last = page.last else { break }
        isEmpty = isEmpty && shown.isEmpty
        (left, place) = (left - shown.count, last.place)
    }
    try output.finish()
}

extension LibraryList {
    fileprivate var participle: String {
        switch self {
        case .history: "watched"
        case .liked: "liked"
        case .saved: "saved"
        }
    }
}

/// `flick events`: prints the engagement log, the oldest first. Throws `AppError`.
///
/// - Parameter since: in seconds since 1970; nil for all of it.
public func listEvents(json: Bool, since: Double?, stateFolder: String?) throws {
    guard let store = try openLibrary(ReportSettings(stateFolder: stateFolder).libraryPath) else { return }
    var output = StandardOutput()
    let (demo, now) = (Installation.demoName, WallClock.now)
    var number: Int64 = 0
    while !output.isClosed {
        let page = try readingLibrary { () throws(StoreError) in
            try store.events(after: number, since: since ?? -.infinity, limit: rowsAtOnce)
        }
        for entry in page where json || entry.source != demo {
            output.write((json ? entry.jsonLine : entry.textLine(now: now)) + "\n")
        }
        guard let last = page.last else { break }
        number = last.number
    }
    try output.finish()
}

/// `flick stats`: draws what was watched, or prints it as one object. Throws `AppError`.
///
/// - Parameters:
///   - source: a feed as it was opened; nil for all.
///   - since: in seconds since 1970; nil for all of it.
public func showStatistics(of source: String?, since: Double?, json: Bool, stateFolder: String?) throws {
    let statistics = try ownStatistics(
        of: source, without: json || source != nil ? nil : Installation.demoName, since: since,
        limit: json ? 10_000 : 10, stateFolder)
    try show(statistics, json: json)
    guard let source, statistics.all.visits == 0, since == nil else { return }
    printError(
        "flick: unknown feed '\(CleanText.line(source, limit: 200))'; use the address it was opened with")
}

/// `flick stats URL --admin-token`: the same of what all viewers of a served feed watched. Throws `AppError`.
public func showStatistics(ofServed feed: String, adminToken: String, since: Double?, json: Bool, setup: Setup) throws {
    setup.printWarnings()
    let sending = ServiceClient(setup.configuration.network)
    defer { sending.close() }
    let statistics = try sending.statistics(
        of: feed, adminToken: adminToken, since: since, limit: json ? 5_000 : 10)
    try show(statistics, json: json)
}

private func ownStatistics(
    of source: String?, without excluded: String?, since: Double?, limit: Int, _ stateFolder: String?
) throws -> Statistics {
    guard let store = try openLibrary(ReportSettings(stateFolder: stateFolder).libraryPath) else { return .nothing }
    let url = source.map { FileURL.url(path: FileURL.absolute(Array($0.utf8))) }
    // A path is remembered as its URL.
    for name in source == nil ? [nil] : [source.map(SourceName.text), url] {
        let statistics = try readingLibrary { () throws(StoreError) in
            try store.statistics(of: name, without: excluded, since: since ?? -.infinity, limit: limit)
        }
        if statistics.all.visits > 0 { return statistics }
    }
    return .nothing
}

private func show(_ statistics: Statistics, json: Bool) throws {
    let report = StatisticsReport(
        columns: min(standardOutputSize()?.columns ?? 80, 100), isASCII: !TerminalEnvironment.current.hasUnicode,
        today: WallClock.localDate(WallClock.now))
    var output = StandardOutput()
    output.write(json ? statistics.json.object + "\n" : report.text(statistics))
    try output.finish()
}

/// `flick forget`: everything, one item, or what was seen in one feed. Returns how many items were deleted. Throws
/// `AppError`, also if nothing matches.
///
/// - Parameters:
///   - what: `all`; or the id, the URL or the path of an item; or a feed as it was opened.
///   - before: only what is older, in seconds since 1970.
public func forget(_ what: String, before: Double?, stateFolder: String?) throws -> Int {
    let report = ReportSettings(stateFolder: stateFolder)
    let store = try openLibrary(report.libraryPath)
    if what == "all" {
        if before == nil, let path = report.memoryPath { unlink(path) }
        return try readingLibrary { () throws(StoreError) in try store?.forget(.all, before: before) ?? 0 }
    }
    let count = try readingLibrary { () throws(StoreError) in
        let url = FileURL.url(path: FileURL.absolute(Array(what.utf8)))
        for name in [Forgetting.item(what), .item(url), .source(SourceName.text(what)), .source(url)] {
            if let count = try store?.forget(name, before: before), count > 0 { return count }
        }
        return 0
    }
    guard count > 0 else {
        let name = SafeURL.text(CleanText.line(what, limit: 200))
        throw AppError("cannot delete \(name): not in the library\(before == nil ? "" : " before that time")")
    }
    return count
}

extension LibraryEntry {
    /// The item as `flick feed --json` prints it, and since when it is in the list.
    var jsonLine: String {
        var line = JSONLine()
        line.put("at", .text(RFC3339.text(seconds: at)))
        line.put("liked", .flag(memory.reaction.isLiked))
        line.put("disliked", .flag(memory.reaction.isDisliked))
        line.put("saved", .flag(memory.reaction.isSaved))
        // Both are objects that flick wrote.
        return item.json.dropLast() + "," + line.object.dropFirst()
    }

    func textLine(now: Double) -> String {
        let stored = ItemJSON.item(ofLine: item.json, feed: item.feed, privateHosts: .always)?.title
        let title = stored ?? SafeURL.text(item.url)
        return "\(LocalMoment(at, now: now).text)\t\(CleanText.line(title))"
    }
}

extension EventEntry {
    var jsonLine: String {
        var line = JSONLine()
        line.put("event_id", .text(event.id))
        line.put("session_id", .text(event.session))
        line.put("at", .text(RFC3339.text(seconds: event.at)))
        line.put("what", .text(event.what))
        line.put("video_id", .text(item.id))
        line.put("url", .text(SafeURL.text(url)))
        let detail = event.detail.dropFirst().dropLast()
        return detail.isEmpty ? line.object : line.object.dropLast() + "," + detail + "}"
    }

    func textLine(now: Double) -> String {
        let line = "\(LocalMoment(event.at, now: now).text)\t\(event.what)\t\(CleanText.line(SafeURL.text(url)))"
        let words = EventWords(event.what, event.detail).text
        return words.isEmpty ? line : "\(line)\t\(CleanText.line(words))"
    }
}

/// A date as RFC 3339 has it, also without a time; or how long ago, in minutes, hours or days ("90m", "36h", "7d"). In
/// seconds since 1970; nil for anything else.
public func moment(_ text: String) -> Double? {
    if let date = RFC3339.date(from: text) { return date.timeIntervalSince1970 }
    let units = ["m": 60.0, "h": 3_600, "d": 86_400]
    guard let unit = text.last.flatMap({ units[String($0)] }), let count = Int(text.dropLast()), count >= 0 else {
        return nil
    }
    return WallClock.now - Double(count) * unit
}
