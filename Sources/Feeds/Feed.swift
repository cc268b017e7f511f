import Bytes
import Model
import Platform

/// The items of one or more sources, and how to load more. A value.
public struct Feed: Sendable {
    public var title: String?
    public var items: any ItemList
    /// The URL of the next page, of the first source that has one.
    public var next: String?
    /// Reads further pages; nil if the feed has only one.
    public var pages: (any FurtherPages)?
    /// Where to report engagement, if the feed asks for that.
    public var engagement: String?
    /// What the service that takes it can do besides the first version of its protocol.
    public var abilities: Set<ServiceAbility> = []
    /// One line for each skipped entry, with the reason.
    public var warnings: [String]
    /// How old the feed is, if no server of its sources answered; nil if any of it was read now.
    public var cachedAge: Duration?
    /// How many entries were left out, as they have nothing to play: feeds have texts as well.
    public var withoutMedia = 0
    /// The folders among the sources, for who follows what comes and goes in them.
    public var folders: [FollowedFolder] = []
    /// The sources' absolute URLs, separated by spaces: the feed's name in stored state.
    public var source: String

    public init(
        title: String?, items: any ItemList, next: String? = nil, pages: (any FurtherPages)? = nil,
        engagement: String? = nil,
        warnings: [String] = [], source: String
    ) {
        self.title = title
        self.items = items
        self.next = next
        self.pages = pages
        self.engagement = engagement
        self.warnings = warnings
        self.source = source
    }
}

/// How to read and arrange a feed. A value.
public struct FeedOptions: Sendable {
    /// By name ("clip 9" before "clip 10"), or by publication date; files without one count by their modification time.
    /// Items without any date come last.
    public enum Order: String, Sendable, CaseIterable {
        case name, newest, oldest
    }

    /// How several sources become one feed in which each has its turn (see `FeedMix`). A value.
    public struct Mix: Sendable {
        /// The order of what was not seen, and behind it of what was.
        public enum Order: Sendable {
            /// Each source has its turn.
            case turns
            /// By publication date. Items without one come last.
            case newest
        }

        /// Returns for each item whether the user has seen it before. May block.
        public var seen: @Sendable ([Item]) -> [Bool]
        public var order = Order.turns
        /// How long after the beginning whatever is there is mixed, if the feed `beginsEarly`. Sources that are still
        /// missing follow at the end.
        public var patience = Duration.milliseconds(2_500)

        public init(seen: @escaping @Sendable ([Item]) -> [Bool]) { self.seen = seen }
    }

    /// The most sources on servers that are read at once. `HostLimit` in Bytes admits fewer per host.
    public static let readAtOnce = 32

    /// The seed of a shuffle; nil for no shuffle.
    public var shuffle: UInt64?
    /// The order of all items; those of further pages are sorted separately. nil: folders by path, feeds and lists
    /// unchanged. A shuffle overrides it.
    public var order: Order?
    /// Whether a feed may begin with its first items while the rest is read, of a long page or of slow servers;
    /// `FeedPages.load` returns that. Only where neither an order nor a limit needs to know all items.
    public var beginsEarly = false
    /// nil: several sources follow each other. A shuffle and an order override it.
    public var mix: Mix?
    /// Whether items that feeds call sensitive are left out.
    public var skipsSensitive = false
    /// Whether clips in a folder itself name it, as those in folders below it do: the feed has another title.
    public var namesFolders = false
    /// The most items.
    public var limit: Int?
    /// The file descriptor that the list `-` is read from.
    public var standardInput: Int32
    /// Rewrites URLs in feeds.
    public var rewrites: [URLRewriter.Rule]
    /// Where temporary files for the items of long feeds are created.
    public var spoolFolder: String
    /// Which private hosts feeds may lead to.
    public var privateHosts: URLAccessPolicy.PrivateHosts
    /// Resolves web pages that name no feed; nil if they stay unresolved.
    public var ytDLP: YTDLP?
    /// The abilities of the terminal, which decide among several files of an entry.
    var need = MediaNeed()

    /// - Parameter spoolFolder: nil for the system's folder for temporary files.
    public init(
        shuffle: UInt64? = nil, order: Order? = nil, limit: Int? = nil, standardInput: Int32 = 0,
        rewrites: [URLRewriter.Rule] = [], spoolFolder: String? = nil,
        privateHosts: URLAccessPolicy.PrivateHosts = .sameOrigin, ytDLP: YTDLP? = nil
    ) {
        self.shuffle = shuffle
        self.order = order
        self.limit = limit
        self.standardInput = standardInput
        self.rewrites = rewrites
        self.spoolFolder = spoolFolder ?? FeedOptions.temporaryFolder
        self.privateHosts = privateHosts
        self.ytDLP = ytDLP
    }

    private static var temporaryFolder: String {
        guard let named = getenv("TMPDIR"), named.pointee != 0 else { return "/tmp" }
        return String(cString: named)
    }
}

/// Reads all sources (see `Source`) into one feed. Blocks: do not call it on the main thread while
/// a page is shown.
///
/// A source that cannot be read is only a warning if another one can be read;
/// if none can, this throws the first one's error.
public func loadFeed(
    sources: [String], provider: any ByteProvider = FileProvider(), options: FeedOptions = FeedOptions()
) throws(FeedsError) -> Feed {
    try loadFeed(sources: sources.map { FeedSource($0) }, provider: provider, options: options)
}

/// The same of sources that may have names and weights.
///
/// - Parameter chosen: items of other feeds to have among those of the sources.
public func loadFeed(
    sources: [FeedSource], and chosen: ChosenItems? = nil, provider: any ByteProvider = FileProvider(),
    options: FeedOptions = FeedOptions()
) throws(FeedsError) -> Feed {
    guard !sources.isEmpty else { throw .noSources }
    var gathering = FeedAssembler(provider: provider, options: options)
    gathering.add(sources, and: chosen)
    return try gathering.feed()
}

/// Items that are chosen elsewhere, as one more source of a feed. A value.
public struct ChosenItems: Sendable {
    /// What it is called in warnings.
    public var name: String
    /// Called once, on another thread. May block.
    public var choose: @Sendable () -> [Item]

    public init(name: String, choose: @escaping @Sendable () -> [Item]) { (self.name, self.choose) = (name, choose) }
}

/// Reads sources each on its own, several at the same time, and makes a value
/// of each, or says why it cannot be read. Blocks.
///
/// - Parameters:
///   - atOnce: how many are read at the same time.
///   - areOfList: the sources come from a list, which may not lead to further lists.
public func readEach<Value: Sendable>(
    of sources: [FeedSource], atOnce: Int, areOfList: Bool = false, provider: any ByteProvider, options: FeedOptions,
    _ make: @escaping @Sendable (Feed) -> Value
) -> [Result<Value, FeedsError>] {
    let readings = ParallelReadings(count: sources.count, atOnce: atOnce) { place -> Result<Value, FeedsError> in
        var gathering = FeedAssembler(provider: provider, options: options, isOfList: areOfList)
        gathering.add([sources[place]])
        do throws(FeedsError) { return .success(make(try gathering.feed())) } catch { return .failure(error) }
    }
    return sources.indices.map { readings.result($0) }
}
