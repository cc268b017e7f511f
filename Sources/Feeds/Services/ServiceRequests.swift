import Model

// The requests to an instance, by PeerTube's REST API (docs.joinpeertube.org/api-rest-reference.html), Mastodon's
// (docs.joinmastodon.org/methods/timelines, /accounts) and the public routes of Loops
// (github.com/joinloops/loops-server, routes/api.php). Only GET, and without an account.
extension ServiceAddress {
    /// How many videos a page has. Loops may send another number.
    static let pageSize = 12
    /// How many posts a page of Mastodon has, most without a video: the most that it sends.
    static let postsOfPage = 40

    /// The URL that returns the id of the account, which its posts are requested with; nil if no id is needed.
    var lookup: String? {
        guard case .account(let name) = part else { return nil }
        switch service {
        case .peerTube: return nil
        case .loops: return api("account/username/\(PercentEncoding.component(name))")
        case .mastodon: return api("accounts/lookup?acct=\(PercentEncoding.component(name))")
        }
    }

    /// The account's id in the answer to `lookup`; nil if it has none.
    func account(in answer: JSON) -> String? {
        let account = service == .loops ? answer["data"] ?? answer : answer
        return account["id"]?.asText(limit: 65).flatMap(Self.plainID)
    }

    /// The addresses of the first page. If the first is not found (404), the next one
    /// is tried. Empty if visitors may see none of it.
    ///
    /// - Parameter id: the account's, if `lookup` was requested.
    func firstPages(account id: String?) -> [String] {
        switch service {
        case .peerTube: peerTubePages
        case .loops: loopsPage(account: id).map { [api("\($0)limit=\(Self.pageSize)")] } ?? []
        case .mastodon: mastodonPage(account: id).map { [api($0)] } ?? []
        }
    }

    private func api(_ path: String) -> String { "\(origin)/api/v1/\(path)" }

    private var peerTubePages: [String] {
        let list = "start=0&count=\(Self.pageSize)"
        let newest = "\(list)&sort=-publishedAt"
        switch part {
        case .all: return [api("videos?\(newest)")]
        // "/@name" may be a channel, too.
        case .account(let name):
            let name = PercentEncoding.component(name)
            return [api("accounts/\(name)/videos?\(newest)"), api("video-channels/\(name)/videos?\(newest)")]
        case .channel(let name): return [api("video-channels/\(PercentEncoding.component(name))/videos?\(newest)")]
        case .search(let words): return [api("search/videos?search=\(PercentEncoding.component(words))&\(list)")]
        case .tag(let tag): return [api("videos?tagsOneOf=\(PercentEncoding.component(tag))&\(newest)")]
        case .one(let id): return [api("videos/\(id)")]
        case .playlist(let id): return [api("video-playlists/\(id)/videos?\(list)")]
        }
    }

    /// Up to where further items of the query belong.
    private func loopsPage(account id: String?) -> String? {
        switch part {
        case .account: id.map { "feed/account/\($0)?sort=Latest&" }
        case .tag(let tag): "explore/tag-feed/\(PercentEncoding.component(tag))?"
        case .all, .channel, .search, .one, .playlist: nil
        }
    }

    private func mastodonPage(account id: String?) -> String? {
        let media = "only_media=true&limit=\(Self.postsOfPage)"
        switch part {
        case .all: return "timelines/public?local=true&\(media)"
        case .account: return id.map { "accounts/\($0)/statuses?exclude_replies=true&exclude_reblogs=true&\(media)" }
        case .tag(let tag): return "timelines/tag/\(PercentEncoding.component(tag))?\(media)"
        case .one(let id): return "statuses/\(id)"
        case .channel, .search, .playlist: return nil
        }
    }

    /// The page behind one at `url`; nil if that was the last one.
    func nextPage(after url: String, _ end: ServicePageEnd) -> String? {
        if case .one = part { return nil }
        guard end.count > 0 else { return nil }
        switch service {
        case .peerTube:
            let start = URLParts(url)?.query.flatMap { QueryItem.value("start", in: $0) }.flatMap(Int.init) ?? 0
            // Filters of the instance may leave fewer on a page, but the numbers count them.
            guard (0..<1_000_000_000).contains(start), end.total.map({ start + Self.pageSize < $0 }) ?? true else {
                return nil
            }
            return QueryItem.setting("start", to: String(start + Self.pageSize), in: url)
        case .loops: return end.cursor.flatMap { QueryItem.setting("cursor", to: $0, in: url) }
        case .mastodon: return end.lastID.flatMap { QueryItem.setting("max_id", to: $0, in: url) }
        }
    }

    // MARK: Errors

    /// A failed request in the service's own words, where the status says more than it does elsewhere.
    func feedsError(for error: BytesError) -> FeedsError {
        guard case .status(let status) = error.reason, let why = reason(forStatus: status) else {
            return .unreadable(error)
        }
        return failure(why)
    }

    func failure(_ why: String) -> FeedsError { .service(text, why: why) }

    private func reason(forStatus status: Int) -> String? {
        switch status {
        // Mastodon says 422 since 4.4, and 401 before.
        case 401, 403, 422:
            switch part {
            case .all, .tag:
                return "\(host) requires a login for timelines; use your browser"
            default: return "\(host) requires a login for this; use your browser"
            }
        case 404, 410:
            switch part {
            case .all: return "\(host) is not a \(service.name) server"
            case .account(let name): return "no account \(ShownName.of(name)) on \(host)"
            case .channel(let name): return "no channel \(ShownName.of(name)) on \(host)"
            case .tag(let tag): return "\(host) has no tag \(ShownName.of(tag))"
            case .search: return "\(host) does not support search"
            case .one: return "not found on \(host)"
            case .playlist: return "no such playlist on \(host)"
            }
        // Loops says so of accounts that are closed.
        case 400 where service == .loops: return "\(host) does not show this account"
        default: return nil
        }
    }
}

/// The state at the end of a page of a service. A value.
struct ServicePageEnd {
    /// How many entries the page had.
    var count = 0
    /// The number of entries on all pages, if the service sends it.
    var total: Int?
    /// The cursor for the next page of Loops.
    var cursor: String?
    /// The id of the last entry.
    var lastID: String?
}
