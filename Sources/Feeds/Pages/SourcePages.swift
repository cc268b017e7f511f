import Bytes
import Model
import Threads

/// Reads the pages of one feed one after the other into a spool, so that memory use does not grow with the items.
///
/// Reads one page at a time, on any thread that may block.
final class SourcePages: Sendable {
    /// After this many pages in a row without a new item, the feed counts as ended.
    static let emptyLimit = 8

    /// A further page that was read.
    struct Page: Sendable {
        /// Where it was found.
        var url: String
        /// How many items the page added.
        var added: Int
        /// One line for each skipped entry, with the reason.
        var warnings: [String]
        /// How many entries were left out, as they have nothing to play.
        var withoutMedia = 0
    }

    private struct Work {
        var recent = RecentItems()
        var visited = VisitedPages()
        /// How many pages were begun.
        var page = 0
        /// The instance that is queried; nil for a feed with one text for each
        /// page. Further pages are read like the first one.
        var service: ServiceAddress?
        /// The next page to read, and the page that links to it.
        var next: (url: String, from: String)?
    }

    /// The first page, while it is read on after its first items were handed over.
    private struct Arrival {
        /// The part that was handed over; nil if nothing was, and once the rest was taken.
        var first: FeedPage?
        /// The whole page, or why it could not be read to its end.
        var whole: Result<FeedPage, FeedsError>?
    }

    /// The number of items handed over while the rest of their page is still read: more than a screen
    /// shows, and more than a fast user turns before the rest arrives.
    static let handedOver = 64

    private let provider: any ByteProvider
    /// The user's name for the source.
    private let name: String?
    private let rewriter: URLRewriter
    private let spool: ItemSpool
    private let options: FeedOptions
    /// See `FeedSource.creators`.
    private let creators: Set<String>?
    private let cancellation = Cancellation()
    private let work = TryLock<Work>()
    private let arrival = Monitor(Arrival())

    init(
        provider: any ByteProvider, options: FeedOptions, name: String? = nil, creators: Set<String>? = nil
    ) {
        (self.name, self.creators) = (name, creators)
        self.provider = provider
        rewriter = URLRewriter(options.rewrites)
        spool = ItemSpool(folder: options.spoolFolder)
        self.options = options
    }

    /// The items of all pages read so far, unarranged.
    var list: SpooledList { arrival.withLock(\.first).map { spool.list(of: $0.added) } ?? spool.list }

    /// The page that `load` would read, or the rest of which it would return; nil at the end of the feed, and while a
    /// page is being read.
    var next: String? { arrival.withLock(\.first)?.url ?? work.peek { $0.next?.url } }

    /// Whether the first page is read on after its first items were handed over. `load` returns its rest.
    var isArriving: Bool { arrival.withLock { $0.first != nil } }

    /// Reads the first page, at `url`, or the text that was `opened` there. Call it once, before anything else. Blocks.
    /// - Parameter handOver: called with the incomplete page once its first items are there, and only
    ///   if they are final. Other threads may then use these pages.
    func begin(
        _ url: String, _ opened: OpenedText? = nil, handOver: ((FeedPage) -> Void)? = nil
    ) throws(FeedsError) -> FeedPage {
        let result: Result<FeedPage, FeedsError>
        do throws(FeedsError) {
            let sinkHandOver = handOver.map { handOver in
                PageSink.HandOver(items: Self.handedOver) { [arrival] page in
                    arrival.withLock { $0.first = page }
                    handOver(page)
                }
            }
            result = .success(try readFirst(url, opened, sinkHandOver))
        } catch {
            result = .failure(error)
        }
        arrival.change { $0.whole = result }
        return try result.get()
    }

    private func readFirst(
        _ url: String, _ opened: OpenedText?, _ handOver: PageSink.HandOver?
    ) throws(FeedsError) -> FeedPage {
        var work = Work()
        defer { self.work.set(work) }
        work.visited.note(url)
        spool.lead(url)
        var first: OpenedText
        if let opened { first = opened } else { first = try open(url, from: url) }
        // The address no longer leads to a feed: a login page.
        if first.kind == .page, let earlier = first.earlier(cancellation: cancellation) { first = earlier }
        guard first.kind == .page else { return try read(first, &work, handOver) }
        // A web page may name its feed (https://www.rssboard.org/rss-autodiscovery).
        switch try FeedDiscovery.lead(of: first, links: links(of: first.url)) {
        case nil: return try readPage(url, &work)
        case .service(let address): return try begin(address, &work)
        case .feed(let feed):
            work.visited.note(feed)
            spool.lead(feed)
            let page = try read(try open(feed, from: first.url), &work, handOver)
            // A feed of players, as video services have, leads to nothing that can be played.
            guard page.added == 0, page.next == nil, page.withoutMedia > 0, options.ytDLP?.path != nil else {
                return page
            }
            spool.lead(url)
            return try readPage(url, &work)
        }
    }

