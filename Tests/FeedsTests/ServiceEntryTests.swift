import Model
import TestSupport
import Testing

@testable import Feeds

/// Entries of services as items.
@Suite struct ServiceEntryTests {
    private func items(_ text: String, from service: Service, at base: String = "https://h/api/v1/x") throws -> [Item]?
    {
        let value = try JSON(whole: Array(text.utf8))
        return ServiceEntry.items(of: value, from: service, base: base, need: MediaNeed(height: 720))
    }

    @Test func aVideoOfPeerTubeHasAllThatAPageShows() throws {
        let id = "9c9de5e8-0a1e-484a-b099-e80766180a6d"
        let item = try #require(
            try items(
                """
                {"id": 8, "uuid": "\(id)", "shortUUID": "2y84q2MQUMWPbiEcxNXMgC", "name": "Otters <3",
                "url": "https://other.example/videos/watch/\(id)", "truncatedDescription": "Line one\\nLine two",
                "duration": 71.5, "isLive": false, "likes": 42, "dislikes": "7", "comments": 3, "views": 1337,
                "category": {"id": 15, "label": "Science"}, "tags": ["#river", "otters", "River"],
                "thumbnailPath": "/t.jpg", "previewPath": "/lazy-static/previews/p.jpg", "publishedAt": "2018-10-01T10:52:46.396000+00:00",
                "account": {"name": "root", "displayName": "Root", "host": "other.example"},
                "channel": {"name": "river", "displayName": "The river", "host": "other.example",
                "url": "https://other.example/video-channels/river", "avatars": [{"path": "/big.png", "width": 1500},
                {"path": "/48.png", "width": 48}, {"path": "/120.png", "width": 120}, {"path": null}]}}
                """, from: .peerTube)?.first)
        #expect(item.resolver == .peerTube && item.url == "https://h/api/v1/videos/\(id)" && item.id == id)
        #expect(item.title == "Otters <3" && item.text == "Line one\nLine two")
        #expect(item.link == "https://other.example/videos/watch/\(id)")
        #expect(item.thumbnail == "https://h/lazy-static/previews/p.jpg" && item.duration == .seconds(71.5))
        #expect(item.published.map(RFC3339.text(from:)) == "2018-10-01T10:52:46.396Z")
        #expect(
            item.creator
                == Item.Creator(
                    id: "river@other.example", name: "The river", avatar: "https://h/48.png",
                    url: "https://other.example/video-channels/river"))
        #expect(item.tags == ["river", "otters", "Science"])
        #expect(item.stats == Item.Stats(likes: 42, dislikes: 7, comments: 3))
    }

    @Test func newerPeerTubeNamesPicturesByAddress() throws {
        let item = try #require(
            try items(
                """
                {"uuid": "a-1", "thumbnailPath": null, "previewPath": null, "thumbnails": [
                {"fileUrl": "https://cdn.example/280.jpg", "width": 280}, {"fileUrl": "https://cdn.example/1280.jpg", "width": 1280},
                {"fileUrl": "https://cdn.example/850.jpg", "width": 850}], "account": {"name": "a",
                "avatars": [{"fileUrl": "https://cdn.example/a.png", "width": 24}]}}
                """, from: .peerTube)?.first)
        #expect(item.thumbnail == "https://cdn.example/850.jpg" && item.creator?.avatar == "https://cdn.example/a.png")
        #expect(item.creator?.name == "a" && item.link == "https://h/w/a-1")
    }

    /// Playlists hold their videos in a field; streams that have not begun have nothing to play.
    @Test func unwatchableEntriesAreSkipped() throws {
        #expect(try items(#"{"id": 1, "position": 1, "video": {"uuid": "a"}}"#, from: .peerTube)?.first?.id == "a")
        #expect(try items(#"{"id": 1, "position": 1, "video": null}"#, from: .peerTube) == [])
        #expect(try items(#"{"uuid": "a", "isLive": true, "state": {"id": 4}}"#, from: .peerTube) == [])
        #expect(try items(#"{"id": "1", "media": {"src_url": null}}"#, from: .loops) == [])
        #expect(try items(#"{"id": "1"}"#, from: .loops) == [])
        #expect(
            try items(#"{"id": "1", "media_attachments": [{"type": "unknown", "url": "/a.png"}]}"#, from: .mastodon)
                == []
        )
        #expect(try items(#"{"id": "1", "media_attachments": {"type": "video"}}"#, from: .mastodon) == [])
        #expect(
            try items(#"{"id": "1", "media_attachments": [{"type": "video", "url": null}]}"#, from: .mastodon) == [])
    }

    /// Whatever is wrong with a field costs the field, and whatever has no id is no entry.
    @Test(arguments: Service.allCases) func hostileValuesCostTheirFieldsOnly(service: Service) throws {
        for text in ["null", "1", "\"x\"", "[]", "{}", #"{"id": null}"#, #"{"id": {"id": 1}}"#, #"{"id": "../1"}"#] {
            #expect(try items(text, from: service) == nil, "\(text)")
        }
        let media = #"[{"type": "video", "url": "/a.mp4", "meta": 1, "blurhash": [], "description": {}}]"#
        for value in ["null", "true", "-1", "1e308", "\"\"", "\"\\u0000\"", "[[]]", "{\"id\": -1, \"name\": 2}"] {
            let names = [
                "name", "description", "truncatedDescription", "category", "tags", "duration", "state", "likes",
                "publishedAt", "channel", "account", "thumbnails", "previewPath", "caption", "url", "created_at",
                "content",
                "spoiler_text", "favourites_count",
            ]
            let fields = names.map { "\"\($0)\": \(value)" }.joined(separator: ",")
            let item = try items(
                #"{"id": "1", "uuid": "u", "media": {"src_url": "/a.mp4", "duration": \#(value)}, "media_attachments": \#(media), \#(fields)}"#,
                from: service)?.first
            let found = try #require(item, "\(value)")
            #expect(found.url.hasPrefix("https://h/") && found.duration.map { $0 > .zero } ?? true)
            #expect(found.published == nil)
        }
    }

    @Test func sensitiveEntriesAreMarked() throws {
        let video = #"{"id": "1", "media_attachments": [{"type": "video", "url": "/a.mp4"}], "content": "c","#
        let texts: [(Service, String)] = [
            (.mastodon, video + #" "sensitive": true, "spoiler_text": " Spiders "}"#),
            (.peerTube, #"{"uuid": "u", "nsfw": true, "nsfwSummary": "Spiders"}"#),
            (.loops, #"{"id": "1", "media": {"src_url": "/a.mp4"}, "is_sensitive": true}"#),
        ]
        for (service, text) in texts {
            let item = try #require(try items(text, from: service)?.first)
            #expect(item.isSensitive && item.warning == (service == .loops ? nil : "Spiders"), "\(service)")
            let other = try items(text.replacing(": true", with: ": false"), from: service)?.first
            #expect(other?.isSensitive == false)
        }
    }

    @Test func eachVideoAndImageOfAPostIsAnItem() throws {
        let all = try #require(
            try items(
                """
                {"id": "116", "uri": "https://h/users/o/statuses/116", "url": "https://h/@o/116", "created_at": "2026-05-01T12:00:00.000Z",
                "content": "<p>Otters &amp; <a href=\\"/x\\">#<span>river</span></a></p><p>Second</p>", "spoiler_text": "",
                "replies_count": 2, "reblogs_count": 1, "favourites_count": 5, "tags": [{"name": "river"}, {"name": 3}],
                "account": {"acct": "o", "username": "o", "display_name": "", "avatar": "/a.gif", "avatar_static": "/a.png",
                "url": "https://h/@o"}, "media_attachments": [
                {"type": "image", "url": "/p.png"},
                {"type": "video", "url": "https://cdn.example/v.mp4", "preview_url": "https://cdn.example/v.png",
                "description": "An <otter>", "blurhash": "UBL_:rOpGG-;~qj[j[WB",
                "meta": {"original": {"width": 720, "height": 1280, "duration": 12.03}}},
                {"type": "gifv", "url": "https://cdn.example/g.mp4"},
                {"type": "audio", "url": null, "remote_url": "https://far.example/s.mp3"}, {"type": "unknown", "url": "/u"}]}
                """, from: .mastodon))
        #expect(all.first?.url == "https://h/p.png" && all.first?.id == "https://h/api/v1/statuses/116#image1")
        let found = all.dropFirst().map(\.self)
        let links = ["https://cdn.example/v.mp4", "https://cdn.example/g.mp4", "https://far.example/s.mp3"]
        #expect(found.map(\.url) == links)
        #expect(found.map(\.id) == ["", "#2", "#3"].map { "https://h/api/v1/statuses/116" + $0 })
        #expect(found[0].title == "Otters & #river" && found[0].text == "Otters & #river\n\nSecond\n\nAn <otter>")
        #expect(found[1].text == "Otters & #river\n\nSecond")
        #expect(found[0].blurHash == "UBL_:rOpGG-;~qj[j[WB" && found[0].thumbnail == "https://cdn.example/v.png")
        #expect(found[0].duration == .milliseconds(12_030) && found[1].duration == nil)
        #expect(found.allSatisfy { $0.link == "https://h/@o/116" && $0.tags == ["river"] && $0.resolver == nil })
        #expect(
            found[0].creator == Item.Creator(id: "o@h", name: "o", avatar: "https://h/a.png", url: "https://h/@o"))
        #expect(found[0].stats == Item.Stats(likes: 5, comments: 2, shares: 1))
        #expect(found[0].published.map(RFC3339.text(from:)) == "2026-05-01T12:00:00Z")
    }

    @Test func postIsNamedByItsWarningOrItsAltText() throws {
        func post(_ fields: String) throws -> Item? {
            try items(
                #"{"id": "1", "media_attachments": [{"type": "video", "url": "/v.mp4", "description": "Seen"}], \#(fields)}"#,
                from: .mastodon)?.first
        }
        let warned = try post(#""spoiler_text": "Fish <3", "content": "<p>Eaten</p>""#)
        #expect(warned?.title == "Fish <3" && warned?.text == "Eaten\n\nSeen")
        #expect(try post(#""content": "<p></p>""#)?.title == "Seen")
        #expect(try post(#""reblog": {"id": "2", "content": "<p>No media</p>", "media_attachments": []}"#) == nil)
    }

    @Test func aVideoOfLoopsHasAllThatAPageShows() throws {
        let item = try #require(
            try items(
                """
                {"id": "40908285834039296", "account": {"id": "7", "name": "Otters", "username": "otters", "avatar": "https://cdn.example/a.jpg",
                "url": "https://h/@otters"}, "caption": "A loop #otters", "url": "https://h/v/x", "media": {"thumbnail": "https://cdn.example/t.jpg",
                "src_url": "https://cdn.example/v.mp4", "hls_url": null, "alt_text": "Seen", "duration": 31}, "likes": 5, "shares": 1,
                "comments": 2, "bookmarks": 4, "tags": ["otters"], "created_at": "2026-05-01T12:00:00+02:00"}
                """, from: .loops)?.first)
        #expect(item.url == "https://cdn.example/v.mp4" && item.resolver == nil && item.link == "https://h/v/x")
        #expect(item.id == "https://h/api/v1/video/40908285834039296" && item.thumbnail == "https://cdn.example/t.jpg")
        #expect(item.title == "A loop #otters" && item.text == "A loop #otters\n\nSeen")
        #expect(
            item.creator
                == Item.Creator(
                    id: "otters@h", name: "Otters", avatar: "https://cdn.example/a.jpg", url: "https://h/@otters"))
        #expect(item.tags == ["otters"] && item.duration == .seconds(31))
        #expect(item.stats == Item.Stats(likes: 5, comments: 2, saves: 4, shares: 1))
        #expect(item.published.map(RFC3339.text(from:)) == "2026-05-01T10:00:00Z")
    }

    /// Where a service comes to name a stream, that is preferred to a file of unknown size.
    @Test func aStreamOfLoopsIsPlayed() throws {
        let media = #"{"src_url": "/v.mp4", "hls_url": "/v.m3u8"}"#
        #expect(try items(#"{"id": 1, "media": \#(media)}"#, from: .loops)?.first?.url == "https://h/v.m3u8")
    }
}
