import Model
import TerminalInput
import TestSupport
import Testing

@testable import UI

/// Comments that are deleted, liked and reported, and items of the user's own that are deleted.
struct CommentActTests {
    // Swift Testing has a type of that name.
    private typealias Comment = Model.Comment

    private static let own: Item = {
        var item = Page.feed[0]
        item.own = true
        return item
    }()

    private static let feed: [Item] = [own] + Page.feed.dropFirst()

    private func page(
        _ columns: Int = 80, _ rows: Int = 24, abilities: Set<ServiceAbility> = Set(ServiceAbility.allCases),
        more: [Comment] = []
    ) -> Page {
        let page = Page(Self.feed, columns: columns, rows: rows)
        page.play()
        page.send(.service(takesComments: true, abilities: abilities))
        page.type("c")
        page.send(
            .comments(
                "v1", after: nil, CommentPage(comments: [mine, answer, theirs] + more, total: 3 + more.count)))
        return page
    }

    private var mine: Comment { comment("m", "Mine", isOwn: true, ago: 100) }
    private var answer: Comment { comment("a", "An answer", under: "m", ago: 90) }
    private var theirs: Comment { comment("o", "Theirs", likes: 4, ago: 200) }

    private func comment(
        _ id: String, _ text: String, under parent: String? = nil, isOwn: Bool = false, likes: Int = 0, ago: Double
    ) -> Comment {
        var comment = Comment(
            id: id, name: "Name \(id)", text: text, at: Page.midnight.addingTimeInterval(-ago), parent: parent,
            isOwn: isOwn)
        comment.likes = likes
        return comment
    }

    private func ids(_ page: Page) -> [String] { page.state.commentList.entries.map(\.id) }
    private func toast(_ page: Page) -> String? { page.state.toasts.current?.text.text }

    @Test func ownCommentOfAServiceIsDeletedAndRestored() {
        let page = page()
        page.press(.down)
        page.press(.down)
        // Those of others stay.
        #expect(page.type("d").isEmpty && toast(page) == "Only your own comments can be deleted")
        page.press(.up)
        page.press(.up)
        #expect(page.screen.contains { $0.contains("d delete") })
        #expect(page.type("d") == [.changeComment(Self.own, "m", .delete(true))])
        #expect(toast(page) == "Comment deleted · U to undo" && page.state.titleCount == 2)
        // Its answer keeps its place; the text is gone.
        #expect(ids(page) == ["m", "a", "o"] && page.state.commentList["m"]?.text == "Deleted comment")
        #expect(page.type("U") == [.changeComment(Self.own, "m", .delete(false))])
        #expect(page.state.commentList["m"] == mine && page.state.titleCount == 3)
        #expect(page.type("U").isEmpty)
    }

    /// A page that the service sent before it had the deletion does not bring the comment back.
    @Test func deletedCommentStaysAwayFromALatePage() {
        let page = page()
        page.type("d")
        page.press(.escape)
        #expect(page.type("c") == [.loadComments("v1", after: nil)])
        page.send(.comments("v1", after: nil, CommentPage(comments: [mine, theirs], total: 2)))
        #expect(ids(page) == ["o"] && page.state.titleCount == 1)
        // Until it is restored.
        page.type("U")
        #expect(ids(page) == ["m", "o"] && page.state.titleCount == 2)
    }

    @Test func refusedDeletionIsTakenBack() {
        let page = page()
        page.type("d")
        page.send(.commentChangeRefused("v1", "m", .delete(true), why: "not \u{1B}[31mtoday"))
        #expect(page.state.commentList["m"] == mine && page.state.titleCount == 3)
        #expect(toast(page)?.hasPrefix("Comment not deleted: not ") == true)
        #expect(toast(page)?.contains("\u{1B}") == false)
        // What is not deleted is not restored.
        #expect(page.type("U").isEmpty)
        page.press(.home)
        page.type("d")
        page.type("U")
        page.send(.commentChangeRefused("v1", "m", .delete(false), why: "too late"))
        #expect(page.state.commentList["m"]?.isDeleted == true && page.state.titleCount == 2)
    }

    @Test func everyRefusedDeletionIsTakenBack() {
        let page = page(more: [comment("n", "Mine, too", isOwn: true, ago: 300)])
        page.type("d")
        page.press(.end)
        #expect(page.type("d") == [.changeComment(Self.own, "n", .delete(true))])
        #expect(ids(page) == ["m", "a", "o"] && page.state.titleCount == 2)
        for id in ["m", "n"] { page.send(.commentChangeRefused("v1", id, .delete(true), why: "no")) }
        #expect(ids(page) == ["m", "a", "o", "n"] && page.state.titleCount == 4)
        #expect(page.state.commentList["m"] == mine)
    }

