import Foundation
import Model
import TestSupport

/// `make half-drawn`: counts the screenshots that show parts of two states, in kitty and in xterm without a graphics
/// card, while pages turn.
///
/// The frames of each clip have one hue, and its title is a bar whose length no other title has. Pages fill the
/// terminal and turn without animation, so each state has one hue and one bar. First every page is captured at rest:
/// these are the references. Then pages turn, and each screenshot is taken at a random moment around a turn.
struct HalfDrawn {
    /// The screenshots of each terminal.
    static let usualCount = 500
    private static let (usual, large) = (GridSize(columns: 80, rows: 24), GridSize(columns: 200, rows: 60))
    private static let (up, down) = ("\u{1B}[A", "\u{1B}[B")
    /// A page that shows less of its hue than this share of what it shows at rest is half drawn, or blank.
    private static let (whole, blank) = (0.9, 0.1)
    /// The most screenshots, as a share, that may show no page at all.
    private static let blankLimit = 0.05
    /// Less of a hue, as a share of all pixels with a hue, comes from the edges of letters.
    private static let visibleHue = 0.01

    /// What one terminal showed.
    private struct Tally {
        var (half, lasting, blank) = (0, 0, 0)
        /// How many show a page before its turn, and after it.
        var (before, after) = (0, 0)
        /// The pages that were seen whole.
        var pages: Set<Int> = []
    }

    private enum Verdict {
        case page(Int)
        case blank
        case half(String)
    }

    /// A page at rest.
    private struct Reference {
        var pixels: Int
        var bar: Int
    }

    private let window: any ShotWindow
    private let size: GridSize
    private let scratch: String
    /// By their pages; empty until they are captured.
    private var references: [Reference] = []
    /// From the start of sending a key to the turn of the page.
    private var delays: [Duration] = []
    private var delay: Duration { delays.sorted()[delays.count / 2] }
    /// The part of a screenshot that the terminal fills; empty until the references are captured.
    private var area = PixelArea()

    // MARK: Running

    /// Measures all terminals and prints the results. Half-drawn screenshots are saved in `folder`. Returns the exit
    /// status: 0 if no screenshot is half drawn, 1 if some are, 3 if a terminal was not measured.
    static func run(flick: String, count: Int, folder: String) -> Int32 {
        print("Half-drawn screenshots of page turns, without animation:")
        // xterm's share of the screenshots is divided between its ways to draw, and sizes.
        let (half, quarter) = (max(count / 2, 1), max(count / 4, 1))
        let runs = [
            ("kitty", "kitty", usual, count), ("xterm", "sixel", usual, quarter), ("xterm", "sixel", large, quarter),
            ("xterm", "half", usual, half),
        ]
        var (halfDrawn, unmeasured) = (0, 0)
        for (terminal, surface, size, count) in runs {
            let name = "\(terminal), \(surface), \(size.columns)x\(size.rows)"
            do {
                try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
                let tally = try measure(flick, terminal, surface, size, count: count, folder: folder)
                halfDrawn += tally.half
                print(
                    "  \(name): \(tally.half) of \(count) half drawn, \(tally.lasting) of them still after 1 s;",
                    "\(tally.blank) blank, \(tally.before) before their turn, \(tally.after) after it")
            } catch {
                unmeasured += 1
                print("  \(name): NOT MEASURED: \(error)")
            }
            fflush(nil)
        }
        if halfDrawn > 0 { print("NOT MET: \(halfDrawn) screenshots are half drawn; see \(folder)") }
        return unmeasured > 0 ? 3 : halfDrawn > 0 ? 1 : 0
    }

    private static func measure(
        _ flick: String, _ terminal: String, _ surface: String, _ size: GridSize, count: Int, folder: String
    ) throws -> Tally {
        let scratch = TemporaryFolder()
        let feed = try writeFeed()
        let server = try XServer(folder: scratch.path)
        let shot = Shot(group: "half-drawn", scene: terminal, size: size, surface: surface, source: .demo)
        let command = [
            flick, feed, "--surface", surface, "--color", "truecolor", "--fill", "--reduced-motion", "--no-audio",
            "--start", "1",
        ]
        let window: any ShotWindow
        if terminal == "kitty" {
            guard Kitty.isAvailable else { throw ShotError("kitty is not installed") }
            window = try Kitty(shot, command, on: server, folder: scratch.path)
        } else {
            window = try Xterm(shot, command, on: server, folder: scratch.path)
        }
        guard window.wait(for: "first_frame", upTo: .seconds(30)) else { throw ShotError("flick shows no frame") }
        var measurement = HalfDrawn(window: window, size: size, scratch: scratch.path)
        try measurement.captureReferences()
        let tally = try measurement.turnPages(
            count: count, name: "\(folder)/\(terminal)-\(surface)-\(size.columns)x\(size.rows)")
        guard surface != "sixel" || measurement.drawsSixels else {
            throw ShotError("flick uses blocks, as sixels are too slow here")
        }
        return tally
    }

