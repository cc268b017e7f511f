import Foundation
import TestSupport
import Testing

#if os(Linux)
    extension EndToEnd {
        /// Nothing can be written for a while: flick says so, loses no saved data, and continues once there is room.
        @Suite struct FullDiskTests {
            private let state = TemporaryFolder()

            /// What the other tests rely on.
            @Test func fullDiskLetsNothingGrow() throws {
                let disk = try SmallDisk(for: "/bin/sh")
                let file = disk.path + "/a"
                func sh(_ script: String) throws -> Int32 {
                    try Command.run([disk.program, "-c", script, file]).status
                }
                #expect(try sh("printf abc > \"$0\"") == 0)
                try disk.fill()
                #expect(try sh("printf d >> \"$0\"") != 0 && fileText(file) == "abc")
                #expect(try sh("printf xyz 1<> \"$0\"") == 0 && fileText(file) == "xyz")
                #expect(try sh("printf e > \"$0.full\"") != 0 && sh("rm \"$0.full\"") == 0)
                try disk.empty()
                #expect(try sh("printf d >> \"$0\"") == 0 && fileText(file) == "xyzd")
            }

            @Test func serverReportsAFullDiskAndContinuesOnceThereIsRoom() throws {
                let folder = TemporaryFolder()
                try folder.write("a.mp4", [1, 2, 3])
                let disk = try SmallDisk()
                let server = try ServeProcess(
                    folder.path, state: state.path, flick: disk.program,
                    arguments: ["--database", "sqlite:\(disk.path)/s.db"])
                let base = "http://127.0.0.1:\(server.port)"
                func curl(_ arguments: String...) throws -> String {
                    try Command.run(["curl", "-s", "--max-time", "20"] + arguments).output
                }
                let id = try #require(
                    try curl(base + "/feed.json").split(separator: "/media/").dropFirst().first?.prefix(16))
                let comments = "\(base)/videos/\(id)/comments"
                let text = String(repeating: "x", count: 1_500)
                var number = 0
                /// The whole answer to one more comment.
                func post() throws -> String {
                    number += 1
                    return try curl(
                        "-i", "-d", "{\"event_id\":\"\(number)\",\"text\":\"\(text)\",\"at\":\(number)}", comments)
                }
                #expect(try post().contains("HTTP/1.1 201 "))
                try disk.fill()
                for _ in 0..<5 {
                    let refusal = try post()
                    #expect(refusal.contains("HTTP/1.1 503 ") && refusal.contains("\r\nRetry-After: "), "\(refusal)")
                }
                // What is there can be watched and read.
                #expect(try curl(base + "/feed.json").contains("\"comments\":1"))
                #expect(try curl(comments).contains("\"total\":1}"))
                try disk.empty()
                #expect(try post().contains("HTTP/1.1 201 "))
                #expect(try curl(comments).contains("\"total\":2}"))
                try disk.fill()
                #expect(server.end(SIGTERM) == 0)
            }

            @Test func flickSaysOnceThatTheDiskIsFullAndRemembersLater() throws {
                let demo = try DemoFeed.shared.get()
                let disk = try SmallDisk()
                let flick = try FlickSession(
                    ["--fill", DemoFeed.path], program: disk.program, environment: ["XDG_STATE_HOME": disk.path])
                func remembered(_ list: String) throws -> Int {
                    let result = try Command.run(
                        [FlickBinary.path, list, "--json"], setting: ["XDG_STATE_HOME": disk.path])
                    #expect(result.status == 0, "\(result.errors)")
                    return result.output.split(separator: "\n").count
                }
                try flick.waitForTrace("engage") { $0.what == "impression" }
                try flick.terminal.press("l")
                let isLiked = try holds(within: .seconds(20)) { try remembered("liked") == 1 }
                #expect(isLiked)
                try disk.fill()
                try flick.terminal.press("s")
                try flick.terminal.waitUntil("why") { $0.contains("Cannot save to") }
                try flick.terminal.press("Down")
                try flick.waitForTrace("engage") { $0.what == "impression" && $0.item == demo.items[1].id }
                try flick.terminal.press("s")
                try flick.terminal.waitUntil("the save") { $0.contains("saved") }
                // The file is as it was.
                #expect(try remembered("liked") == 1 && remembered("saved") == 0)
                try disk.empty()
                try flick.terminal.press("l")
                let isThere = try holds(within: .seconds(20)) {
                    try remembered("saved") == 2 && remembered("liked") == 2
                }
                #expect(isThere)
                try disk.fill()
                try flick.terminal.press("d", "q")
                #expect(try flick.terminal.waitForExit() == 0)
                #expect(try flick.trace("error").map(\.what) == ["library"])
            }
        }
    }
#endif
