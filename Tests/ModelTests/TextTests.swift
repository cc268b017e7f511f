import Testing

@testable import Model

struct CleanTextTests {
    @Test(arguments: [
        ("a\u{1B}[31mred\u{1B}[0m", "a\u{FFFD}red\u{FFFD}"),
        ("\u{1B}]52;c;ZXZpbA==\u{7}after", "\u{FFFD}after"),
        ("\u{1B}]0;title\u{1B}\\after", "\u{FFFD}after"),
        ("\u{1B}P$q\"p\u{1B}\\after", "\u{FFFD}after"),
        ("\u{1B}_Gi=1;AAAA\u{1B}\\after", "\u{FFFD}after"),
        ("\u{1B}]unfinished and visible", "\u{FFFD}]unfinished and visible"),
        ("\u{9B}2Jx", "\u{FFFD}x"),
        ("bell\u{7} del\u{7F} nul\u{0}", "bell\u{FFFD} del\u{FFFD} nul\u{FFFD}"),
        ("a\u{202E}b\u{2066}c\u{200B}d\u{FEFF}", "abcd"),
        ("  two\t words \n and\r\nlines ", "two words and lines"),
        ("", ""),
    ])
    func linesAreCleaned(raw: String, clean: String) {
        #expect(CleanText.line(raw) == clean)
    }

    @Test func aBlockKeepsItsLines() {
        #expect(CleanText.block("one\r\ntwo\n\n\n\nthree \n") == "one\ntwo\n\nthree")
    }

    @Test func theLengthIsLimited() {
        let text = CleanText.line(String(repeating: "x", count: 1_000_000))
        #expect(text.unicodeScalars.count == CleanText.limit + 1)
    }

    /// As it is typed: nothing is joined or shortened but what commands a terminal.
    @Test(arguments: [
        (" a  b \n\n\n c\t", " a  b \n\n\n c "), ("a\r\nb\rc", "a\nb\nc"),
        ("x\u{1B}]0;t\u{7}y\u{3}", "x\u{FFFD}y\u{FFFD}"),
        ("a\u{202E}b\u{2069}\u{E0041}c", "abc"), ("👩\u{200D}👧 ❤\u{FE0F} 👍🏿", "👩\u{200D}👧 ❤\u{FE0F} 👍🏿"),
    ])
    func typedTextKeepsItsSpacesAndItsEmoji(raw: String, clean: String) {
        #expect(CleanText.typed(raw, keepingLines: true) == clean)
        #expect(CleanText.typed(raw, keepingLines: false) == clean.replacing("\n", with: " "))
    }

    @Test func terminalCommandsAreRemoved() {
        for code in UInt32(0)...0x2FFF {
            guard let scalar = Unicode.Scalar(code) else { continue }
            let texts = ["a\(Character(scalar))b"]
            let cleaned = texts.flatMap { [CleanText.line($0), CleanText.typed($0, keepingLines: false)] }
            for left in cleaned.flatMap(\.unicodeScalars) {
                #expect(left.value >= 0x20 && !(0x7F..<0xA0).contains(left.value))
            }
        }
    }
}

struct DisplayWidthTests {
    @Test(arguments: [
        ("abc", 3), ("東京", 4), ("e\u{301}tude", 5), ("한글", 4), ("\u{1112}\u{1161}\u{11AB}", 2), ("👍🏿", 2), ("🇩🇪", 2),
        ("♥♡✘✗★☆♪❝➦▄▆█━─", 14), ("שלום", 4), ("ｱ", 1), ("Ａ", 2), ("\u{301}", 0), ("\u{FE0F}", 0), ("", 0),
    ])
    func columnsAreCounted(text: String, columns: Int) {
        #expect(DisplayWidth.of(text) == columns)
    }

    @Test func theTablesAreSortedAndDisjoint() {
        for table in [DisplayWidth.wide, DisplayWidth.zero, DisplayWidth.spacing, DisplayWidth.ignored] {
            for (one, next) in zip(table, table.dropFirst()) { #expect(one.upperBound < next.lowerBound) }
        }
    }
}

struct GlyphLineTests {
    private func texts(_ line: GlyphLine) -> [String] { line.glyphs.map { GlyphTable.text(of: $0) } }

    @Test func marksStayWithTheirBase() {
        #expect(texts(GlyphLine("e\u{301}a")) == ["e\u{301}", "a"])
        #expect(GlyphLine("\u{301}a").count == 1)
    }

    @Test func theNumberOfMarksIsLimited() {
        let line = GlyphLine("Z" + String(repeating: "\u{351}", count: 500))
        #expect(line.columns == 1)
        #expect(texts(line)[0].unicodeScalars.count == 1 + GlyphLine.marks)
    }

    @Test func joinedEmojiAreSeparated() {
        #expect(GlyphLine("👩‍👧").columns == 4)
        #expect(texts(GlyphLine("🇩x")) == ["D", "x"])
    }

