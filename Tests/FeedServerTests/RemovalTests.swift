import Foundation
import TestSupport
import Testing

@testable import FeedServer

/// Items that the operator deletes.
@Suite struct RemovalTests {
    private static let admin = "an-admin-token"
    private static let asOperator = ["Authorization: Bearer " + admin]
    private static let files: [String: [UInt8]] = [
        "Ann/a.mp4": [1], "Ann/a.json": Array(#"{"title":"A"}"#.utf8), "Ann/a.en.vtt": Array("WEBVTT\n".utf8),
        "Ann/a.en.srt": Array("1\n".utf8), "Ann/a.jpg": [7], "Ann/a.webp": [8], "Ann/b.mp4": [2],
    ]
    private static let own: Set = ["a.mp4", "a.json", "a.en.vtt", "a.en.srt", "a.jpg", "a.webp"]
    private static let a = ServedFolder.id("Ann/a.mp4")

    private func served(_ files: [String: [UInt8]] = files) async throws -> ServedFolder {
        let served = try await ServedFolder(files) { $0.adminToken = Self.admin }
        #expect(await served.waits { $0.isWhole })
        return served
    }

    private func names(_ served: ServedFolder, _ folder: String) -> Set<String> {
        // `try?`: a folder that is not there has no names.
        Set((try? FileManager.default.contentsOfDirectory(atPath: served.path + "/" + folder)) ?? [])
    }

    @Test func operatorDeletesAnItemWithItsFiles() async throws {
        let served = try await served()
        let page = try await served.get("/feed.json", Self.asOperator)
        #expect((page.json["accepts"] as? [String])?.contains("delete_item") == true)
        #expect((page.json["items"] as? [[String: Any]])?.allSatisfy { $0["own"] as? Bool == true } == true)
        for status in ["kept", "known", "known"] {
            let reply = try await served.ask("DELETE", "/videos/" + Self.a, Self.asOperator)
            #expect(reply.status == 200 && reply.json["status"] as? String == status, "\(reply.text)")
        }
        // At once, whether or not the folder was walked again.
        #expect(try await served.items().compactMap { $0["id"] as? String } == [ServedFolder.id("Ann/b.mp4")])
        #expect(try await !served.get("/feed.xml").text.contains(Self.a))
        for path in ["/media/\(Self.a)", "/still/\(Self.a).jpg", "/subtitles/\(Self.a).en.vtt"] {
            #expect(try await served.get(path).status == 404, "\(path)")
        }
        #expect(names(served, "Ann") == ["b.mp4"])
        let place = try #require(names(served, ".flick-trash").first)
        #expect(names(served, ".flick-trash/" + place) == Self.own)
        #expect(await served.waits { $0.index(ofID: Self.a) == nil && $0.count == 1 })
        #expect(
            try await served.ask("DELETE", "/videos/" + Self.a, Self.asOperator).json["status"] as? String == "known")
        await served.stop()
    }

    @Test func deletedItemComesBackWithItsFiles() async throws {
        let served = try await served()
        for _ in 0..<2 {
            #expect(try await served.ask("DELETE", "/videos/" + Self.a, Self.asOperator).status == 200)
            #expect(await served.waits { $0.index(ofID: Self.a) == nil })
            for status in ["kept", "known"] {
                let reply = try await served.ask("PUT", "/videos/" + Self.a, Self.asOperator)
                #expect(reply.status == 200 && reply.json["status"] as? String == status, "\(reply.text)")
            }
            #expect(names(served, "Ann") == Self.own.union(["b.mp4"]))
            #expect(names(served, ".flick-trash").isEmpty)
        }
        #expect(try await served.get("/media/" + Self.a).body == [1])
        await served.stop()
    }

    @Test func overlappingDeletionsKeepTheFiles() async throws {
        let served = try await served()
        async let first = served.ask("DELETE", "/videos/" + Self.a, Self.asOperator).status
        async let second = served.ask("DELETE", "/videos/" + Self.a, Self.asOperator).status
        let statuses = try await [first, second]
        #expect(statuses == [200, 200])
        #expect(names(served, ".flick-trash").count == 1)
        #expect(try await served.ask("PUT", "/videos/" + Self.a, Self.asOperator).status == 200)
        #expect(names(served, "Ann") == Self.own.union(["b.mp4"]))
        await served.stop()
    }

