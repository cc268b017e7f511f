import Bytes
import Feeds
import Model

/// `flick feed`: the items of a source on standard output; warnings on standard error. Throws `AppError`.
public func listFeed(sources: [String], json: Bool, limit: Int?, shuffle: Bool, setup: Setup) throws {
    setup.printWarnings()
    let command = setup.commandDoor()
    defer { command.close() }
    var output = StandardOutput()
    let feed: Feed
    do {
        feed = try loadFeed(
            sources: try sourcesOrDemo(sources.isEmpty ? setup.configuration.home.sources : sources),
            door: command.door,
            options: FeedOptions(shuffle: shuffle ? .random(in: 0 ... .max) : nil, limit: limit))
    } catch {
        throw AppError("\(error)")
    }
    for warning in feed.warnings { printError("flick: \(warning)") }
    for index in 0..<min(feed.items.count, limit ?? .max) {
        let item = feed.items[index]
        if json {
            output.write(ItemJSON.line(item, source: feed.source) + "\n")
        } else {
            let creator = item.creator?.name.map { "  (\(CleanText.line($0)))" } ?? ""
            output.write("\(index + 1)\t\(CleanText.line(item.title ?? item.url))\(creator)\n")
        }
        guard !output.isClosed else { break }
    }
    try output.finish()
}

/// The sources that were named, or the built-in demo feed.
func sourcesOrDemo(_ sources: [String]) throws(AppError) -> [String] {
    guard sources.isEmpty else { return sources }
    guard let demo = Installation.current().demo else {
        throw AppError("cannot find the demo feed; name a folder, a file or a manifest")
    }
    return ["\(demo)/\(Installation.manifestName)"]
}
