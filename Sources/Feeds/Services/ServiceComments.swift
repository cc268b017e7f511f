import Bytes
import Model
import Threads

/// The comments on an item, where they can be read: from a list that its manifest names, from
/// PeerTube or Mastodon. Nothing is ever posted there. A value.
public struct ServiceComments: Equatable, Sendable {
    /// The most bytes of an answer. Mastodon shows visitors some sixty posts.
    private static let answerLimit = 4 << 20
    private static let commentLimit = 2_000
    private static let textLimit = 2_000
    private static let nameLimit = 64
    /// How many comments a page of PeerTube has.
    private static let pageSize = 50

    /// nil: the list that a manifest names.
    private let service: Service?
    /// Of Mastodon, the id of the post.
    private let post: String?
    /// The first page.
    let url: String
    private let feed: String?

    /// nil for an item of another source. Item ids are the feed's claim: one
    /// is believed only for the feed's own server.
    public init?(of item: Item) {
        if let list = item.commentsURL {
            (service, post, url, feed) = (nil, nil, list, item.feed)
            return
        }
        guard let feed = item.feed, let home = RemoteURL(feed)?.origin else { return nil }
        if item.resolver == .peerTube, RemoteURL(item.url)?.origin == home {
            (service, post) = (.peerTube, nil)
            url = item.url + "/comment-threads?start=0&count=\(Self.pageSize)&sort=-createdAt"
        } else {
            let id = item.id.prefix { $0 != "#" }
            let prefix = home.text + "/api/v1/statuses/"
            guard id.hasPrefix(prefix), let post = ServiceAddress.plainID(String(id.dropFirst(prefix.count))) else {
                return nil
            }
            (service, self.post) = (.mastodon, post)
            url = id + "/context"
        }
        self.feed = feed
    }

    /// Reads a page. Blocks; any thread that may.
    ///
    /// - Parameter next: what the page before it named; nil: the first page.
    public func read(
        after next: String?, with provider: any ByteProvider, cancellation: Cancellation
    ) throws(BytesError) -> CommentPage {
        let asked = next ?? url
        // A page may only lead to its own server.
        guard RemoteURL(asked)?.origin == RemoteURL(url)?.origin else {
            throw BytesError(verb: .open, url: asked, reason: .forbidden)
        }
        let request = ByteRequest(url: asked, asset: Asset(url: url, feed: feed), role: .feed)
        let source = try provider.open(request, cancellation: cancellation)
        let stream = ByteStream(source, limit: Int64(Self.answerLimit), cancellation: cancellation)
        guard let answer = try JSON.value(of: stream, upTo: Self.answerLimit), let page = page(answer, at: asked) else {
            throw BytesError(
                verb: .read, url: asked,
                reason: .unresolved(by: service?.name ?? "its list", why: "unexpected response"))
        }
        return page
    }

    /// nil for what is no answer of the service. Pure.
    func page(_ answer: JSON, at asked: String) -> CommentPage? {
        switch service {
        case nil: ServiceAnswer.comments(answer)
        case .peerTube: threads(answer, at: asked)
        case .mastodon: answers(answer)
        case .loops: nil
        }
    }

    // MARK: PeerTube

    /// The first comment of each thread (docs.joinpeertube.org/api-rest-reference.html, model CommentThreadResponse).
    private func threads(_ answer: JSON, at asked: String) -> CommentPage? {
        guard case .list(let threads)? = answer["data"] else { return nil }
        let comments = threads.prefix(Self.commentLimit).compactMap { thread -> Comment? in
            guard thread["isDeleted"]?.asFlag != true else { return nil }
            let account = thread["account"]
            return Self.comment(
                thread, text: thread["text"], isMarkup: nil, at: thread["createdAt"],
                names: [account?["displayName"], account?["name"]], parent: nil)
        }
        let start = URLParts(asked)?.query.flatMap { QueryItem.value("start", in: $0) }.flatMap(Int.init) ?? 0
        let total = answer["total"]?.asCount
        // A page without a thread is the last one, whatever is counted.
        let hasMore = !threads.isEmpty && (0..<100_000).contains(start) && start + Self.pageSize < total ?? 0
        return CommentPage(
            comments: comments,
            next: hasMore ? QueryItem.setting("start", to: String(start + Self.pageSize), in: asked) : nil,
            total: answer["totalNotDeletedComments"]?.asCount ?? total)
    }

    // MARK: Mastodon

    /// The replies to the post, and the replies to these
    /// (docs.joinmastodon.org/entities/Context). They come on one page.
    private func answers(_ answer: JSON) -> CommentPage? {
        guard case .list(let posts)? = answer["descendants"] else { return nil }
        var comments: [Comment] = []
        // The sheet has two levels: what answers an answer stands below the first one. Mastodon sends parents before
        // their children.
        var tops: [String: String] = [:]
        for reply in posts.prefix(Self.commentLimit) {
            guard let id = ServiceEntry.id(reply["id"]) else { continue }
            let answered = ServiceEntry.id(reply["in_reply_to_id"])
            let top = answered.flatMap { $0 == post ? nil : tops[$0] }
            tops[id] = top ?? id
            let account = reply["account"]
            let comment = Self.comment(
                reply, text: reply["content"], isMarkup: true, at: reply["created_at"],
                names: [account?["display_name"], account?["acct"]], parent: top)
            if let comment { comments.append(comment) }
        }
        let newest = comments.filter { $0.parent == nil }.sorted { $0.at > $1.at }
        let below = Dictionary(grouping: comments.filter { $0.parent != nil }) { $0.parent ?? "" }
        let ordered = newest.flatMap { top in [top] + (below[top.id] ?? []).sorted { $0.at < $1.at } }
        return CommentPage(comments: ordered, total: ordered.count)
    }

    /// - Parameters:
    ///   - isMarkup: whether the text is HTML; nil if that has to be guessed.
    ///   - names: the first that is a text counts.
    private static func comment(
        _ value: JSON, text: JSON?, isMarkup: Bool?, at: JSON?, names: [JSON?], parent: String?
    ) -> Comment? {
        guard let id = ServiceEntry.id(value["id"]), let written = ServiceEntry.text(text, limit: 8 * textLimit),
            let at = ServiceEntry.text(at, limit: FeedDate.limit).flatMap(FeedDate.date)
        else { return nil }
        // PeerTube has Markdown, and HTML of what comes from elsewhere.
        let shown =
            isMarkup ?? SyndicationField.looksLikeMarkup(written)
            ? PlainText.block(written, limit: textLimit).cut(to: textLimit) : written.cut(to: textLimit)
        guard let shown else { return nil }
        return Comment(
            id: id, name: names.lazy.compactMap { ServiceEntry.text($0, limit: nameLimit) }.first, text: shown, at: at,
            parent: parent)
    }
}
