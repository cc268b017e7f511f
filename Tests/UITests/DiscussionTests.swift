import Model
import TerminalInput
import Testing

@testable import UI

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

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

    /// The answer is still to come, however many other lists are read meanwhile.
    @Test func listWithACommentUnderWayIsKept() {
        func comment(_ state: Model.Comment.Sending) -> Model.Comment {
            Model.Comment(id: "c", text: "Hello", at: Date(timeIntervalSince1970: 0), state: state)
        }
        var discussion = Discussion()
        discussion["sending"].add(comment(.sending))
        for number in 0..<2 * Discussion.maxLists { discussion["\(number)"].add(comment(.sent)) }
        #expect(discussion["sending"].sendingCount == 1)
        #expect(discussion["0"].entries.isEmpty)
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
