import Foundation
import Model
import TestSupport
import Testing

extension EndToEnd {
    /// Creators' pictures on the page, from a server and from a folder.
    @Suite struct AvatarTests {
        private let folder = TemporaryFolder()

        private func makePicture(_ name: String, _ color: String, _ size: String) throws -> String {
            let path = "\(folder.path)/\(name)"
            let made = try Command.run(
                ["ffmpeg", "-v", "error", "-f", "lavfi", "-i", "color=\(color):s=\(size)", "-frames:v", "1", path])
            try #require(made.status == 0, "\(made.errors)")
            return path
        }

        private func item(_ name: String, clip: String, avatar: String) -> String {
            #"{"id": "\#(name)", "title": "Night walk", "url": "\#(clip)", "creator": {"name": "\#(name)", "avatar": "\#(avatar)"}}"#
        }

        private func isRed(_ color: RGB) -> Bool { color.red > 200 && color.green < 40 && color.blue < 40 }

        /// The cells left of the name: four by two.
        private func waitForRed(_ name: String, on flick: FlickSession) throws {
            try flick.terminal.waitUntil("\(name)'s red picture") { screen in
                guard let row = screen.rows.firstIndex(where: { $0.contains(name) }), row + 1 < screen.size.rows else {
                    return false
                }
                return (0..<2).allSatisfy { down in
                    (2..<6).allSatisfy { column in
                        let halves = screen[column, row + down].halves
                        return isRed(halves.upper) && isRed(halves.lower)
                    }
                }
            }
        }

        /// Avatars come from the server, but not for distant pages; a file that is no image leaves the initial.
        @Test func avatarsComeFromTheFeedsServer() throws {
            let feed = try ServedFeed(server: FaultyServer())
            feed.server.serve(
                "/red.png", Resource(.file(try makePicture("red.png", "red", "300x200")), type: "image/png"))
            let blue = Resource(.file(try makePicture("far.png", "blue", "64x64")), type: "image/png")
            for number in 0..<10 { feed.server.serve("/far\(number).png", blue) }
            feed.server.serve("/broken.png", .text("<html>Sign in</html>", type: "image/png"))
            let clip = feed.url(of: .front)
            let items =
                [
                    item("Rosa", clip: clip, avatar: "red.png"), item("Bruno", clip: clip, avatar: "broken.png"),
                    item("Gone", clip: clip, avatar: "missing.png"),
                ] + (0..<10).map { item("Far \($0)", clip: clip, avatar: "far\($0).png") }
            feed.server.serve(
                "/feed.json", .text(#"{"items": [\#(items.joined(separator: ","))]}"#, type: "application/json"))
            let flick = try FlickSession(
                ["--reduced-motion", "--cache-dir", folder.path + "/cache", feed.server.url("/feed.json")])
            try waitForRed("Rosa", on: flick)
            let made = try flick.waitForTrace("still") { $0.item == "Rosa" && $0.kind == "avatar" }
            #expect(made.why == nil)
            // It is made of its picture's bytes only once the page's own are there.
            let first = try #require(try flick.trace("first_frame").first)
            #expect(made.t >= first.t)
            try flick.waitForTrace("still") { $0.item == "Bruno" && $0.kind == "avatar" && $0.why != nil }
            try flick.waitForTrace("still") { $0.item == "Gone" && $0.kind == "avatar" && $0.why != nil }
            try flick.terminal.press("Down")
            try flick.terminal.waitUntil("the initial") { screen in
                screen.rows.contains { $0.contains(" B ") && $0.contains("Bruno") }
            }
            let fetched = Set(feed.server.requests.filter { $0.path.hasPrefix("/far") }.map(\.path))
            #expect(fetched.count <= 2, "\(fetched)")
            #expect(try flick.trace("error").isEmpty)
        }

        /// From files beside the manifest, of any shape; those that no decoder takes leave the initial.
        @Test(arguments: ["300x200", "16x4000", "2x2", "5000x3000"])
        func avatarsComeFromTheManifestsFolder(size: String) throws {
            _ = try makePicture("red.png", "red", size)
            let clip = FlickBinary.demo + "/moss.mp4"
            let manifest = try folder.write(
                "feed.json", "[\(item("Rosa", clip: clip, avatar: "red.png"))]".utf8)
            let flick = try FlickSession(["--reduced-motion", manifest])
            try waitForRed("Rosa", on: flick)
            try flick.terminal.press("q")
            #expect(try flick.terminal.waitForExit() == 0)
        }
    }
}
