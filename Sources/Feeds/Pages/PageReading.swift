import Bytes
import Model

extension OpenedText {
    /// Reads the text as a page of a feed, whatever its format. Blocks.
    ///
    /// A text that ends early, or is ill-formed, is an error only if no item came before.
    func read(into sink: inout PageSink, links: FeedLinks, need: MediaNeed) throws(FeedsError) {
        if !kind.isReadInOrder { sink.handOver = nil }
        sink.noteAge(of: self)
        switch kind {
        case .syndication: try readSyndication(into: &sink, links, need)
        case .channels:
            sink.page.title =
                M3UReader.read(stream, at: url) { entry, list in
                    sink.page.title = list.title
                    return sink.take(entry, links)
                }.title
        case .pls: sink.page.title = PLSReader.read(stream, at: url) { sink.take($0, links) }.title
        case .xspf: try readXSPF(into: &sink, links, need)
        // A list of feeds is one only by itself, not as the next page of a feed.
        case .opml: throw .otherContent(url, what: "an OPML list of feeds")
        case .page: throw .unreadable(BytesError(verb: .read, url: url, reason: .webPage))
        case .other(let what): throw .otherContent(url, what: what)
        // A file that is only named like a manifest gets the manifest reader's error.
        case .json, .media, .stream:
            var reader = ManifestReader(links: links, need: need)
            return try reader.read(stream, into: &sink)
        }
        if let failure = sink.failure { throw failure }
        guard let failure = stream.failure else { return }
        sink.page.failure = failure
        guard sink.page.added > 0 else { throw .unreadable(failure) }
    }

    private func readSyndication(
        into sink: inout PageSink, _ links: FeedLinks, _ need: MediaNeed
    ) throws(FeedsError) {
        let feed: SyndicationFeed?
        do throws(MarkupParser.ParseError) {
            feed = try SyndicationReader.read(stream, at: url, charset: type?.charset) { entry, feed in
                if sink.page.title == nil { sink.page.title = Self.title(of: feed) }
                return sink.take(entry, links, need)
            }
        } catch {
            throw .notFeed(url, why: error.why)
        }
        guard let feed else {
            guard stream.failure == nil else { return }
            throw .notFeed(url, why: "no feed in it")
        }
        sink.page.title = Self.title(of: feed)
        guard let next = feed.next else { return }
        sink.page.next = links.address(next)
        if sink.page.next == nil {
            sink.page.warn("the next page is ignored: this feed may not link to \(ShownName.of(next))")
        }
    }

    private static func title(of feed: SyndicationFeed) -> String? {
        feed.title.flatMap { ItemMapper.line($0, limit: ItemLimit.title) }
    }

    private func readXSPF(
        into sink: inout PageSink, _ links: FeedLinks, _ need: MediaNeed
    ) throws(FeedsError) {
        let list: ListFacts?
        do throws(MarkupParser.ParseError) {
            list = try XSPFReader.read(stream, at: url, charset: type?.charset) { entry, list in
                sink.page.title = list.title
                return sink.take(entry, links, need)
            }
        } catch {
            throw .notFeed(url, why: error.why)
        }
        if list == nil, stream.failure == nil { throw .notFeed(url, why: "no list in it") }
        sink.page.title = list?.title
    }
}

extension PageSink {
    /// Warns if the text is an earlier answer.
    mutating func noteAge(of text: OpenedText) {
        guard let age = text.age else { return }
        page.age = age
        page.warn("server unreachable; showing items cached \(RelativeTime(age: age).label)")
    }

    /// Adds the next item of a list, or notes why it has none. Returns false when the page is full.
    fileprivate mutating func take(_ entry: ListEntry, _ links: FeedLinks) -> Bool {
        do throws(ItemError) {
            let (item, warnings) = try entry.get()
            add(try links.checked(item), remarks: warnings)
        } catch {
            skip(error.why)
        }
        return !isEnded
    }

    /// The next entry of a feed. Returns false when no more can be taken.
    fileprivate mutating func take(_ entry: FeedEntry, _ links: FeedLinks, _ need: MediaNeed) -> Bool {
        do throws(ItemError) { try add(entry, links, need) } catch { skip(error.why) }
        return !isEnded
    }
}
