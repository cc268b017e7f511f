import Model
import TestSupport
import Testing

@testable import UI

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// The order of comments, and pages of them that come as they like.
struct CommentListTests {
    // Swift Testing has a type of that name.
    private typealias Comment = Model.Comment

    /// `#expect` for what changes a list, which the macro cannot contain.
    private func check(_ holds: Bool, at location: SourceLocation = #_sourceLocation) {
        #expect(holds, sourceLocation: location)
    }

    private func comment(_ id: String, under parent: String? = nil, at: Double = 0, own: Bool = false) -> Comment {
        Comment(id: id, name: "n", text: "text \(id)", at: Date(timeIntervalSince1970: at), parent: parent, isOwn: own)
    }

    /// The first page was read before the service had the comment, and comes after its answer.
    @Test func takenCommentStaysWhenAnOlderPageComes() {
        var list = list([comment("a")])
        check(list.askAgain())
        list.add(Comment(id: "local-1", text: "mine", at: Date(timeIntervalSince1970: 1), isOwn: true, state: .sending))
        check(list.confirm("local-1", as: comment("n")))
        list.receive(CommentPage(comments: [comment("a")], total: 1), after: nil)
        #expect(list.entries.map(\.id) == ["n", "a"] && list.total == 2)
        check(list.askAgain())
        list.receive(CommentPage(comments: [comment("a")], total: 1), after: nil)
        #expect(list.entries.map(\.id) == ["a"] && list.total == 1)
    }

    @Test func takenCommentThatIsDeletedIsNotCounted() {
        var list = list([comment("a")])
        check(list.askAgain())
        list.add(Comment(id: "local-1", text: "mine", at: Date(timeIntervalSince1970: 1), isOwn: true, state: .sending))
        check(list.confirm("local-1", as: comment("n")))
        list.delete("n")
        list.receive(CommentPage(comments: [comment("a")], total: 1), after: nil)
        #expect(list.entries.map(\.id) == ["a"] && list.total == 1)
    }

    private func list(_ pages: [Comment]...) -> CommentList {
        var list = CommentList()
        for (number, comments) in pages.enumerated() {
            check(number == 0 ? list.askAgain() : list.askForMore() == "\(number)")
            list.receive(
                CommentPage(comments: comments, next: "\(number + 1)"), after: number == 0 ? nil : "\(number)")
        }
        return list
    }

    private func order(_ list: CommentList) -> [String] {
        list.entries.map { String(repeating: ">", count: $0.depth) + $0.id }
    }

    @Test func answersStandUnderWhatTheyAnswerTheOldestFirst() {
        let list = list(
            [
                comment("c"), comment("b"), comment("b2", under: "b", at: 20), comment("b1", under: "b", at: 10),
                comment("a"),
            ],
            [comment("z"), comment("a1", under: "a"), comment("b11", under: "b1"), comment("x", under: "unknown")])
        #expect(order(list) == ["c", "b", ">b1", ">>b11", ">b2", "a", ">a1", "z", "x"])
    }

    @Test func anAnswerMovesUnderWhatComesLater() {
        #expect(order(list([comment("a1", under: "a"), comment("b")], [comment("a")])) == ["b", "a", ">a1"])
    }

    @Test func nestingIsShownToADepth() {
        let chain = (0..<3_000).map { comment("\($0)", under: $0 == 0 ? nil : "\($0 - 1)") }
        let list = list(chain)
        #expect(list.entries.count == 3_000)
        #expect(list.entries.map(\.depth).max() == CommentList.deepest)
    }

    /// Whatever parents there are: each comment is there once, and behind what
    /// it answers unless they answer each other.
    @Test(arguments: 0..<50) func everyCommentIsThereOnce(seed: Int) {
        var random = SeededRandom(state: UInt64(seed) &* 7_753 &+ 5)
        let ids = (0..<Int.random(in: 1...40, using: &random)).map { "\($0)" }
        let comments = ids.shuffled(using: &random).map { id in
            let parent = Bool.random(using: &random) ? "\(Int.random(in: 0...45, using: &random))" : nil
            return comment(id, under: parent, at: Double.random(in: 0...9, using: &random))
        }
        let list = list(Array(comments.prefix(15)), Array(comments.dropFirst(10)))
        #expect(list.entries.map(\.id).sorted() == ids.sorted(), "seed \(seed)")
        let places = Dictionary(uniqueKeysWithValues: list.entries.enumerated().map { ($0.element.id, $0.offset) })
        func isInCircle(_ id: String) -> Bool {
            var (at, seen) = (comments.first { $0.id == id }?.parent, Set<String>())
            while let next = at, seen.insert(next).inserted {
                if next == id { return true }
                at = comments.first { $0.id == next }?.parent
            }
            return false
        }
        for entry in list.entries {
            guard let parent = entry.comment.parent, let above = places[parent], !isInCircle(entry.id) else { continue }
            #expect(above < places[entry.id] ?? 0, "seed \(seed): \(entry.id)")
        }
    }

