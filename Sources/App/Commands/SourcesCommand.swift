import Feeds
import Model

#if canImport(Glibc)
    import Glibc
#elseif canImport(Darwin)
    import Darwin
#endif

/// `flick add`: puts sources into the home feed, and all that an OPML list names. Throws `AppError`, and then adds none.
///
/// - Parameters:
///   - unchecked: they are not read first.
///   - config: the configuration that was named; nil for the user's.
public func addSources(_ arguments: [String], unchecked: Bool, config: String?, setup: Setup) throws {
    setup.printWarnings()
    let file = try sourceFile(beside: config)
    let command = setup.commandProvider()
    defer { command.close() }
    var found: [Subscription] = []
    for argument in arguments {
        guard let source = SourceList.kept(argument, exists: exists) else {
            let name = CleanText.line(argument, limit: 200)
            throw AppError("cannot add \(name): there is no such file or folder, and it is no address")
        }
        found += unchecked ? [Subscription(title: nil, url: source)] : try checked(source, command, setup)
    }
    let configured = setup.configuration.home.sources
    let isNew = try file.change { list throws(AppError) in
        found.map { !configured.contains($0.url) && list.add($0.url) }
    }
    var output = StandardOutput()
    for (source, isNew) in zip(found, isNew) {
        let title = source.title.map { CleanText.line($0, limit: 200) + ", " } ?? ""
        output.write("\(isNew ? "added" : "already there"): \(title)\(shown(source.url))\n")
    }
    try output.finish()
}

/// `flick remove`: takes sources out of the home feed. Throws `AppError`, and then removes none.
public func removeSources(_ arguments: [String], config: String?, setup: Setup) throws {
    setup.printWarnings()
    let file = try sourceFile(beside: config)
    try file.change { list throws(AppError) in
        for argument in arguments {
            let kept = SourceList.kept(argument, exists: { _ in true })
            if list.remove(argument) || kept.map({ list.remove($0) }) == true { continue }
            let name = CleanText.line(argument, limit: 200)
            if setup.configuration.home.sources.contains(where: { $0 == argument || $0 == kept }) {
                throw AppError("cannot remove \(name): it is in home.sources of the configuration; take it out there")
            }
            let near = NearestName.of(argument, among: list.sources).map { "; did you mean \(shown($0))?" }
            throw AppError("cannot remove \(name): it is not in the home feed" + (near ?? "; `flick sources` lists it"))
        }
    }
}

/// How `flick sources` lists the home feed.
public enum SourcesFormat: Sendable {
    case text, json, opml
}

/// `flick sources`: lists the sources of the home feed on standard output. Throws `AppError`.
public func listSources(as format: SourcesFormat, setup: Setup) throws {
    setup.printWarnings()
    var output = StandardOutput()
    switch format {
    case .text: for source in setup.homeSources { output.write(shown(source) + "\n") }
    case .json:
        for source in setup.homeSources {
            var line = JSONLine()
            line.put("source", .text(source))
            line.put("added", .flag(!setup.configuration.home.sources.contains(source)))
            output.write(line.object + "\n")
        }
    case .opml:
        let feeds = setup.homeSources.filter { RemoteURL($0) != nil }
        output.write(Subscription.opml(feeds.map { Subscription(title: nil, url: $0) }, title: "flick"))
        let others = setup.homeSources.count - feeds.count
        if others > 0 { printError("flick: sources that are no web address, and not in the list: \(others)") }
    }
    try output.finish()
}

/// The feeds that a source stands for: itself, or those of an OPML list. Reads it, so that a mistyped one is told. Blocks.
private func checked(_ source: String, _ command: CommandProvider, _ setup: Setup) throws(AppError) -> [Subscription] {
    do throws(FeedsError) {
        let listed = try Subscription.list(
            at: source, provider: command.provider, privateHosts: setup.configuration.network.privateHosts)
        if let listed { return listed }
        let feed = try loadFeed(sources: [source], provider: command.provider, options: setup.feedOptions())
        for warning in feed.warnings { printError("flick: \(warning)") }
        return [Subscription(title: feed.title, url: source)]
    } catch {
        throw AppError("\(error); `flick add --unchecked` adds it even so")
    }
}

private func sourceFile(beside config: String?) throws(AppError) -> SourceFile {
    guard let file = SourceFile(beside: config) else {
        throw AppError("cannot find the folder of the configuration: set HOME or XDG_CONFIG_HOME")
    }
    return file
}

private func exists(_ path: [UInt8]) -> Bool {
    var facts = stat()
    return path.withCString { stat($0, &facts) } == 0
}

/// A source on one line. Credentials stay: it is the user's own list, and a source is copied from it.
private func shown(_ source: String) -> String { CleanText.line(source, limit: 8_192) }
