import Foundation

/// Instances of PeerTube, Loops and Mastodon on a `FaultyServer`: answers in
/// the shapes that their documentation records.
///
/// Entries are numbered from 0, the newest first; their media is that of `media`, in turn.
public enum RecordedService {
    /// The id of a video of PeerTube.
    public static func uuid(_ number: Int) -> String { String(format: "9c9de5e8-0a1e-484a-b099-%012d", number) }

    /// Serves all videos, those of the account "otters" and of the channel
    /// "river", a search, and what each video is asked for.
    public static func servePeerTube(on server: FaultyServer, videos: Int, media: [String]) {
        let list = json { request in
            let start = number("start", of: request) ?? 0
            let page = (start..<max(start, min(start + (number("count", of: request) ?? 15), videos)))
            let data = page.map { video($0, on: server.url("")) }.joined(separator: ",")
            return #"{"total": \#(videos), "data": [\#(data)]}"#
        }
        for path in ["videos", "accounts/otters/videos", "video-channels/river/videos", "search/videos"] {
            server.serve("/api/v1/\(path)", list)
        }
        for number in 0..<videos {
            let playlist = media[number % media.count]
            let details = video(number, on: server.url("")).dropLast()
            server.serve(
                "/api/v1/videos/\(uuid(number))",
                .text(
                    """
                    \(details), "files": [], "streamingPlaylists": [{"id": \(number), "type": 1, "playlistUrl": "\(playlist)",
                    "segmentsSha256Url": "\(server.url("/segments.json"))", "files": []}], "commentsEnabled": true}
                    """, type: "application/json; charset=utf-8"))
        }
    }

    private static func video(_ number: Int, on origin: String) -> String {
        """
        {"id": \(number + 1), "uuid": "\(uuid(number))", "shortUUID": "2y84q2MQUMWPbiEcxN\(number)",
        "url": "https://elsewhere.example.org/videos/watch/\(uuid(number))", "name": "video \(number)",
        "category": {"id": 10, "label": "Animals"}, "licence": {"id": null, "label": "Unknown"}, "privacy": {"id": 1, "label": "Public"},
        "truncatedDescription": "What **video \(number)** shows", "duration": 12, "aspectRatio": 0.5625, "isLive": false,
        "nsfw": false, "isLocal": false, "views": 1337, "viewers": 0, "likes": 42, "dislikes": 7, "comments": 3,
        "thumbnailPath": "/lazy-static/thumbnails/\(number).jpg", "previewPath": "/lazy-static/previews/\(number).jpg",
        "embedPath": "/videos/embed/\(number)", "state": {"id": 1, "label": "Published"},
        "createdAt": "2026-05-01T09:00:00.000Z", "publishedAt": "2026-05-01T12:00:00.396Z",
        "account": {"id": 3, "name": "otters", "displayName": "Otters", "host": "elsewhere.example.org",
        "url": "https://elsewhere.example.org/accounts/otters", "avatars": []},
        "channel": {"id": 4, "name": "river", "displayName": "The river", "host": "elsewhere.example.org",
        "url": "https://elsewhere.example.org/video-channels/river",
        "avatars": [{"path": "/lazy-static/avatars/a.jpg", "width": 120}, {"path": "/lazy-static/avatars/b.jpg", "width": 48}]}}
        """
    }

    /// Serves the account "otters" and the tag "otters", a dozen a page.
    public static func serveLoops(on server: FaultyServer, videos: Int, media: [String]) {
        server.serve(
            "/api/v1/account/username/otters",
            .text(
                #"{"data": {"id": "7", "name": "Otters", "username": "otters", "post_count": \#(videos)}}"#,
                type: "application/json"))
        let list = json { request in
            let start = value("cursor", of: request).flatMap { Int($0.dropFirst()) } ?? 0
            let end = min(start + 12, videos)
            let data = (start..<max(start, end)).map { loop($0, media: media[$0 % media.count], on: server.url("")) }
            let next = end < videos ? "\"c\(end)\"" : "null"
            return """
                {"data": [\(data.joined(separator: ","))], "links": {"first": null, "last": null, "prev": null, "next": null},
                "meta": {"path": "\(server.url(""))", "per_page": 12, "next_cursor": \(next), "prev_cursor": null}}
                """
        }
        server.serve("/api/v1/feed/account/7", list)
        server.serve("/api/v1/explore/tag-feed/otters", list)
    }

    private static func loop(_ number: Int, media: String, on origin: String) -> String {
        """
        {"id": "\(40_908_285_834_039_296 - number)", "account": {"id": "7", "name": "Otters", "username": "otters",
        "avatar": "\(origin)/avatar.jpg", "url": "\(origin)/@otters"}, "caption": "loop \(number) #otters",
        "url": "\(origin)/v/\(number)", "is_sensitive": false, "media": {"thumbnail": "\(origin)/thumbnail.jpg",
        "src_url": "\(media)", "hls_url": null, "alt_text": null, "duration": 12}, "pinned": false, "likes": 5, "shares": 1,
        "comments": 2, "bookmarks": 4, "has_liked": false, "lang": "en", "tags": ["otters", "river"],
        "permissions": {"can_comment": true}, "audio": {"has_audio": true}, "created_at": "2026-05-01T12:00:00+00:00"}
        """
    }

