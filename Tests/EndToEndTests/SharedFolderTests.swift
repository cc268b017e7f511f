import Foundation
import TestSupport
import Testing

extension EndToEnd {
    /// Two flicks on one machine share a folder through `flick serve`.
    @Suite struct SharedFolderTests {
        /// - Parameter library: whose state folder is used; nil: the cache's.
        private func browse(
            _ server: ServeProcess, _ folder: TemporaryFolder, _ library: TemporaryFolder? = nil
        ) throws -> FlickSession {
            let flick = try FlickSession(
                ["--fill", "--start", "1", "--cache-dir", folder.path + "/cache", server.feed],
                environment: ["XDG_STATE_HOME": (library ?? folder).path])
            try flick.waitForTrace("engage") { $0.what == "impression" }
            return flick
        }

        @Test func likesAndCommentsReachAnotherViewerAfterARefresh() throws {
            let (state, mine, theirs) = (TemporaryFolder(), TemporaryFolder(), TemporaryFolder())
            let server = try ServeProcess(FlickBinary.demo, state: state.path)
            let first = try browse(server, mine)
            let second = try browse(server, theirs)
            try first.terminal.press("l", ":")
            try first.terminal.type("what a clip")
            try first.terminal.press("Enter")
            try first.terminal.waitUntil("it is sent") { $0.contains("Comment sent") }
            // The count beside the heart comes with the feed. Between them the picture shows through.
            try second.terminal.press("r")
            try second.terminal.waitUntil("the other's like") { $0.rows.contains { $0.contains(/♥.1/) } }
            try second.terminal.press("c")
            try second.terminal.waitUntil("the other's comment") {
                $0.contains("what a clip") && $0.contains("anonymous")
            }
            // The feed's count includes the like that flick remembers.
            try first.terminal.press("r")
            let again = try browse(server, theirs, mine)
            for flick in [first, again] {
                try flick.terminal.waitUntil("one's own like, once") {
                    $0.contains("liked") && $0.rows.contains { $0.contains(/♥.1/) }
                }
            }
            for flick in [first, second, again] {
                // Also from a sheet, which q would close.
                try flick.terminal.press("C-c")
                #expect(try flick.terminal.waitForExit() == 130)
            }
        }
    }
}
