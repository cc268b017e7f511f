import Foundation
import TestSupport
import Testing

extension EndToEnd {
    /// A radio that speaks ICY.
    @Suite struct RadioTests {
        private let folder = TemporaryFolder()

        /// A tone in MP3, without a header that gives its length.
        private func tone() throws -> [UInt8] {
            let file = folder.path + "/tone.mp3"
            let result = try Command.run([
                "ffmpeg", "-hide_banner", "-loglevel", "error", "-nostdin", "-f", "lavfi", "-i",
                "sine=f=700:r=48000:d=30",
                "-ac", "2", "-c:a", "libmp3lame", "-b:a", "128k", "-write_xing", "0", "-id3v2_version", "0", file,
            ])
            #expect(result.status == 0, "\(result.errors)")
            return Array(try Data(contentsOf: URL(fileURLWithPath: file)))
        }

        @Test func radioPlaysAndShowsItsTitles() throws {
            let radio = try RadioServer(try tone(), interval: 4000, rate: 16_000, title: "Ann \u{2013} First song")
            defer { radio.stop() }
            let flick = try FlickSession(
                ["--reduced-motion", radio.url()], sound: .written, environment: ["XDG_CACHE_HOME": folder.path])
            try flick.terminal.waitUntil("the first title", within: .seconds(20)) {
                $0.contains("Ann \u{2013} First song")
            }
            // A title comes four times a second: if one were heard, there would be a gap.
            try flick.terminal.wait("a second of the tone", within: .seconds(20)) {
                WrittenSound(path: flick.soundFile).loudness(of: 700).suffix(100).count { $0 > 0.06 } == 100
            }
            radio.title = "Bob - Second song"
            try flick.terminal.waitUntil("the second title", within: .seconds(20)) {
                $0.contains("Bob - Second song") && !$0.contains("First song")
            }
            try flick.terminal.press("q")
            #expect(try flick.terminal.waitForExit() == 0)
            #expect(try flick.trace("error", "recover").isEmpty)
            #expect(try flick.trace("fetch").allSatisfy { $0.source == "network" })
        }
    }
}