    // MARK: Pages

    @Test func onlyWhatWasAskedForIsTaken() {
        var list = list([comment("a")])
        list.receive(CommentPage(comments: [comment("b")]), after: "1")
        list.receive(CommentPage(comments: [comment("b")]), after: nil)
        #expect(order(list) == ["a"])
        list.fail("late")
        #expect(list.failure == nil)
        check(list.askForMore() == "1")
        check(list.askForMore() == nil)
        list.receive(CommentPage(comments: [comment("b")]), after: "other")
        #expect(order(list) == ["a"])
        list.receive(CommentPage(comments: [comment("b")]), after: "1")
        check(order(list) == ["a", "b"] && list.askForMore() == nil)
    }

    @Test func aServiceThatGoesInCirclesHasAnEnd() {
        var list = list([comment("a")])
        check(list.askForMore() == "1")
        list.receive(CommentPage(comments: [comment("a")], next: "1"), after: "1")
        check(list.askForMore() == nil)
    }

    @Test func commentsAreLimited() {
        var list = list((0..<4_000).map { comment("\($0)") })
        check(list.askForMore() == "1")
        list.receive(CommentPage(comments: (0..<4_000).map { comment("b\($0)") }, next: "2"), after: "1")
        check(list.entries.count == CommentList.limit && list.askForMore() == nil)
    }

    @Test func aFailedPageCanBeAskedForAgain() {
        var list = list([comment("a")])
        _ = list.askForMore()
        list.fail("no\u{1B}[2J route")
        #expect(list.failure == "no\u{FFFD} route")
        check(list.askForMore() == "1" && list.failure == nil)
    }

    @Test func textsAreClean() {
        var hostile = comment("a")
        hostile.name = "\u{202E}Ev\u{7}il\nname"
        hostile.text = "one\r\ntwo\u{1B}[31m\u{2066}"
        let shown = list([hostile]).entries[0].comment
        #expect(shown.name == "Ev\u{FFFD}il name" && shown.text == "one\ntwo\u{FFFD}")
        hostile.name = "\u{200B}"
        #expect(list([hostile]).entries[0].comment.name == nil)
    }

    // MARK: The user's own

    private func sending(_ list: inout CommentList, _ id: String = "local-1", under parent: String? = nil) {
        var own = comment(id, under: parent, own: true)
        own.state = .sending
        list.add(own)
    }

    @Test func sentCommentAppearsAtOnceAndKeepsItsPlace() {
        var list = list([comment("b"), comment("a")])
        sending(&list)
        #expect(order(list) == ["local-1", "b", "a"] && list.sendingCount == 1)
        // A page that was on its way brings it too.
        check(list.confirm("local-1", as: comment("n")))
        #expect(order(list) == ["n", "b", "a"])
        #expect(list["n"]?.isOwn == true && list["n"]?.state == .sent)
        check(!list.confirm("local-1", as: comment("n")))
    }

    @Test func aCommentThatCameWithAPageIsThereOnce() {
        var list = list([comment("a")])
        sending(&list)
        check(list.askAgain())
        list.receive(CommentPage(comments: [comment("n"), comment("a")], total: 2), after: nil)
        #expect(order(list) == ["local-1", "n", "a"])
        check(list.confirm("local-1", as: comment("n")))
        #expect(order(list) == ["n", "a"])
    }

    @Test func aRefusedCommentStaysWithTheReason() {
        var list = list([comment("a")])
        sending(&list, under: "a")
        #expect(order(list) == ["a", ">local-1"])
        check(list.refuse("local-1", why: "too\nlong"))
        #expect(list["local-1"]?.state == .refused(why: "too long"))
        check(!list.refuse("a", why: "no") && list["a"]?.state == .sent)
        // Also when the comments are read again.
        check(list.askAgain())
        list.receive(CommentPage(comments: [comment("b")]), after: nil)
        #expect(order(list) == ["local-1", "b"])
        list.remove("local-1")
        #expect(order(list) == ["b"])
    }

    /// A service may name a comment as flick names one that is not sent yet.
    @Test func aServicesIdsTakeNoPlaceOfOnesOwn() {
        var list = CommentList()
        sending(&list)
        check(list.askAgain())
        list.receive(CommentPage(comments: [comment("local-1"), comment("a")]), after: nil)
        #expect(list["local-1"]?.state == .sending && list.entries.count == 2)
    }
}