    /// Whether one of the last frames took as many bytes as a page of sixels does: some 190 KB. A page of blocks takes
    /// a few.
    private var drawsSixels: Bool {
        window.trace.filter { $0.contains("\"ev\":\"picture\"") }.suffix(100).contains { line in
            guard let start = line.firstRange(of: "\"bytes\":")?.upperBound else { return false }
            return (Int(line[start...].prefix { $0.isNumber }) ?? 0) > 50_000
        }
    }

    private init(window: any ShotWindow, size: GridSize, scratch: String) {
        (self.window, self.size, self.scratch) = (window, size, scratch)
    }

    /// Sleeps, as a screenshot is wanted at a moment and not once something holds.
    private static func pause(_ time: Duration) { usleep(UInt32(max(time / .microseconds(1), 0))) }

    // MARK: The feed

    /// The bright channels of each page's hue: 4 is red, 2 green, 1 blue. Neighbors differ in two channels at least.
    private static let hues = [4, 3, 5, 2, 1, 6]
    private static let names = [1: "blue", 2: "green", 3: "cyan", 4: "red", 5: "magenta", 6: "yellow"]

    /// In cells. Longer than what any other line of text has in white in one row of pixels, and shorter than a caption.
    private static func barLength(of page: Int) -> Int { 28 + 4 * page }

    /// One half of each frame is darker, the left one and the right one in turn, so that all of it is drawn all the
    /// time, also under the text.
    private static func writeFeed() throws -> String {
        let folder = FlickBinary.root.appendingPathComponent(".build/hue-clips").path
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        var items: [[String: Any]] = []
        for (page, hue) in hues.enumerated() {
            let (light, dark) = (color(hue, "f0"), color(hue, "c0"))
            let graph = """
                color=\(light):s=640x480:r=30[a];color=\(dark):s=320x480:r=30[b];\
                [a][b]overlay=x='320*mod(n,2)',format=yuv420p[v]
                """
            let name = "\(page)-\(hue)-halves.mp4"
            try Footage.make(
                "\(folder)/\(name)",
                [
                    "-filter_complex", graph, "-map", "[v]", "-t", "8", "-c:v", "libx264", "-crf", "12", "-g", "30",
                ])
            items.append([
                "id": "hue-\(page)", "url": name, "creator": "Hues",
                "title": String(repeating: "\u{2588}", count: barLength(of: page)),
                // As other clips have other captions.
                "description": String(repeating: (names[hue] ?? "") + " ", count: 8),
            ])
        }
        let feed = folder + "/feed.json"
        try JSONSerialization.data(withJSONObject: ["title": "Hues", "items": items] as [String: Any])
            .write(to: URL(fileURLWithPath: feed))
        return feed
    }

    private static func color(_ hue: Int, _ level: String) -> String {
        "#" + [4, 2, 1].map { hue & $0 == 0 ? "00" : level }.joined()
    }

    // MARK: Pages at rest

    private mutating func captureReferences() throws {
        // Hints and the first notices are gone by then.
        Self.pause(.seconds(6))
        var shots: [PageScreenshot] = []
        for page in Self.hues.indices {
            if page > 0 { try turnAtRest() }
            shots.append(try capture(sending: nil, after: .zero))
        }
        for shot in shots { area.add(shot.area) }
        guard area.columns.count >= size.columns, area.rows.count >= size.rows else {
            throw ShotError("the window shows nothing")
        }
        for (page, shot) in shots.enumerated() {
            let (hue, bar) = (Self.hues[page], self.bar(of: shot))
            let seen = visibleHues(of: shot)
            guard seen == [hue], shot.hues[hue] * 2 > area.columns.count * area.rows.count else {
                let found = seen.compactMap { Self.names[$0] }.joined(separator: ", ")
                throw ShotError("page \(page + 1) at rest is not \(Self.names[hue] ?? ""), but: \(found)")
            }
            references.append(Reference(pixels: shot.hues[hue], bar: bar))
        }
        let bars = references.map(\.bar)
        guard zip(bars, bars.dropFirst()).allSatisfy({ $1 - $0 > 2 * barTolerance }) else {
            throw ShotError("the bars of the pages cannot be distinguished: \(bars)")
        }
    }

