import Bytes
import Model
import Threads

/// Reads the pages of one manifest one after the other into a spool, so that memory use does not grow with the items.
///
/// Reads one page at a time, on any thread that may block.
final class ManifestPages: Sendable {
    /// After this many pages in a row without a new item, the feed counts as ended.
    static let emptyLimit = 8

    /// A further page that was read.
    struct Page: Sendable {
        /// Where it was found.
        var url: String
        /// How many items the page added.
        var added: Int
        /// What was skipped and why, one line each.
        var warnings: [String]
    }

    private struct Work {
        var recent = RecentItems()
        var visited = VisitedPages()
        /// How many pages were begun.
        var page = 0
        /// The next page to read, and the page that links to it.
        var next: (url: String, from: String)?
    }

    private let provider: any ByteProvider
    private let rewriter: URLRewriter
    private let spool: ItemSpool
    private let options: FeedOptions
    private let cancellation = Cancellation()
    private let work = ExclusiveWork<Work>()

    init(provider: any ByteProvider, options: FeedOptions) {
        self.provider = provider
        rewriter = URLRewriter(options.rewrites)
        spool = ItemSpool(folder: options.spoolFolder)
        self.options = options
    }

    /// The items of all pages so far, unarranged.
    var list: SpooledList { spool.list }

    /// The page that `load` would read; nil at the end of the feed, and while a page is being read.
    var next: String? { work.peek { $0.next?.url } }

    /// Reads the first page at `url`, or from `stream`. Call it once, before anything else. Blocks.
    func begin(_ url: String, _ stream: ByteStream? = nil) throws(FeedsError) -> Manifest {
        var work = Work()
        defer { self.work.set(work) }
        guard let stream else {
            work.visited.note(url)
            return try read(url, from: url, &work)
        }
        spool.lead(url)
        return try read(stream, at: url, &work)
    }

    /// Reads pages until one has a new item. Returns nil if there is no further page, or if one is being read. Blocks.
    ///
    /// After an error, the next call tries the same page again. Nothing remains of a page that breaks off, so memory
    /// and the temporary file do not grow with repeated failures.
    func load() throws(FeedsError) -> Page? {
        try work.run { work throws(FeedsError) in
            let had = spool.count
            var warnings: [String] = []
            for _ in 0..<ManifestPages.emptyLimit {
                guard let next = work.next else { return nil }
                // `LinkPolicy` asks the page that links here: pages from the network never lead back to local files.
                let (before, mark) = (work, spool.mark)
                let manifest: Manifest
                do throws(FeedsError) {
                    manifest = try read(next.url, from: next.from, &work)
                    if let failure = manifest.failure { throw .unreadable(failure) }
                } catch {
                    spool.goBack(to: mark)
                    work = before
                    throw error
                }
                warnings += manifest.namedWarnings
                if spool.count > had || work.next == nil {
                    return Page(url: manifest.url, added: spool.count - had, warnings: warnings)
                }
            }
            let last = work.next?.from ?? ""
            work.next = nil
            warnings.append(
                "\(ShownName.of(last)): the feed ends here, as \(ManifestPages.emptyLimit) pages had nothing new")
            return Page(url: last, added: 0, warnings: warnings)
        } ?? nil
    }

    /// Leaves this item out of further pages, because it is shown already. Do not call it while a page is being read.
    func leaveOut(_ item: Item) {
        _ = work.run { work in work.recent.distinct(item, page: 0) }
    }

    /// Ends a running load with an error. Any thread.
    func cancel() { cancellation.cancel() }

    // MARK: Reading

    private func read(_ url: String, from page: String, _ work: inout Work) throws(FeedsError) -> Manifest {
        let source: any ByteSource
        spool.lead(url)
        do throws(BytesError) {
            let request = ByteRequest(url: url, asset: Asset(url: page, feed: spool.leader), role: .manifest)
            source = try provider.open(request, cancellation: cancellation)
        } catch {
            throw .unreadable(error)
        }
        let stream = ByteStream(source, limit: Manifest.sizeLimit, cancellation: cancellation)
        return try read(stream, at: source.url, &work)
    }

    private func read(_ stream: ByteStream, at url: String, _ work: inout Work) throws(FeedsError) -> Manifest {
        work.page += 1
        var reader = ManifestReader(
            at: url, into: spool, recent: work.recent, page: work.page, rewriter: rewriter,
            privateHosts: options.privateHosts)
        var manifest: Manifest
        // After an error, the items of a first page stay in the spool.
        defer { work.recent = reader.recent }
        manifest = try reader.read(stream)
        work.visited.note(url)
        let isFull = options.limit.map { spool.count >= $0 } ?? false
        let next = manifest.next.flatMap { isFull || work.visited.has($0) ? nil : $0 }
        if let next { work.visited.note(next) }
        manifest.next = next
        work.next = next.map { ($0, url) }
        return manifest
    }
}

/// The pages that were read recently: a link back to one of them is a loop.
private struct VisitedPages {
    static let reach = 4_096

    private var newest: [UInt64] = []
    private var oldest = 0
    private var known: Set<UInt64> = []

    mutating func note(_ url: String) {
        let page = ItemID.number(of: url)
        guard known.insert(page).inserted else { return }
        guard newest.count == Self.reach else { return newest.append(page) }
        known.remove(newest[oldest])
        newest[oldest] = page
        oldest = (oldest + 1) % Self.reach
    }

    func has(_ url: String) -> Bool { known.contains(ItemID.number(of: url)) }
}
