import Model
import TerminalInput
import Testing

@testable import UI

@Suite struct DiscussionTests {
    @Test func lettersOfARefusedCommentAreNoCommands() {
        var discussion = Discussion()
        func refuses(_ key: Key, _ milliseconds: Int) -> Bool {
            discussion.isRefusedText(key, now: .milliseconds(milliseconds))
        }
        #expect(!refuses(.character("q"), 0))
        discussion.refuseText(now: .zero)
        // Each letter continues it; any other key, or a pause, ends it.
        #expect(refuses(.character("q"), 999) && refuses(.character("u"), 1_900))
        #expect(!refuses(.escape, 1_950) && !refuses(.character("q"), 1_960))
        discussion.refuseText(now: .seconds(5))
        #expect(!refuses(.character("q"), 6_000))
    }
}
