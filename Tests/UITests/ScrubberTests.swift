import Model
import Testing

@testable import UI

/// What the bottom row shows: at rest, during a seek, and where the time stands.
struct ScrubberTests {
    private static let sizes = [(80, 24), (200, 60), (40, 12)]

    private func page(_ size: (Int, Int), color: ColorMode = .truecolor, length: Duration = .seconds(20)) -> Page {
        var options = Options()
        options.color = color
        let page = Page(columns: size.0, rows: size.1, options: options)
        page.play(duration: length)
        page.wait(.seconds(3))
        page.send(.player("v1", .position(length / 4, duration: length)))
        return page
    }

    private func cells(_ page: Page) -> [Cell] {
        let (bar, overlay) = (PageLayout(page.state, index: 0).bar, draw(page.state, now: page.now).overlay)
        return (0..<bar.columns).map { overlay[bar.column + $0, bar.row] }
    }

    @Test func theLineIsHalfARowAtRestAndLiesOverThePicture() {
        let page = page((80, 24))
        page.send(.player("v1", .cached([0.5...0.75])))
        page.send(.player("v1", .buffered(until: .seconds(7.5))))
        let (theme, cells) = (page.state.theme, cells(page))
        #expect(Set(cells.map(\.glyph)) == [Glyph("▄")])
        #expect(cells.allSatisfy { !$0.style.contains(.opaque) && $0.shade == OverlayDrawing.scrubberShade })
        let overlay = draw(page.state, now: page.now).overlay
        #expect(Set((0..<80).map { overlay[$0, 23].shade }) == [OverlayDrawing.scrubberShade])
        let share = { (from: Double, to: Double) in
            Set(cells[Int(Double(cells.count) * from)..<Int(Double(cells.count) * to)].map(\.foreground))
        }
        #expect(share(0, 0.24) == [theme.played])
        #expect(share(0.27, 0.36) == [theme.buffered])
        #expect(share(0.39, 0.49) == [theme.track])
        #expect(share(0.51, 0.74) == [theme.buffered])
        #expect(share(0.77, 1) == [theme.track])
    }

    /// A place that takes long to arrive: the page says that it waits, and the bar stays where it was sent.
    @Test func aSeekThatWaitsKeepsItsPlaceAndShowsTheSignOfWaiting() {
        let page = page((80, 24))
        page.press(.right)
        page.wait(.milliseconds(210))
        let target = page.state.seeking.target?.to
        page.send(.player("v1", .waits(ClipWait(place: "video.example", isRemote: true, share: 0.1))))
        #expect(!page.state.loading.stall.isShown(now: page.now))
        page.wait(.milliseconds(300))
        #expect(page.state.loading.stall.isShown(now: page.now))
        #expect(page.screen.contains { $0.contains("video.example") })
        for _ in 0..<10 { page.wait(.seconds(1)) }
        #expect(page.state.seeking.target?.to == target && target != nil)
        page.send(.player("v1", .waits(nil)))
        page.send(.player("v1", .sought(.seconds(10))))
        page.wait(.seconds(1))
        #expect(page.state.seeking.target == nil && !page.state.loading.stall.isShown(now: page.now))
    }

    /// Seeking makes it thicker; soon after the seek it is as before.
    @Test func theLineIsThickDuringASeek() {
        let page = page((80, 24))
        page.press(.right)
        let seeking = cells(page)
        let handle = seeking.firstIndex { $0.glyph == Glyph("█") } ?? -1
        #expect(handle == Int((Double(seeking.count - 1) / 2).rounded()))
        #expect(seeking[..<handle].allSatisfy { $0.glyph == Glyph("▆") && $0.foreground == page.state.theme.played })
        #expect(seeking[handle].foreground == page.state.theme.accent)
        #expect(seeking[(handle + 1)...].allSatisfy { $0.glyph == Glyph("▆") })
        page.wait(.milliseconds(210))
        page.send(.player("v1", .position(.seconds(10), duration: .seconds(20))))
        page.wait(.milliseconds(500))
        #expect(page.state.seeking.isShown)
        page.wait(.milliseconds(2_000))
        #expect(Set(cells(page).map(\.glyph)) == [Glyph("▄")])
    }