    /// A new file with the name of a deleted one is not overwritten, and can be deleted itself.
    @Test func nothingIsOverwritten() async throws {
        let served = try await served()
        #expect(try await served.ask("DELETE", "/videos/" + Self.a, Self.asOperator).status == 200)
        try served.folder.write("served/Ann/a.mp4", [9])
        #expect(await served.waits { $0.index(ofID: Self.a) != nil })
        let refused = try await served.ask("PUT", "/videos/" + Self.a, Self.asOperator)
        #expect(refused.status == 403 && refused.json["error"] as? String == "a file with this name exists")
        #expect(names(served, "Ann") == ["a.mp4", "b.mp4"])
        #expect(try await served.get("/media/" + Self.a).body == [9])
        #expect(try await served.ask("DELETE", "/videos/" + Self.a, Self.asOperator).status == 200)
        #expect(names(served, ".flick-trash").count == 2)
        await served.stop()
    }

    @Test func viewersCannotDeleteItems() async throws {
        let served = try await served()
        for headers in [[], ["Flick-Viewer: one"], ["Authorization: Bearer wrong-token"]] {
            for method in ["DELETE", "PUT"] {
                let reply = try await served.ask(method, "/videos/" + Self.a, headers)
                #expect(reply.status == 403 && reply.json["error"] != nil, "\(reply.text)")
            }
        }
        let page = try await served.get("/feed.json")
        #expect((page.json["accepts"] as? [String])?.contains("delete_item") == false)
        #expect((page.json["accepts"] as? [String])?.contains("delete_comment") == true)
        #expect(try await served.ask("DELETE", "/videos/0123456789abcdef", Self.asOperator).status == 404)
        #expect(names(served, "Ann").contains("a.mp4"))
        let without = try await ServedFolder()
        #expect(try await without.ask("DELETE", "/videos/" + ServedFolder.a, Self.asOperator).status == 403)
        await without.stop()
        await served.stop()
    }

    /// What two clips share stays with the other one; links and playlists between other clips are not touched.
    @Test func onlyWhatBelongsToTheItemIsMoved() async throws {
        let playlist = Array("#EXTM3U\n#EXTINF:1,\nseg.ts\n#EXT-X-ENDLIST\n".utf8)
        let served = try await served([
            "a.mp4": [1], "a.mkv": [2], "a.json": Array("{}".utf8), "hls/index.m3u8": playlist, "hls/seg.ts": [3],
            "mixed/index.m3u8": playlist, "mixed/seg.ts": [3], "mixed/other/c.mp4": [4],
        ])
        #expect(try await served.ask("DELETE", "/videos/" + ServedFolder.a, Self.asOperator).status == 200)
        #expect(names(served, "").isSuperset(of: ["a.mkv", "a.json"]) && !names(served, "").contains("a.mp4"))
        let hls = ServedFolder.id("hls/index.m3u8")
        #expect(try await served.ask("DELETE", "/videos/" + hls, Self.asOperator).status == 200)
        #expect(!names(served, "").contains("hls"))
        #expect(try await served.ask("PUT", "/videos/" + hls, Self.asOperator).status == 200)
        #expect(names(served, "hls") == ["index.m3u8", "seg.ts"])
        let mixed = try await served.ask("DELETE", "/videos/" + ServedFolder.id("mixed/index.m3u8"), Self.asOperator)
        #expect(mixed.status == 403 && names(served, "mixed").contains("index.m3u8"), "\(mixed.text)")
        await served.stop()
    }

    /// The operator's token opens the feed, too, and is in the addresses of its answers except those of files.
    @Test func operatorsTokenOpensAClosedServer() async throws {
        let served = try await ServedFolder {
            $0.token = "a-viewers-token"
            $0.adminToken = Self.admin
        }
        #expect(try await served.get("/feed.json").status == 401)
        let page = try await served.get("/feed.json?token=" + Self.admin)
        #expect((page.json["engagement"] as? String)?.hasSuffix("/?token=" + Self.admin) == true)
        let item = try #require((page.json["items"] as? [[String: Any]])?.first)
        let url = try #require(item["url"] as? String)
        #expect(url.hasSuffix("?token=a-viewers-token") && !"\(item)".contains(Self.admin))
        let open = try await ServedFolder { $0.adminToken = Self.admin }
        let items = try await open.items("/feed.json?token=" + Self.admin)
        #expect(!items.isEmpty && !"\(items)".contains("token="))
        await open.stop()
        let asViewer = try await served.ask("DELETE", "/videos/\(ServedFolder.a)?token=a-viewers-token")
        #expect(asViewer.status == 403)
        await served.stop()
    }
}