    /// Reads the first page of a part of an instance. Call it once, before anything else. Blocks.
    func begin(_ address: ServiceAddress) throws(FeedsError) -> FeedPage {
        var work = Work()
        defer { self.work.set(work) }
        return try begin(address, &work)
    }

    private func begin(_ address: ServiceAddress, _ work: inout Work) throws(FeedsError) -> FeedPage {
        work.service = address
        spool.lead(address.origin)
        var account: String?
        if let lookup = address.lookup { account = try self.account(of: address, at: lookup) }
        let pages = address.firstPages(account: account)
        for (place, url) in pages.enumerated() {
            let text: OpenedText
            do throws(BytesError) { text = try request(url, from: url, limit: ServiceReader.answerLimit) } catch {
                if error.reason == .status(404), place + 1 < pages.count { continue }
                throw address.feedsError(for: error)
            }
            work.visited.note(url)
            return try read(text, &work)
        }
        throw address.failure("invalid address; write it as \(address.service.forms)")
    }

    /// Looks up the id of an account on its instance. Blocks.
    private func account(of address: ServiceAddress, at lookup: String) throws(FeedsError) -> String {
        let answer: JSON?
        do throws(BytesError) {
            let text = try request(lookup, from: lookup, limit: ServiceReader.answerLimit)
            answer = try JSON.value(of: text.stream, upTo: ManifestReader.valueLimit)
        } catch {
            throw address.feedsError(for: error)
        }
        guard let answer, let id = address.account(in: answer) else {
            throw address.failure("unexpected response from \(address.host); is it a \(address.service.name) server?")
        }
        return id
    }

    /// The rest of a first page whose first items were handed over; nil if none were, or it was returned before. Blocks
    /// until it is read.
    private func restOfFirst() throws(FeedsError) -> Page? {
        guard let first = arrival.withLock(\.first) else { return nil }
        // Without a limit it returns with a value only.
        let whole = arrival.wait { $0.whole }!
        arrival.withLock { $0.first = nil }
        let rest = try whole.get().rest(after: first)
        let failure = rest.failure.map { [FeedsError.unreadable($0).description] } ?? []
        return Page(
            url: rest.url, added: rest.added, warnings: rest.namedWarnings + failure, withoutMedia: rest.withoutMedia)
    }

    /// Reads pages until one has a new item. Returns nil if there is no further page, or if one is being read. Blocks.
    ///
    /// After an error, the next call tries the same page again. Nothing remains of a page that breaks off, so memory
    /// and the temporary file do not grow with repeated failures.
    func load() throws(FeedsError) -> Page? {
        do throws(FeedsError) {
            guard var page = try loadNext() else { return nil }
            if let name { page.warnings = page.warnings.map { FeedsError.text($0, of: name) } }
            return page
        } catch {
            throw error.of(name)
        }
    }

    private func loadNext() throws(FeedsError) -> Page? {
        if let rest = try restOfFirst() { return rest }
        return try work.run { work throws(FeedsError) in
            let had = spool.count
            var warnings: [String] = []
            var withoutMedia = 0
            for _ in 0..<SourcePages.emptyLimit {
                guard let next = work.next else { return nil }
                // `URLAccessPolicy` asks the page that links here: pages from
                // the network never lead back to local files.
                let (before, mark) = (work, spool.mark)
                let read: FeedPage
                do throws(FeedsError) {
                    spool.lead(next.url)
                    read = try self.read(try open(next.url, from: next.from, of: work.service), &work)
                    if let failure = read.failure { throw .unreadable(failure) }
                } catch {
                    spool.goBack(to: mark)
                    work = before
                    throw error
                }
                warnings += read.namedWarnings
                withoutMedia += read.withoutMedia
                if spool.count > had || work.next == nil {
                    return Page(url: read.url, added: spool.count - had, warnings: warnings, withoutMedia: withoutMedia)
                }
            }
            let last = work.next?.from ?? ""
            work.next = nil
            warnings.append(
                "\(ShownName.of(last)): stopped reading: the last \(SourcePages.emptyLimit) pages contained nothing new"
            )
            return Page(url: last, added: 0, warnings: warnings, withoutMedia: withoutMedia)
        } ?? nil
    }