    /// Turns to the next page, measures how long that takes, and waits until the page is at rest.
    private mutating func turnAtRest() throws {
        let (began, turns) = (ContinuousClock.now, window.count(of: "page"))
        let sender = try window.beginSending(Self.down)
        window.wait(for: "page", times: turns + 1)
        delays.append(.now - began)
        if let sender { reap(sender) }
        Self.pause(.seconds(3))
    }

    /// In pixels: the bars of two pages differ by four cells.
    private var barTolerance: Int { area.columns.count * 3 / (2 * size.columns) }

    // MARK: Page turns

    private mutating func turnPages(count: Int, name: String) throws -> Tally {
        var (tally, random) = (Tally(), SeededRandom(state: 1))
        var (page, step) = (Self.hues.count - 1, 1)
        let pagesBefore = window.count(of: "page")
        for number in 1...count {
            if !Self.hues.indices.contains(page + step) { step = -step }
            page += step
            // A key takes 0.3 s or more to kitty and none to xterm; a capture begins after some 0.15 s.
            let around = Duration.milliseconds(Int.random(in: -650...650, using: &random))
            let time = around - delay
            let shot = try capture(sending: step > 0 ? Self.down : Self.up, after: time)
            switch verdict(on: shot) {
            case .page(let shown):
                tally.pages.insert(shown)
                if shown == page { tally.after += 1 } else { tally.before += 1 }
            case .blank: tally.blank += 1
            case .half(let why):
                tally.half += 1
                let path = "\(name)-\(number)"
                try save(path)
                print("    \(path).png: \(why)")
                Self.pause(.seconds(1))
                let later = try capture(sending: nil, after: .zero)
                guard case .half(let whyLater) = verdict(on: later) else { break }
                tally.lasting += 1
                try save(path + "-later")
                print("    \(path)-later.png, after 1 s: \(whyLater)")
            }
            Self.pause(.milliseconds(300))
        }
        let turned = window.count(of: "page") - pagesBefore
        guard turned >= count * 9 / 10 else { throw ShotError("\(turned) of \(count) keys turned a page") }
        guard Double(tally.blank) <= Double(count) * Self.blankLimit else {
            throw ShotError("\(tally.blank) of \(count) screenshots show no page")
        }
        // Else the moments are not around the turns, and no half-drawn one would be among them.
        guard count < 50 || min(tally.before, tally.after) >= count / 20 else {
            throw ShotError("\(tally.before) screenshots are before their turn, \(tally.after) after it")
        }
        guard tally.pages.count >= min(Self.hues.count, count / 4) else {
            throw ShotError("only \(tally.pages.count) of \(Self.hues.count) pages were seen whole")
        }
        return tally
    }

    private var file: String { scratch + "/shot.ppm" }

    /// Saves the last screenshot as PNG.
    private func save(_ name: String) throws {
        let result = try Command.run(["convert", file, name + ".png"])
        guard result.status == 0 else { throw ShotError("convert fails: \(result.errors)") }
    }

    /// Captures the window, and types a key meanwhile.
    ///
    /// - Parameter time: from the start of the capture to the key; if negative, from the key to the capture.
    private func capture(sending key: String?, after time: Duration) throws -> PageScreenshot {
        var sender: pid_t?
        if let key, time < .zero {
            // Not until it has arrived: the turn would be over in kitty.
            sender = try window.beginSending(key)
            Self.pause(Duration.zero - time)
        }
        unlink(file)
        let program = try window.beginCapture(to: file)
        if let key, time >= .zero {
            Self.pause(time)
            sender = try window.beginSending(key)
        }
        let status = reap(program)
        if let sender { reap(sender) }
        guard status == 0 else { throw ShotError("import fails") }
        return try PageScreenshot(file)
    }

    // MARK: Judging

