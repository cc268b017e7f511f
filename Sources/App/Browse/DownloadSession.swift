import Bytes
import Captions
import Model
import Platform
import Synchronization
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

    /// Fetches them one after the other, and the chapters that the item leads to, which are not counted. Blocks: of
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

/// Fetches the files of subtitles beside clips that the user keeps offline: of one item at a time. What cannot be had
/// comes to the page as an event. Any thread.
final class DownloadSession: Sendable {
    /// The most items whose files are waited for: those beyond are not fetched ahead.
    static let limit = 100

    private struct Work {
        var waiting: [Item] = []
        /// Whose are being fetched.
        var current: (id: Item.ID, cancellation: Cancellation)?
        /// Set at the end of flick.
        var isClosed = false

        /// The next item, unless another one's are being fetched.
        mutating func next() -> (Item, Cancellation)? {
            guard current == nil, !waiting.isEmpty, !isClosed else { return nil }
            let (item, cancellation) = (waiting.removeFirst(), Cancellation())
            current = (item.id, cancellation)
            return (item, cancellation)
        }
    }

    private let provider: any ByteProvider
    private let inbox: Inbox<LoopMessage>
    private let journal: Journal
    private let work = Mutex(Work())

    init(provider: any ByteProvider, inbox: Inbox<LoopMessage>, journal: Journal) {
        (self.provider, self.inbox, self.journal) = (provider, inbox, journal)
    }

    /// Whether nothing is being fetched, or is about to be.
    var isIdle: Bool { work.withLock { $0.current == nil && $0.waiting.isEmpty } }

    /// Fetches what an item leads to of subtitles and chapters, as its clip is kept offline from now on; or no longer.
    func keep(_ item: Item, _ isKept: Bool) {
        let isWanted = work.withLock { work in
            work.waiting.removeAll { $0.id == item.id }
            if work.current?.id == item.id { work.current?.cancellation.cancel() }
            guard isKept, KeptCaptions.isNeeded(for: item), work.waiting.count < Self.limit else { return false }
            work.waiting.append(item)
            return true
        }
        if isWanted { fetchNext() }
    }

    /// Cancels the current download and those that wait, without reporting an error.
    func close() {
        work.withLock {
            $0.isClosed = true
            $0.waiting = []
            $0.current?.cancellation.cancel()
        }
    }

    /// Starts with the next item, unless another one's are still being fetched.
    private func fetchNext() {
        guard let (item, cancellation) = work.withLock({ $0.next() }) else { return }
        BlockingThread.start { [self] in
            let kept = KeptCaptions(of: item, with: provider, cancellation: cancellation)
            work.withLock { $0.current = nil }
            // The clip is whole without them, but its keeper should know.
            if let why = kept.why { complain(why) }
            fetchNext()
        }
    }

    private func complain(_ why: String) {
        let text = "subtitles are not available offline: \(why)"
        // "Downloaded" may come at the same moment.
        inbox.post(.event(journal.complaint(of: "subtitles", text, as: .remark)))
    }
}
