import Model
import Platform

/// Why a source gave no feed. Its description is one line: what failed, on what, why, and what to do. A value.
public enum FeedsError: Error, Equatable, Sendable, CustomStringConvertible {
    case unreadable(BytesError)
    case noSources
    /// The folder is empty.
    case emptyFolder(String)
    /// The folder and its subfolders contain no clip.
    case noMedia(String)
    /// The manifest or list has no usable item. `skipped` says how many were unusable, `first` why the first one was.
    case noItems(String, skipped: Int, first: String?)
    case notJSON(String, JSONError)
    /// JSON without the shape of a manifest.
    case notManifest(String)
    /// The source looks like a feed but cannot be read as one, and why.
    case notFeed(String, why: String)
    /// Something that is neither a clip nor a feed; `what` says in words what it is.
    case otherContent(String, what: String)
    /// All entries of the feed are texts or pictures.
    case noEntryWithMedia(String, entries: Int)
    case pageWithoutFeed(String)
    /// The program that resolves web pages found nothing to play, and why.
    case unresolved(String, by: String, why: String)
    /// A service shows nothing at this address, and why.
    case service(String, why: String)
    /// The error of a source that the user has given a name.
    indirect case named(String, FeedsError)
    /// The list has too many bytes.
    case listTooLarge(limit: Int)
    /// Creating or writing the temporary file for items failed in this folder, with this errno.
    case cannotSpool(String, Int32)

    public var description: String {
        switch self {
        case .unreadable(let error): error.description
        case .noSources: "nothing to play: pass a folder, a clip or a feed"
        case .emptyFolder(let url): "cannot play \(ShownName.of(url)): the folder is empty"
        case .noMedia(let url):
            "cannot play \(ShownName.of(url)): no playable files in it"
        case .noItems(let url, 0, _): "cannot play \(ShownName.of(url)): it lists no items"
        case .noItems(let url, let skipped, let first):
            "cannot play \(ShownName.of(url)): none of its \(skipped) items can be used"
                + (first.map { "; \($0)" } ?? "")
        case .notJSON(let url, let error): "cannot read \(ShownName.of(url)) as a manifest: \(error)"
        case .notManifest(let url):
            "cannot read \(ShownName.of(url)) as a manifest: it has neither a list nor \"items\" or \"videos\""
        case .notFeed(let url, let why):
            "cannot read \(ShownName.of(url)) as a feed: \(CleanText.line(why, limit: 200))"
        case .otherContent(let url, let what):
            "cannot play \(ShownName.of(url)): it is \(CleanText.line(what, limit: 100)); pass a clip, a folder or a feed"
        case .noEntryWithMedia(let url, 1): "cannot play \(ShownName.of(url)): its only entry has no video or audio"
        case .noEntryWithMedia(let url, let entries):
            "cannot play \(ShownName.of(url)): none of its \(entries) entries has video or audio"
        case .pageWithoutFeed(let url):
            "cannot play \(ShownName.of(url)): this web page has no feed; pass a clip or a feed, or install yt-dlp"
        case .unresolved(let url, let program, let why):
            "cannot play \(ShownName.of(url)): this web page has no feed, and \(program) found nothing to play: \(CleanText.line(why, limit: 200))"
        case .service(let address, let why):
            "cannot play \(ShownName.of(address)): \(CleanText.line(why, limit: 300))"
        case .named(let name, let error): Self.text("\(error)", of: name)
        case .listTooLarge(let limit): "cannot read the list from standard input: it is larger than \(limit >> 20) MB"
        case .cannotSpool(let folder, let code):
            "cannot store the feed's items in \(ShownName.of(folder)): \(SystemError.text(code)); set TMPDIR to a folder with free space"
        }
    }

    /// Whether the response is not a feed, such as a login page.
    var isOtherContent: Bool {
        switch self {
        case .unreadable(let error): error.reason == .webPage
        case .notJSON, .notManifest, .notFeed, .otherContent, .service: true
        default: false
        }
    }

    /// The same, of a source with that name; nil for one that has none.
    func of(_ name: String?) -> FeedsError {
        if case .named = self { return self }
        return name.map { .named($0, self) } ?? self
    }

    /// A message about a source with that name, which appears in it once.
    static func text(_ text: String, of name: String) -> String {
        text.hasPrefix("\(name): ") ? text : "\(name): \(text)"
    }
}
