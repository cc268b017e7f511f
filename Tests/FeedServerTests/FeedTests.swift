import Foundation
import TestSupport
import Testing

@testable import FeedServer

#if canImport(FoundationXML)
    import FoundationXML
#endif

@Suite struct ServedFeedTests {
    private static let files: [String: [UInt8]] = [
        "Ann/clip 2.mp4": [1, 2, 3], "Ann/clip 2.json": Array(#"{"tags":["sea"]}"#.utf8), "Ann/clip 10.mp4": [1],
        "Bob & Co/x.webm": [1, 2],
        "Bob & Co/x.json": Array(
            #"{"title":"<Bear> & \"co\"","tags":["sea","x/y"],"duration":2.5,"id":"mine","url":"file:///etc/passwd","stats":{"likes":99},"headers":{"X":"y"},"thumbnail":"thumb.jpg","link":"https://example.org/bear","published":"2020-01-02T03:04:05Z"}"#
                .utf8),
        "note.txt": [1], ".hidden.mp4": [1], "zoo.mp4": [1], "zoo.json": Array("{not json".utf8),
    ]

    @Test func aFolderIsAManifest() async throws {
        let served = try await ServedFolder(Self.files) { $0.allowedHosts = [.name("example.org")] }
        #expect(
            await served.waits {
                $0.isWhole && !$0.page(after: nil, limit: 1, topic: "sea", creator: nil).items.isEmpty
            })
        let reply = try await served.get("/feed.json", ["Host: example.org:99"])
        #expect(reply.status == 200 && reply.headers["content-type"] == "application/json")
        #expect(
            reply.json["title"] as? String == "served"
                && reply.json["engagement"] as? String == "http://example.org:99/")
        #expect(reply.json["next"] == nil)
        let items = try await served.items()
        #expect(items.compactMap { $0["title"] as? String } == ["clip 2", "clip 10", "<Bear> & \"co\"", "zoo"])
        #expect(items[0]["id"] as? String == ServedFolder.id("Ann/clip 2.mp4"))
        #expect(
            items[0]["url"] as? String == "http://127.0.0.1:\(served.port)/media/\(ServedFolder.id("Ann/clip 2.mp4"))")
        #expect((items[0]["creator"] as? [String: String])?["name"] == "Ann")
        #expect(items[3]["creator"] == nil)
        // The sidecar says what it may, and not what is the server's.
        let bear = items[2]
        #expect(bear["id"] as? String == ServedFolder.id("Bob & Co/x.webm"))
        #expect((bear["url"] as? String)?.hasPrefix("http://127.0.0.1") == true)
        #expect(bear["tags"] as? [String] == ["sea", "x/y"] && bear["duration"] as? Double == 2.5)
        #expect(bear["stats"] as? [String: Int] == ["likes": 0, "dislikes": 0, "comments": 0, "saves": 0, "shares": 0])
        #expect(
            bear["headers"] == nil && bear["thumbnail"] == nil && bear["link"] as? String == "https://example.org/bear")
        #expect(bear["published"] as? String == "2020-01-02T03:04:05Z")
        await served.stop()
        #expect(served.log.contains("cannot use 'zoo.json': line 1, column 2"))
    }

    @Test func pagesAreFollowedByTheirNext() async throws {
        let names = (1...25).map { "clip \($0).mp4" }
        let served = try await ServedFolder(Dictionary(uniqueKeysWithValues: names.map { ($0, [1]) }))
        #expect(await served.waits { $0.count == 25 })
        var (target, ids, pages): (String?, [String], Int) = ("/feed.json?limit=10", [], 0)
        while let next = target {
            let json = try await served.get(next).json
            ids += (json["items"] as? [[String: Any]] ?? []).compactMap { $0["id"] as? String }
            target = (json["next"] as? String).map { String($0.dropFirst("http://127.0.0.1:\(served.port)".count)) }
            pages += 1
        }
        #expect(ids == names.map(ServedFolder.id) && pages == 3)
        for bad in ["limit=0", "limit=201", "limit=x", "cursor==", "cursor=%ff", "limit=-1", "limit=1e2"] {
            let reply = try await served.get("/feed.json?" + bad)
            #expect(reply.status == 400 && reply.json["error"] != nil, "\(bad)")
        }
        await served.stop()
    }

    /// While the folder is walked, the last page that there is may not be the last one.
    @Test func aPageOfAHalfWalkedFolderHasANext() async throws {
        let served = try await ServedFolder()
        #expect(await served.waits { $0.isWhole })
        let keeper = served.server.keeper
        let base = try ServerAddress(host: "h", isSecure: false, token: nil)
        for isWhole in [true, false] {
            let index = FolderIndex(paths: keeper.index.paths, isWhole: isWhole)
            let page = FeedPage(
                try FeedPage.Query(try AddressQuery(nil)), document: "feed.json", of: index, keeper: keeper,
                addresses: ItemAddresses(server: base), isOperator: false, stills: nil
            ) { _ in [:] }
            #expect(page.entries.count == 1 && (page.next != nil) == !isWhole)
        }
        await served.stop()
    }

    @Test func topicsAndCreatorsAreFeeds() async throws {
        let served = try await ServedFolder(Self.files)
        #expect(
            await served.waits {
                $0.isWhole && !$0.page(after: nil, limit: 1, topic: "sea", creator: nil).items.isEmpty
            })
        #expect(try await served.items("/feed.json?topic=x%2Fy").count == 1)
        #expect(try await served.items("/feed.json?topic=nothing").isEmpty)
        // The limit is in characters, whatever bytes they take.
        let longest = String(repeating: "%F0%9F%90%9F", count: 1_000)
        #expect(try await served.get("/feed.json?topic=\(longest)&creator=\(longest)").status == 200)
        #expect(try await served.get("/feed.json?topic=\(longest)x").status == 400)
        let bob = FolderIndex.creatorID("Bob & Co")
        #expect(try await served.items("/feed.json?creator=\(bob)").count == 1)
        let ann = try await served.get("/feed.json?limit=1&creator=\(FolderIndex.creatorID("Ann"))")
        #expect((ann.json["next"] as? String)?.contains("creator=") == true)
        let sea = try await served.get("/feed.json?limit=1&topic=sea")
        let next = try #require(sea.json["next"] as? String)
        let rest = try await served.items(String(next.dropFirst("http://127.0.0.1:\(served.port)".count)))
        #expect(rest.compactMap { $0["title"] as? String } == ["<Bear> & \"co\""])
        await served.stop()
    }

    @Test(arguments: [true, false]) func changesOfTheFolderAreSeen(usesInotify: Bool) async throws {
        let served = try await ServedFolder(["a.mp4": [1]]) { $0.usesInotify = usesInotify }
        #expect(await served.waits { $0.isWhole && $0.count == 1 })
        // Usually within the second of the first walk: without inotify, the
        // folder's time alone does not show the change.
        try served.folder.write("served/new/deep/b.mp4", [1])
        #expect(await served.waits { $0.count == 2 })
        if usesInotify {
            try served.folder.write("served/new/deep/c.mp4", [1])
            #expect(await served.waits { $0.count == 3 })
            try served.folder.write("served/a.json", #"{"tags":["late"]}"#.utf8)
            #expect(await served.waits { !$0.page(after: nil, limit: 1, topic: "late", creator: nil).items.isEmpty })
            // Written over in place, as editors do that keep the file.
            let sidecar = try #require(FileHandle(forUpdatingAtPath: served.path + "/a.json"))
            try sidecar.truncate(atOffset: 0)
            try sidecar.write(contentsOf: Data(#"{"tags":["later"]}"#.utf8))
            try sidecar.close()
            #expect(await served.waits { !$0.page(after: nil, limit: 1, topic: "later", creator: nil).items.isEmpty })
            #expect(unlink(served.path + "/new/deep/c.mp4") == 0)
            #expect(await served.waits { $0.count == 2 })
            // Moved in, and out again.
            let moved = try served.folder.write("moved.mp4", [1])
            #expect(rename(moved, served.path + "/moved.mp4") == 0)
            #expect(await served.waits { $0.count == 3 })
            #expect(rename(served.path + "/moved.mp4", moved) == 0)
            #expect(await served.waits { $0.count == 2 })
            #expect(rename(served.path + "/new", served.path + "/newer") == 0)
            #expect(await served.waits { $0.index(ofID: ServedFolder.id("newer/deep/b.mp4")) != nil })
        }
        await served.stop()
    }

    @Test(arguments: ["", "?token=let-me-in-please"])
    func addressOfTheServerLeadsToTheFeed(query: String) async throws {
        let served = try await ServedFolder { if !query.isEmpty { $0.token = "let-me-in-please" } }
        let reply = try await served.get("/" + query)
        #expect(reply.status == 307)
        #expect(reply.headers["location"] == "http://127.0.0.1:\(served.port)/feed.json\(query)")
        await served.stop()
    }

    @Test func readersOfRSSGetTheSame() async throws {
        let served = try await ServedFolder(Self.files) { $0.allowedHosts = [.name("hxxxxx")] }
        let reply = try await served.get("/feed.xml?limit=3", ["Host: hxxxxx"])
        #expect(reply.headers["content-type"]?.hasPrefix("application/rss+xml") == true)
        let parser = XMLParser(data: Data(reply.body))
        let found = Found()
        parser.delegate = found
        #expect(parser.parse())
        #expect(found.titles == ["served", "clip 2", "clip 10", "<Bear> & \"co\""])
        #expect(found.enclosures.map { $0["type"] } == ["video/mp4", "video/mp4", "video/webm"])
        #expect(found.enclosures.map { $0["length"] } == ["3", "1", "2"])
        #expect(found.next?.contains("/feed.xml?cursor=") == true)
        await served.stop()
    }

    private final class Found: NSObject, XMLParserDelegate {
        var (titles, enclosures, next): ([String], [[String: String]], String?) = ([], [], nil)
        private var text: String?

        func parser(
            _ parser: XMLParser, didStartElement name: String, namespaceURI: String?, qualifiedName: String?,
            attributes: [String: String]
        ) {
            if name == "title" { text = "" }
            if name == "enclosure" { enclosures.append(attributes) }
            if name == "atom:link", attributes["rel"] == "next" { next = attributes["href"] }
        }

        func parser(_ parser: XMLParser, foundCharacters string: String) { text? += string }

        func parser(_ parser: XMLParser, didEndElement name: String, namespaceURI: String?, qualifiedName: String?) {
            guard name == "title", let text else { return }
            titles.append(text)
            self.text = nil
        }
    }

    @Test func clipsOfAllKindsAreListedAndSentWithTheirMediaTypes() async throws {
        let types = [
            "aif": "audio/aiff", "aiff": "audio/aiff", "amr": "audio/amr", "ape": "audio/x-ape", "caf": "audio/x-caf",
            "m4b": "audio/mp4", "spx": "audio/ogg", "weba": "audio/webm", "wma": "audio/x-ms-wma", "ac3": "audio/ac3",
            "au": "audio/basic", "mpc": "audio/x-musepack", "tta": "audio/x-tta", "wv": "audio/x-wavpack",
            "hevc": "video/h265", "m2t": "video/mp2t", "mk3d": "video/x-matroska", "qt": "video/quicktime",
        ]
        var files: [String: [UInt8]] = ["notes.txt": [1], "clip.zip": [1]]
        for ending in types.keys { files["\(ending).\(ending.uppercased())"] = [1] }
        let served = try await ServedFolder(files)
        #expect(await served.waits { $0.isWhole })
        let ids = try await served.items().compactMap { $0["id"] as? String }
        #expect(ids.sorted() == types.keys.map { ServedFolder.id("\($0).\($0.uppercased())") }.sorted())
        for (ending, type) in types {
            let id = ServedFolder.id("\(ending).\(ending.uppercased())")
            let head = try await served.ask("HEAD", "/media/" + id)
            #expect(head.status == 200 && head.headers["content-type"] == type, "\(ending)")
        }
        let parser = XMLParser(data: Data(try await served.get("/feed.xml").body))
        let found = Found()
        parser.delegate = found
        #expect(parser.parse())
        #expect(found.enclosures.compactMap { $0["type"] }.sorted() == types.values.sorted())
        await served.stop()
    }

    @Test func markupIsEscapedAndControlsAreReplaced() {
        #expect(MediaRSS.escaped("a<b>&\"'\u{1B}\u{9}é\u{FFFF}") == "a&lt;b&gt;&amp;&quot;&#39;\u{FFFD}\u{9}é\u{FFFD}")
    }

    @Test(arguments: ["evil\"host", "a b", "h/path", "<script>"])
    func aHostileHostIsRefused(host: String) async throws {
        let served = try await ServedFolder()
        let reply = try await served.get("/feed.json", ["Host: " + host])
        #expect(reply.status == 400 && !reply.text.contains(host))
        await served.stop()
    }

    @Test func headersOfProxiesAreNotBelieved() async throws {
        let served = try await ServedFolder()
        let reply = try await served.get("/feed.json", ["X-Forwarded-Proto: https", "X-Forwarded-Host: evil.example"])
        #expect(
            reply.text.contains("http://127.0.0.1") && !reply.text.contains("https:") && !reply.text.contains("evil"))
        await served.stop()
    }
}