    /// Over a white picture the faintest tone is still seen, as it is over a black one.
    @Test(arguments: Theme.Name.allCases) func theFaintestToneIsSeen(name: Theme.Name) {
        var options = Options()
        options.theme = name
        let theme = Theme(options)
        let ground = RGB.white.mixed(with: .black, by: Double(OverlayDrawing.scrubberShade) / 255)
        // Three to one twice, up to white, leaves two to one.
        for ground in [ground, .black] { #expect(theme.track.contrast(to: ground) >= 1.5) }
        #expect(theme.accent.contrast(to: ground) >= 4.5)
    }

    /// Shapes distinguish the parts where colours cannot.
    @Test(arguments: [ColorMode.mono, .palette16]) func theLineHasShapesWhereColoursAreFew(color: ColorMode) {
        let page = page((80, 24), color: color)
        page.send(.player("v1", .cached([0.5...0.75])))
        func text() -> String { cells(page).map { GlyphTable.text(of: $0.glyph) }.joined() }
        let count = PageLayout(page.state, index: 0).bar.columns
        func times(_ text: String, _ from: Double, _ to: Double) -> String {
            let cell = { (share: Double) in Int((share * Double(count)).rounded()) }
            return String(repeating: text, count: cell(to) - cell(from))
        }
        #expect(text() == times("▄", 0, 0.25) + times("·", 0.25, 0.5) + times("─", 0.5, 0.75) + times("·", 0.75, 1))
        page.press(.right)
        #expect(text().filter { $0 == "●" }.count == 1)
    }

    /// In ASCII what is buffered is more ink than what is not, and less than what is played.
    @Test func asciiPartsDifferInInk() {
        var options = Options()
        options.pictureMode = .ascii
        let look = ScrubberLook(options, Theme(options), isActive: false)
        let parts = [ScrubberLine.Part.rest, .buffered, .played].map { look.glyph(of: $0, isChapter: false) }
        #expect(parts == [Glyph("."), Glyph("+"), Glyph("#")])
    }

    /// A toast that names the chapter is enough, and the label keeps the page's margin.
    @Test func chapterIsNamedOnce() throws {
        let page = page((80, 24), length: .seconds(60))
        page.state.clip.facts?.chapters = [
            Chapter(start: .zero, title: "Quay"), Chapter(start: .seconds(30), title: "Fog in the outer harbour"),
        ]
        page.type("}")
        #expect(page.toast == "Chapter 2 of 2: Fog in the outer harbour")
        func shown() throws -> SeekLabel {
            try #require(SeekLabel(page.state, PageLayout(page.state, index: 0), now: page.now))
        }
        let beside = try shown().chapter?.line
        #expect(beside == nil)
        page.state.toasts = Toasts()
        let alone = try shown().chapter?.line.text ?? ""
        #expect(alone.hasPrefix("Fog"))
        let long = String(repeating: "a long title ", count: 20)
        page.state.clip.facts?.chapters = [Chapter(start: .zero, title: long)]
        for tenth in 0...10 {
            _ = page.state.seeking.drag("v1", to: .seconds(6 * tenth), from: .zero, within: .seconds(60))
            let frame = try shown().frame
            #expect(frame.column >= 1 && frame.column + frame.columns <= 79)
        }
    }

    @Test(arguments: sizes, [Duration.seconds(20), .seconds(596), .seconds(7_200)])
    func theTimeOfASeekStaysOnTheScreenAndClearOfTheRest(size: (Int, Int), length: Duration) throws {
        let page = page(size, length: length)
        for tenth in 0...10 {
            _ = page.state.seeking.drag("v1", to: length * tenth / 10, from: .zero, within: length)
            let layout = PageLayout(page.state, index: 0)
            let time = Label.clock(length * tenth / 10)
            let total = " / " + Label.clock(length)
            let row = layout.floor < layout.bar.row ? layout.bar.row - 1 : layout.bar.row
            let shown = page.screen[row]
            // On a low page the length stays behind the bar.
            let isAbove = row < layout.bar.row
            #expect(shown.contains(isAbove ? " \(time + total) " : " \(time) "), "\(tenth): \(shown)")
            #expect(isAbove || shown.hasSuffix(" \(Label.clock(length)) "), "\(tenth): \(shown)")
            let handle = layout.bar.column + Int((Double(tenth * (layout.bar.columns - 1)) / 10).rounded())
            let place = try #require(layout.time(columns: time.count, total: total.count, at: handle))
            let width = time.count + (place.hasTotal ? total.count : 0)
            #expect(place.column >= 1 && place.column + width < size.0)
            let label = GridRect(column: place.column - 1, row: place.row, columns: width + 2, rows: 1)
            if place.row == layout.bar.row {
                #expect(label.column >= 0 && label.column + label.columns <= layout.bar.column)
            } else {
                for frame in layout.frames { #expect(frame.row + frame.rows <= label.row || frame.row > label.row) }
            }
        }
    }

    /// The clip's position is read once, and nothing stands directly over or beside it.
    @Test(arguments: [(80, 24), (200, 60), (120, 40)])
    func aSeekShowsOneTimeAndHidesWhatItWouldTouch(size: (Int, Int)) throws {
        let page = page(size, length: .seconds(596))
        for tenth in 0...10 {
            _ = page.state.seeking.drag("v1", to: .seconds(596) * tenth / 10, from: .zero, within: .seconds(596))
            let layout = PageLayout(page.state, index: 0)
            let label = try #require(SeekLabel(page.state, layout, now: page.now)).frame
            let screen = page.screen
            let time = Label.clock(.seconds(596) * tenth / 10)
            let times = screen.joined().components(of: " \(time) / ")
            #expect(times == 1, "\(tenth): \(times)")
            let above = screen[label.row - 1].dropFirst(max(label.column - 1, 0)).prefix(label.columns + 2)
            #expect(above.allSatisfy { $0 == " " }, "\(tenth): \(above)")
            #expect(screen[layout.bar.row].contains { $0.isNumber } == false)
        }
    }

    /// A page of 12 rows has none for the label: the bar stays whole, and the place sought is read once.
    @Test func aSeekOnALowPageTakesThePlaceOfThePosition() {
        let page = page((40, 12), length: .seconds(596))
        page.state.clip.facts?.chapters = [Chapter(start: .zero, title: "A chapter of the clip")]
        for tenth in 0...10 {
            _ = page.state.seeking.drag("v1", to: .seconds(596) * tenth / 10, from: .zero, within: .seconds(596))
            let shown = page.screen[11]
            let times = shown.split(separator: " ").filter { $0.contains(":") }
            #expect(times == [Substring(Label.clock(.seconds(596) * tenth / 10)), "9:56"], "\(shown)")
            #expect(Set(cells(page).map(\.glyph)).isSubset(of: [Glyph("▆"), Glyph("█")]))
        }
    }

    /// The label of a seek keeps clear of the score: it moves, and a title beside it is cut.
    @Test(arguments: [(80, 24), (120, 40), (200, 60)], [nil, PixelSize(width: 20, height: 48)] as [PixelSize?])
    func theTrustScoreStaysDuringASeek(size: (Int, Int), picture: PixelSize?) throws {
        let page = page(size, length: .seconds(596))
        if let picture { page.send(.player("v1", .picture(picture))) }
        let title = String(repeating: "a long title ", count: 20)
        page.state.clip.facts?.chapters = [Chapter(start: .zero, title: title)]
        for tenth in 0...10 {
            _ = page.state.seeking.drag("v1", to: .seconds(596) * tenth / 10, from: .zero, within: .seconds(596))
            let layout = PageLayout(page.state, index: 0)
            let trust = try #require(layout.trust)
            let label = try #require(SeekLabel(page.state, layout, now: page.now))
            #expect(!label.frame.grown(by: 1).overlaps(trust) && label.frame.column >= 0)
            #expect(label.frame.column + label.frame.columns <= size.0)
            #expect(page.state.shown(layout, now: page.now).trust == trust)
            #expect(page.screen.contains { $0.contains("82") } && page.screen.contains { $0.contains("Verified") })
            // Between a narrow picture's rail and the end of the row a title may have no room.
            #expect(picture != nil || page.screen[label.row].contains("a long"))
        }
    }

    /// The handle stands under the pointer that drags it.
    @Test(arguments: sizes) func theHandleIsUnderThePointer(size: (Int, Int)) {
        let page = page(size)
        let bar = PageLayout(page.state, index: 0).bar
        page.mouse(.press(.left), bar.column, bar.row)
        for column in bar.column..<(bar.column + bar.columns) {
            page.mouse(.drag, column, bar.row)
            #expect(draw(page.state, now: page.now).overlay[column, bar.row].glyph == Glyph("█"))
        }
    }

    /// A clip whose length is unknown has a line without a position, and no seek.
    @Test func withoutALengthTheLineIsEmpty() {
        let page = Page()
        page.play(position: .seconds(3))
        page.state.clip.duration = nil
        #expect(Set(cells(page).map(\.foreground)) == [page.state.theme.track])
    }

    /// An image has neither a position nor a length.
    @Test func anImageHasNoScrubber() {
        let page = Page()
        let facts = ClipFacts(duration: nil, isSeekable: true, hasVideo: true, hasAudio: false, isStill: true)
        page.send(.player("v1", .opened(facts)))
        page.send(.player("v1", .firstFrame))
        page.send(.player("v1", .playing))
        let bar = PageLayout(page.state, index: 0).bar
        #expect(page.screen[bar.row].allSatisfy { $0 == " " })
        #expect(page.state.target(at: GridPoint(column: bar.column, row: bar.row), now: page.now) == nil)
        #expect(draw(page.state, now: page.now).overlay[bar.column, bar.row].shade == 0)
    }

    /// A solid background fills the whole row: otherwise half a row of picture would show between.
    @Test func solidGroundFillsTheWholeRow() {
        var options = Options()
        options.fit = .fill
        let page = Page(options: options)
        page.play()
        let overlay = draw(page.state, now: page.now).overlay
        for column in 0..<overlay.size.columns {
            #expect(overlay[column, overlay.size.rows - 1].style.contains(.opaque), "\(column)")
        }
    }
}

extension String {
    fileprivate func components(of part: String) -> Int {
        indices.count { self[$0...].hasPrefix(part) }
    }
}

extension RGB {
    /// The relative luminance of WCAG 2, 0 … 1.
    fileprivate var luminance: Double {
        let parts = [red, green, blue].map { part -> Double in
            let share = Double(part) / 255
            return share <= 0.04045 ? share / 12.92 : Self.power((share + 0.055) / 1.055)
        }
        return 0.2126 * parts[0] + 0.7152 * parts[1] + 0.0722 * parts[2]
    }

    /// `base` to the power of 2.4, by its fifth root.
    private static func power(_ base: Double) -> Double {
        var root = base
        for _ in 0..<40 { root -= (root * root * root * root * root - base) / (5 * root * root * root * root) }
        return base * base * root * root
    }

    fileprivate func contrast(to other: RGB) -> Double {
        let (one, two) = (luminance, other.luminance)
        return (max(one, two) + 0.05) / (min(one, two) + 0.05)
    }
}
