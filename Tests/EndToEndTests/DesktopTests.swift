import Foundation
import TestSupport
import Testing

extension EndToEnd {
    /// What other programs see of a real flick: `flick ctl`, `playerctl`, logind.
    @Suite struct DesktopTests {
        private let runtime = TemporaryFolder()

        private func browse(_ arguments: [String] = [], _ environment: [String: String] = [:]) throws -> FlickSession {
            let variables = ["XDG_RUNTIME_DIR": runtime.path].merging(environment) { $1 }
            return try FlickSession(["--fill", "--start", "1", DemoFeed.path] + arguments, environment: variables)
        }

        /// `flick ctl`, with its answer.
        private func control(_ command: String, _ arguments: String...) throws -> Command.Result {
            try Command.run(
                [FlickBinary.path, "ctl", command] + arguments, setting: ["XDG_RUNTIME_DIR": runtime.path])
        }

        /// The same with `--json`.
        private func answer(to command: String) throws -> [String: Any] {
            let result = try control(command, "--json")
            try #require(result.status == 0, "\(result.errors)")
            return try #require(try JSONSerialization.jsonObject(with: Data(result.output.utf8)) as? [String: Any])
        }

        /// Those that listen: a socket has another name until it does.
        private var sockets: [String] {
            // `try?`: before the first flick there is no folder.
            let names = (try? FileManager.default.contentsOfDirectory(atPath: runtime.path + "/flick")) ?? []
            return names.filter { $0.hasSuffix(".sock") }.sorted()
        }

        private func waitForSockets(_ count: Int) throws {
            try #require(holds(within: .seconds(10)) { sockets.count == count }, "\(sockets)")
        }

        private func quit(_ flick: FlickSession) throws {
            try flick.terminal.press("q")
            #expect(try flick.terminal.waitForExit() == 0)
        }

        // MARK: flick ctl

        @Test func commandsDoWhatTheirKeysDo() throws {
            let demo = try DemoFeed.shared.get()
            let flick = try browse()
            try flick.waitForTrace("first_frame")
            try waitForSockets(1)
            #expect(sockets == ["\(try flick.pid()).sock"])
            let first = try answer(to: "status")
            #expect(first["title"] as? String == demo.items[0].title && first["creator"] as? String == "Ilma Kettu")
            #expect(first["paused"] as? Bool == false && first["liked"] as? Bool == false)
            #expect(first["page"] as? Int == 1 && first["pages"] as? Int == demo.items.count)
            #expect((first["duration"] as? Double ?? 0) > 1 && first["volume"] as? Int == 100)

            #expect(try answer(to: "next")["title"] as? String == demo.items[1].title)
            try flick.waitForTrace("first_frame") { $0.item == demo.items[1].id }
            let liked = try answer(to: "like")
            #expect(liked["liked"] as? Bool == true)
            try flick.terminal.waitUntil("the like") { $0.contains("liked") }
            #expect(try control("pause").output.isEmpty)
            #expect(try answer(to: "status")["paused"] as? Bool == true)
            let lines = try control("status").output.split(separator: "\n")
            #expect(lines.first == "Paused: \(demo.items[1].title) · Wen & the Wok", "\(lines)")
            #expect(lines.count == 3 && lines[1].hasSuffix("volume 100 % · liked"), "\(lines)")
            #expect(try answer(to: "pause")["paused"] as? Bool == false)
            #expect(try answer(to: "previous")["page"] as? Int == 1)
            try quit(flick)
            #expect(sockets.isEmpty)
            let none = try control("next")
            #expect(none.status >> 8 == 1)
            #expect(none.errors == "flick: no flick is running; start one with `flick`\n")
        }

        @Test func newestFlickObeysUntilItIsKilled() throws {
            let first = try browse()
            try first.waitForTrace("first_frame")
            try waitForSockets(1)
            let second = try browse()
            try second.waitForTrace("first_frame")
            try waitForSockets(2)
            _ = try answer(to: "next")
            try second.waitForTrace("page") { $0.to == 1 }
            #expect(kill(try second.pid(), SIGKILL) == 0)
            try second.terminal.wait("its end") { try second.terminal.waitForExit() != 0 }
            #expect(sockets.count == 2)
            #expect(try answer(to: "next")["page"] as? Int == 2)
            try first.waitForTrace("page") { $0.to == 1 }
            #expect(sockets.count == 1)
            try quit(first)
        }

        @Test func configurationTurnsItOff() throws {
            let bus = try MessageBus()
            let config = try runtime.write(
                "config.toml", "[desktop]\nmpris = false\ncontrol = false\ninhibit_sleep = false\n".utf8)
            let flick = try browse(["--config", config], ["DBUS_SESSION_BUS_ADDRESS": bus.address])
            try flick.waitForTrace("first_frame")
            try flick.terminal.press("Down")
            try flick.waitForTrace("settled") { $0.index == 1 }
            #expect(sockets.isEmpty)
            #expect(try bus.run("playerctl", "-l").output.isEmpty)
            try quit(flick)
        }

