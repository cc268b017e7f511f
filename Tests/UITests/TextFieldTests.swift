import Model
import TerminalInput
import TestSupport
import Testing

@testable import UI

/// The text field by itself: what keys do to its text, and how it is laid out.
struct TextFieldTests {
    private func field(_ text: String, at cursor: Int? = nil, keepsLines: Bool = true) -> TextField {
        var field = TextField(text, keepsLines: keepsLines)
        if let cursor { field.place(at: cursor) }
        return field
    }

    private func press(_ field: inout TextField, _ keys: Key..., width: Int = 40) {
        for key in keys {
            let isTaken = field.handle(key, width: width)
            #expect(isTaken, "\(key.name)")
        }
    }

    private func type(_ field: inout TextField, _ text: String) {
        for character in text { press(&field, .character(character)) }
    }

    private func alt(_ character: Character) -> Key { Key(.character(character), .alt) }

    // MARK: Characters

    @Test func typedScalarsJoinThePrecedingCharacter() {
        var field = TextField(keepsLines: true)
        type(&field, "e")
        field.insert("\u{301}")
        field.insert("👩")
        field.insert("\u{200D}")
        field.insert("👧")
        field.insert("👍🏿🇩")
        field.insert("🇪")
        #expect(field.text == "e\u{301}👩\u{200D}👧👍🏿🇩🇪")
        #expect(field.characters.count == 4 && field.cursor == 4)
        #expect(field.widths == [1, 4, 2, 2])
        press(&field, .backspace, .backspace, .backspace)
        #expect(field.text == "e\u{301}" && field.cursor == 1)
    }

    /// What is taken out can join its neighbours; the cursor is behind what they become.
    @Test func neighboursCanBecomeOneCharacter() {
        var field = field("🇩x🇪", at: 2)
        press(&field, .backspace)
        #expect(field.characters == ["🇩🇪"] && field.cursor == 1)
    }

    @Test func aMarkWithoutALetterIsNotShownAndNotKept() {
        let field = field("\u{301}\u{200D}a\n\u{301}b")
        #expect(field.characters == ["a", "\n", "b"])
    }

    @Test(arguments: [
        ("a\tb\u{A0}c  d", "a b c  d"), ("a\r\nb\rc\u{2028}d\n\n\n", "a\nb\nc\nd\n\n\n"),
        ("\u{1B}[31mred\u{7}", "\u{FFFD}red\u{FFFD}"),
        ("a\u{202E}b\u{2066}c\u{200B}\u{FEFF}", "abc"), (" x ", " x "), ("❤\u{FE0F}", "❤\u{FE0F}"),
    ])
    func pastedTextIsCleaned(raw: String, clean: String) {
        #expect(field(raw).text == clean)
        #expect(field(raw, keepsLines: false).text == clean.replacing("\n", with: " "))
    }

    @Test func aTextHasALimit() {
        var field = field(String(repeating: "界", count: 1_998))
        field.insert("ab\u{301}c")
        #expect(field.room == 1 && field.text.hasSuffix("界a"))
        field.insert("xyz")
        #expect(field.room == 0 && field.text.hasSuffix("ax"))
        type(&field, "y")
        #expect(field.scalarCount == 2_000 && field.text.hasSuffix("ax"))
        #expect(self.field(String(repeating: "x", count: 70_000)).scalarCount == 2_000)
    }

    // MARK: Keys

    @Test(arguments: [
        (Key.left, 6), (.right, 8), (.home, 4), (.end, 12), (.control("a"), 4), (.control("e"), 12), (.control("b"), 6),
        (.control("f"), 8), (Key(.character("b"), .alt), 4), (Key(.character("f"), .alt), 12), (.altLeft, 4),
        (Key(.right, .control), 12), (Key(.left, .control), 4), (Key(.home, .control), 0), (Key(.end, .control), 17),
        (.up, 3), (.down, 16), (.pageUp, 0), (.pageDown, 17), (.shiftLeft, 6),
    ])
    func theCursorMoves(key: Key, to place: Int) {
        // one⏎two|, thr⏎four
        var field = field("one\ntwo, thr\nfour", at: 7)
        press(&field, key)
        #expect(field.cursor == place, "\(key.name)")
    }

