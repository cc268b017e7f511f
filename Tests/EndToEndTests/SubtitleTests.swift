import Foundation
import Model
import TestSupport
import Testing

extension EndToEnd {
    /// Subtitles of a folder, and those that a podcast leads to.
    @Suite struct SubtitleTests {
        private let folder = TemporaryFolder()

        private func put(_ name: String, _ clip: TestClips.Recipe) throws {
            try FileManager.default.copyItem(atPath: TestClips.path(clip), toPath: "\(folder.path)/\(name)")
        }

        /// The clip's position in seconds, by the number on its picture, which wraps around after 256 pictures.
        private func second(_ screen: CapturedScreen, after start: Double) -> Double? {
            let numbers = 256.0 / 30
            return screen.frameCode().map { code in
                let second = Double(code) / 30
                return second + ((start - second) / numbers).rounded(.up) * numbers
            }
        }

        /// The path of a configuration that shows none before the key does:
        /// where there is no sound, they are shown by themselves.
        private func hidden() throws -> String {
            try folder.write("hidden.toml", Array("[subtitles]\nshow = \"off\"\n".utf8))
        }

        @Test func aKeyShowsWhatLiesBesideAClip() throws {
            try put("clip.mp4", TestClips.landscape)
            try folder.write(
                "clip.en.vtt",
                "WEBVTT\n\n00:00.000 --> 00:08.000\nthe first words\n\n00:08.000 --> 00:12.000\nthe <i>second</i> ones\n"
                    .utf8)
            try folder.write("clip.de.srt", "1\n00:00:00,000 --> 00:00:32,000\nlauter Worte\n".utf8)
            let flick = try FlickSession(["--config", try hidden(), "--reduced-motion", "--no-loop", folder.path])
            try flick.waitForTrace("first_frame")
            #expect(try !flick.terminal.capture().contains("words"))
            try flick.terminal.type("v")
            try flick.terminal.waitUntil("German ones, the first by name") { $0.contains("lauter Worte") }
            try flick.terminal.type("v")
            try flick.terminal.waitUntil("English ones") { $0.contains("the first words") }
            #expect(try !flick.terminal.capture().contains("lauter"))
            let screen = try flick.terminal.waitUntil("the second ones", within: .seconds(20)) {
                $0.contains("the second ones")
            }
            #expect(!screen.contains("the first words"))
            let began = try #require(second(screen, after: 7.5))
            #expect((7.9...10).contains(began))
            let after = try flick.terminal.waitUntil("nothing is said any more", within: .seconds(20)) {
                !$0.contains("the second ones")
            }
            let ended = try #require(second(after, after: 11.5))
            #expect((11.9...13).contains(ended))
            try flick.terminal.type("v")
            try flick.terminal.waitUntil("off") { $0.contains("Subtitles off") }
            try flick.terminal.press("q")
            #expect(try flick.terminal.waitForExit() == 0)
            #expect(try flick.trace("error").isEmpty)
        }

        @Test func keysMoveSubtitlesAndAudio() throws {
            try put("clip.mp4", TestClips.landscape)
            try folder.write("clip.vtt", "WEBVTT\n\n00:05.000 --> 00:08.000\nthe words\n".utf8)
            let flick = try FlickSession(["--reduced-motion", folder.path], sound: .written)
            try flick.waitForTrace("first_frame")
            try flick.terminal.type("v")
            for _ in 0..<10 { try flick.terminal.type(")") }
            try flick.terminal.waitUntil("a notice") { $0.contains("Subtitles 1.0 s later") }
            try flick.terminal.type(">")
            try flick.terminal.waitUntil("another") { $0.contains("Audio 0.1 s later") }
            let screen = try flick.terminal.waitUntil("the words", within: .seconds(20)) { $0.contains("the words") }
            let began = try #require(second(screen, after: 5))
            #expect((5.9...7).contains(began), "\(began)")
            try flick.terminal.press("q")
            #expect(try flick.terminal.waitForExit() == 0)
            #expect(try flick.trace("error", "recover", "stall").isEmpty)
        }

        @Test func aPodcastsTranscriptIsFetchedWhenItIsWanted() throws {
            let server = try FaultyServer()
            server.serve("/clip.mp4", Resource(.file(try TestClips.path(TestClips.landscape))))
            server.serve(
                "/t.json",
                .text(
                    #"{"version": "1.0.0", "segments": [{"startTime": 0, "endTime": 30, "speaker": "Mira", "body": "Welcome."}]}"#,
                    type: "application/json"))
            server.serve(
                "/feed.xml",
                .text(
                    """
                    <?xml version="1.0"?><rss version="2.0" xmlns:podcast="https://podcastindex.org/namespace/1.0"><channel>
                    <title>Talk</title><item><title>One</title><enclosure url="\(server.url("/clip.mp4"))" type="video/mp4" length="1"/>
                    <podcast:transcript url="/t.json" type="application/json" language="en"/></item>
                    <item><title>Two</title><enclosure url="\(server.url("/clip.mp4?2"))" type="video/mp4" length="1"/>
                    <podcast:transcript url="/none.vtt" type="text/vtt"/></item></channel></rss>
                    """, type: "application/rss+xml"))
            let flick = try FlickSession(
                [
                    "--config", try hidden(), "--reduced-motion", "--cache-dir", folder.path + "/cache",
                    server.url("/feed.xml"),
                ])
            try flick.waitForTrace("first_frame")
            #expect(server.requests(for: "/t.json").isEmpty)
            try flick.terminal.type("v")
            try flick.terminal.waitUntil("the transcript") { $0.contains("Mira: Welcome.") }
            #expect(server.requests(for: "/t.json").count == 1)
            try flick.terminal.press("Down")
            try flick.terminal.waitUntil("a toast") { $0.contains("No subtitles: ") }
            try flick.terminal.press("q")
            #expect(try flick.terminal.waitForExit() == 0)
        }
    }
}
