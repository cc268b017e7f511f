#if os(Linux)
    import Foundation
    import Model
    import TestSupport
    import Testing

    extension EndToEnd {
        /// Terminals that show pixels: real ones, in windows on a virtual display.
        @Suite struct PixelWindowTests {
            /// In pixels.
            private static let size = PixelSize(width: 640, height: 360)

            enum Kind: String, CaseIterable, CustomTestStringConvertible {
                case kitty, xterm
                var testDescription: String { rawValue }
                var surface: String { self == .kitty ? "kitty" : "sixel" }

                /// What starts a window with a program in it.
                func command(_ program: [String]) -> [String] {
                    switch self {
                    case .kitty:
                        let options = [
                            "remember_window_size=no", "initial_window_width=\(PixelWindowTests.size.width)",
                            "initial_window_height=\(PixelWindowTests.size.height)", "update_check_interval=0",
                            "hide_window_decorations=yes", "font_size=9", "enable_audio_bell=no",
                        ]
                        return ["kitty", "--config", "NONE"] + options.flatMap { ["-o", $0] } + program
                    case .xterm:
                        return [
                            "xterm", "-ti", "vt340", "-geometry", "91x24+0+0", "-b", "0", "-bw", "0", "+sb", "-u8",
                            "-fa", "DejaVu Sans Mono", "-fs", "8", "-bg", "black", "-fg", "white", "-e",
                        ] + program
                    }
                }
            }

            /// A window with flick in it; what comes after flick stays.
            private final class Window {
                private let folder = TemporaryFolder()
                private let server: XServer
                private let terminal: pid_t

                /// - Parameter asks: for the pixels by name.
                init(_ kind: Kind, _ arguments: [String], asks: Bool = true) throws {
                    server = try XServer(folder: folder.path, size: PixelWindowTests.size)
                    let surface = asks ? ["--surface", kind.surface] : []
                    let words =
                        [FlickBinary.path, "--no-audio", "--trace", folder.path + "/trace"] + surface + arguments
                    // For a second, what the terminal sends after flick's end goes to a file.
                    let script = """
                        "$@"; stty -icanon -echo min 0 time 10; cat > "$REST.part"; mv "$REST.part" "$REST"; stty sane; cat
                        """
                    let environment = ProcessInfo.processInfo.environment.merging([
                        "DISPLAY": server.display, "LIBGL_ALWAYS_SOFTWARE": "1", "LC_ALL": "C.UTF-8",
                        "XDG_STATE_HOME": folder.path, "XDG_CACHE_HOME": folder.path, "XDG_CONFIG_HOME": folder.path,
                        "REST": folder.path + "/rest",
                    ]) { $1 }
                    terminal = try spawn(kind.command(["sh", "-c", script, "sh"] + words), environment: environment)
                }

                deinit { end(terminal) }

                /// What the whole screen shows, brightnesses 0 … 255.
                func picture() throws -> [UInt8] {
                    let file = folder.path + "/screen.gray"
                    let result = try Command.run(
                        ["import", "-window", "root", "-colorspace", "Gray", "-depth", "8", "gray:\(file)"],
                        setting: ["DISPLAY": server.display])
                    try #require(result.status == 0, "\(result.errors)")
                    let bytes = [UInt8](try Data(contentsOf: URL(fileURLWithPath: file)))
                    try #require(bytes.count == PixelWindowTests.size.width * PixelWindowTests.size.height)
                    return bytes
                }

                /// The number of the coded picture that is seen.
                func number() throws -> Int? {
                    let bytes = try picture()
                    let size = PixelWindowTests.size
                    return FrameCode.decode { x, y in
                        Double(bytes[Int(y * Double(size.height)) * size.width + Int(x * Double(size.width))])
                    }
                }

                /// The bytes and cells of the pictures that have reached the terminal.
                func pictures() -> [(bytes: Int, cells: Int)] {
                    func number(_ name: String, in line: Substring) -> Int {
                        guard let start = line.firstRange(of: "\"\(name)\":")?.upperBound else { return 0 }
                        return Int(line[start...].prefix { $0.isNumber }) ?? 0
                    }
                    return (fileText(folder.path + "/trace") ?? "").split(separator: "\n").filter {
                        $0.contains("\"ev\":\"picture\"") && $0.hasSuffix("}")
                    }.map { (number("bytes", in: $0), number("cells", in: $0)) }
                }

                /// What the terminal has sent to the shell; nil while it may still send something.
                var sentToTheShell: String? { fileText(folder.path + "/rest") }

                func flick() throws -> pid_t? {
                    let name = URL(fileURLWithPath: FlickBinary.path).lastPathComponent.prefix(15)
                    return try ProcessTable.descendants(of: terminal).first { $0.name == name }?.pid
                }
            }

            @Test func kittyTakesPixelsByItself() throws {
                let window = try Window(.kitty, ["--fill", TestClips.path(TestClips.landscape)], asks: false)
                // The name of a shared memory object is shorter than the characters of that many cells.
                #expect(holds(within: .seconds(60)) { window.pictures().contains { $0.cells > 500 && $0.bytes < 500 } })
            }

            @Test func xtermTakesSixelsByItself() throws {
                let window = try Window(.xterm, ["--fill", TestClips.path(TestClips.landscape)], asks: false)
                // A whole picture of half blocks takes 40 bytes a cell at most.
                #expect(holds(within: .seconds(60)) { window.pictures().contains { $0.bytes > 40 * 91 * 24 } })
            }

            @Test(arguments: Kind.allCases) func picturesMoveAndNothingIsLeft(_ kind: Kind) throws {
                let window = try Window(kind, ["--fill", TestClips.path(TestClips.short)])
                var numbers: Set<Int> = []
                let isMoving = try holds(within: .seconds(60)) {
                    if let number = try window.number() { numbers.insert(number) }
                    return numbers.count >= 3
                }
                #expect(isMoving, "seen: \(numbers)")
                // The way out that is the same for a signal as for a key.
                let flick = try #require(try window.flick())
                kill(flick, SIGTERM)
                let isClear = try holds(within: .seconds(10)) { try window.picture().count { $0 > 40 } < 2_000 }
                #expect(isClear)
                // An answer that comes after flick's end would stand there as if it were typed.
                #expect(holds(within: .seconds(10)) { window.sentToTheShell != nil })
                #expect(window.sentToTheShell == "")
                let its = "flick-\(String(flick, radix: 36))-"
                #expect(try !FileManager.default.contentsOfDirectory(atPath: "/dev/shm").contains { $0.hasPrefix(its) })
            }
        }
    }
#endif