    @Test(arguments: [
        (Key.backspace, "one tw, three", 6), (.delete, "one two three", 7), (.control("d"), "one two three", 7),
        (.control("w"), "one , three", 4), (Key(.backspace, .alt), "one , three", 4),
        (Key(.character("d"), .alt), "one two", 7), (.control("u"), ", three", 0), (.control("k"), "one two", 7),
    ])
    func textIsTakenOut(key: Key, left: String, cursor: Int) {
        var field = field("one two, three", at: 7)
        press(&field, key)
        #expect(field.text == left && field.cursor == cursor, "\(key.name)")
    }

    @Test func consecutiveKillsAreYankedTogether() {
        var field = field("one two three")
        press(&field, .control("w"), .control("w"), .control("y"), .control("y"))
        #expect(field.text == "one two threetwo three")
        field = self.field("one two three", at: 4)
        press(&field, alt("d"), alt("d"))
        #expect(field.text == "one " && field.yankBuffer == "two three")
        press(&field, .home, .control("k"))
        #expect(field.isEmpty && field.yankBuffer == "one ")
        press(&field, .control("y"))
        #expect(field.text == "one ")
    }

    @Test func linesAreJoinedAtTheirEnds() {
        var field = field("one\ntwo", at: 3)
        press(&field, .control("k"))
        #expect(field.text == "onetwo")
        field = self.field("one\ntwo", at: 4)
        press(&field, .control("u"))
        #expect(field.text == "onetwo" && field.cursor == 3)
    }

    @Test(arguments: [Key(.enter, .alt), Key(.enter, .control)]) func enterWithAModifierMakesALine(key: Key) {
        var field = field("ab", at: 1)
        press(&field, key)
        #expect(field.text == "a\nb" && field.cursor == 2)
        var line = self.field("ab", at: 1, keepsLines: false)
        let isTaken = line.handle(key, width: 40)
        #expect(!isTaken && line.text == "ab")
    }

    @Test(arguments: [Key.enter, .escape, .tab, .control("c"), .control("z"), .function(5), Key(.character("q"), .alt)])
    func otherKeysAreLeftToOthers(key: Key) {
        var field = field("ab")
        let isTaken = field.handle(key, width: 40)
        #expect(!isTaken)
        #expect(field == self.field("ab"))
    }

    // MARK: Undo

    @Test func wordsAreUndoneOneByOneAndComeBack() {
        var field = TextField(keepsLines: true)
        type(&field, "one two")
        press(&field, .control("w"))
        type(&field, "x")
        var seen: [String] = []
        for _ in 0..<6 {
            press(&field, .control("_"))
            seen.append(field.text)
        }
        #expect(seen == ["one ", "one two", "one ", "", "", ""])
        seen = []
        for _ in 0..<5 {
            press(&field, alt("_"))
            seen.append(field.text)
        }
        #expect(seen == ["one ", "one two", "one ", "one x", "one x"])
        press(&field, .control("_"))
        type(&field, "y")
        press(&field, alt("/"))
        #expect(field.text == "one y")
    }

    /// Also within a word.
    @Test func typingAfterAnUndoIsAStepOfItsOwn() {
        var field = TextField("x", keepsLines: false)
        for letter in ["a", "b"] {
            field.insert(letter, isTyped: true)
            field.undo()
        }
        #expect(field.text == "x")
    }

    @Test func stepsAreLimited() {
        var field = TextField(keepsLines: true)
        for _ in 0..<300 { field.insert("x") }
        for _ in 0..<300 { field.undo() }
        #expect(field.characters.count == 300 - TextField.maxSteps)
    }

    // MARK: Against a plain model

    /// The same as plain strings before and behind the cursor.
    private struct Model {
        var before = "", after = ""

        mutating func set(_ whole: String, bytes: Int) {
            (before, after) = ("", "")
            var at = 0
            for character in whole {
                if character == "\n" || GlyphLine(String(character)).columns > 0 {
                    if at < bytes { before.append(character) } else { after.append(character) }
                }
                at += character.utf8.count
            }
        }

