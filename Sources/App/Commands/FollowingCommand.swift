import Engagement
import Feeds
import Model
import Platform

/// `flick following`: lists the creators that the user follows, those followed last first. Throws `AppError`.
public func listFollowing(as format: SourcesFormat, stateFolder: String?) throws {
    let store = try openLibrary(ReportSettings(stateFolder: stateFolder).libraryPath)
    let follows = try readingLibrary { () throws(StoreError) in try store?.follows() ?? [] }
    var output = StandardOutput()
    switch format {
    case .text:
        if follows.isEmpty { printError("flick: you follow no one yet; press f on a clip") }
        let now = WallClock.now
        for follow in follows { output.write(follow.textLine(now: now) + "\n") }
    case .json: for follow in follows { output.write(follow.jsonLine + "\n") }
    case .opml:
        let feeds = subscriptions(follows)
        output.write(Subscription.opml(feeds, title: "flick: following"))
        let others = follows.count { follow in
            let url = follow.feed.flatMap { CreatorFeed.subscription(to: $0.address) }
            return url == nil
        }
        if others > 0 { printError("flick: creators omitted (no feed on a server): \(others)") }
    }
    try output.finish()
}

/// The feeds that other readers can read, each once.
func subscriptions(_ follows: [Follow]) -> [Subscription] {
    var known: Set<String> = []
    return follows.compactMap { follow in
        guard let url = follow.feed.flatMap({ CreatorFeed.subscription(to: $0.address) }), known.insert(url).inserted
        else { return nil }
        return Subscription(title: FeedSource.name(from: follow.name), url: url)
    }
}

extension Follow {
    var jsonLine: String {
        var line = JSONLine()
        line.put("id", .text(creator.id))
        line.put("name", .text(name))
        if let feed {
            line.put("feed", .text(feed.address))
            line.put("shared", .flag(feed.isShared))
        }
        line.put("since", .text(RFC3339.text(seconds: since)))
        return line.object
    }

    func textLine(now: Double) -> String {
        let name = CleanText.line(name, limit: 200)
        return [name, feed.map { shown($0.address) } ?? "-", LocalMoment(since, now: now).text].joined(separator: "\t")
    }
}
