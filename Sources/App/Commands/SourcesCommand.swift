import Feeds
import Model
import Platform

/// Whether a source may have this share of the home feed.
public func isSourceWeight(_ weight: Double) -> Bool { FeedSource.weights.contains(weight) }

/// `flick add`: puts sources into the home feed, and the feeds that an OPML list names. Throws `AppError`: without
/// adding any if a source cannot be read, and after it added the others if it was feeds of lists that cannot. Blocks.
///
/// - Parameters:
///   - name: what the one source is called; nil leaves it as it is.
///   - weight: how often each has its turn; nil leaves it as it is.
///   - unchecked: they are not read first.
///   - config: the configuration that was named; nil for the user's.
public func addSources(
    _ arguments: [String], name: String?, weight: Double?, unchecked: Bool, config: String?, setup: Setup
) throws {
    setup.printWarnings()
    if let name, !FeedSource.isName(name) {
        throw AppError("cannot use this name: it must have 1 to \(FeedSource.nameLimit) printable characters")
    }
    let file = try sourceFile(beside: config)
    let command = try setup.commandProvider()
    defer { command.close() }
    var found: [FoundSource] = []
    for argument in arguments {
        guard let source = FoundSource.kept(argument) else {
            let name = CleanText.line(argument, limit: 200)
            throw AppError("cannot add \(name): no such file or folder, and not a URL")
        }
        found += unchecked ? assumed(source, command, setup) : try checked(source, command, setup)
    }
    if name != nil, found.count != 1 { throw AppError("cannot give the same name to \(found.count) sources") }
    let all = found.count
    for failure in found.compactMap(\.failure) { printError("flick: \(failure)") }
    found.removeAll { $0.failure != nil }
    let configured = Set(setup.configuration.home.sources.map(\.text))
    for place in found.indices {
        found[place].source.name = name ?? found[place].source.name
        found[place].source.weight = weight ?? 1
        guard configured.contains(found[place].source.text) else { continue }
        if name != nil || weight != nil {
            throw AppError(
                "cannot change \(SafeURL.text(found[place].source.text)): it is in home.sources of the configuration; edit it there"
            )
        }
    }
    let new = found.filter { !configured.contains($0.source.text) }.map(\.source)
    let results = try file.change { list throws(AppError) in
        let isNew = list.add(new)
        return Dictionary(
            zip(new, isNew).map { source, isNew in
                // An existing source keeps the values that the command line does not set.
                let isChanged = !isNew && list.change(source.text, name: name, weight: weight)
                return (source.text, isNew ? "added" : isChanged ? "changed" : "already added")
            }, uniquingKeysWith: { first, _ in first })
    }
    var output = StandardOutput()
    for one in found {
        let title = (one.source.name ?? one.title).map { CleanText.line($0, limit: 200) + ", " } ?? ""
        output.write("\(results[one.source.text] ?? "already added"): \(title)\(shown(one.source.text))\n")
    }
    try output.finish()
    guard found.count == all else {
        throw AppError(
            "sources not added (cannot be read): \(all - found.count) of \(all); use `flick add --unchecked` to add them anyway"
        )
    }
}

/// `flick remove`: removes sources from the home feed, and prints them. Throws `AppError`, and then removes none.
public func removeSources(_ arguments: [String], config: String?, setup: Setup) throws {
    setup.printWarnings()
    let file = try sourceFile(beside: config)
    let removed = try file.change { list throws(AppError) in
        try arguments.map { argument throws(AppError) in
            let kept = SourceList.kept(argument, exists: { _ in true })
            // What is here comes before what a line of the list calls by the same name.
            if let removed = kept.flatMap({ list.remove($0) }) ?? list.remove(argument) { return removed }
            let called = list.sources.filter { $0.name == argument || SafeURL.text($0.text) == argument }
            if called.count == 1, let removed = list.remove(called[0].text) { return removed }
            let name = CleanText.line(argument, limit: 200)
            if called.count > 1 {
                throw AppError("cannot remove \(name): \(called.count) sources have this name; use their addresses")
            }
            if setup.configuration.home.sources.contains(where: { $0.text == argument || $0.text == kept }) {
                throw AppError("cannot remove \(name): it is in home.sources of the configuration; remove it there")
            }
            let near = NearestName.of(argument, among: list.sources.map(\.text)).map {
                "; did you mean \(SafeURL.text($0))?"
            }
            throw AppError("cannot remove \(name): it is not in the home feed" + (near ?? "; `flick sources` lists it"))
        }
    }
    var output = StandardOutput()
    for source in removed { output.write("removed: \(source.name.map { "\($0), " } ?? "")\(shown(source.text))\n") }
    try output.finish()
}

