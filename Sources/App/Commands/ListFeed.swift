import Feeds
import Model
import Platform

/// `flick feed`: prints the items of a source on standard output, and warnings on standard error. Throws `AppError`.
public func listFeed(
    sources: [String], json: Bool, limit: Int?, shuffle: Bool, order: FeedOrder?, setup: Setup
) throws {
    setup.printWarnings()
    let command = try setup.commandProvider()
    defer { command.close() }
    var output = StandardOutput()
    let feed: Feed
    do {
        feed = try loadFeed(
            sources: try Installation.sourcesOrDemo(
                sources.isEmpty ? setup.homeSources : sources.map { FeedSource($0) }),
            provider: command.provider,
            options: setup.feedOptions(
                shuffle: shuffle ? .random(in: 0 ... .max) : nil, order: order, limit: limit))
    } catch {
        throw AppError("\(error)")
    }
    let source = SourceName.text(feed.source)
    var (course, index) = (FeedIterator(feed), 0)
    // Reads all pages until standard output is closed.
    while !output.isClosed, index < limit ?? .max, let item = try course.next(beforePage: { output.flush() }) {
        index += 1
        // Only beside the clips of a folder are files read.
        if let path = FileURL.path(of: item.url), feed.folders.contains(where: { $0.contains(path) }) {
            for remark in Sidecar.remarks(beside: path) { printError("flick: \(remark)") }
        }
        if json {
            output.write(ItemJSON.line(item, source: source) + "\n")
        } else {
            let creator = (item.creator?.name ?? item.folder).map { "  (\(CleanText.line($0)))" } ?? ""
            output.write("\(index)\t\(CleanText.line(item.title ?? SafeURL.text(item.url)))\(creator)\n")
        }
    }
    // Only here: while browsing, entries without media are not missed.
    if course.withoutMedia > 0 {
        printError("flick: skipped entries without video or audio: \(course.withoutMedia)")
    }
    try output.finish()
}
