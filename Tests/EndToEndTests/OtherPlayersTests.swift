import Foundation
import TestSupport
import Testing

extension EndToEnd {
    /// What `flick serve` serves, played by players that are not flick's.
    @Suite struct OtherPlayersTests {
        private let state = TemporaryFolder()

        private static let token = "a-token-for-tests"

        /// The first address in a served feed that holds these words.
        private func address(_ words: String, in server: ServeProcess, title: String? = nil) throws -> String {
            let feed = try Command.run([
                "curl", "-s", "-H", "Authorization: Bearer \(Self.token)", "\(server.feed)?token=\(Self.token)",
            ]).output
            let object = try #require(try JSONSerialization.jsonObject(with: Data(feed.utf8)) as? [String: Any])
            let items = try #require(object["items"] as? [[String: Any]])
            return try #require(
                items.filter { title == nil || $0["title"] as? String == title }.compactMap { $0["url"] as? String }
                    .first { $0.contains(words) })
        }

        /// A stream of HLS from its start, and from 3 s before its end.
        @Test(arguments: [[], ["--token", token]])
        func ffmpegPlaysAServedStreamAndSeeksInIt(arguments: [String]) throws {
            let server = try ServeProcess(FlickBinary.demo, state: state.path, arguments: arguments)
            let stream = try address("/master.m3u8", in: server)
            #expect(stream.contains("token=") == !arguments.isEmpty)
            for seek in [["-t", "2"], ["-ss", "9"]] {
                let result = try Command.run(
                    ["ffmpeg", "-v", "error", "-nostdin"] + seek + ["-i", stream, "-f", "framemd5", "-"])
                let pictures = result.output.split(separator: "\n").count { $0.hasPrefix("0,") }
                #expect(result.status == 0 && result.errors.isEmpty && pictures > 30, "\(pictures) \(result.errors)")
            }
        }

        /// The page comes from elsewhere, as media may be played by any page.
        @Test(arguments: [[], ["--token", token]])
        func aBrowserPlaysAClipAndSeeksInIt(arguments: [String]) throws {
            let server = try ServeProcess(FlickBinary.demo, state: state.path, arguments: arguments)
            let page = try state.write("page.html", Self.page(try address("/media/", in: server, title: "aurora")).utf8)
            let profile = state.path + "/profile"
            let browser = try spawn(
                [
                    try #require(Self.program, "install Chromium; one in a snap sees no temporary files"), "--headless",
                    "--no-sandbox", "--disable-gpu", "--mute-audio",
                    "--autoplay-policy=no-user-gesture-required", "--remote-debugging-port=0",
                    "--user-data-dir=\(profile)", "file://\(page)",
                ], environment: ProcessInfo.processInfo.environment)
            defer {
                // It is started by a script, which would leave it running. Without a table of processes there is
                // nothing to end it by.
                for one in (try? ProcessTable.descendants(of: browser)) ?? [] { kill(one.pid, SIGKILL) }
                reap(browser, after: SIGKILL)
            }
            // The browser says where it can be asked, and then what the page is called.
            var title = ""
            let isOver = try holds(within: .seconds(60)) {
                guard let port = fileText(profile + "/DevToolsActivePort")?.split(separator: "\n").first else {
                    return false
                }
                let list = try Command.run(["curl", "-s", "http://127.0.0.1:\(port)/json/list"]).output
                // Until it answers there is nothing to parse.
                let pages = try? JSONSerialization.jsonObject(with: Data(list.utf8)) as? [[String: Any]]
                title = pages?.first { $0["type"] as? String == "page" }?["title"] as? String ?? ""
                return title.hasPrefix("played") || title.hasPrefix("failed")
            }
            #expect(isOver && title == "played 720x1280, then at the end", "\(title)")
        }

        private static let program = ["chromium-headless-shell", "chromium", "chromium-browser", "google-chrome"].first
        {
            do { return try Command.run(["which", $0]).status == 0 } catch { return false }
        }

        private static func page(_ clip: String) -> String {
            """
            <!doctype html><title>waits</title><video muted src="\(clip)"></video>
            <script>
            const clip = document.querySelector("video")
            const next = name => new Promise((resolve, reject) => {
                clip.addEventListener(name, resolve, {once: true})
                clip.addEventListener("error", () => reject(clip.error.message), {once: true})
            })
            async function watch() {
                if (clip.readyState < 3) await next("canplay")
                clip.play()
                while (clip.currentTime < 0.3) await next("timeupdate")
                clip.pause()
                const end = clip.duration - 0.5
                clip.currentTime = end
                await next("seeked")
                const place = Math.abs(clip.currentTime - end) < 0.1 ? "at the end" : "at " + clip.currentTime
                return `played ${clip.videoWidth}x${clip.videoHeight}, then ${place}`
            }
            watch().catch(why => "failed: " + why).then(what => { document.title = what })
            </script>
            """
        }
    }
}
