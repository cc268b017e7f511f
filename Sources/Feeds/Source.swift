import Bytes
import Model
import Platform
import Threads

/// A source as the user named it, what they call it, and how much they want of it. A value.
public struct FeedSource: Hashable, Sendable {
    /// How often it has its turn in a mixed feed, compared with others.
    public static let weights = 0.1...10.0
    /// In characters.
    public static let nameLimit = 100

    /// A folder, a file, an address: what `loadFeed` takes.
    public var text: String
    /// nil for the feed's own title.
    public var name: String?
    /// Within `weights`. 1 for one that has its turn as others have.
    public var weight: Double
    /// The creators (`Item.Creator.key`) whose items are wanted of a feed; nil for all items.
    public var creators: Set<String>?

    public init(_ text: String, name: String? = nil, weight: Double = 1, creators: Set<String>? = nil) {
        (self.text, self.name, self.weight, self.creators) = (text, name, weight, creators)
    }

    /// Whether a source can be called that: one line that a terminal shows as it is.
    public static func isName(_ text: String) -> Bool {
        (1...nameLimit).contains(text.count) && text == CleanText.line(text) && text == text.trimmed
    }

    /// The name to show for a feed or list with this title; nil if the title has no visible text.
    public static func name(from title: String?) -> String? {
        let name = title.map { String(CleanText.line($0).prefix(nameLimit)).trimmed } ?? ""
        return isName(name) ? name : nil
    }
}

/// The kind of source that an argument of the command line, or a line of a list, refers to. A value.
public enum Source: Equatable, Sendable {
    /// A folder, by its absolute path.
    case folder([UInt8])
    /// One clip, by its URL. An HLS playlist is one clip.
    case clip(String)
    /// A manifest, a syndication feed, a list of channels or a web page that leads to one, by its URL.
    case feed(String)
    /// A part of an instance of PeerTube, Loops or Mastodon.
    case service(ServiceAddress)
    /// A list of sources on standard input.
    case standardInput

    /// Finds out what `argument` refers to. Blocks.
    public static func parse(_ argument: String, provider: any ByteProvider) throws(BytesError) -> Source {
        try find(argument, provider: provider).source
    }

    /// Like above, and returns what had to be opened for that, so that it is requested only once.
    ///
    /// The name decides for clips and for `.json`, which is a manifest. For anything else the first bytes decide (see
    /// `ContentKind`). A server is queried only if the name does not decide.
    static func find(
        _ argument: String, provider: any ByteProvider
    ) throws(BytesError) -> (source: Source, opened: OpenedText?) {
        if argument == "-" { return (.standardInput, nil) }
        if let service = Service(namedBy: argument) {
            guard let address = ServiceAddress(argument) else {
                throw BytesError(verb: .open, url: argument, reason: .misspelt(forms: service.forms))
            }
            return (.service(address), nil)
        }
        let url = absolute(argument)
        let path = FileURL.path(of: url)
        if let path {
            var facts = stat()
            if path.withCString({ stat($0, &facts) }) == 0, facts.st_mode & S_IFMT == S_IFDIR {
                return (.folder(FileURL.absolute(path)), nil)
            }
        }
        let ending = ClipName.ending(of: path ?? Array((URLParts(url)?.path ?? url).utf8))
        let isList = ending == "m3u8" || ending == "m3u"
        if path == nil {
            if ending == "json" { return (.feed(url), nil) }
            if let ending, !isList, ClipName.isClip(ending: ending) { return (.clip(url), nil) }
        }
        var opened = try open(url, isList: isList, provider: provider)
        // There is nothing to play or list in it, whatever its name is.
        if opened.isEmpty { throw BytesError(verb: .open, url: opened.url, reason: .empty) }
        // Text without a type could be media; but if it was a feed before, it is a feed whose server is unreachable.
        if opened.kind == .media, let earlier = opened.earlier() { opened = earlier }
        if ending == "json" { return (.feed(url), opened) }
        // Media may begin with any bytes.
        if let ending, !isList, ClipName.isClip(ending: ending) { return (.clip(url), nil) }
        switch opened.kind {
        case .media, .stream: return (.clip(url), nil)
        case .json, .syndication, .channels, .pls, .xspf, .opml, .page, .other: return (.feed(url), opened)
        }
    }

    private static func absolute(_ argument: String) -> String {
        let argument = FeedScheme.plain(argument)
        if let scheme = URLParts(argument)?.scheme, scheme == "file" || URLParts(argument)?.authority != nil {
            return argument
        }
        return FileURL.url(path: FileURL.absolute(Array(argument.utf8)))
    }

    private static func open(
        _ url: String, isList: Bool, provider: any ByteProvider
    ) throws(BytesError) -> OpenedText {
        func open(as role: ByteRole) throws(BytesError) -> OpenedText {
            let request = ByteRequest(url: url, asset: Asset(url: url), role: role)
            return try OpenedText(try provider.open(request, cancellation: Cancellation()))
        }
        guard isList, FileURL.path(of: url) == nil else { return try open(as: .feed) }
        // A stream's playlist stays in memory until the decoder requests it. A list of channels is a feed: it may be
        // longer, and is stored for use while its server is unreachable.
        do throws(BytesError) {
            let opened = try open(as: .playlist)
            return opened.kind == .channels ? try open(as: .feed) : opened
        } catch {
            var isTooLarge = false
            if case .tooLarge = error.reason { isTooLarge = true }
            guard isTooLarge || error.isOffline else { throw error }
            return try open(as: .feed)
        }
    }
}

extension OpenedText {
    /// - Parameter limit: the most bytes.
    init(
        _ source: any ByteSource, limit: Int64 = FeedPage.sizeLimit, cancellation: Cancellation = Cancellation()
    ) throws(BytesError) {
        try self.init(
            ByteStream(source, limit: limit, cancellation: cancellation), at: source.url,
            type: source.type)
        self.source = source
    }

    /// An earlier answer, if this one is not a feed, such as a login page. nil without an earlier one.
    func earlier(limit: Int64 = FeedPage.sizeLimit, cancellation: Cancellation = Cancellation()) -> OpenedText? {
        guard let source, source.fallBack() else { return nil }
        // It is in memory: what fails then is the same as if there was none.
        do throws(BytesError) {
            return try OpenedText(source, limit: limit, cancellation: cancellation)
        } catch {
            return nil
        }
    }
}