        // MARK: D-Bus

        /// Waits until playerctl finds flick.
        private func waitForPlayer(_ bus: MessageBus, _ flick: FlickSession) throws {
            let name = "flick.instance\(try flick.pid())\n"
            try flick.terminal.wait("the player") { try bus.run("playerctl", "-l").output == name }
        }

        private func metadata(_ bus: MessageBus, _ key: String) throws -> String {
            let line = try bus.run("playerctl", "-p", "flick", "metadata", "--format", "{{\(key)}}").output
            return line.trimmingCharacters(in: .newlines)
        }

        @Test func playerctlTurnsThePage() throws {
            let demo = try DemoFeed.shared.get()
            let bus = try MessageBus()
            let flick = try browse([], ["DBUS_SESSION_BUS_ADDRESS": bus.address])
            try flick.waitForTrace("first_frame")
            try waitForPlayer(bus, flick)
            func player(_ words: String...) throws -> String {
                try Command.run(
                    ["playerctl", "-p", "flick"] + words, setting: ["DBUS_SESSION_BUS_ADDRESS": bus.address]
                ).output.trimmingCharacters(in: .newlines)
            }
            #expect(try metadata(bus, "title") == demo.items[0].title && metadata(bus, "artist") == "Ilma Kettu")
            #expect(try metadata(bus, "xesam:url").hasPrefix("https://example.org/"))
            #expect(try metadata(bus, "mpris:artUrl").hasPrefix("file:///"))
            #expect(try (Int(metadata(bus, "mpris:length")) ?? 0) > 1_000_000)
            #expect(try player("status") == "Playing")
            let track = try metadata(bus, "mpris:trackid")

            // What is announced, too.
            let signals = runtime.path + "/signals"
            let monitor = try spawn(
                ["sh", "-c", "exec dbus-monitor --address \"$0\" type=signal >\"$1\"", bus.address, signals],
                environment: ProcessInfo.processInfo.environment)
            defer { kill(monitor, SIGTERM) }
            func announced(_ texts: String...) throws {
                try flick.terminal.wait("the signal \(texts)") {
                    // `try?`: it is not written before the first line.
                    let all = (try? String(contentsOfFile: signals, encoding: .utf8)) ?? ""
                    return texts.allSatisfy { all.contains($0) }
                }
            }
            try announced("NameAcquired")
            _ = try player("next")
            try flick.waitForTrace("first_frame") { $0.item == demo.items[1].id }
            try announced("PropertiesChanged", "xesam:title", demo.items[1].title)
            #expect(try metadata(bus, "title") == demo.items[1].title)
            #expect(try metadata(bus, "mpris:trackid") != track)
            _ = try player("previous")
            try flick.waitForTrace("page") { $0.to == 0 && $0.from == 1 }

            _ = try player("pause")
            try flick.terminal.wait("the pause") { try player("status") == "Paused" }
            let position = try player("position")
            #expect(try player("position") == position)
            _ = try player("position", "1.5")
            try flick.terminal.wait("the position") { try player("position").hasPrefix("1.5") }
            try announced("member=Seeked")
            _ = try player("volume", "0.25")
            try flick.terminal.wait("the volume") { try player("volume") == "0.250000" }
            _ = try player("play-pause")
            try flick.terminal.wait("the clip") { try player("status") == "Playing" }
            _ = try bus.run(
                "dbus-send", "--print-reply", "--dest=org.mpris.MediaPlayer2.flick.instance\(try flick.pid())",
                "/org/mpris/MediaPlayer2", "org.mpris.MediaPlayer2.Quit")
            #expect(try flick.terminal.waitForExit() == 0)
            #expect(try bus.run("playerctl", "-l").output.isEmpty)
        }

