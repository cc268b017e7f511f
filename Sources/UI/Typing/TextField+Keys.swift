import TerminalInput

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
