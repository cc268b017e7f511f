import Foundation
import Model
import TestSupport
import Testing

extension EndToEnd {
    /// How much of the home feed is new.
    @Suite struct UnseenTests {
        private let feed: ServedFeed
        private let user = ScratchUser()

        init() throws { feed = try ServedFeed(server: FaultyServer()) }

        @Test func seenClipsAreNotNewAndNoServerIsQueried() throws {
            feed.serveManifest([("one", "/front.mp4"), ("two", "/back.mp4")])
            let added = try user.flick("add", "--name", "Two clips", feed.url)
            #expect(added.status == 0 && added.output == "added: Two clips, \(feed.url)\n", "\(added)")
            #expect(try user.flick("sources").output == "\(feed.url)\t2 new\tTwo clips\n")
            let session = try FlickSession(["--reduced-motion"], environment: user.environment)
            try session.waitForTrace("engage") { $0.what == "impression" && $0.item == "one" }
            #expect(try session.terminal.waitUntil("its name") { $0.contains("one") }.rows[0].contains("Two clips"))
            try session.terminal.press("q")
            #expect(try session.terminal.waitForExit() == 0)
            let before = feed.server.requests.count
            #expect(try user.flick("sources").output == "\(feed.url)\t1 new\tTwo clips\n")
            #expect(feed.server.requests.count == before)
            feed.server.stop()
            #expect(try user.flick("sources", "--json").output.contains("\"items\":2,\"new\":1"))
        }

        /// A stream is one clip: new once it was read, and not new once it was played.
        @Test func streamsAreClips() throws {
            let (stream, live) = (feed.url(of: .variants), feed.url(of: .live))
            #expect(try user.flick("add", stream, live).status == 0)
            #expect(try user.flick("sources").output == "\(stream)\t1 new\n\(live)\tnever read\n")
            let session = try FlickSession(["--reduced-motion"], environment: user.environment)
            for url in [stream, live] {
                try session.waitForTrace("engage") { $0.what == "impression" && $0.item == ItemID.hash(of: url) }
                try session.terminal.press("j")
            }
            try session.terminal.press("q")
            #expect(try session.terminal.waitForExit() == 0)
            let before = feed.server.requests.count
            #expect(try user.flick("sources").output == "\(stream)\tnothing new\n\(live)\tnothing new\n")
            #expect(feed.server.requests.count == before)
        }
    }
}
