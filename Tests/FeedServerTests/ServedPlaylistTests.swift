import Foundation
import TestSupport
import Testing

@testable import FeedServer

/// HLS in the served folder.
@Suite struct ServedPlaylistTests {
    private static let files: [String: [UInt8]] = [
        "abyss/master.m3u8": Array("#EXTM3U\n#EXT-X-STREAM-INF:BANDWIDTH=9\n720p/v.m3u8\n".utf8),
        "abyss/720p/v.m3u8": Array("#EXTM3U\r\n#EXT-X-MAP:URI=\"i.mp4\"\r\n#EXTINF:1,\r\n0 1.ts\r\n".utf8),
        "abyss/720p/0 1.ts": [7, 8, 9], "abyss/720p/i.mp4": [1], "abyss/notes.json": Array("{}".utf8),
        "abyss/.hidden.ts": [1], "Ann/deep/index.m3u8": Array("#EXTM3U".utf8), "private.ts": [1],
    ]

    @Test func aPlaylistIsAnItemAndItsSegmentsAreServed() async throws {
        let served = try await ServedFolder(Self.files)
        #expect(await served.waits { $0.isWhole })
        let items = try await served.items()
        let base = "http://127.0.0.1:\(served.port)"
        let id = ServedFolder.id("abyss/master.m3u8")
        let abyss = try #require(items.first { $0["title"] as? String == "abyss" })
        #expect(abyss["url"] as? String == "\(base)/media/\(id)/master.m3u8")
        // Its folder names the clip, not a creator; but the folder above names one.
        #expect(abyss["creator"] == nil)
        let deep = try #require(items.first { $0["title"] as? String == "deep" })
        #expect((deep["creator"] as? [String: String])?["name"] == "Ann")
        let master = try await served.get("/media/\(id)/master.m3u8")
        #expect(master.status == 200 && master.body == Self.files["abyss/master.m3u8"])
        #expect(master.headers["content-type"] == "application/vnd.apple.mpegurl")
        #expect(try await served.get("/media/\(id)/720p/v.m3u8").body == Self.files["abyss/720p/v.m3u8"])
        let segment = try await served.get("/media/\(id)/720p/0%201.ts", ["Range: bytes=1-"])
        #expect(segment.status == 206 && segment.body == [8, 9] && segment.headers["content-type"] == "video/mp2t")
        // Asked for without its name, what it names could not be found.
        let nameless = try await served.get("/media/\(id)")
        #expect(nameless.status == 307 && nameless.headers["location"] == "\(base)/media/\(id)/master.m3u8")
        for target in [
            "notes.json", ".hidden.ts", "../private.ts", "%2e%2e/private.ts", "..%2fprivate.ts", "720p/../master.m3u8",
            "720p//i.mp4", "nothing.ts", "720p", "720p/", "",
        ] { #expect(try await served.get("/media/\(id)/\(target)").status == 404, "\(target)") }
        #expect(try await served.get("/media/\(ServedFolder.id("private.ts"))/private.ts").status == 404)
        await served.stop()
    }

    /// The token of a playlist's address has to be in those that it names, as clients do not carry it over.
    @Test func aTokenIsInAllAddressesOfAPlaylist() async throws {
        let served = try await ServedFolder(Self.files) { $0.token = "secret&word" }
        let id = ServedFolder.id("abyss/master.m3u8")
        let token = "?token=secret%26word"
        #expect(await served.waits { $0.isWhole })
        let master = try await served.get("/media/\(id)/master.m3u8\(token)")
        #expect(master.text == "#EXTM3U\n#EXT-X-STREAM-INF:BANDWIDTH=9\n720p/v.m3u8\(token)\n")
        let variant = try await served.get("/media/\(id)/720p/v.m3u8\(token)")
        #expect(variant.text == "#EXTM3U\r\n#EXT-X-MAP:URI=\"i.mp4\(token)\"\r\n#EXTINF:1,\r\n0 1.ts\(token)\r\n")
        #expect(try await served.get("/media/\(id)/720p/0%201.ts\(token)").body == [7, 8, 9])
        #expect(try await served.get("/media/\(id)/720p/0%201.ts").status == 401)
        // A client that sends the token in a header gets the file as it is.
        let plain = try await served.get("/media/\(id)/720p/v.m3u8", ["Authorization: Bearer secret&word"])
        #expect(plain.body == Self.files["abyss/720p/v.m3u8"] && plain.headers["etag"] != nil)
        await served.stop()
    }

    @Test func aTokenGoesToNoOtherHost() {
        let text = "https://example.org/a.ts\n//example.org/b.ts\n/c.ts\nd.ts?x\n#EXT-X-KEY:URI=\"data:x\"\n\n"
        let changed = String(decoding: ServedPlaylist.withToken("t", Array(text.utf8)), as: UTF8.self)
        #expect(
            changed
                == "https://example.org/a.ts\n//example.org/b.ts\n/c.ts?token=t\nd.ts?x&token=t\n#EXT-X-KEY:URI=\"data:x\"\n\n"
        )
    }
}