    @Test func refusedDeletionThatWasUndoneCountsOnce() {
        let page = page()
        page.type("d")
        page.type("U")
        page.send(.commentChangeRefused("v1", "m", .delete(true), why: "no"))
        #expect(page.state.commentList["m"] == mine && page.state.titleCount == 3)
    }

    /// Where the service does not say how many comments there are, the feed does.
    @Test func refusedDeletionThatWasUndoneDoesNotChangeTheFeedsCount() {
        var item = Self.own
        item.stats = Item.Stats(comments: 3)
        let page = Page([item])
        page.play()
        page.send(.service(takesComments: true, abilities: Set(ServiceAbility.allCases)))
        page.type("c")
        page.send(.comments("v1", after: nil, CommentPage(comments: [mine, theirs])))
        page.type("d")
        #expect(page.state.discussion.count(of: item) == 2)
        page.type("U")
        page.send(.commentChangeRefused("v1", "m", .delete(true), why: "no"))
        #expect(page.state.discussion.count(of: item) == 3)
    }

    @Test func likesOfACommentCountAtOnceAndAreCorrected() {
        let page = page()
        page.press(.down)
        page.press(.down)
        #expect(page.screen.contains { $0.contains("♡ 4") && $0.contains("Name o") })
        #expect(page.type("l") == [.changeComment(Self.own, "o", .like(true))])
        #expect(page.screen.contains { $0.contains("♥ 5") } && page.screen.contains { $0.contains("l unlike") })
        // The item is not liked.
        #expect(!page.state.reactions["v1"].isLiked)
        page.send(.commentLikes("v1", "o", 9))
        #expect(page.screen.contains { $0.contains("♥ 9") })
        page.send(.commentChangeRefused("v1", "o", .like(true), why: "no"))
        #expect(page.screen.contains { $0.contains("♡ 8") } && toast(page) == "Comment not liked: no")
        #expect(page.type("l") == [.changeComment(Self.own, "o", .like(true))])
        #expect(page.type("l") == [.changeComment(Self.own, "o", .like(false))])
    }

    @Test(arguments: [(80, 24), (40, 12)]) func clickOnAHeartLikes(size: (Int, Int)) throws {
        let page = page(size.0, size.1)
        page.press(.end)
        let row = try #require(page.screen.firstIndex { $0.contains("♡ 4") })
        let column = try #require(page.screen[row].firstIndex(of: "♡"))
        let place = page.screen[row].distance(from: page.screen[row].startIndex, to: column)
        page.mouse(.press(.left), place, row)
        #expect(page.mouse(.release(.left), place, row) == [.changeComment(Self.own, "o", .like(true))])
        #expect(page.state.view.sheet == .comments && page.screen.contains { $0.contains("♥ 5") })
    }

    @Test func reportNeedsAReason() {
        let page = page()
        // Not of one's own.
        #expect(page.type("!").isEmpty && toast(page) == "This is your own comment")
        page.press(.down)
        #expect(page.screen.contains { $0.contains("! report") })
        page.type("!")
        #expect(page.screen.contains { $0.contains("Report to the server's operator") })
        #expect(page.press(.enter).isEmpty && page.state.typing != nil)
        for character in " rude d! " { page.type(character) }
        #expect(page.press(.enter) == [.changeComment(Self.own, "a", .report(reason: "rude d!"))])
        #expect(page.state.typing == nil && page.state.view.sheet == .comments && toast(page) == "Comment reported")
        page.send(.commentChangeRefused("v1", "a", .report(reason: ""), why: "no"))
        #expect(toast(page) == "Comment not reported: no")
        // Esc reports nothing.
        page.type("!")
        page.type("x")
        #expect(page.press(.escape).isEmpty && page.state.typing == nil)
    }

    @Test func narrowSheetKeepsTheHintToComment() {
        #expect(SheetLayout(page(40, 12).state).footer.text == "Enter comment   Esc close")
    }

    /// A server of the first version of the protocol lists no abilities.
    @Test func nothingIsOfferedThatTheServerCannotDo() {
        let page = page(abilities: [])
        for _ in 0..<3 {
            #expect(SheetLayout(page.state).footer.text == "r reply   Enter comment   Esc close")
            page.press(.down)
        }
        page.press(.home)
        #expect(page.type("d").isEmpty && toast(page) == "This server cannot delete comments")
        #expect(page.type("l").isEmpty && toast(page) == "Comments cannot be liked here")
        page.press(.down)
        #expect(page.type("!").isEmpty && toast(page) == "Comments cannot be reported here")
        #expect(page.state.titleCount == 3 && page.state.feed.changes.isEmpty)
        page.press(.escape)
        page.type("M")
        #expect(!page.state.menu.contains { $0.action == .deleteItem })
    }