    /// Serves the account "otters", the tag "otters" and the local timeline. Each third post has a picture only.
    public static func serveMastodon(on server: FaultyServer, posts: Int, media: [String]) {
        server.serve(
            "/api/v1/accounts/lookup",
            .text(#"{"id": "109", "username": "otters", "acct": "otters"}"#, type: "application/json"))
        let list = json { request in
            let start = number("max_id", of: request).map { newest - $0 + 1 } ?? 0
            let end = min(start + (number("limit", of: request) ?? 20), posts)
            let page = (start..<max(start, end)).map { post($0, media: media[$0 % media.count], on: server.url("")) }
            return "[\(page.joined(separator: ","))]"
        }
        for path in ["accounts/109/statuses", "timelines/tag/otters", "timelines/public"] {
            server.serve("/api/v1/\(path)", list)
        }
    }

    /// The id of the newest post.
    private static let newest = 116_000_000_000_000_000

    private static func post(_ number: Int, media: String, on origin: String) -> String {
        let attachment =
            number % 3 == 2
            ? #""type": "unknown", "url": "\#(origin)/picture.jpg""#
            : """
            "type": "video", "url": "\(media)", "remote_url": null,
            "meta": {"original": {"width": 720, "height": 1280, "frame_rate": "30/1", "duration": 12.03, "bitrate": 900000}}
            """
        return """
            {"id": "\(newest - number)", "created_at": "2026-05-01T12:00:00.000Z", "in_reply_to_id": null, "sensitive": false,
            "spoiler_text": "", "visibility": "public", "language": "en", "uri": "\(origin)/users/otters/statuses/\(number)",
            "url": "\(origin)/@otters/\(number)", "replies_count": 2, "reblogs_count": 1, "favourites_count": 5, "reblog": null,
            "content": "<p>post \(number)</p><p>by the <a href=\\"\(origin)/tags/river\\">#<span>river</span></a></p>",
            "account": {"id": "109", "username": "otters", "acct": "otters", "display_name": "Otters", "url": "\(origin)/@otters",
            "avatar": "\(origin)/avatar.png", "avatar_static": "\(origin)/still.png"},
            "media_attachments": [{"id": "\(number)", \(attachment), "preview_url": "\(origin)/preview.png",
            "description": "An otter & a fish", "blurhash": "UBL_:rOpGG-;~qj[j[WB"}],
            "mentions": [], "tags": [{"name": "river", "url": "\(origin)/tags/river"}], "emojis": [], "card": null, "poll": null}
            """
    }

    /// Serves what is said of the newest post of Mastodon, and of the first video of PeerTube.
    public static func serveComments(on server: FaultyServer) {
        let account =
            #"{"id": "7", "username": "ferry", "acct": "ferry", "name": "ferry", "host": "elsewhere.example.org""#
        server.serve(
            "/api/v1/statuses/\(newest)/context",
            .text(
                """
                {"ancestors": [], "descendants": [{"id": "\(newest + 1)", "created_at": "2026-05-01T13:00:00.000Z",
                "in_reply_to_id": "\(newest)", "visibility": "public", "content": "<p>how <b>fast</b> they are</p>",
                "account": \(account), "display_name": "Ferry"}, "media_attachments": []}]}
                """, type: "application/json; charset=utf-8"))
        server.serve(
            "/api/v1/videos/\(uuid(0))/comment-threads",
            .text(
                """
                {"total": 1, "totalNotDeletedComments": 1, "data": [{"id": 3, "threadId": 3, "inReplyToCommentId": null,
                "text": "how **fast** they are", "createdAt": "2026-05-01T13:00:00.000Z", "isDeleted": false, "totalReplies": 0,
                "account": \(account), "displayName": "Ferry"}}]}
                """, type: "application/json; charset=utf-8"))
    }

    // MARK: Requests

    private static func json(_ answer: @escaping @Sendable (FaultyServer.Request) -> String) -> Resource {
        Resource(.dynamic { Array(answer($0).utf8) }, type: "application/json; charset=utf-8", etag: nil)
    }

    private static func value(_ name: String, of request: FaultyServer.Request) -> String? {
        (request.query ?? "").split(separator: "&").first { $0.hasPrefix("\(name)=") }.map {
            String($0.dropFirst(name.count + 1))
        }
    }

    private static func number(_ name: String, of request: FaultyServer.Request) -> Int? {
        value(name, of: request).flatMap { Int($0) }
    }
}
