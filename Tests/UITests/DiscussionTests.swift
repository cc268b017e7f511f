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

    /// Without a list, the feed's count is what is known.
    @Test func undoneDeletionKeepsTheCount() {
        var discussion = Discussion()
        var item = Item(id: "v", url: "https://media.example/v.mp4")
        discussion.count(-1, of: item.id)
        #expect(discussion.count(of: item) == nil)
        item.stats = Item.Stats(comments: 3)
        #expect(discussion.count(of: item) == 2)
        discussion.count(1, of: item.id)
        #expect(discussion.count(of: item) == 3)
        discussion.count(-5, of: item.id)
        #expect(discussion.count(of: item) == 0)
        item.stats = Item.Stats(comments: .max)
        discussion.count(7, of: item.id)
        #expect(discussion.count(of: item) == Int.max - (1 << 20) + 2)
    }
}
