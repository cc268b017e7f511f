import Foundation
import Model
import TestSupport
import Testing

extension EndToEnd {
    /// Commands without a page, and what scripts rely on: output, errors, exit codes.
    @Suite struct CommandLineTests {
        private func run(_ arguments: [String], input: String = "/dev/null") throws -> Command.Result {
            try Command.run(
                [FlickBinary.path] + arguments, input: input, unsetting: ["NO_COLOR"],
                setting: ["TERM": "xterm-256color", "COLORTERM": "truecolor", "SDL_AUDIODRIVER": "dummy"])
        }

        /// The objects of NDJSON; any other text on standard output fails the test.
        private func objects(_ output: String) throws -> [[String: Any]] {
            #expect(output.hasSuffix("\n"))
            return try output.split(separator: "\n", omittingEmptySubsequences: false).dropLast().map { line in
                try #require(try JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any])
            }
        }

        private func expectOneLine(_ errors: String, naming subject: String) {
            #expect(errors.hasPrefix("flick: ") && errors.hasSuffix("\n"))
            #expect(errors.filter { $0 == "\n" }.count == 1 && errors.contains(subject), "\(errors)")
        }

        @Test func versionAndHelpArePrinted() throws {
            let version = try run(["--version"])
            #expect(version.status == 0 && version.output.hasPrefix("flick ") && version.errors.isEmpty)
            let help = try run(["--help"])
            #expect(help.status == 0 && help.errors.isEmpty)
            for command in ["browse", "preview", "feed", "probe", "cache", "doctor", "keys"] {
                #expect(help.output.contains(command))
            }
        }

        /// What the loader finds in place of libcurl: an empty file, or one that is too old.
        @Test(arguments: [("", "file too short"), ("libold-curl.so", "7.81.0 is too old")])
        func withoutLibcurlOnlyTheNetworkIsMissing(_ file: String, _ why: String) throws {
            let folder = TemporaryFolder()
            let library = file.isEmpty ? Data() : try Data(contentsOf: URL(fileURLWithPath: FlickBinary.sibling(file)))
            for name in ["libcurl.so.4", "libcurl-gnutls.so.4"] { try folder.write("libraries/\(name)", library) }
            func flick(_ arguments: String...) throws -> Command.Result {
                try Command.run(
                    [FlickBinary.path] + arguments,
                    setting: ["LD_LIBRARY_PATH": "\(folder.path)/libraries", "SDL_AUDIODRIVER": "dummy"])
            }
            let remote = try flick("feed", "http://127.0.0.1:9/feed.json")
            #expect(remote.status != 0)
            expectOneLine(remote.errors, naming: "needs libcurl 7.87 or newer; install it (apt install libcurl4)")
            try folder.write("clips/one.mp4", [1])
            let local = try flick("feed", "\(folder.path)/clips")
            #expect(local.status == 0 && local.output.contains("one"), "\(local.errors)")
            let doctor = try flick("doctor")
            let line = doctor.output.split(separator: "\n").first { $0.hasPrefix("~ network: ") }
            #expect(doctor.status == 0 && line?.contains(why) == true, "\(doctor.output)")
        }

        @Test func keysAreListedAsTheyAreBound() throws {
            let keys = try run(["help", "keys"])
            #expect(keys.status == 0 && keys.errors.isEmpty && keys.output.contains("play or pause"))
            #expect(try run(["keys"]).output == keys.output)
            let wrong = try run(["help", "fed"])
            #expect(wrong.status >> 8 == 2 && wrong.errors.contains("unknown subcommand 'fed'; did you mean feed?"))
            #expect(try run(["help", "feed"]).output.contains("List the items of a source."))
            let folder = TemporaryFolder()
            let config = try folder.write("c.toml", "[keys]\npause = \"f9\"\n".utf8)
            let bound = try run(["help", "keys", "--config", config])
            #expect(bound.status == 0 && bound.output.contains("F9, click "))
        }

