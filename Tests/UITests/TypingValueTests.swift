import Model
import TerminalInput
import Testing

@testable import UI

/// An open field by itself.
@Suite struct TypingValueTests {
    @Test func searchFollowsTheText() {
        var typing = Typing(.filter)
        typing.paste("ott")
        let edits = typing.handle(.character("e"), width: 40)
        let moves = typing.handle(.function(5), width: 40)
        #expect(edits && !moves && typing.filter?.words == LetterFold.words("otte"))
        #expect(typing.withoutFound.filter == nil && typing.withoutFound.field.text == "otte")
    }

    @Test func onlyItsOwnPurposeSearches() {
        var (keys, message) = (Typing(.keys), Typing(.message("a", parent: nil)))
        keys.paste("mute")
        message.paste("mute")
        #expect(keys.filter == nil && keys.keyWords == LetterFold.words("mute"))
        #expect(message.filter == nil && message.keyWords.isEmpty)
    }

    @Test func listMovesByLinesAndPages() {
        let steps = [Key.up, .down, .pageUp, .pageDown, .control("n"), .control("p")].map { Typing.step(of: $0) }
        #expect(steps.map { $0?.count } == [-1, 1, -1, 1, 1, -1])
        #expect(steps.map { $0?.isPage } == [false, false, true, true, false, false])
        #expect(Typing.step(of: .character("j")) == nil)
    }
}