    @Test func actThatWaitsSaysSo() {
        let page = page()
        page.send(.undelivered("v1", .comments))
        page.type("l")
        #expect(toast(page) == "Not sent yet; flick retries when the server responds")
        page.send(.delivered("v1", .likeComment))
        #expect(!page.state.reactions.outbox.waits(Outbox.Act(item: "v1", action: .likeComment)))
    }

    // MARK: Counting

    /// The service counts neither answers nor what it refused.
    @Test func headingRailAndEntriesAgree() throws {
        let page = page()
        let item = try #require(page.state.content?.item)
        func counts(_ total: Int?) -> String {
            page.press(.escape)
            page.type("c")
            page.send(.comments("v1", after: nil, CommentPage(comments: [mine, answer, theirs], total: total)))
            return "\(SheetLayout(page.state).title), \(page.state.count(at: .comments, of: item) ?? 0)"
        }
        #expect(counts(1) == "Comments (3), 3")
        // Without a total, the feed's count is what is known: it sends only some of them.
        #expect(counts(nil) == "Comments (3 of 45), 45")
        #expect(counts(3) == "Comments (3), 3")
        page.type(":")
        for character in "So" { page.type(character) }
        page.press(.enter)
        #expect(ids(page).count == 4 && SheetLayout(page.state).title == "Comments (4)")
        page.send(.commentRefused("v1", local: "local-1", why: "no"))
        #expect(ids(page).count == 4 && SheetLayout(page.state).title == "Comments (4)")
        #expect(page.state.count(at: .comments, of: item) == 4)
    }

    /// While there is another page, the number of loaded comments says nothing.
    @Test func headingNamesTheLoadedCommentsAtTheEndOnly() {
        let page = page()
        page.press(.escape)
        page.type("c")
        page.send(.comments("v1", after: nil, CommentPage(comments: [mine], next: "2", total: 9)))
        #expect(SheetLayout(page.state).title == "Comments (9)")
        page.send(.comments("v1", after: "2", CommentPage(comments: [theirs], total: 9)))
        #expect(SheetLayout(page.state).title == "Comments (2 of 9)")
        page.press(.escape)
        page.type("c")
        page.send(.comments("v1", after: nil, CommentPage(comments: [])))
        #expect(page.screen.contains { $0.contains("This feed doesn't share its comments.") })
    }

    // MARK: Items

    @Test func ownItemIsDeletedFromTheMenuAndRestored() {
        let page = page()
        page.press(.escape)
        #expect(page.state.menu.contains(MenuEntry(action: .deleteItem, text: "Delete from the server")))
        #expect(deleteFromMenu(page) == [.deleteItem(Self.own, true)])
        #expect(toast(page) == "Clip deleted from its server · U to undo" && page.state.view.sheet == nil)
        page.send(.visible(Array(Page.feed.dropFirst()), at: 0))
        #expect(page.state.currentID == "v2")
        #expect(!page.state.menu.contains { $0.action == .deleteItem })
        #expect(page.type("U") == [.deleteItem(Self.own, false)])
        page.send(.visible(Self.feed, at: 1))
        #expect(page.state.currentID == "v1")
    }

    @Test func itemThatIsNotDeletedComesBack() {
        let page = page()
        page.press(.escape)
        deleteFromMenu(page)
        page.send(.visible(Array(Page.feed.dropFirst()), at: 0))
        #expect(page.send(.deletionRefused("v1", true, why: "read-only")) == [.showDeleted("v1", true)])
        #expect(toast(page) == "Clip not deleted: read-only")
        page.send(.visible(Self.feed, at: 1))
        #expect(page.state.currentID == "v1" && page.type("U").isEmpty)
    }

    @Test func refusedDeletionKeepsTheUndoOfALaterOne() {
        let page = page()
        page.press(.escape)
        deleteFromMenu(page)
        #expect(page.send(.deletionRefused("v9", true, why: "read-only")) == [.showDeleted("v9", true)])
        #expect(page.type("U") == [.deleteItem(Self.own, false)])
    }

    /// Deletes the item in view.
    @discardableResult
    private func deleteFromMenu(_ page: Page) -> [Effect] {
        page.type("M")
        while page.state.menu[page.state.view.line].action != .deleteItem { page.press(.down) }
        return page.press(.enter)
    }
}