/// How `flick sources` lists the home feed.
public enum SourcesFormat: Sendable {
    case text, json, opml
}

/// `flick sources`: lists the sources of the home feed on standard output, and how much of what is kept of them was not
/// seen. Asks no server. Throws `AppError`.
public func listSources(as format: SourcesFormat, stateFolder: String?, setup: Setup) throws {
    setup.printWarnings()
    var output = StandardOutput()
    switch format {
    case .text where setup.homeSources.isEmpty:
        printError("flick: the home feed is empty; add sources with `flick add`")
    case .text, .json:
        let configured = Set(setup.configuration.home.sources.map(\.text))
        for (source, unseen) in zip(setup.homeSources, try unseen(setup, stateFolder: stateFolder)) {
            let line =
                format == .json
                ? source.jsonLine(unseen, isAdded: !configured.contains(source.text)) : source.textLine(unseen)
            output.write(line + "\n")
        }
    case .opml:
        let feeds = setup.homeSources.filter { RemoteURL($0.text) != nil }
        output.write(
            Subscription.opml(feeds.map { Subscription(title: $0.name, url: $0.text) }, title: "flick"))
        let others = setup.homeSources.count - feeds.count
        if others > 0 { printError("flick: local sources omitted: \(others)") }
    }
    try output.finish()
}

private func unseen(_ setup: Setup, stateFolder: String?) throws(AppError) -> [UnseenCount?] {
    let command = try setup.commandProvider()
    defer { command.close() }
    var options = setup.feedOptions()
    // It would ask servers.
    options.ytDLP = nil
    let libraryPath =
        setup.configuration.engagement.remembers ? ReportSettings(stateFolder: stateFolder).libraryPath : nil
    return try UnseenCount.counts(
        of: setup.homeSources, provider: command.provider.kept, options: options,
        hidden: setup.hidden(libraryPath: libraryPath), libraryPath: libraryPath)
}

extension FeedSource {
    func textLine(_ unseen: UnseenCount?) -> String {
        let share = weight == 1 ? nil : "weight \(SourceList.plain(weight))"
        let more = [name, share].compactMap(\.self).joined(separator: ", ")
        return [shown(text), unseen?.text ?? "never read", more].filter { !$0.isEmpty }.joined(separator: "\t")
    }

    func jsonLine(_ unseen: UnseenCount?, isAdded: Bool) -> String {
        var line = JSONLine()
        line.put("source", .text(text))
        if let name { line.put("name", .text(name)) }
        line.put("weight", .number(weight))
        line.put("added", .flag(isAdded))
        if let unseen {
            line.put("items", .integer(unseen.known))
            line.put("new", .integer(unseen.unseen))
        }
        return line.object
    }
}

/// The feeds that a source stands for: itself, or those of an OPML list. Reads the source, so that a mistyped one is
/// reported, and the feeds of a list, which may no longer exist. Blocks.
private func checked(_ source: String, _ command: CommandProvider, _ setup: Setup) throws(AppError) -> [FoundSource] {
    do throws(FeedsError) {
        let found = try FoundSource.checked(source, provider: command.provider, options: setup.feedOptions())
        for warning in found.flatMap(\.warnings) { printError("flick: \(warning)") }
        return found
    } catch {
        throw AppError("\(error); use `flick add --unchecked` to add it anyway")
    }
}

/// The same without asking a server: a list that is not in a file stands for itself. Blocks on the disk.
private func assumed(_ source: String, _ command: CommandProvider, _ setup: Setup) -> [FoundSource] {
    var found = [FeedSource(source)]
    // `try?`: what cannot be read now may be read another time, and is added as it is named.
    if source.hasPrefix("/") || FileURL.path(of: source) != nil,
        let feeds = try? FoundSource.listed(at: source, provider: command.provider, options: setup.feedOptions())
    {
        found = feeds
    }
    return found.map { FoundSource(source: $0) }
}

private func sourceFile(beside config: String?) throws(AppError) -> SourceFile {
    guard let file = SourceFile(beside: config) else {
        throw AppError("cannot find the configuration folder; set HOME or XDG_CONFIG_HOME")
    }
    return file
}

/// A source on one line. Its password and tokens are printed to files and pipes only, which may need them: a terminal
/// is visible to others, and the redacted form is enough for `flick remove`.
func shown(_ source: String) -> String {
    CleanText.line(isatty(STDOUT_FILENO) == 1 ? SafeURL.text(source) : source, limit: 8_192)
}