    @Test func truncationNeverHalvesAGlyph() {
        let line = GlyphLine("東京の夜")
        #expect(texts(line.truncated(to: 6)) == ["東", "京", "…"])
        #expect(line.truncated(to: 8) == line)
        #expect(line.truncated(to: 0).isEmpty)
        for limit in 0...8 { #expect(line.truncated(to: limit).columns <= limit) }
    }

    @Test func shorteningLeavesBothEnds() {
        let line = GlyphLine("https://e.example/clip.mp4")
        #expect(line.shortened(to: 16).text == "https:/…clip.mp4")
        #expect(line.shortened(to: 15).text == "https:/…lip.mp4")
        #expect(line.shortened(to: 26) == line)
        for limit in 0...12 { #expect(GlyphLine("東京の夜abc").shortened(to: limit).columns <= limit) }
    }

    private func wrap(_ text: String, _ limit: Int) -> [String] {
        let line = GlyphLine(text)
        return line.wrapped(to: limit).map { texts(line.slice($0)).joined() }
    }

    @Test func linesBreakAtSpacesWhereTheyCan() {
        #expect(wrap("the quick brown fox", 9) == ["the quick", "brown fox"])
        #expect(wrap("the quick brown fox", 10) == ["the quick", "brown fox"])
        #expect(wrap("supercalifragilistic", 8) == ["supercal", "ifragili", "stic"])
        #expect(wrap("東京の夜", 5) == ["東京", "の夜"])
        #expect(wrap("one\n\ntwo", 9) == ["one", "", "two"])
        #expect(wrap("", 9) == [])
        #expect(wrap("東", 1) == [])
    }

    @Test func noWrappedLineIsTooLong() {
        let line = GlyphLine("a 東京 bb ccc の dddd\neeeee 夜夜夜夜夜 f")
        for limit in 1...20 {
            for range in line.wrapped(to: limit) where line.slice(range).columns > limit {
                Issue.record("\(line.slice(range).columns) columns in \(limit)")
            }
        }
    }

    @Test func firstLinesAreThoseOfAllLines() {
        let line = GlyphLine("a 東京 bb ccc の dddd\n\neeeee 夜夜夜夜夜 f\n")
        for limit in 1...20 {
            let lines = line.wrapped(to: limit)
            for most in 0...12 { #expect(line.wrapped(to: limit, most: most) == Array(lines.prefix(most))) }
        }
    }
}

struct LabelTests {
    @Test(arguments: [
        (0, "0"), (999, "999"), (1_000, "1K"), (1_234, "1.2K"), (1_999, "1.9K"), (12_345, "12.3K"), (999_999, "999K"),
        (3_456_789, "3.4M"), (2_000_000_000, "2B"), (-5, "0"), (.max, "99999B"),
    ])
    func countsAreShort(count: Int, text: String) {
        #expect(Label.count(count) == text)
    }

    @Test(arguments: [(0, "0:00"), (7, "0:07"), (754, "12:34"), (3_723, "1:02:03"), (-3, "0:00")])
    func timesAreFormatted(seconds: Int, text: String) {
        #expect(Label.clock(.seconds(seconds)) == text)
    }
}

struct RelativeTimeTests {
    /// Just before and at each boundary: text that is about to change is checked only as often as its unit requires.
    @Test(arguments: [
        (4, "now", 1), (5, "5s ago", 1), (3_595, "59m ago", 10), (3_585, "59m ago", 15), (86_399, "23h ago", 60),
        (86_300, "23h ago", 100), (604_799, "6d ago", 600), (604_000, "6d ago", 800), (2_629_745, "4w ago", 1_800),
        (31_556_951, "11mo ago", 3_600), (31_550_000, "11mo ago", 6_952), (63_113_904, "2y ago", 2_629_746),
    ])
    func boundariesAreMet(age: Int, label: String, next: Int) {
        let time = RelativeTime(age: .seconds(age))
        #expect(time.label == label)
        #expect(time.nextChange == .seconds(next))
    }

    @Test(arguments: [
        (-50, "now", 1), (0, "now", 1), (30, "30s ago", 1), (59, "59s ago", 1), (60, "1m ago", 60), (115, "1m ago", 10),
        (150, "2m ago", 30), (3_599, "59m ago", 10), (3_600, "1h ago", 3_600), (7_190, "1h ago", 60),
        (86_400, "1d ago", 86_400), (172_700, "1d ago", 600), (604_800, "1w ago", 604_800),
        (1_209_500, "1w ago", 1_800),
        (2_629_746, "1mo ago", 2_629_746), (5_259_400, "1mo ago", 3_600), (31_556_952, "1y ago", 2_629_746),
    ])
    func aLabelKnowsWhenItChanges(age: Int, label: String, next: Int) {
        let time = RelativeTime(age: .seconds(age))
        #expect(time.label == label)
        #expect(time.nextChange == .seconds(next))
    }
}
