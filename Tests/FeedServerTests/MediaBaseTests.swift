import Foundation
import TestSupport
import Testing

@testable import FeedServer

/// Clips and images that are served elsewhere.
@Suite struct MediaBaseTests {
    @Test func addressesAreCheckedAndEndInASlash() {
        for wrong in [
            "", "example.org/x", "ftp://h/", "file:///x", "https://me:secret@h/", "https://h/x?y", "https://h/#z",
            "https://", "https:///x",
        ] { #expect(MediaBase(wrong) == nil, "\(wrong)") }
        #expect(MediaBase("https://h")?.url(of: Array("a.mp4".utf8)) == "https://h/a.mp4")
        #expect(MediaBase("https://h:81/x/")?.url(of: Array("a.mp4".utf8)) == "https://h:81/x/a.mp4")
        #expect(
            MediaBase("http://h/x")?.url(of: Array("A b/ü#%?\n".utf8) + [0xFF])
                == "http://h/x/A%20b/%C3%BC%23%25%3F%0A%FF")
    }

    /// nginx has the files, at the addresses that the feed says.
    @Test func clipsAndPicturesComeFromThere() async throws {
        let folder = TemporaryFolder()
        let nginx = try await onThread { try Nginx(files: ["Ann/a b.mp4": [1, 2, 3], "Ann/a b.jpg": [9]]) }
        let root = nginx.url("")
        let served = try await ServedFolder(["Ann/a b.mp4": [1, 2, 3], "Ann/a b.jpg": [9], "ü.webm": [1]]) {
            $0.mediaBase = MediaBase(root)
        }
        let items = try await served.items()
        #expect(items.map { $0["url"] as? String } == [root + "Ann/a%20b.mp4", root + "%C3%BC.webm"])
        #expect(items.map { $0["thumbnail"] as? String } == [root + "Ann/a%20b.jpg", nil])
        let authority = nginx.authority
        for (key, bytes) in [("url", Data([1, 2, 3])), ("thumbnail", Data([9]))] {
            let url = try #require(items[0][key] as? String)
            let got = folder.path + "/got"
            _ = try await onThread { try Command.run(["curl", "-s", "--cacert", authority, "-o", got, url]) }
            #expect(FileManager.default.contents(atPath: got) == bytes)
        }
        // A client with an earlier address is redirected there.
        let moved = try await served.get("/media/" + ServedFolder.id("Ann/a b.mp4"))
        #expect(moved.status == 307 && moved.headers["location"] == root + "Ann/a%20b.mp4" && moved.body.isEmpty)
        #expect(try await served.get("/media/" + ServedFolder.id("none.mp4")).status == 404)
        // Counts and comments are still this server's.
        #expect(try await served.get("/feed.json").json["engagement"] as? String == "http://127.0.0.1:\(served.port)/")
        #expect(try await served.ask("PUT", "/videos/\(ServedFolder.id("ü.webm"))/like").status == 200)
        await served.stop()
    }

    @Test func aPictureBesideAClipIsItsStill() async throws {
        let served = try await ServedFolder([
            "a.mp4": [1], "a.jpg": [7, 8, 9], "b.mp4": [1], "c.mp4": [1], "c.JPG": [1],
        ])
        let items = try await served.items()
        let address = "http://127.0.0.1:\(served.port)/still/\(ServedFolder.a).jpg"
        #expect(items.map { $0["thumbnail"] as? String } == [address, nil, nil])
        let still = try await served.get("/still/\(ServedFolder.a).jpg")
        #expect(still.status == 200 && still.body == [7, 8, 9] && still.headers["content-type"] == "image/jpeg")
        let tag = try #require(still.headers["etag"])
        #expect(try await served.get("/still/\(ServedFolder.a).jpg", ["If-None-Match: " + tag]).status == 304)
        #expect(try await served.get("/still/\(ServedFolder.id("b.mp4")).jpg").status == 404)
        // The sidecar overrides it.
        try served.folder.write("served/a.json", #"{"thumbnail":"https://example.org/x.png"}"#.utf8)
        #expect(await served.waits { !$0.sidecars(at: 0).isEmpty })
        #expect(try await served.items().first?["thumbnail"] as? String == "https://example.org/x.png")
        await served.stop()
    }

    /// yt-dlp's fields come before flick's own, and files excluded by `.flickignore` are not served.
    @Test func aFolderIsReadAsThePlayerReadsIt() async throws {
        let served = try await ServedFolder([
            "a.mp4": [1], "a.info.json": Array(#"{"title": "other", "channel": "Ann", "tags": ["sea"]}"#.utf8),
            "a.json": Array(#"{"title": "own"}"#.utf8), "b.mp4": [1], ".flickignore": Array("b.*\n".utf8),
        ])
        #expect(
            await served.waits {
                $0.isWhole && !$0.page(after: nil, limit: 1, topic: "sea", creator: nil).items.isEmpty
            })
        let items = try await served.items()
        #expect(items.map { $0["title"] as? String } == ["own"])
        #expect((items.first?["creator"] as? [String: Any])?["name"] as? String == "Ann")
        try served.folder.write("served/.flickignore", "a.*\n".utf8)
        #expect(await served.waits { $0.count == 1 && $0.id(at: 0) == ServedFolder.id("b.mp4") })
        await served.stop()
    }
}
