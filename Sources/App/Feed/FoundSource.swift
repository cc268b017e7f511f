import Bytes
import Feeds
import Model
import Platform

/// A source that is to be added to Home: one that was named, or that a list names. A value.
struct FoundSource {
    var source: FeedSource
    /// What it calls itself.
    var title: String?
    /// Why a feed of a list cannot be read.
    var failure: FeedsError?
    /// What of it cannot be used.
    var warnings: [String] = []

    /// A source as it is kept; nil if there is no such file or folder, and it is not a URL. Blocks on the disk.
    ///
    /// - Parameter home: the user's folder, for `~`, where no shell has replaced it.
    static func kept(_ argument: String, home: String? = nil) -> String? {
        let text = home.map { ConfigPaths(folder: "", home: $0) }.map { paths in
            argument == "~" || argument.hasPrefix("~/") ? paths.absolute(argument) : argument
        }
        return SourceList.kept(text ?? argument) { path in
            var facts = stat()
            return path.withCString { stat($0, &facts) } == 0
        }
    }

    /// The feeds that a source stands for: itself, or those of an OPML list. Reads it, so that a mistyped one is
    /// noticed, and the feeds of a list, which may have gone. Blocks.
    static func checked(
        _ source: String, provider: any ByteProvider, options: FeedOptions
    ) throws(FeedsError) -> [FoundSource] {
        if let feeds = try listed(at: source, provider: provider, options: options) {
            let answers = readEach(
                of: feeds, atOnce: FeedOptions.readAtOnce, areOfList: true, provider: provider, options: options
            ) { _ in }
            return zip(feeds, answers).map { feed, answer in
                switch answer {
                case .success: FoundSource(source: feed)
                case .failure(let failure): FoundSource(source: feed, failure: failure)
                }
            }
        }
        let feed = try loadFeed(sources: [source], provider: provider, options: options)
        return [FoundSource(source: FeedSource(source), title: feed.title, warnings: feed.warnings)]
    }

    /// The feeds that an OPML list names; nil if there is something else. Blocks.
    static func listed(
        at source: String, provider: any ByteProvider, options: FeedOptions
    ) throws(FeedsError) -> [FeedSource]? {
        try Subscription.list(at: source, provider: provider, privateHosts: options.privateHosts)?
            .map { FeedSource($0.url, name: FeedSource.name(from: $0.title)) }
    }
}