    private func verdict(on shot: PageScreenshot) -> Verdict {
        let seen = visibleHues(of: shot)
        let names = seen.compactMap { Self.names[$0] }.joined(separator: " and ")
        let pixels = seen.reduce(0) { $0 + shot.hues[$1] }
        guard let hue = seen.first, let page = Self.hues.firstIndex(of: hue),
            Double(pixels) >= Double(references[page].pixels) * Self.blank
        else { return .blank }
        guard seen.count == 1 else { return .half(names) }
        guard Double(pixels) >= Double(references[page].pixels) * Self.whole else { return .half("a part of \(names)") }
        let bar = self.bar(of: shot)
        guard abs(bar - references[page].bar) > barTolerance else { return .page(page) }
        let other = references.firstIndex { abs(bar - $0.bar) <= barTolerance }
        let title = other.flatMap { Self.names[Self.hues[$0]] }.map { "the title of \($0)" } ?? "a part of a title"
        return .half("\(names) with \(title)")
    }

    /// The hues of pages in a screenshot.
    private func visibleHues(of shot: PageScreenshot) -> [Int] {
        let all = Self.hues.reduce(0) { $0 + shot.hues[$1] }
        return Self.hues.filter { Double(shot.hues[$0]) > Double(all) * Self.visibleHue }
    }

    /// The length of the title in pixels. The rows of text at the top and at the bottom have their own white.
    private func bar(of shot: PageScreenshot) -> Int {
        let edge = area.rows.count * 5 / (4 * size.rows)
        return shot.white[area.rows.clamped(to: shot.white.indices)].dropFirst(edge).dropLast(edge).max() ?? 0
    }
}

/// A rectangle of pixels. A value.
private struct PixelArea {
    var columns = 0..<0
    var rows = 0..<0

    /// Grows so that it includes `other`.
    mutating func add(_ other: PixelArea) {
        (columns, rows) = (Self.union(columns, other.columns), Self.union(rows, other.rows))
    }

    private static func union(_ first: Range<Int>, _ second: Range<Int>) -> Range<Int> {
        if first.isEmpty || second.isEmpty { return first.isEmpty ? second : first }
        return min(first.lowerBound, second.lowerBound)..<max(first.upperBound, second.upperBound)
    }
}

/// What distinguishes the pages in a screenshot. A value.
private struct PageScreenshot {
    /// Pixels by the channels that are bright, if all others are dark: 4 is red, 2 green, 1 blue.
    private(set) var hues = [Int](repeating: 0, count: 8)
    /// The white pixels in each row of pixels.
    private(set) var white: [Int]
    /// All pixels that are not black.
    private(set) var area = PixelArea()

    /// Reads a binary PPM file with 8 bits a channel.
    init(_ path: String) throws {
        let bytes = [UInt8](FileManager.default.contents(atPath: path) ?? Data())
        var place = 0
        let words = (0..<4).map { _ in Self.word(of: bytes, at: &place) }
        guard words[0] == "P6", words[3] == "255", let width = Int(words[1]), let height = Int(words[2]), width > 0,
            height > 0, bytes.count - place >= 3 * width * height
        else { throw ShotError("\(path) is not a PPM file with 8 bits a channel") }
        var (hues, white) = ([Int](repeating: 0, count: 8), [Int](repeating: 0, count: height))
        var area = PixelArea()
        for row in 0..<height {
            var line = 0..<0
            for column in 0..<width {
                let (red, green, blue) = (bytes[place], bytes[place + 1], bytes[place + 2])
                place += 3
                guard max(red, green, blue) >= 60 else { continue }
                line = (line.isEmpty ? column : line.lowerBound)..<(column + 1)
                if min(red, green, blue) >= 180 { white[row] += 1 }
                let bright = Self.channels(red >= 110, green >= 110, blue >= 110)
                let dark = Self.channels(red <= 70, green <= 70, blue <= 70)
                if bright | dark == 7 { hues[bright] += 1 }
            }
            if !line.isEmpty { area.add(PixelArea(columns: line, rows: row..<(row + 1))) }
        }
        (self.hues, self.white, self.area) = (hues, white, area)
    }

    private static func channels(_ red: Bool, _ green: Bool, _ blue: Bool) -> Int {
        (red ? 4 : 0) | (green ? 2 : 0) | (blue ? 1 : 0)
    }

    /// The next word of the header. Skips the white space behind it.
    private static func word(of bytes: [UInt8], at place: inout Int) -> String {
        let start = min(place, bytes.count)
        let end = bytes[start...].firstIndex { $0 <= 0x20 } ?? bytes.endIndex
        place = end + 1
        return String(decoding: bytes[start..<end], as: UTF8.self)
    }
}