        mutating func insert(_ text: String) { set(before + text + after, bytes: before.utf8.count + text.utf8.count) }
        mutating func join() { set(before + after, bytes: before.utf8.count) }
        mutating func left() { if let last = before.popLast() { after = String(last) + after } }
        mutating func right() { if !after.isEmpty { before.append(after.removeFirst()) } }
        mutating func toLineStart() { while let last = before.last, last != "\n" { left() } }
        mutating func toLineEnd() { while let next = after.first, next != "\n" { right() } }
        mutating func wordBack() {
            while let last = before.last, !(last.isLetter || last.isNumber) { left() }
            while let last = before.last, last.isLetter || last.isNumber { left() }
        }
        mutating func wordForward() {
            while let next = after.first, !(next.isLetter || next.isNumber) { right() }
            while let next = after.first, next.isLetter || next.isNumber { right() }
        }
        /// Takes out what a move passes.
        mutating func cut(_ move: (inout Self) -> Void) {
            var moved = self
            move(&moved)
            let isBack = moved.before.count < before.count
            (before, after) = isBack ? (moved.before, after) : (before, moved.after)
            join()
        }
    }

    private static let pieces = [
        "a", "b", "Z", " ", " ", "\n", "7", ",", "東", "京", "e\u{301}", "\u{301}", "🇩", "🇪", "👩", "\u{200D}", "👍🏿", "क्षि",
        "한", "❤\u{FE0F}",
        "two words", "\u{1112}\u{1161}\u{11AB}", "שלום",
    ]

    @Test(arguments: 0..<60) func anyKeysDoWhatTheyDoToPlainStrings(seed: Int) {
        var random = SeededRandom(state: UInt64(seed) &* 48_271 &+ 11)
        var (field, model) = (TextField(keepsLines: true), Model())
        let width = Int.random(in: 12...30, using: &random)
        var length = 0
        for step in 0..<150 {
            var key = ""
            switch Int.random(in: 0..<14, using: &random) {
            case 0...5:
                let piece = Self.pieces.randomElement(using: &random) ?? ""
                key = "insert \(piece)"
                guard length < 1_500 else { break }
                length += piece.unicodeScalars.count
                field.insert(piece)
                model.insert(piece)
            case 6: (key, _) = ("left", field.handle(.left, width: width)); model.left()
            case 7: (key, _) = ("right", field.handle(.right, width: width)); model.right()
            case 8: (key, _) = ("back", field.handle(.backspace, width: width)); model.cut { $0.left() }
            case 9: (key, _) = ("delete", field.handle(.delete, width: width)); model.cut { $0.right() }
            case 10: (key, _) = ("alt-b", field.handle(alt("b"), width: width)); model.wordBack()
            case 11: (key, _) = ("alt-d", field.handle(alt("d"), width: width)); model.cut { $0.wordForward() }
            case 12: (key, _) = ("home", field.handle(.home, width: width)); model.toLineStart()
            default: (key, _) = ("end", field.handle(.end, width: width)); model.toLineEnd()
            }
            #expect(field.text == model.before + model.after, "seed \(seed), step \(step): \(key)")
            #expect(field.cursor == model.before.count, "seed \(seed), step \(step): \(key)")
            #expect(field.scalarCount == field.text.unicodeScalars.count)
            check(field, width: width, seed: seed)
        }
        let text = field.text
        for _ in 0..<200 { field.undo() }
        for _ in 0..<200 { field.redo() }
        #expect(field.text == text, "seed \(seed)")
    }

