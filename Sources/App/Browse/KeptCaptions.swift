import Bytes
import Captions
import Model
import Threads

/// What came of fetching the files of subtitles of an item whose clip is to be had without the network. A value.
///
/// They are kept as if each had been shown: as texts of feeds are, and as long.
struct KeptCaptions: Equatable, Sendable {
    /// How many there are now, on servers only.
    var count = 0
    /// How many cannot be had, and why the first of these cannot: one line.
    var missing = 0
    var why: String?

    /// None.
    init() {}

    /// Whether an item leads to any, or to chapters, on servers.
    static func isNeeded(for item: Item) -> Bool { !links(of: item).isEmpty || isRemote(item.chaptersURL) }

    private static func links(of item: Item) -> [CaptionLink] {
        item.captions.prefix(CaptionLink.limit).filter { isRemote($0.url) }
    }

    private static func isRemote(_ url: String?) -> Bool { url.flatMap { RemoteURL($0) } != nil }

    /// Fetches them one after the other, and the chapters that the item leads to, of which nothing is told. Blocks: of
    /// each server that does not answer, as long as one file may take. Nothing is missing of what was cancelled.
    init(of item: Item, with provider: any ByteProvider, cancellation: Cancellation = Cancellation()) {
        var silent = Set<String>()
        func fetch(_ url: String) -> String? {
            guard let server = RemoteURL(url)?.origin.text, !cancellation.isCancelled else { return nil }
            guard !silent.contains(server) else { return "not downloaded yet" }
            do throws(BytesError) {
                let bytes = try CaptionFile(url, of: item).bytes(with: provider, cancellation: cancellation)
                // The page of a login, say.
                return Captions.cues(ofText: bytes).isEmpty && url != item.chaptersURL ? "it contains no text" : nil
            } catch {
                if !error.isOfOneFile { silent.insert(server) }
                return error.why
            }
        }
        for link in Self.links(of: item) {
            let why = fetch(link.url)
            if cancellation.isCancelled { return }
            if let why {
                missing += 1
                self.why = self.why ?? why
            } else {
                count += 1
            }
        }
        if let chapters = item.chaptersURL { _ = fetch(chapters) }
    }
}

extension BytesError {
    /// Whether the server may well have other files.
    fileprivate var isOfOneFile: Bool {
        switch reason {
        case .status(let status): (400...499).contains(status) && !BytesError.mayPass(status)
        case .tooLarge, .webPage, .empty, .forbidden, .privateHost: true
        default: false
        }
    }
}

/// Files of subtitles that are fetched beside clips that the user keeps offline: of one item at a time.
struct CaptionKeeping {
    /// The most items whose files are waited for: those beyond are not fetched ahead.
    static let limit = 100

    var waiting: [Item] = []
    /// Whose are being fetched.
    var current: (id: Item.ID, cancellation: Cancellation)?
}

extension Browser {
    /// Keeps a clip offline from now on, and what its item leads to of subtitles and chapters; or no longer.
    func keepOffline(_ item: Item, _ isKept: Bool) {
        pool.keepOffline(item, isKept)
        captionKeeping.waiting.removeAll { $0.id == item.id }
        if captionKeeping.current?.id == item.id { captionKeeping.current?.cancellation.cancel() }
        guard isKept, KeptCaptions.isNeeded(for: item), captionKeeping.waiting.count < CaptionKeeping.limit else {
            return
        }
        captionKeeping.waiting.append(item)
        keepNextCaptions()
    }

    /// Starts with the next item, unless another one's are still being fetched.
    private func keepNextCaptions() {
        guard captionKeeping.current == nil, !captionKeeping.waiting.isEmpty else { return }
        let (item, cancellation) = (captionKeeping.waiting.removeFirst(), Cancellation())
        captionKeeping.current = (item.id, cancellation)
        let provider = loader.provider
        let isStarted = BlockingThread.start { [inbox] in
            inbox.post(.captionsKept(KeptCaptions(of: item, with: provider, cancellation: cancellation)))
        }
        guard !isStarted else { return }
        captionKeeping.current = nil
        handle(journal.complaint(of: "subtitles", "subtitles are not available offline: out of threads"))
    }

    /// All that can be had of an item's is there. A clip is whole without them, but who keeps it should know.
    func receive(_ kept: KeptCaptions) {
        captionKeeping.current = nil
        if let why = kept.why {
            handle(journal.complaint(of: "subtitles", "subtitles are not available offline: \(why)"))
        }
        keepNextCaptions()
    }
}