        @Test func theHomeFeedIsKept() throws {
            let folder = TemporaryFolder()
            let clip = try folder.write("clips/one.mp4", [1])
            let feed = try folder.write(
                "feed.xml",
                "<rss><channel><title>News</title><item><enclosure url='clips/one.mp4'/></item></channel></rss>".utf8)
            func flick(_ arguments: String...) throws -> Command.Result {
                try Command.run(
                    [FlickBinary.path] + arguments, input: "/dev/null",
                    setting: ["XDG_CONFIG_HOME": folder.path + "/config", "XDG_CACHE_HOME": folder.path])
            }
            let added = try flick("add", folder.path + "/clips", feed)
            #expect(added.status == 0 && added.output == "added: clips, \(folder.path)/clips\nadded: News, \(feed)\n")
            #expect(try flick("add", feed).output == "already added: News, \(feed)\n")
            #expect(try flick("sources").output == "\(folder.path)/clips\t1 new\n\(feed)\t1 new\n")
            let listed = try objects(try flick("sources", "--json").output)
            #expect(listed.map { $0["source"] as? String } == [folder.path + "/clips", feed])
            #expect(listed.allSatisfy { $0["new"] as? Int == 1 && $0["items"] as? Int == 1 })
            // Adding it again with a name and a weight changes the same source.
            #expect(
                try flick("add", "--name", "The news", "--weight", "0.5", feed).output.hasPrefix("changed: The news"))
            #expect(try flick("sources").output.hasSuffix("\(feed)\t1 new\tThe news, weight 0.5\n"))
            for (wrong, status) in [(["--weight", "11"], 2), (["--name", ""], 1), (["--name", "a", clip], 1)] {
                let result = try Command.run(
                    [FlickBinary.path, "add"] + wrong + [feed],
                    setting: ["XDG_CONFIG_HOME": folder.path + "/config", "XDG_CACHE_HOME": folder.path])
                #expect(result.status >> 8 == status && result.output.isEmpty, "\(wrong)")
            }
            // Without a source, these are the feed.
            #expect(try objects(try flick("feed", "--json").output).count == 2)
            // One that cannot be read adds none.
            let wrong = try flick("add", clip, folder.path + "/nowhere")
            #expect(wrong.status >> 8 == 1 && wrong.output.isEmpty)
            expectOneLine(wrong.errors, naming: "nowhere")
            let unread = try flick("add", "http://127.0.0.1:1/feed.xml")
            #expect(unread.status >> 8 == 1 && unread.errors.contains("--unchecked"))
            #expect(try flick("add", "--unchecked", "http://127.0.0.1:1/feed.xml").status == 0)
            let list = try flick("sources", "--opml")
            #expect(list.output.contains("xmlUrl=\"http://127.0.0.1:1/feed.xml\"") && list.errors.contains(": 2"))
            #expect(try flick("sources").output.hasSuffix("http://127.0.0.1:1/feed.xml\tnever read\n"))
            let removed = try flick("remove", "http://127.0.0.1:1/feed.xml", "The news")
            #expect(removed.status == 0)
            #expect(removed.output == "removed: http://127.0.0.1:1/feed.xml\nremoved: The news, \(feed)\n")
            #expect(try flick("sources").output == "\(folder.path)/clips\t1 new\n")
            let gone = try flick("remove", feed)
            #expect(gone.status >> 8 == 1)
            expectOneLine(gone.errors, naming: "feed.xml")
            // What another reader wrote.
            let opml = try folder.write("out.opml", list.output.utf8)
            #expect(
                try flick("add", "--unchecked", opml).output
                    == "added: http://127.0.0.1:1/feed.xml, http://127.0.0.1:1/feed.xml\n")
        }

        @Test func ofAListTheFeedsThatCanBeReadAreAdded() throws {
            let folder = TemporaryFolder()
            let server = try FaultyServer()
            let rss = "<rss><channel><item><enclosure url='/a.mp4' type='video/mp4'/></item></channel></rss>"
            for name in ["1", "2"] { server.serve("/\(name).xml", .text(rss, type: "text/xml")) }
            let outlines = ["1", "gone", "2"].map { "<outline text='N\($0)' xmlUrl='\(server.url("/\($0).xml"))'/>" }
            let list = try folder.write(
                "list.opml", "<opml version='2.0'><body>\(outlines.joined())</body></opml>".utf8)
            func flick(_ arguments: String...) throws -> Command.Result {
                try Command.run(
                    [FlickBinary.path] + arguments, input: "/dev/null",
                    setting: ["XDG_CONFIG_HOME": folder.path + "/config", "XDG_CACHE_HOME": folder.path])
            }
            func added(_ names: String...) -> String {
                names.map { "added: N\($0), \(server.url("/\($0).xml"))\n" }.joined()
            }
            let result = try flick("add", list)
            #expect(result.status >> 8 == 1 && result.output == added("1", "2"), "\(result)")
            let errors = result.errors.split(separator: "\n")
            #expect(
                errors.count == 2 && errors[0].hasPrefix("flick: Ngone: cannot open ")
                    && errors[1].contains("1 of 3"), "\(errors)")
            #expect(try flick("sources").output.split(separator: "\n").count == 2)
            let unchecked = try flick("add", "--unchecked", list)
            #expect(unchecked.status == 0 && unchecked.errors.isEmpty)
            #expect(unchecked.output.hasSuffix(added("gone") + "already added: N2, \(server.url("/2.xml"))\n"))
        }

        @Test(arguments: [
            ["--nonsense"], ["preview"], ["preview", "--untimed", "x.mp4"], ["preview", "--exact", "x.mp4"],
            ["--surface", "clay", "x.mp4"],
            ["--fps", "0", "x.mp4"],
            ["--color", "octarine", "x.mp4"], ["preview", "--size", "80", "x.mp4"],
            ["preview", "--at", "noon", "x.mp4"], ["--start", "0", "x.mp4"], ["feed", "--limit", "-1"],
            ["cache"], ["cache", "shrink"],
        ])
        func wrongUsageIsReported(_ arguments: [String]) throws {
            let result = try run(arguments)
            #expect(result.status >> 8 == 2)
            #expect(result.output.isEmpty && result.errors.hasPrefix("flick: "), "\(result.errors)")
        }

        /// The demo has a name, mistyped commands get a suggestion, and empty lists say so.
        @Test func demoMistypedCommandsAndEmptyListsAreExplained() throws {
            #expect(try objects(try run(["feed", "demo", "--json", "--limit", "1"]).output).count == 1)
            let mistyped = try run(["histroy"])
            #expect(mistyped.status >> 8 == 1)
            expectOneLine(mistyped.errors, naming: "did you mean `flick history`?")
            let folder = TemporaryFolder()
            let none = try Command.run(
                [FlickBinary.path, "liked"],
                setting: ["XDG_STATE_HOME": folder.path, "XDG_CONFIG_HOME": folder.path])
            #expect(none.status == 0 && none.output.isEmpty)
            expectOneLine(none.errors, naming: "nothing liked yet")
        }

        #if os(Linux)
            @Test(arguments: [["feed"], ["feed", "--json"], ["doctor"]])
            func aFullDiskIsAFailure(_ command: [String]) throws {
                let line = ([FlickBinary.path] + command).map { "'\($0)'" }.joined(separator: " ")
                let result = try Command.run(
                    ["/bin/sh", "-c", line + " > /dev/full"], input: "/dev/null",
                    setting: ["TERM": "xterm-256color", "SDL_AUDIODRIVER": "dummy"])
                #expect(result.status >> 8 == 1)
                expectOneLine(result.errors, naming: "no space left")
            }
        #endif

        /// No signal (SIGXFSZ).
        @Test func aFileThatMayNotGrowIsAFailure() throws {
            let folder = TemporaryFolder()
            let output = folder.path + "/feed"
            let line = "ulimit -f 1; exec '\(FlickBinary.path)' feed --json > '\(output)'"
            let result = try Command.run(["/bin/sh", "-c", line], input: "/dev/null")
            #expect(result.status >> 8 == 1)
            expectOneLine(result.errors, naming: "too large")
        }

        @Test(arguments: [[], ["preview"], ["probe"], ["probe", "--json"], ["feed"], ["feed", "--json"]])
        func aMissingFileIsReportedInOneLine(_ command: [String]) throws {
            let result = try run(command + ["/nowhere/at all.mp4"])
            #expect(result.status >> 8 == 1 && result.output.isEmpty)
            expectOneLine(result.errors, naming: "/nowhere/at all.mp4")
        }

        @Test func anotherKindOfFileIsReportedInOneLine() throws {
            let folder = TemporaryFolder()
            let text = try folder.write("text.mp4", "This is no film.\n".utf8)
            for command in ["preview", "probe"] {
                let result = try run([command, text])
                #expect(result.status >> 8 == 1 && result.output.isEmpty)
                expectOneLine(result.errors, naming: "text.mp4")
            }
            let empty = try folder.folder("empty")
            let result = try run(["feed", empty])
            #expect(result.status >> 8 == 1 && result.output.isEmpty)
            expectOneLine(result.errors, naming: "empty")
        }

        @Test func browsingNeedsATerminal() throws {
            let result = try run([DemoFeed.path])
            #expect(result.status >> 8 == 1 && result.output.isEmpty)
            expectOneLine(result.errors, naming: "not a terminal")
        }

        @Test func aFeedIsListed() throws {
            let all = try run(["feed", "--json", DemoFeed.path])
            #expect(all.status == 0 && all.errors.isEmpty)
            let items = try objects(all.output)
            let demo = try DemoFeed.shared.get()
            #expect(items.map { $0["id"] as? String } == demo.items.map(\.id))
            #expect(items.map { $0["title"] as? String } == demo.items.map(\.title))
            for item in items {
                for key in ["url", "thumbnail", "source"] {
                    let address = try #require(item[key] as? String)
                    let url = try #require(URL(string: address))
                    #expect(url.isFileURL && FileManager.default.fileExists(atPath: url.path), "\(address)")
                }
            }
            let some = try run(["feed", "--json", "--limit", "3", DemoFeed.path])
            #expect(some.output == all.output.split(separator: "\n").prefix(3).map { $0 + "\n" }.joined())
            #expect(try run(["feed", DemoFeed.path]).output.contains("Aurora over the fell"))
        }

        @Test func aFolderAndAListAreFeeds() throws {
            let folder = TemporaryFolder()
            for name in ["10.mp4", "9.mp4", "b/1.webm", "notes.txt"] { try folder.write(name, [0]) }
            let items = try objects(try run(["feed", "--json", folder.path]).output)
            let names = items.compactMap { ($0["url"] as? String).map { URL(fileURLWithPath: $0).lastPathComponent } }
            #expect(names == ["9.mp4", "10.mp4", "1.webm"])

            let list = try folder.write("list", "\(folder.path)/10.mp4\n\n\(folder.path)/9.mp4\n".utf8)
            let listed = try objects(try run(["feed", "--json", "-"], input: list).output)
            #expect(listed.compactMap { ($0["url"] as? String)?.hasSuffix("/10.mp4") } == [true, false])
        }

        /// Files beside a clip describe it in a folder, but not where a feed does.
        @Test func unknownKeysAreReportedOfFilesThatAreRead() throws {
            let folder = TemporaryFolder()
            try folder.write("clips/a.mp4", [0])
            try folder.write("clips/a.mp4.json", #"{"titel": "A"}"#.utf8)
            let feed = try folder.write("feed.json", #"{"items": [{"url": "clips/a.mp4"}]}"#.utf8)
            let ofFolder = try run(["feed", folder.path + "/clips"])
            expectOneLine(ofFolder.errors, naming: "unknown key 'titel'")
            let ofFeed = try run(["feed", feed])
            #expect(ofFeed.errors.isEmpty && ofFeed.output.split(separator: "\n").count == 1, "\(ofFeed)")
            let named = try run(["feed", folder.path + "/clips/a.mp4"])
            #expect(named.errors.isEmpty && !named.output.isEmpty, "\(named)")
        }

        @Test func aListOnStandardInputIsBrowsedWithKeysFromTheTerminal() throws {
            let list = try [TestClips.short, TestClips.other].map { try TestClips.path($0) }.joined(separator: "\n")
            let flick = try FlickSession(["-"], input: list + "\n")
            try flick.terminal.waitUntil("the first") { $0.rows[0].contains("1/2") && ($0.frameCode() ?? 0) > 0 }
            try flick.terminal.press("Down")
            try flick.terminal.waitUntil("the second") { $0.rows[0].contains("2/2") && ($0.frameCode() ?? 0) > 0 }
            try flick.terminal.press("q")
            #expect(try flick.terminal.waitForExit() == 0)
            #expect(flick.terminal.modesBefore == flick.terminal.modesAfter)
        }

        @Test func aClipIsProbed() throws {
            let result = try run(["probe", "--json", try TestClips.path(TestClips.short)])
            #expect(result.status == 0 && result.errors.isEmpty)
            let objects = try objects(result.output)
            let clip = try #require(objects.first)
            #expect(objects.count == 1)
            #expect((clip["container"] as? String)?.contains("mp4") == true)
            #expect((clip["duration"] as? Double).map { abs($0 - 8) < 0.1 } == true)
            let streams = try #require(clip["streams"] as? [[String: Any]])
            #expect(streams.map { $0["kind"] as? String } == ["video", "audio"])
            #expect(streams.map { $0["codec"] as? String } == ["h264", "aac"])
            #expect(streams.first?["width"] as? Int == 640 && streams.first?["height"] as? Int == 360)
            #expect(streams.allSatisfy { $0["chosen"] as? Bool == true })

            // The file's own tags, without control sequences.
            let folder = TemporaryFolder()
            let tagged = folder.path + "/tagged.mkv"
            let made = try Command.run([
                "ffmpeg", "-v", "error", "-f", "lavfi", "-i", "sine=440:d=1", "-metadata", "title=A\u{1B}[2Jb", tagged,
            ])
            #expect(made.status == 0, "\(made.errors)")
            let text = try run(["probe", tagged]).output
            #expect(text.contains("\n  title      A") && !text.contains("\u{1B}"))
            let tags = try #require(try self.objects(try run(["probe", "--json", tagged]).output).first)["tags"]
            #expect((tags as? [String: String])?["title"]?.hasPrefix("A") == true)

            // Which variant of a stream is played, and why.
            let demo = try #require(
                try self.objects(try run(["probe", "--json", FlickBinary.demo + "/abyss/master.m3u8"]).output).first)
            let variants = try #require(demo["variants"] as? [[String: Any]])
            #expect(variants.count == 3)
            #expect(variants.filter { $0["chosen"] as? Bool == true }.count == 1)
            #expect((demo["why"] as? String)?.isEmpty == false)
        }

        /// Red and green above blue and white.
        private func quadrants() throws -> String {
            let folder = FlickBinary.root.appendingPathComponent(".build/test-clips")
            try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
            let path = folder.appendingPathComponent("quadrants-1.mp4").path
            guard !FileManager.default.fileExists(atPath: path) else { return path }
            let colours = ["red", "lime", "blue", "white"].enumerated().map { "color=\($1):s=160x120:r=25[c\($0)];" }
            let graph = colours.joined() + "[c0][c1]hstack[t];[c2][c3]hstack[u];[t][u]vstack,format=yuv444p"
            let unfinished = path + ".\(getpid()).mp4"
            let result = try Command.run(
                [
                    "ffmpeg", "-v", "error", "-nostdin", "-y", "-filter_complex", graph, "-t", "1", "-c:v", "libx264",
                    "-qp", "4", unfinished,
                ])
            try #require(result.status == 0, "\(result.errors)")
            rename(unfinished, path)
            return path
        }

        private func isNear(_ color: RGB, _ wanted: RGB) -> Bool {
            zip([color.red, color.green, color.blue], [wanted.red, wanted.green, wanted.blue]).allSatisfy {
                abs(Int($0) - Int($1)) <= 12
            }
        }

        @Test func aStillHasTheRightColoursInTheRightPlaces() throws {
            let size = GridSize(columns: 40, rows: 15)
            let result = try run([
                "preview", "--color", "truecolor", "--surface", "half", "--size", "40x15", quadrants(),
            ])
            #expect(result.status == 0 && result.errors.isEmpty)
            let lines = result.output.split(separator: "\n", omittingEmptySubsequences: false)
            #expect(lines.count == 16 && lines.last?.isEmpty == true, "as many lines as were asked for")
            let screen = CapturedScreen(size: size, capture: result.output.replacingOccurrences(of: "\r", with: ""))
            // Not at the centre, where they meet.
            for (column, row, wanted) in [
                (0, 0, RGB(255, 0, 0)), (21, 0, RGB(0, 255, 0)), (0, 8, RGB(0, 0, 255)), (21, 8, RGB(255, 255, 255)),
            ] {
                let seen = screen.meanColor(of: GridRect(column: column, row: row, columns: 19, rows: 7))
                #expect(isNear(seen, wanted), "\(seen) at \(column), \(row)")
            }
        }

        /// Behind the end it is the last frame.
        @Test(arguments: [("4.0", 120), ("3600", 239)])
        func aStillShowsTheRequestedTime(time: String, frame: Int) throws {
            let result = try run([
                "preview", "--at", time, "--color", "truecolor", "--size", "80x24", TestClips.path(TestClips.short),
            ])
            #expect(result.status == 0 && result.errors.isEmpty)
            let screen = CapturedScreen(
                size: .common, capture: result.output.replacingOccurrences(of: "\r", with: ""))
            #expect(screen.frameCode() == frame)
        }

        @Test func aMovingPreviewHasTheSameBytesEveryTime() throws {
            let arguments = [
                "preview", "--video", "--untimed", "--color", "truecolor", "--size", "80x24",
                try TestClips.path(TestClips.short),
            ]
            let (first, second) = (try run(arguments), try run(arguments))
            #expect(first.status == 0 && first.errors.isEmpty)
            #expect(first.output.utf8.count > 10_000 && first.output == second.output)
            // The output ends with the last picture and restores the terminal.
            #expect(first.output.hasSuffix("\u{1B}[?25h"))
            var terminal = GridTerminal(size: GridSize(columns: 80, rows: 25))
            try terminal.feed(first.output.replacingOccurrences(of: "\n", with: "\r\n").utf8)
            let luma = { (x: Double, y: Double) -> Double in
                let (column, row) = (Int(40 + (x - 0.5) * 48 * 16 / 9), Int(y * 48))
                guard let pixels = terminal.pixels(column: column, row: row / 2),
                    case .rgb(let color) = row % 2 == 0 ? pixels.upper : pixels.lower
                else { return 128 }
                return Double(color.green)
            }
            #expect(FrameCode.decode(luma: luma) == 239)
        }

        @Test func movingPicturesTakeFewerBytesAndTheLastIsExact() throws {
            let size = GridSize(columns: 80, rows: 25)
            let arguments = [
                "preview", "--video", "--untimed", "--color", "truecolor", "--surface", "half", "--size", "80x24",
                try TestClips.path(TestClips.short),
            ]
            var shown: [[GridTerminal.Place]] = []
            var bytes: [Int] = []
            for more in [["--exact"], []] {
                let output = try run(arguments + more).output
                bytes.append(output.utf8.count)
                var terminal = GridTerminal(size: size)
                try terminal.feed(output.replacingOccurrences(of: "\n", with: "\r\n").utf8)
                shown.append(terminal.cells)
            }
            // A test card has hard edges everywhere.
            #expect(bytes[1] * 3 < bytes[0] * 2, "\(bytes)")
            let pixels = shown.map { cells in
                cells.map { cell -> [GridTerminal.Paint] in
                    switch cell.text {
                    case "▀": [cell.foreground, cell.background]
                    case "▄": [cell.background, cell.foreground]
                    case "█": [cell.foreground, cell.foreground]
                    default: [cell.background, cell.background]
                    }
                }
            }
            #expect(pixels[0] == pixels[1])
        }

        @Test(arguments: [["cache", "status"], ["feed"], ["probe", DemoFeed.path], ["preview", DemoFeed.path], []])
        func aWrongConfigurationStopsEveryCommand(_ command: [String]) throws {
            let folder = TemporaryFolder()
            let config = try folder.write("c.toml", "[cache]\nsave_every = '100KB'\n".utf8)
            let result = try run((command.isEmpty ? ["browse"] : command) + ["--config", config])
            #expect(result.status >> 8 == 2 && result.output.isEmpty)
            expectOneLine(result.errors, naming: "\(config) line 2: cache.save_every is 100KB; expected at least 256KB")
            let checks = try objects(try run(["doctor", "--json", "--config", config]).output)
            let found = checks.first { $0["check"] as? String == "configuration" }?["found"] as? String
            #expect(found == "\(config) line 2: cache.save_every is 100KB")
        }

        @Test func theCacheIsListedAndEmptied() throws {
            let cache = TemporaryFolder().path + "/cache"
            let status = try objects(try run(["cache", "status", "--json", "--cache-dir", cache]).output)
            #expect(status.count == 1 && status[0]["folder"] as? String == cache && status[0]["bytes"] as? Int == 0)
            for task in ["list", "verify", "clear"] {
                let result = try run(["cache", task, "--cache-dir", cache])
                #expect(result.status == 0 && result.errors.isEmpty && !result.output.isEmpty)
            }
        }

        @Test(arguments: [
            (
                "screen-256color", "",
                "✓ output: direct, for 256 colours or more; frames in half blocks, "
                    + "the outer terminal may not draw finer ones"
            ),
            (
                "linux", "",
                "✓ output: ncurses, for 16 colours or none; frames in half blocks, "
                    + "the outer terminal may not draw finer ones"
            ),
            (
                "vt100", "",
                "~ output: ncurses, for block graphics; frames in ASCII, the terminal has no Unicode"
            ),
            (
                "screen-256color", "output = \"ncurses\"\nsurface = \"ascii\"\n",
                "✓ output: ncurses, as configured; frames in ASCII, as configured"
            ),
        ])
        func doctorReportsTheScreenOutput(_ term: String, _ configuration: String, _ line: String) throws {
            let folder = TemporaryFolder()
            let config = try folder.write("config.toml", "[interface]\n\(configuration)".utf8)
            let terminal = try TmuxTerminal(
                .program(["env", "TERM=\(term)", FlickBinary.path, "doctor", "--config", config]),
                size: GridSize(columns: 160, rows: 24), environment: ["SDL_AUDIODRIVER": "dummy"])
            defer { terminal.close() }
            #expect(try terminal.waitForExit() == 0)
            try terminal.waitUntil("the line") { $0.rows.contains(line) }
        }

        @Test func theDoctorReportsWhatWorks() throws {
            let result = try run(["doctor"])
            #expect(result.status == 0)
            #expect(result.output.contains("✓ decoder:") && result.output.contains("demo feed:"))
            let checks = try objects(try run(["doctor", "--json"]).output)
            #expect(checks.count >= 3)
            #expect(checks.allSatisfy { ["good", "limited", "missing"].contains($0["verdict"] as? String) })
            for check in ["decoder", "sandbox", "network"] {
                #expect(checks.first { $0["check"] as? String == check }?["verdict"] as? String == "good")
            }
        }
    }
}
