import Feeds
import Foundation
import Model
import TestSupport
import Testing

@testable import FeedServer

/// Files of subtitles beside the clips of the served folder.
@Suite struct ServedCaptionsTests {
    private static let cue = Array("WEBVTT\n\n00:00.000 --> 00:01.000\nHallo\n".utf8)

    private func names(_ item: [String: Any]?) -> [String] {
        (item?["subtitles"] as? [[String: String]] ?? []).map { "\($0["language"] ?? "-") \($0["url"] ?? "")" }
    }

    @Test func aFeedNamesThemAndTheyAreServed() async throws {
        let served = try await ServedFolder([
            "a.mp4": [1], "a.de.vtt": Self.cue, "a.en.srt": [1, 2, 3], "a.en.vtt": [5], "a.srt": [7],
            "b/ü c.mp4": [1], "b/ü c.pt-BR.srt": [8], "lone.vtt": [9], "c.mp4": [1],
        ])
        #expect(await served.waits { $0.isWhole })
        let items = try await served.items()
        let (base, a) = ("http://127.0.0.1:\(served.port)/subtitles/", ServedFolder.a)
        let b = ServedFolder.id("b/ü c.mp4")
        func item(_ id: String) -> [String: Any]? { items.first { $0["id"] as? String == id } }
        // There is one file for each language, as in a folder's own feed.
        #expect(names(item(a)) == ["- \(base)\(a).srt", "de \(base)\(a).de.vtt", "en \(base)\(a).en.vtt"])
        #expect(names(item(b)) == ["pt-BR \(base)\(b).pt-BR.srt"])
        #expect(item(ServedFolder.id("c.mp4"))?["subtitles"] == nil)

        let whole = try await served.get("/subtitles/\(a).de.vtt")
        #expect(whole.status == 200 && whole.body == Self.cue && whole.headers["content-type"] == "text/vtt")
        let tag = try #require(whole.headers["etag"])
        #expect(try await served.get("/subtitles/\(a).de.vtt", ["If-None-Match: " + tag]).status == 304)
        let part = try await served.get("/subtitles/\(a).de.vtt", ["Range: bytes=0-5"])
        #expect(part.status == 206 && part.text == "WEBVTT")
        let srt = try await served.get("/subtitles/\(b).pt-BR.srt")
        #expect(srt.body == [8] && srt.headers["content-type"] == "application/x-subrip")
        let head = try await served.ask("HEAD", "/subtitles/\(a).srt")
        #expect(head.status == 200 && head.body.isEmpty && head.headers["content-length"] == "1")

        let feed = try await served.get("/feed.xml").text
        #expect(
            feed.contains("<media:subTitle type=\"text/vtt\" lang=\"de\" href=\"\(base)\(a).de.vtt\"/>")
                && feed.contains("<media:subTitle type=\"application/x-subrip\" href=\"\(base)\(a).srt\"/>"))
        await served.stop()
    }

    /// Files that the walk has not found as that clip's subtitles are not served, nor files that flick would not read.
    @Test func otherFilesAreNotServed() async throws {
        let folder = TemporaryFolder()
        try folder.write("outside.vtt", Self.cue)
        let served = try await ServedFolder(
            [
                "a.mp4": [1], "a.vtt": Self.cue, "a.en.vtt": Self.cue, "a.en.srt": [1], "a.json": Array("{}".utf8),
                "a.jpg": [1], "a.long-long-long-long-long.vtt": [1], "a.fr.vtt": Self.cue, "b.vtt": [1],
                ".flickignore": Array("*.fr.vtt\n".utf8),
            ], folder: folder)
        try FileManager.default.createSymbolicLink(
            atPath: served.path + "/a.it.vtt", withDestinationPath: folder.path + "/outside.vtt")
        let large = try FileHandle(forWritingTo: URL(fileURLWithPath: served.path + "/a.en.vtt"))
        try large.truncate(atOffset: UInt64(CaptionLink.sizeLimit) + 1)
        try large.close()
        // A walk that has found this one has seen all of that.
        try folder.write("served/z.mp4", [1])
        #expect(await served.waits { $0.isWhole && $0.count == 2 })
        let (a, base) = (ServedFolder.a, "http://127.0.0.1:\(served.port)/subtitles/")
        #expect(names(try await served.items().first) == ["- \(base)\(a).vtt"])
        for suffix in [
            "en.vtt", "en.srt", "json", "jpg", "mp4", "long-long-long-long-long.vtt", "fr.vtt", "it.vtt", "de.vtt",
            "VTT", "x/../a.vtt", "%2fa.vtt", "..%2fb.vtt",
        ] { #expect(try await served.get("/subtitles/\(a).\(suffix)").status == 404, "\(suffix)") }
        #expect(try await served.get("/subtitles/0123456789abcdef.vtt").status == 404)
        // One that is gone since the walk.
        #expect(try await served.get("/subtitles/\(a).vtt").status == 200)
        try FileManager.default.removeItem(atPath: served.path + "/a.vtt")
        #expect(try await served.get("/subtitles/\(a).vtt").status == 404)
        #expect(names(try await served.items().first) == [])
        await served.stop()
    }

    @Test func tokenAndMediaBaseAreInTheirAddresses() async throws {
        let files: [String: [UInt8]] = ["Ann/a b.mp4": [1], "Ann/a b.en.vtt": Self.cue]
        let secret = try await ServedFolder(files) { $0.token = "secret&word" }
        #expect(await secret.waits { $0.isWhole })
        let id = ServedFolder.id("Ann/a b.mp4")
        let address = "/subtitles/\(id).en.vtt"
        let items = try await secret.items("/feed.json?token=secret%26word")
        #expect(names(items.first) == ["en http://127.0.0.1:\(secret.port)\(address)?token=secret%26word"])
        #expect(try await secret.get(address).status == 401)
        #expect(try await secret.get(address + "?token=secret%26word").body == Self.cue)
        await secret.stop()

        let moved = try await ServedFolder(files) { $0.mediaBase = MediaBase("https://example.org/v") }
        #expect(await moved.waits { $0.isWhole })
        #expect(names(try await moved.items().first) == ["en https://example.org/v/Ann/a%20b.en.vtt"])
        let answer = try await moved.get(address)
        #expect(answer.status == 307 && answer.headers["location"] == "https://example.org/v/Ann/a%20b.en.vtt")
        await moved.stop()
    }

    /// Subtitles that the sidecar names override those beside the clip, as in a folder's own feed.
    @Test func theSidecarsWordGoesBefore() async throws {
        let named = #"{"subtitles": [{"url": "https://example.org/x.vtt", "language": "fr"}]}"#
        let served = try await ServedFolder(["a.mp4": [1], "a.vtt": Self.cue, "a.json": Array(named.utf8)])
        #expect(await served.waits { $0.isWhole })
        #expect(names(try await served.items().first) == ["fr https://example.org/x.vtt"])
        await served.stop()
    }
}
