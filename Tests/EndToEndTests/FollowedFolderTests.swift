import Foundation
import TestSupport
import Testing

extension EndToEnd {
    /// A folder that changes while it is watched.
    @Suite struct FollowedFolderTests {
        private let folder = TemporaryFolder()

        private func put(_ name: String, _ clip: TestClips.Recipe) throws {
            try FileManager.default.copyItem(atPath: TestClips.path(clip), toPath: "\(folder.path)/\(name)")
        }

        private func wait(for number: String, on flick: FlickSession) throws {
            try flick.terminal.waitUntil(number, within: .seconds(20)) { $0.rows[0].contains(number) }
        }

        @Test func aClipThatIsCopiedInIsTheNextPageOnceItIsWhole() throws {
            try put("b.mp4", TestClips.landscape)
            let flick = try FlickSession(["--reduced-motion", "--no-loop", folder.path])
            let first = try flick.waitForTrace("first_frame")
            try wait(for: "1/1", on: flick)

            // It is written in two halves. A clip that arrives whole in between shows that the first half was seen.
            let bytes = try Data(contentsOf: URL(fileURLWithPath: TestClips.path(TestClips.portrait)))
            let path = folder.path + "/a.mp4"
            let descriptor = open(path, O_WRONLY | O_CREAT | O_EXCL, 0o600)
            try #require(descriptor >= 0)
            let copy = FileHandle(fileDescriptor: descriptor, closeOnDealloc: true)
            try put("c.mp4", TestClips.landscape)
            try wait(for: "1/2", on: flick)
            try flick.terminal.waitUntil("the toast") { $0.contains("1 new clip") }
            try copy.write(contentsOf: bytes.prefix(bytes.count / 2))
            try put("d.mp4", TestClips.landscape)
            try wait(for: "1/3", on: flick)
            try copy.write(contentsOf: bytes.dropFirst(bytes.count / 2))
            try copy.close()
            try wait(for: "1/4", on: flick)

            // What was watched has not moved; the last that came is the last page.
            #expect(try flick.trace("page").isEmpty && flick.trace("first_frame").allSatisfy { $0.item == first.item })
            try flick.terminal.press("End")
            try wait(for: "4/4", on: flick)
            try flick.terminal.waitUntil("its name") { $0.rows.suffix(8).contains { $0.contains("a") } }
            #expect(try flick.trace("feed").map(\.items) == [1, 2, 3, 4])
            try flick.terminal.press("q")
            #expect(try flick.terminal.waitForExit() == 0)
            #expect(try flick.trace("error").isEmpty)
        }

        @Test func aFileThatIsRemovedGoes() throws {
            for name in ["a.mp4", "b.mp4", "c.mp4"] { try put(name, TestClips.landscape) }
            let flick = try FlickSession(["--reduced-motion", "--start", "2", folder.path])
            try flick.waitForTrace("first_frame")
            try wait(for: "2/3", on: flick)
            let watched = try flick.waitForTrace("first_frame").item
            // Once more a clip that comes shows that the folder is followed.
            try put("d.mp4", TestClips.landscape)
            try wait(for: "2/4", on: flick)
            try FileManager.default.removeItem(atPath: folder.path + "/a.mp4")
            try wait(for: "1/3", on: flick)
            #expect(try flick.trace("page").isEmpty)
            // The one in view: the next takes its place, and plays.
            try FileManager.default.removeItem(atPath: folder.path + "/b.mp4")
            try wait(for: "1/2", on: flick)
            try flick.waitForTrace("first_frame") { $0.item != watched }
            try flick.terminal.press("q")
            #expect(try flick.terminal.waitForExit() == 0)
        }
    }
}
