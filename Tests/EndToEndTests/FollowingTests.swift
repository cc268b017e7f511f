import Foundation
import Model
import TestSupport
import Testing

extension EndToEnd {
    /// Creators that are followed, and their feeds.
    @Suite struct FollowingTests {
        private let feed: ServedFeed
        private let user = ScratchUser()

        init() throws { feed = try ServedFeed(server: FaultyServer()) }

        /// A podcast of one creator.
        private func serve(_ name: String, _ clips: [(id: String, path: String)]) -> String {
            let items = clips.map { id, path in
                """
                <item><title>\(id)</title><guid isPermaLink="false">\(name)-\(id)</guid>
                <enclosure url="\(path)" type="video/mp4"/></item>
                """
            }
            let text = """
                <rss xmlns:itunes="http://www.itunes.com/dtds/podcast-1.0.dtd"><channel><title>\(name)'s clips</title>
                <itunes:author>\(name) &amp; Co.</itunes:author>\(items.joined())</channel></rss>
                """
            feed.server.serve("/\(name).xml", .text(text, type: "application/rss+xml"))
            return feed.server.url("/\(name).xml")
        }

        @Test func followedCreatorsAreListedAndExported() throws {
            let none = try user.flick("following")
            #expect(none.status == 0 && none.output.isEmpty && none.errors.contains("you follow no one yet"))
            let (mira, bo) = (serve("Mira", [("one", "/front.mp4")]), serve("Bo", [("two", "/back.mp4")]))
            let session = try FlickSession([mira, bo, "--reduced-motion"], environment: user.environment)
            try session.waitForTrace("engage") { $0.what == "impression" && $0.item == "Mira-one" }
            try session.terminal.press("f")
            _ = try session.terminal.waitUntil("the notice") { $0.contains("Following Mira & Co.") }
            try session.terminal.press("q")
            #expect(try session.terminal.waitForExit() == 0)

            let line = try user.flick("following").output.split(separator: "\t").map(String.init)
            #expect(line.prefix(2) == ["Mira & Co.", mira] && line.count == 3, "\(line)")
            let json = try JSONSerialization.jsonObject(with: Data(try user.flick("following", "--json").output.utf8))
            let creator = try #require(json as? [String: Any])
            #expect(creator["name"] as? String == "Mira & Co." && creator["feed"] as? String == mira)
            #expect((creator["since"] as? String).flatMap(RFC3339.date(from:)) != nil)

            let list = user.folder.path + "/following.opml"
            try Data(try user.flick("following", "--opml").output.utf8).write(to: URL(fileURLWithPath: list))
            let added = try user.flick("add", list)
            #expect(added.status == 0 && added.output == "added: Mira & Co., \(mira)\n", "\(added)")
            let both = try user.flick("following", "--json", "--opml")
            #expect(both.status >> 8 == 2, "\(both)")
        }

        @Test func placeHasTheCreatorsFeed() throws {
            let mira = serve("Mira", [("one", "/front.mp4")])
            let session = try FlickSession([mira, "--reduced-motion"], environment: user.environment)
            try session.waitForTrace("engage") { $0.what == "impression" && $0.item == "Mira-one" }
            try session.terminal.press("f")
            try session.terminal.press("q")
            #expect(try session.terminal.waitForExit() == 0)
            _ = serve("Mira", [("new", "/back.mp4"), ("one", "/front.mp4")])
            // Home has none of the creator's clips.
            let other = serve("Bo", [("two", "/ts/master.m3u8")])
            #expect(try user.flick("add", other).status == 0)
            let following = try FlickSession(
                ["--place", "following", "--reduced-motion"], environment: user.environment)
            try following.waitForTrace("engage") { $0.what == "impression" && $0.item == "Mira-new" }
            try following.terminal.press("j")
            try following.waitForTrace("engage") { $0.item == "Mira-one" }
            try following.terminal.press("q")
            #expect(try following.terminal.waitForExit() == 0)
        }
    }
}
