import Bytes
import Model

#if canImport(Glibc)
    import Glibc
#elseif canImport(Darwin)
    import Darwin
#endif

/// The items of one or more sources, and where more come from. A value.
public struct Feed: Sendable {
    public var title: String?
    public var items: any ItemList
    /// Where the next page is, of the first manifest that has one.
    public var next: String?
    /// Reads further pages; nil if there are none.
    public var pages: FeedPages?
    /// Where engagement may be reported to, if the feed asks for it.
    public var engagement: String?
    /// What was left out and why, a line each.
    public var warnings: [String]
    /// The sources' absolute URLs, with a blank between them: the feed's name in stored state.
    public var source: String
}

/// How to read and arrange a feed. A value.
public struct FeedOptions: Sendable {
    /// By names ("clip 9" before "clip 10"), or by when items were published: of files without a date when they were last changed. What has no date comes last.
    public enum Order: String, Sendable, CaseIterable {
        case name, newest, oldest
    }

    /// The seed of a shuffled order; nil leaves the order.
    public var shuffle: UInt64?
    /// The order of all items, those of further pages for themselves; nil: folders by their paths, manifests and lists as they are. A shuffle wins over it.
    public var order: Order?
    /// The most items.
    public var limit: Int?
    /// Where a list named `-` is read from.
    public var standardInput: Int32
    /// Rewrites URLs in manifests.
    public var rewrites: [URLRewriter.Rule]
    /// Where temporary files are made for the items of long manifests.
    public var spoolFolder: String
    /// Which private hosts manifests may lead to.
    public var privateHosts: LinkPolicy.PrivateHosts

    /// `spoolFolder`: nil is the system's folder for temporary files.
    public init(
        shuffle: UInt64? = nil, order: Order? = nil, limit: Int? = nil, standardInput: Int32 = 0,
        rewrites: [URLRewriter.Rule] = [], spoolFolder: String? = nil,
        privateHosts: LinkPolicy.PrivateHosts = .sameOrigin
    ) {
        self.shuffle = shuffle
        self.order = order
        self.limit = limit
        self.standardInput = standardInput
        self.rewrites = rewrites
        self.spoolFolder = spoolFolder ?? FeedOptions.temporaryFolder
        self.privateHosts = privateHosts
    }

    private static var temporaryFolder: String {
        guard let named = getenv("TMPDIR"), named.pointee != 0 else { return "/tmp" }
        return String(cString: named)
    }
}

/// Reads sources (see `Source`) into one feed, one after the other. Blocks: not for the main thread while there is a page to draw.
///
/// A source that cannot be read is a warning as long as another one can; if none can, the first one's error is thrown.
public func loadFeed(
    sources: [String], provider: any ByteProvider = FileProvider(), options: FeedOptions = FeedOptions()
) throws(FeedsError) -> Feed {
    guard !sources.isEmpty else { throw .noSources }
    var gathering = Gathering(provider: provider, options: options)
    for source in sources { gathering.add(source) }
    return try gathering.feed()
}
