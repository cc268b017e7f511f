import Model
import TerminalInput

/// A text that is being typed, with its cursor, undo, and a buffer for what was cut out. A value.
///
/// Its unit is the character that a person sees (grapheme cluster): the cursor stands between two of them, and none is
/// ever split. Each takes at least one column, but for line breaks. The text is clean (`CleanText.typed`).
struct TextField: Sendable, Equatable {
    /// The most scalars of a text. A character can have many.
    static let limit = 2_000
    /// The most steps that can be undone.
    static let maxSteps = 100

    /// Whether line breaks stay; else they become spaces.
    let keepsLines: Bool
    private(set) var characters: [Character] = []
    /// The columns of each character; 0 for a line break.
    private(set) var widths: [Int] = []
    private(set) var scalarCount = 0
    /// The number of characters before the cursor.
    private(set) var cursor = 0
    /// The column that moves up and down keep to; nil after any other key.
    private var goal: Int?
    /// What was cut out last.
    private(set) var yankBuffer = ""
    private var past: [Step] = []
    private var future: [Step] = []
    private var last = Edit.none

    private struct Step: Sendable, Equatable {
        var text: String
        var cursor: Int
    }

    /// What the last key did: edits of the same kind in a row are one step of undo, and add up in the yank buffer.
    private enum Edit: Sendable, Equatable { case none, typing, erasing, killing, other }

    init(_ text: String = "", keepsLines: Bool) {
        self.keepsLines = keepsLines
        insert(text)
        (past, last) = ([], .none)
    }

    var text: String { String(characters) }
    var isEmpty: Bool { characters.isEmpty }
    /// How many scalars more it takes.
    var room: Int { Self.limit - scalarCount }

    // MARK: Changing the text

    /// Inserts text at the cursor, as much of it as there is room for. What is typed a character at a time is undone a
    /// word at a time.
    mutating func insert(_ new: String, isTyped: Bool = false) {
        let new = fitting(CleanText.typed(new, keepingLines: keepsLines))
        guard !new.isEmpty else { return }
        let beginsWord = cursor == 0 || characters[cursor - 1].isWhitespace
        begin(isTyped ? .typing : .other, isNewStep: beginsWord && !(new.first?.isWhitespace ?? false))
        replace(cursor..<cursor, with: new)
    }

    /// As many characters of a text as there is room for.
    private func fitting(_ new: String) -> String {
        guard new.unicodeScalars.count > room else { return new }
        var (left, part) = (room, "")
        for character in new {
            left -= character.unicodeScalars.count
            guard left >= 0 else { break }
            part.append(character)
        }
        return part
    }

    mutating func deleteBack() { erase(max(cursor - 1, 0)..<cursor) }
    mutating func deleteForward() { erase(cursor..<min(cursor + 1, characters.count)) }

    private mutating func erase(_ range: Range<Int>) {
        guard !range.isEmpty else { return }
        begin(.erasing)
        replace(range, with: "")
    }

    /// Cuts out a word before the cursor: what stands between blanks (`isBlankWord`), or letters and digits.
    mutating func killWordBack(isBlankWord: Bool) {
        kill((isBlankWord ? blankWordStart : wordStart)..<cursor, isForward: false)
    }

    mutating func killWordForward() { kill(cursor..<wordEnd, isForward: true) }

    /// Cuts out what is before the cursor in its line; at the beginning of the line, the break before it.
    mutating func killToLineStart() {
        let start = lineStart
        kill((start == cursor ? max(cursor - 1, 0) : start)..<cursor, isForward: false)
    }

    /// Cuts out the rest of the cursor's line; at its end, the break.
    mutating func killToLineEnd() {
        let end = lineEnd
        kill(cursor..<(end == cursor ? min(cursor + 1, characters.count) : end), isForward: true)
    }

    private mutating func kill(_ range: Range<Int>, isForward: Bool) {
        guard !range.isEmpty else { return }
        let killed = String(characters[range])
        if last != .killing { yankBuffer = "" }
        yankBuffer = isForward ? yankBuffer + killed : killed + yankBuffer
        begin(.killing)
        replace(range, with: "")
    }

    mutating func yank() { insert(yankBuffer) }

    mutating func undo() { step(from: \.past, to: \.future) }
    mutating func redo() { step(from: \.future, to: \.past) }

    private mutating func step(
        from source: WritableKeyPath<Self, [Step]>, to target: WritableKeyPath<Self, [Step]>
    ) {
        guard let step = self[keyPath: source].popLast() else { return }
        self[keyPath: target].append(Step(text: text, cursor: cursor))
        set(step.text, cursor: step.cursor)
        (last, goal) = (.none, nil)
    }

    /// Notes the text as it is before an edit, unless the edit belongs to the step before it.
    private mutating func begin(_ edit: Edit, isNewStep: Bool = false) {
        defer { (last, goal, future) = (edit, nil, []) }
        guard edit != last || edit == .other || isNewStep else { return }
        past.append(Step(text: text, cursor: cursor))
        if past.count > Self.maxSteps { past.removeFirst() }
    }

    /// Puts clean text in the place of characters, and the cursor behind it.
    private mutating func replace(_ range: Range<Int>, with new: String) {
        let before = String(characters[..<range.lowerBound]) + new
        set(before + String(characters[range.upperBound...]), bytesBefore: before.utf8.count)
    }

    private mutating func set(_ text: String, cursor: Int) {
        set(text, bytesBefore: 0)
        self.cursor = min(cursor, characters.count)
    }