    /// Every character is in one line, no line is too long, and one is only broken where it has to be.
    private func check(_ field: TextField, width: Int, seed: Int) {
        let lines = field.lines(width: width)
        var place = 0
        for (number, line) in lines.enumerated() {
            #expect(line.lowerBound == place)
            place = line.upperBound
            let isLast = number == lines.count - 1
            let columns = field.columns(line)
            let hangs = line.last.map { field.characters[$0] == " " } ?? false
            #expect(columns <= width - (hangs ? 0 : 1), "seed \(seed): \(columns) columns in \(width)")
            guard !isLast, let end = line.last, field.characters[end] != "\n", field.characters[end] != " " else {
                continue
            }
            // In the middle of a word: then it has no space, and the next character had no room.
            #expect(!field.characters[line].contains(" "), "seed \(seed)")
            #expect(columns + field.widths[line.upperBound] > width - 1, "seed \(seed)")
        }
        #expect(place == field.characters.count)
        for most in [1, 5] {
            let window = field.window(width: width, most: most)
            #expect((1...most).contains(window.lines.count) && window.total == lines.count)
            #expect(window.lines.indices.contains(window.cursor.row))
            #expect((0..<width).contains(window.cursor.column), "seed \(seed)")
            #expect(field.index(at: window.cursor, in: window) == field.cursor, "seed \(seed)")
        }
    }

    // MARK: Lines

    private func shown(_ text: String, _ width: Int) -> [String] {
        let field = field(text)
        return field.lines(width: width).map { String(field.characters[$0]) }
    }

    @Test func wordsAreWrapped() {
        #expect(shown("the quick brown fox", 10) == ["the quick ", "brown fox"])
        #expect(shown("the quick  brown", 10) == ["the quick ", " brown"])
        #expect(shown("supercalifragilistic", 9) == ["supercal", "ifragili", "stic"])
        #expect(shown("東京の夜", 6) == ["東京", "の夜"])
        #expect(shown("a 東京", 5) == ["a ", "東京"])
        #expect(shown("one\n\ntwo\n", 9) == ["one\n", "\n", "two\n", ""])
        #expect(shown("", 9) == [""])
        #expect(shown("一二三四 ", 9) == ["一二三四 ", ""])
    }

    /// The column that one came from counts, also across shorter lines.
    @Test func upAndDownKeepTheirColumn() {
        var field = field("a long line\nshort\nanother long one", at: 9)
        press(&field, .down)
        #expect(field.cursor == 17)
        press(&field, .down)
        #expect(field.cursor == 27)
        press(&field, .up, .up)
        #expect(field.cursor == 9)
        press(&field, .up)
        #expect(field.cursor == 0)
        field = self.field("東京の夜\nabcdefgh", at: 10)
        press(&field, .up)
        #expect(field.cursor == 2)
        // By lines as they look.
        field = self.field("the quick brown fox", at: 12)
        press(&field, .up, width: 11)
        #expect(field.cursor == 2)
    }

    @Test func aLongTextIsScrolledToTheCursor() {
        let text = (0..<20).map { "line \($0)" }.joined(separator: "\n")
        for cursor in stride(from: 0, through: text.count, by: 3) {
            let window = field(text, at: cursor).window(width: 20, most: 5)
            #expect(window.lines.count == 5 && window.total == 20)
            let row = text.prefix(cursor).count { $0 == "\n" }
            #expect(window.first == min(max(row - 2, 0), 15))
            #expect(window.first + window.cursor.row == row)
        }
    }

    @Test func aFieldOfOneLineIsMovedSideways() {
        let line = field(String(repeating: "東京 ", count: 40), keepsLines: false)
        for cursor in 0...line.characters.count {
            var line = line
            line.place(at: cursor)
            let window = line.window(width: 21, most: 1)
            #expect(window.lines.count == 1 && window.lines[0].columns <= 20)
            #expect((0..<21).contains(window.cursor.column))
            #expect(line.index(at: window.cursor, in: window) == cursor)
        }
        #expect(field("short", keepsLines: false).window(width: 21, most: 1).cursor.column == 5)
    }

    @Test func aClickGoesBetweenCharacters() {
        let field = field("東京 ab\nc")
        let window = field.window(width: 20, most: 5)
        func index(_ column: Int, _ row: Int) -> Int {
            field.index(at: GridPoint(column: column, row: row), in: window)
        }
        #expect((0...8).map { index($0, 0) } == [0, 0, 1, 1, 2, 3, 4, 5, 5])
        #expect(index(0, 1) == 6 && index(9, 1) == 7 && index(0, 9) == 6 && index(3, -1) == 1)
    }
}
