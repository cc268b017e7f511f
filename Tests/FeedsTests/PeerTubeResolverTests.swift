import Bytes
import HTTP
import Model
import TestSupport
import Testing
import Threads

@testable import Feeds

/// Where the media of a video of PeerTube is.
@Suite struct PeerTubeResolverTests {
    private let server: FaultyServer
    private let provider = CachedProvider(cache: nil, network: NetworkOptions())

    init() throws { server = try FaultyServer() }

    private func resolve(_ answer: String, type: String = "application/json") throws(BytesError) -> ResolvedMedia {
        server.serve("/api/v1/videos/u", .text(answer, type: type))
        return try resolve()
    }

    private func resolve() throws(BytesError) -> ResolvedMedia {
        let asset = Asset(url: server.url("/api/v1/videos/u"), feed: server.url(""), resolver: .peerTube)
        return try PeerTubeResolver().resolve(asset, with: provider, cancellation: Cancellation())
    }

    private func why(_ answer: String) -> String {
        do throws(BytesError) {
            return "it is at \(try resolve(answer).url)"
        } catch {
            return error.why
        }
    }

    private static let files = """
        [{"fileUrl": "https://cdn.example/1080.mp4", "resolution": {"id": 1080, "label": "1080p"}, "size": 3000},
        {"fileUrl": "https://cdn.example/720.mp4", "resolution": {"id": 720}, "size": 2000},
        {"fileUrl": "https://cdn.example/360.mp4", "resolution": {"id": 360}, "size": 1000},
        {"fileUrl": "https://cdn.example/0.mp4", "resolution": {"id": 0}, "hasVideo": false}]
        """

    @Test func aRecordedAnswerTakesOneRequest() throws {
        RecordedService.servePeerTube(on: server, videos: 2, media: ["/ts/master.m3u8"])
        let feed = try loadFeed(sources: ["peertube:\(server.url("/"))"], provider: provider)
        server.resetCounts()
        let item = feed.items[1]
        let asset = Asset(url: item.url, feed: item.feed, resolver: item.resolver)
        let media = try PeerTubeResolver().resolve(asset, with: provider, cancellation: Cancellation())
        #expect(media == ResolvedMedia(url: server.url("/ts/master.m3u8")))
        #expect(server.requests.map(\.path) == ["/api/v1/videos/\(RecordedService.uuid(1))"])
    }

    @Test func theStreamIsPreferred() throws {
        let answer = """
            {"uuid": "u", "files": \(Self.files), "streamingPlaylists": [
            {"type": 9, "playlistUrl": "https://cdn.example/other"}, {"type": 1, "playlistUrl": "https://cdn.example/u.m3u8"}]}
            """
        #expect(try resolve(answer).url == "https://cdn.example/u.m3u8")
    }

    @Test func ofFilesTheSmallestThatCoversThePageIsTaken() throws {
        #expect(try resolve("{\"uuid\": \"u\", \"files\": \(Self.files)}").url == "https://cdn.example/720.mp4")
        let inStream =
            "{\"uuid\": \"u\", \"streamingPlaylists\": [{\"type\": 1, \"playlistUrl\": null, \"files\": \(Self.files)}]}"
        #expect(try resolve(inStream).url == "https://cdn.example/720.mp4")
        let sound = "[{\"fileUrl\": \"/0.mp4\", \"resolution\": {\"id\": 0}, \"hasVideo\": false}]"
        #expect(try resolve("{\"uuid\": \"u\", \"files\": \(sound)}").url == server.url("/0.mp4"))
    }

    @Test(
        arguments: [
            ("{\"uuid\": \"u\"}", "it has no playable file"),
            (
                "{\"uuid\": \"u\", \"files\": 1, \"streamingPlaylists\": {}}",
                "it has no playable file"
            ),
            (
                "{\"uuid\": \"u\", \"files\": [null, {\"fileUrl\": 1}]}",
                "it has no playable file"
            ),
            (
                "{\"uuid\": \"u\", \"streamingPlaylists\": [{\"type\": 1, \"playlistUrl\": \"file:///etc/passwd\"}]}",
                "it has no playable file"
            ),
            (
                "{\"uuid\": \"u\", \"isLive\": true, \"streamingPlaylists\": []}",
                "the stream has not started or has ended; try again later"
            ),
            ("[]", "unexpected response; is it a PeerTube server?"),
            ("{}", "unexpected response; is it a PeerTube server?"),
            ("{\"uuid\":", "unexpected response; is it a PeerTube server?"),
            ("<html>", "unexpected response; is it a PeerTube server?"),
        ])
    func withoutMediaItSaysWhy(answer: String, why: String) {
        #expect(self.why(answer) == "PeerTube: \(why)")
    }

    @Test func errorsAndEndlessAnswersAreReported() {
        #expect(why("{\"a\": \"\(String(repeating: "x", count: 3 << 20))\"}") == "it is larger than 2 MB")
        server.serve("/api/v1/videos/u", .text("{}", faults: [.status(403)]))
        #expect(throws: BytesError(verb: .open, url: server.url("/api/v1/videos/u"), reason: .status(403))) {
            try resolve()
        }
    }
}