        /// With a stand-in for logind.
        @Test func sleepIsInhibitedWhileAClipPlays() throws {
            let bus = try MessageBus()
            let (log, script) = (
                runtime.path + "/logind",
                URL(fileURLWithPath: #filePath).deletingLastPathComponent().appendingPathComponent("logind.py").path
            )
            let logind = try spawn(
                ["python3", script, String(bus.address.dropFirst("unix:path=".count)), log],
                environment: ProcessInfo.processInfo.environment)
            defer { kill(logind, SIGTERM) }
            // `try?`: it is not written before the first line.
            func lines() -> [String] {
                let text = (try? String(contentsOfFile: log, encoding: .utf8)) ?? ""
                return text.split(separator: "\n").map(String.init)
            }
            try #require(holds(within: .seconds(20)) { lines() == ["ready"] })
            let flick = try browse([], ["DBUS_SYSTEM_BUS_ADDRESS": bus.address])
            let held = "held sleep:idle flick A clip is playing block"
            try flick.terminal.wait("the inhibitor") { lines() == ["ready", held] }
            // A page turn is no pause.
            try flick.terminal.press("Down")
            try flick.waitForTrace("settled") { $0.index == 1 }
            try flick.terminal.press("Space")
            try flick.terminal.wait("its end") { lines() == ["ready", held, "released"] }
            try flick.terminal.press("Space")
            try flick.terminal.wait("another") { lines() == ["ready", held, "released", held] }
            try quit(flick)
            let isReleased = holds(within: .seconds(10)) { lines().last == "released" }
            #expect(isReleased)
        }

        // MARK: What is missing or hostile

        /// How a broken bus treats those that connect.
        enum Bus: String, CaseIterable {
            case silent, garbage, closes
        }

        @Test(arguments: Bus.allCases) func hostileBusHoldsUpNothing(_ bus: Bus) throws {
            let demo = try DemoFeed.shared.get()
            let path = runtime.path + "/bus"
            let script = """
                import os, socket, sys, threading
                server = socket.socket(socket.AF_UNIX)
                server.bind(sys.argv[1] + ".new")
                server.listen()
                os.rename(sys.argv[1] + ".new", sys.argv[1])
                kept = []
                while True:
                    client, _ = server.accept()
                    if sys.argv[2] == "garbage":
                        client.sendall(b"\\x00\\xffOK" + os.urandom(5000) + b"\\r\\n")
                    if sys.argv[2] == "closes":
                        client.close()
                    kept.append(client)
                """
            let pid = try spawn(
                ["python3", "-c", script, path, bus.rawValue], environment: ProcessInfo.processInfo.environment)
            defer { kill(pid, SIGTERM) }
            try #require(holds(within: .seconds(20)) { FileManager.default.fileExists(atPath: path) })
            let address = "unix:path=\(path)"
            let flick = try browse(
                [], ["DBUS_SESSION_BUS_ADDRESS": address, "DBUS_SYSTEM_BUS_ADDRESS": address])
            try flick.waitForTrace("first_frame")
            try flick.terminal.press("Down")
            try flick.waitForTrace("first_frame") { $0.item == demo.items[1].id }
            if bus != .silent {
                // It can end before or after flick has sent its first bytes.
                for what in [["D-Bus lost", "cannot register with D-Bus"], ["cannot keep the machine awake"]] {
                    try flick.waitForTrace("error") { event in
                        event.what == "desktop" && what.contains { event.why?.hasPrefix($0) == true }
                    }
                }
            }
            // The socket does not depend on it.
            try waitForSockets(1)
            #expect(try answer(to: "status")["page"] as? Int == 2)
            let screen = try flick.terminal.capture()
            #expect(!screen.contains("D-Bus") && !screen.contains("awake"))
            let start = ContinuousClock.now
            try quit(flick)
            #expect(ContinuousClock.now - start < .seconds(3))
            let errors = try flick.trace("error").map(\.why)
            #expect(errors.count == (bus == .silent ? 0 : 2), "\(errors)")
        }

        /// The bus ends while flick runs.
        @Test func flickPlaysOnWithoutABus() throws {
            let bus = try MessageBus()
            let flick = try browse([], ["DBUS_SESSION_BUS_ADDRESS": bus.address])
            try flick.waitForTrace("first_frame")
            try waitForSockets(1)
            try waitForPlayer(bus, flick)
            bus.stop()
            try flick.waitForTrace("error") { $0.what == "desktop" && $0.why?.hasPrefix("D-Bus lost") == true }
            #expect(try answer(to: "next")["page"] as? Int == 2)
            try quit(flick)
        }

        @Test func machineWithoutADesktopIsNoError() throws {
            let log = runtime.path + "/log"
            let flick = try FlickSession(
                ["--log", log, "--log-level", "info", DemoFeed.path],
                environment: ["XDG_RUNTIME_DIR": "", "DBUS_SESSION_BUS_ADDRESS": ""])
            try flick.waitForTrace("first_frame")
            try flick.terminal.wait("the log") {
                let text = try String(contentsOfFile: log, encoding: .utf8)
                return [
                    "`flick ctl` does not work: XDG_RUNTIME_DIR is not set", "cannot register with D-Bus",
                    "cannot keep the machine awake",
                ]
                .allSatisfy { text.contains($0) }
            }
            #expect(try flick.trace("error").isEmpty)
            let screen = try flick.terminal.capture()
            #expect(!screen.contains("D-Bus") && !screen.contains("ctl"))
            try quit(flick)
        }
    }
}
