import Foundation
import Model
import TestSupport
import Testing

extension EndToEnd {
    /// A window whose corner is dragged: twenty sizes a second.
    @Suite struct ResizeTests {
        private static let last = GridSize(columns: 100, rows: 30)

        /// Two items of one picture each, so that two screens can be compared cell by cell.
        private static func feed(in folder: TemporaryFolder) throws -> String {
            var items: [[String: Any]] = []
            for (number, source) in ["testsrc2=s=640x480", "mandelbrot=s=480x640"].enumerated() {
                let file = "\(folder.path)/\(number).png"
                let made = try Command.run(
                    ["ffmpeg", "-v", "error", "-nostdin", "-y", "-f", "lavfi", "-i", source, "-frames:v", "1", file])
                #expect(made.status == 0, "\(made.errors)")
                items.append([
                    "id": "\(number)", "url": file, "title": "Number \(number)", "description": "A picture. 東京の夜",
                    "creator": ["name": "Ann"], "tags": ["one", "two"], "trust": ["score": 70],
                ])
            }
            return try folder.write("feed.json", JSONSerialization.data(withJSONObject: ["items": items]))
        }

        /// Sizes from the smallest one to that of a large screen. Two of them are too small; keys do nothing there.
        private static func sizes(_ seed: UInt64) -> [GridSize] {
            var random = SeededRandom(state: seed)
            return (0..<60).map { place in
                place % 30 == 7
                    ? GridSize(columns: 20, rows: 5)
                    : GridSize(
                        columns: Int.random(in: 40...200, using: &random), rows: Int.random(in: 12...60, using: &random)
                    )
            }
        }

        private func storm(_ flick: FlickSession, seed: UInt64, press keys: [String]) throws {
            var left = keys[...]
            for (place, size) in Self.sizes(seed).enumerated() {
                try flick.terminal.resize(to: size)
                if place % 6 == 5, let key = left.popFirst() { try flick.terminal.press(key) }
                // The pace of a drag is what is tested, so that nothing is waited for.
                usleep(40_000)
            }
        }

        @Test(arguments: ["half", "quadrant"])
        func afterAStormOfSizesTheScreenIsAsInAFreshFlick(_ surface: String) throws {
            let folder = TemporaryFolder()
            let feed = try Self.feed(in: folder)
            let flick = try FlickSession(["--surface", surface, "--start", "1", feed])
            try flick.terminal.waitUntil("the page") { $0.contains("1/2") }
            // Pages turn meanwhile; then a sheet is open.
            try storm(flick, seed: 1, press: ["Down", "Up", "Down", "Up", "Down", "Up", "Down"])
            try flick.terminal.press("?")
            try storm(flick, seed: 2, press: ["Down", "Up", "PageDown"])
            try flick.terminal.resize(to: Self.last)
            try flick.terminal.waitUntil("the sheet") { $0.size == Self.last && $0.contains(" Keys ") }
            try flick.terminal.press("Escape")
            // Keys do nothing where the screen is too small, so that either page may be in view.
            let plain = try flick.terminal.waitUntil("a page without the sheet") {
                !$0.contains(" Keys ") && ($0.rows[0].contains("1/2") || $0.rows[0].contains("2/2"))
            }
            let page = plain.rows[0].contains("2/2") ? "2" : "1"
            try flick.terminal.press("?")
            let fresh = try FlickSession(["--surface", surface, "--start", page, feed], size: Self.last)
            try fresh.waitForTrace("first_frame")
            try fresh.terminal.press("?")
            for sheet in [true, false] {
                var wanted = try waitForPage(page, of: fresh, hasSheet: sheet)
                var screen = wanted
                let isSame = try holds(within: .seconds(8)) {
                    (screen, wanted) = (try flick.terminal.capture(), try fresh.terminal.capture())
                    return words(of: screen) == words(of: wanted)
                }
                #expect(isSame, "\(screen.text)\n\(wanted.text)")
                if sheet {
                    try flick.terminal.press("Escape")
                    try fresh.terminal.press("Escape")
                }
            }
            // No key was lost, and no decoder left over.
            let keys = try flick.trace("key").compactMap(\.key)
            #expect(keys.count == 14, "\(keys)")
            let areGone = try holds(within: .seconds(8)) { try decoders(of: flick) <= decoders(of: fresh) }
            #expect(areGone)
            try flick.terminal.press("q")
            #expect(try flick.terminal.waitForExit() == 0)
        }

        private func waitForPage(_ page: String, of flick: FlickSession, hasSheet: Bool) throws -> CapturedScreen {
            try flick.terminal.waitUntil("the page of its size") {
                $0.size == Self.last && $0.rows[0].contains("\(page)/2") && $0.contains(" Keys ") == hasSheet
            }
        }

        private func decoders(of flick: FlickSession) throws -> Int {
            try ProcessTable.descendants(of: flick.pid()).count
        }

        /// The words of each row. Pictures differ a little, as the backdrop comes from earlier ones too.
        private func words(of screen: CapturedScreen) -> [[Substring]] {
            screen.rows.map { row in row.split { !$0.isLetter }.filter { $0.count > 2 } }
        }
    }
}