    /// Leaves this item out of further pages, because it is shown already. Do not call it while a page is being read.
    func leaveOut(_ item: Item) {
        _ = work.run { work in work.recent.distinct(item, page: 0) }
    }

    /// Ends a running load with an error. Any thread.
    func cancel() { cancellation.cancel() }

    // MARK: Reading

    private func open(
        _ url: String, from page: String, of service: ServiceAddress? = nil
    ) throws(FeedsError) -> OpenedText {
        do throws(BytesError) {
            return try request(
                url, from: page, limit: service == nil ? FeedPage.sizeLimit : ServiceReader.answerLimit)
        } catch {
            throw service?.feedsError(for: error) ?? .unreadable(error)
        }
    }

    /// Reads what yt-dlp knows of a web page. Blocks.
    private func readPage(_ url: String, _ work: inout Work) throws(FeedsError) -> FeedPage {
        guard let ytDLP = options.ytDLP, ytDLP.path != nil else { throw .pageWithoutFeed(url) }
        let info: YTDLPInfo
        do throws(YTDLP.ResolveError) { info = try ytDLP.list(url, cancellation) } catch {
            throw .unresolved(url, by: Resolver.ytDLP.name, why: "\(error)")
        }
        work.page += 1
        var sink = PageSink(at: url, into: spool, recent: work.recent, number: work.page)
        (sink.skipsSensitive, sink.creators) = (options.skipsSensitive, creators)
        defer { work.recent = sink.recent }
        try info.read(into: &sink, links: links(of: url))
        return sink.page
    }

    private func request(_ url: String, from page: String, limit: Int64) throws(BytesError) -> OpenedText {
        let request = ByteRequest(url: url, asset: Asset(url: page, feed: spool.leader), role: .feed)
        return try OpenedText(
            try provider.open(request, cancellation: cancellation), limit: limit, cancellation: cancellation)
    }

    private func links(of url: String) -> FeedLinks {
        FeedLinks(base: url, privateHosts: options.privateHosts, rewriter: rewriter)
    }

    /// Reads a page; if the response is not a page of a feed, an earlier answer.
    private func read(
        _ text: OpenedText, _ work: inout Work, _ handOver: PageSink.HandOver? = nil
    ) throws(FeedsError) -> FeedPage {
        let (before, mark) = (work, spool.mark)
        do throws(FeedsError) { return try readOnce(text, &work, handOver) } catch {
            guard error.isOtherContent, let earlier = text.earlier(cancellation: cancellation) else { throw error }
            spool.goBack(to: mark)
            work = before
            return try readOnce(earlier, &work, handOver)
        }
    }

    private func readOnce(
        _ text: OpenedText, _ work: inout Work, _ handOver: PageSink.HandOver?
    ) throws(FeedsError) -> FeedPage {
        work.page += 1
        var sink = PageSink(at: text.url, into: spool, recent: work.recent, number: work.page)
        sink.handOver = handOver
        // Sorted, shuffled or mixed feeds are read completely, and so are texts whose end can still change the items.
        let isInOrder = options.order == nil && options.shuffle == nil && options.mix == nil
        if isInOrder, work.service == nil, text.kind.isReadInOrder { sink.limit = options.limit }
        (sink.skipsSensitive, sink.creators) = (options.skipsSensitive, creators)
        // After an error, the items of a first page stay in the spool.
        defer { work.recent = sink.recent }
        let links = links(of: text.url)
        if let service = work.service {
            var reader = ServiceReader(service, links: links, need: options.need)
            try reader.read(text, into: &sink)
        } else {
            try text.read(into: &sink, links: links, need: options.need)
        }
        work.visited.note(text.url)
        let isFull = options.limit.map { spool.count >= $0 } ?? false
        let next = sink.page.next.flatMap { isFull || work.visited.has($0) ? nil : $0 }
        if let next { work.visited.note(next) }
        sink.page.next = next
        work.next = next.map { ($0, text.url) }
        return sink.page
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
