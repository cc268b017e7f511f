import Foundation
import Model
import TestSupport
import Testing

extension EndToEnd {
    /// A feed whose URL has a user and a password.
    @Suite struct PasswordTests {
        private static let secret = "pa55-w0rd"
        private let server: FaultyServer
        private let folder = TemporaryFolder()

        init() throws {
            server = try FaultyServer()
            let credentials = Data("me:\(Self.secret)".utf8).base64EncodedString()
            let faults: [Fault] = [.requires("authorization", "Basic \(credentials)")]
            let clip = server.url("/one.mp4")
            func serve(_ path: String, _ body: Resource.Body, _ type: String) {
                server.serve(path, Resource(body, type: type, faults: faults))
            }
            serve(
                "/feed.json",
                .bytes(
                    Array(
                        """
                        {"version": 1, "title": "Private", "next": "more.json", "items": [{"id": "one", "title": "one",
                        "url": "\(clip)", "thumbnail": "cover.mp4", "subtitles": [{"url": "one.vtt", "lang": "en"}]}]}
                        """.utf8)), "application/json")
            serve(
                "/more.json",
                .bytes(Array(#"{"version": 1, "items": [{"id": "two", "title": "two", "url": "two.mp4"}]}"#.utf8)),
                "application/json")
            serve("/one.vtt", .bytes(Array("WEBVTT\n\n00:00.000 --> 01:00.000\nprivate words\n".utf8)), "text/vtt")
            for path in ["/one.mp4", "/two.mp4", "/cover.mp4"] {
                serve(path, .file(try TestClips.path(TestClips.portrait)), "video/mp4")
            }
        }

        private var url: String { server.url("/feed.json").replacing("://", with: "://me:\(Self.secret)@") }

        @Test func feedPasswordPlaysItsClipsCoversSubtitlesAndPages() throws {
            let flick = try FlickSession(
                ["--reduced-motion", url], environment: ["XDG_STATE_HOME": folder.path, "XDG_CONFIG_HOME": folder.path])
            try flick.waitForTrace("first_frame") { $0.item == "one" }
            try flick.terminal.waitUntil("subtitles") { $0.contains("private words") }
            try flick.terminal.press("Down")
            try flick.waitForTrace("first_frame") { $0.item == "two" }
            #expect(try !flick.terminal.capture().contains(Self.secret))
            try flick.terminal.press("q")
            #expect(try flick.terminal.waitForExit() == 0)
            #expect(try flick.trace("error").isEmpty)
            let paths = Set(server.requests.map(\.path))
            #expect(
                paths.isSuperset(of: ["/feed.json", "/more.json", "/one.mp4", "/two.mp4", "/cover.mp4", "/one.vtt"]))
            #expect(server.requests.allSatisfy { $0.status < 400 })
            let log = try String(contentsOfFile: folder.path + "/flick/flick.log", encoding: .utf8)
            #expect(!log.contains(Self.secret))
        }

        @Test func listingsShowNoPassword() throws {
            let environment = [
                "XDG_STATE_HOME": folder.path, "XDG_CONFIG_HOME": folder.path, "XDG_CACHE_HOME": folder.path,
            ]
            func flick(_ arguments: String...) throws -> Command.Result {
                try Command.run([FlickBinary.path] + arguments, setting: environment)
            }
            let listed = try flick("feed", "--json", url)
            #expect(listed.output.split(separator: "\n").count == 2 && !listed.output.contains(Self.secret))
            // Other programs may need it.
            #expect(try flick("add", "--unchecked", url).output.contains(Self.secret))
            let shown = try TmuxTerminal(
                .program([FlickBinary.path, "sources"]), size: GridSize(columns: 120, rows: 24),
                environment: environment)
            defer { shown.close() }
            _ = try shown.waitForExit()
            let screen = try shown.capture()
            #expect(screen.contains(server.url("/feed.json")) && !screen.contains(Self.secret))
            #expect(try flick("remove", server.url("/feed.json")).status == 0)
            #expect(try flick("sources").output == "")
        }
    }
}