    /// Splits the text again, because neighbours can have become one character; then the cursor is behind that.
    private mutating func set(_ text: String, bytesBefore: Int) {
        characters.removeAll(keepingCapacity: true)
        widths.removeAll(keepingCapacity: true)
        (scalarCount, cursor) = (0, 0)
        var bytes = 0
        for character in text {
            let columns = Self.columns(of: character)
            let isShown = columns > 0 || character == "\n"
            if isShown {
                characters.append(character)
                widths.append(columns)
                scalarCount += character.unicodeScalars.count
                if bytes < bytesBefore { cursor += 1 }
            }
            bytes += character.utf8.count
        }
    }

    private static func columns(of character: Character) -> Int {
        let scalars = character.unicodeScalars
        guard let first = scalars.first, first != "\n" else { return 0 }
        // Most characters; the letters of flags are not as wide as `DisplayWidth` says.
        if scalars.count == 1, !(0x1F1E6...0x1F1FF).contains(first.value) { return DisplayWidth.of(first) }
        return GlyphLine(String(character)).columns
    }

    // MARK: Moving the cursor

    private mutating func move(to place: Int) {
        cursor = min(max(place, 0), characters.count)
        (last, goal) = (.none, nil)
    }

    mutating func place(at index: Int) { move(to: index) }
    mutating func moveLeft() { move(to: cursor - 1) }
    mutating func moveRight() { move(to: cursor + 1) }
    mutating func moveWordBack() { move(to: wordStart) }
    mutating func moveWordForward() { move(to: wordEnd) }
    mutating func moveToLineStart() { move(to: lineStart) }
    mutating func moveToLineEnd() { move(to: lineEnd) }
    mutating func moveToStart() { move(to: 0) }
    mutating func moveToEnd() { move(to: characters.count) }

    /// Moves by lines as they are shown at a width; beyond the first and the last to the text's beginning and end.
    mutating func moveLines(by count: Int, width: Int) {
        let lines = lines(width: width)
        let at = Self.line(of: cursor, in: lines)
        let column = goal ?? columns(lines[at].lowerBound..<cursor)
        let wanted = at + count
        guard lines.indices.contains(wanted) else { return move(to: wanted < 0 ? 0 : characters.count) }
        move(to: index(atColumn: column, ofLine: wanted, in: lines))
        goal = column
    }

    private static func isWord(_ character: Character) -> Bool { character.isLetter || character.isNumber }

    private var wordStart: Int {
        var place = cursor
        while place > 0, !Self.isWord(characters[place - 1]) { place -= 1 }
        while place > 0, Self.isWord(characters[place - 1]) { place -= 1 }
        return place
    }

    private var wordEnd: Int {
        var place = cursor
        while place < characters.count, !Self.isWord(characters[place]) { place += 1 }
        while place < characters.count, Self.isWord(characters[place]) { place += 1 }
        return place
    }

    private var blankWordStart: Int {
        var place = cursor
        while place > 0, characters[place - 1].isWhitespace { place -= 1 }
        while place > 0, !characters[place - 1].isWhitespace { place -= 1 }
        return place
    }

    private var lineStart: Int { characters[..<cursor].lastIndex(of: "\n").map { $0 + 1 } ?? 0 }
    private var lineEnd: Int { characters[cursor...].firstIndex(of: "\n") ?? characters.count }
}

/// The keys of a text field, as in readline and in other programs' fields.
extension TextField {
    /// Does what a key does in a text. Returns false if it does nothing there.
    ///
    /// - Parameter width: columns in which the text is shown; up and down go by lines as they look.
    mutating func handle(_ key: Key, width: Int) -> Bool {
        if case .character(let character) = key.base {
            switch key.modifiers {
            case []: insert(String(character), isTyped: true)
            case .control: return handle(control: character, width: width)
            case .alt: return handle(alt: character)
            default: return false
            }
            return true
        }
        let byWords = key.modifiers.contains(.control) || key.modifiers.contains(.alt)
        switch key.base {
        case .left: if byWords { moveWordBack() } else { moveLeft() }
        case .right: if byWords { moveWordForward() } else { moveRight() }
        case .home: if byWords { moveToStart() } else { moveToLineStart() }
        case .end: if byWords { moveToEnd() } else { moveToLineEnd() }
        case .up where keepsLines: moveLines(by: -1, width: width)
        case .down where keepsLines: moveLines(by: 1, width: width)
        case .pageUp where keepsLines: moveToStart()
        case .pageDown where keepsLines: moveToEnd()
        case .backspace: if byWords { killWordBack(isBlankWord: false) } else { deleteBack() }
        case .delete: if byWords { killWordForward() } else { deleteForward() }
        case .enter where keepsLines && byWords: insert("\n")
        default: return false
        }
        return true
    }

    private mutating func handle(control character: Character, width: Int) -> Bool {
        switch character {
        case "a": moveToLineStart()
        case "e": moveToLineEnd()
        case "b": moveLeft()
        case "f": moveRight()
        case "p" where keepsLines: moveLines(by: -1, width: width)
        case "n" where keepsLines: moveLines(by: 1, width: width)
        case "d": deleteForward()
        case "w": killWordBack(isBlankWord: true)
        case "u": killToLineStart()
        case "k": killToLineEnd()
        case "y": yank()
        case "_": undo()
        default: return false
        }
        return true
    }

    private mutating func handle(alt character: Character) -> Bool {
        switch character {
        case "b": moveWordBack()
        case "f": moveWordForward()
        case "d": killWordForward()
        case "_", "/": redo()
        default: return false
        }
        return true
    }
}
