import Feeds
import Model

/// `flick feed`: prints the items of a source on standard output, and warnings on standard error. Throws `AppError`.
public func listFeed(
    sources: [String], json: Bool, limit: Int?, shuffle: Bool, order: FeedOrder?, setup: Setup
) throws {
    setup.printWarnings()
    let command = setup.commandProvider()
    defer { command.close() }
    var output = StandardOutput()
    let feed: Feed
    do {
        feed = try loadFeed(
            sources: try Installation.sourcesOrDemo(sources.isEmpty ? setup.homeSources : sources),
            provider: command.provider,
            options: setup.feedOptions(
                shuffle: shuffle ? .random(in: 0 ... .max) : nil, order: order, limit: limit))
    } catch {
        throw AppError("\(error)")
    }
    for warning in feed.warnings { printError("flick: \(warning)") }
    let source = SourceName.text(feed.source)
    var (items, index, withoutMedia) = (feed.items, 0, feed.withoutMedia)
    while !output.isClosed {
        guard index < min(items.count, limit ?? .max) else {
            // Reads all pages, as long as somebody reads the output.
            output.flush()
            guard index < limit ?? .max, let pages = feed.pages, let page = try more(of: pages) else { break }
            for warning in page.warnings { printError("flick: \(warning)") }
            items = page.items
            withoutMedia += page.withoutMedia
            continue
        }
        let item = items[index]
        index += 1
        if json {
            output.write(ItemJSON.line(item, source: source) + "\n")
        } else {
            let creator = (item.creator?.name ?? item.folder).map { "  (\(CleanText.line($0)))" } ?? ""
            output.write("\(index)\t\(CleanText.line(item.title ?? SafeURL.text(item.url)))\(creator)\n")
        }
    }
    // Only here: while browsing nobody misses a text.
    if withoutMedia > 0 { printError("flick: entries without video or sound, which are left out: \(withoutMedia)") }
    try output.finish()
}

private func more(of pages: FeedPages) throws(AppError) -> FeedPages.Page? {
    do throws(FeedsError) { return try pages.load() } catch { throw AppError("cannot load more: \(error)") }
}
