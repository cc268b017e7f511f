import Foundation
import TestSupport
import Testing

extension EndToEnd {
    /// The whole program with decoders in the hands of their clips' authors. `HostileDecoderTests` have all misdeeds.
    @Suite struct HostileTests {
        private static let worst = [
            "opens the clip without end", "says without end which variant it reads",
            "asks for megabytes and takes none of them", "opens and closes, again and again", "reads byte after byte",
            "sends pictures and reads no orders", "announces 4 GB", "sends sound at all ends of time",
            "is silent behind its first pictures",
            "reports an unplayable clip in text with escape sequences",
        ]

        @Test func hostileDecodersDoNotBlockTheKeys() throws {
            let folder = TemporaryFolder()
            let numbers = Self.worst.compactMap { name in Misdeed.all.firstIndex { $0.name == name } }
            try #require(numbers.count == Self.worst.count)
            let bytes = Array(repeating: UInt8(7), count: 300_000)
            let bad = try numbers.map { try folder.write("\($0).mp4", bytes) }
            let good = try folder.write("honest.mp4", bytes)
            let decoder = URL(fileURLWithPath: FlickBinary.path).deletingLastPathComponent()
                .appendingPathComponent("flick-hostile-decoder").path
            let flick = try FlickSession(["--reduced-motion"] + bad + [good], environment: ["FLICK_DECODER": decoder])
            try flick.waitForTrace("claim")
            let pid = try flick.pid()
            let before = try ProcessTable.ownMemory(of: pid)
            var most = before
            for (index, number) in numbers.enumerated() {
                // What it does, it does to the page in view, and to those that are opened ahead.
                if Misdeed.all[number].end == .replaced(.wire) {
                    let item = try flick.waitForTrace("claim") { $0.index == index }.item
                    try flick.waitForTrace("recover") { $0.item == item }
                }
                for _ in 0..<3 {
                    try press("Space", flick) { try $0.trace("key").count }
                    most = max(most, try ProcessTable.ownMemory(of: pid))
                }
                try press("Down", flick) { try $0.trace("page").count }
                #expect(try flick.trace("page").last?.to == index + 1)
            }
            // From the key to the page, as flick saw it.
            let lines = try flick.trace("key", "page")
            for (key, page) in zip(lines, lines.dropFirst()) where page.ev == "page" {
                #expect(page.t - key.t <= 0.05, "to page \(page.to ?? -1)")
            }
            #expect(most - before <= 64 << 20, "flick grew by \((most - before) >> 20) MB")
            // An honest one plays beside them.
            let last = try #require(try flick.trace("page").last?.item)
            try flick.waitForTrace("first_frame") { $0.item == last }

            let processes = try ProcessTable.descendants(of: pid)
            try flick.terminal.press("q")
            #expect(try flick.terminal.waitForExit() == 0)
            try flick.terminal.wait("the decoders' end") {
                try !processes.contains { try ProcessTable.isAlive($0.pid) }
            }
        }

        /// Presses a key until it counts, for the whole way from the terminal:
        /// half a second is some fifty times what it takes.
        private func press(_ key: String, _ flick: FlickSession, counting count: (FlickSession) throws -> Int) throws {
            let before = try count(flick)
            try flick.terminal.press(key)
            let pressed = ContinuousClock.now
            try flick.terminal.wait("\(key) to count") { try count(flick) > before }
            #expect(ContinuousClock.now - pressed < .milliseconds(500), "\(key)")
        }
    }
}
