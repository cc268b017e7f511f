import Model
import TerminalInput
import TestSupport
import Testing

@testable import UI

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// The message bar and the comments, as a person would use them.
struct TypingTests {
    // Swift Testing has a type of that name.
    private typealias Comment = Model.Comment

    private func page(_ columns: Int = 80, _ rows: Int = 24, item: Item? = nil) -> Page {
        let page = Page(item.map { [$0] } ?? Page.feed, columns: columns, rows: rows)
        page.play()
        page.send(.service(takesComments: true))
        return page
    }

    private func write(_ text: String, on page: Page) {
        for character in text { page.type(character) }
    }

    private func comment(_ id: String, _ text: String = "Nice", under parent: String? = nil, ago: Double = 100)
        -> Comment
    {
        Comment(id: id, name: "Name \(id)", text: text, at: Page.midnight.addingTimeInterval(-ago), parent: parent)
    }

    // MARK: The bar

    @Test func whileAMessageIsWrittenTheClipWaitsAndKeysAreText() {
        let page = page()
        #expect(page.type(":") == [.pause("v1")])
        page.send(.player("v1", .paused))
        #expect(page.state.isPaused && !page.screen[0].contains("paused"))
        write("qjk dl/ :?", on: page)
        page.press(.pageDown)
        page.press(.up)
        #expect(page.state.current == 0 && page.state.reactions.isEmpty && page.state.view.sheet == nil)
        #expect(page.screen.contains { $0.contains("qjk dl/ :?") })
        #expect(page.press(.escape) == [.play("v1")])
        #expect(!page.state.isPaused && page.state.typing == nil)
    }

    /// On a file of the user's, without a service: the comment stays here, so it never waits for a server.
    @Test func commentsThatAreKeptAreSavedNotSent() {
        let page = Page(Page.feed, columns: 80, rows: 24)
        page.play()
        #expect(page.type(":") == [])
        page.wait(.seconds(3))
        page.state.feed.keepsComments = { $0.id == "v1" }
        #expect(page.screen.contains { $0.contains("Comment") })
        #expect(page.type(":") == [.pause("v1")])
        #expect(page.screen.contains { $0.contains("Comment, for you only") })
        #expect(page.screen.contains { $0.contains("Enter save") })
        write("Mine", on: page)
        let effects = page.press(.enter)
        #expect(effects.contains(.sendComment("v1", local: "local-1", text: "Mine", parent: nil)))
        #expect(!page.state.feedCountsReactions)
        page.send(.undelivered("v1", .comments))
        #expect(!page.state.reactions.outbox.waits(Outbox.Act(item: "v1", action: .comments)))
        page.send(.commentSent("v1", local: "local-1", comment("x", "Mine")))
        #expect(page.screen.contains { $0.contains("Comment saved") })
    }

    @Test func commentForOneselfIsDeletedAndRestored() {
        let page = Page(Page.feed, columns: 80, rows: 24)
        page.play()
        page.state.feed.keepsComments = { $0.id == "v1" }
        page.type("c")
        var (mine, other) = (comment("m", "Mine"), comment("o", "Theirs"))
        (mine.isOwn, other.isOwn) = (true, false)
        page.send(.comments("v1", after: nil, CommentPage(comments: [mine, other], total: 2)))
        #expect(page.screen.contains { $0.contains("d delete") })
        #expect(page.type("d") == [.deleteComment(id: "m")])
        #expect(page.state.commentList.entries.map(\.id) == ["o"] && page.state.titleCount == 1)
        #expect(page.state.toasts.current?.text.text == "Comment deleted · U to undo")
        // Those of others stay.
        #expect(page.type("d").isEmpty && !page.screen.contains { $0.contains("d delete") })
        guard case .restoreComment("v1", let restored)? = page.type("U").first else {
            Issue.record("nothing is restored")
            return
        }
        #expect(restored.id == "m" && restored.text == "Mine" && restored.at == mine.at)
        #expect(page.state.commentList.entries.map(\.id) == ["m", "o"] && page.state.titleCount == 2)
        #expect(page.type("U").isEmpty)
    }

    @Test func typingKeepsAPausedClipPaused() {
        let page = page()
        page.type(" ")
        #expect(page.type(":") == [])
        #expect(page.press(.escape) == [])
        #expect(page.state.isPaused)
    }

    /// A player that stopped, or flick suspended and back, while a message is
    /// written: nothing plays before it is closed.
    @Test func nothingPlaysMeanwhile() {
        let page = page()
        page.type(":")
        write("a", on: page)
        #expect(page.press(.control("z")) == [.pause("v1"), .suspend])
        #expect(page.send(.resumed) == [.redraw])
        page.send(.feed(Page.feed, title: nil))
        #expect(!page.orders.contains(.play("v1")) && page.state.typing?.field.text == "a")
        page.type("A")
        page.send(.player("v1", .ended))
        #expect(page.state.current == 0)
        #expect(page.press(.control("c")) == [.quit])
    }

    @Test func aDraftIsKeptForItsItem() {
        let page = page()
        page.type(":")
        write("first thoughts", on: page)
        page.press(.escape)
        page.press(.down)
        page.wait(.seconds(1))
        page.type(":")
        #expect(page.state.typing?.field.isEmpty == true)
        write("other", on: page)
        page.press(.escape)
        page.press(.up)
        page.wait(.seconds(1))
        page.type(":")
        #expect(page.state.typing?.field.text == "first thoughts")
        page.press(.control("u"))
        page.press(.escape)
        page.type(":")
        #expect(page.state.typing?.field.isEmpty == true)
    }

    @Test func aFeedThatLosesTheClipClosesTheBarAndKeepsTheDraft() {
        let page = page()
        page.type(":")
        write("draft", on: page)
        page.send(.feed([Page.feed[1]], title: nil))
        #expect(page.state.typing == nil && page.orders.contains(.play("v2")))
        page.send(.feed(Page.feed, title: nil))
        page.type("g")
        page.wait(.seconds(1))
        page.type(":")
        #expect(page.state.typing?.field.text == "draft")
    }

    @Test(arguments: [(80, 24), (40, 12), (200, 60)]) func theBarGrowsToFiveLinesAndScrolls(columns: Int, rows: Int) {
        let page = page(columns, rows)
        page.type(":")
        var heights: [Int] = []
        for line in 1...8 {
            write("row \(line)", on: page)
            heights.append(BarLayout(page.state).body.rows)
            let shown = page.screen.filter { $0.contains("row ") }
            #expect(shown.last?.contains("row \(line)") == true && shown.count == min(line, 5))
            page.press(line % 2 == 0 ? Key(.enter, .alt) : Key(.enter, .control))
        }
        #expect(heights == [1, 2, 3, 4, 5, 5, 5, 5])
        #expect(BarLayout(page.state).frame.row + BarLayout(page.state).frame.rows == rows - 1)
    }

    /// A cell with its colours exchanged, over both halves of a wide character.
    @Test func theCursorIsSeen() {
        let page = page()
        page.type(":")
        page.send(.paste("ab東"))
        page.press(.left)
        let bar = BarLayout(page.state)
        let overlay = draw(page.state, now: page.now).overlay
        let row = bar.body.row
        let inverted = (0..<80).filter { overlay[$0, row].background == page.state.theme.panelText }
        #expect(inverted == [bar.body.column + 2, bar.body.column + 3])
        page.press(.end)
        let end = draw(page.state, now: page.now).overlay
        #expect(end[bar.body.column + 4, row].background == page.state.theme.panelText)
        #expect(end[bar.body.column + 3, row].background == page.state.theme.panel)
    }

    @Test func pasteGoesIntoAFieldAndIsIgnoredElsewhere() {
        let page = page()
        page.send(.paste("qdl\u{1B}[A"))
        #expect(page.effects.isEmpty && page.state.reactions.isEmpty)
        page.type(":")
        page.send(.paste("two\r\nlines\u{1B}[31m\u{202E}"))
        #expect(page.state.typing?.field.text == "two\nlines\u{FFFD}")
        page.press(.escape)
        page.type("/")
        page.send(.paste("two\nlines"))
        #expect(page.state.typing?.field.text == "two lines")
    }

    @Test func theMousePlacesTheCursorSendsAndCloses() {
        let page = page()
        page.type(":")
        write("hello there", on: page)
        let bar = BarLayout(page.state)
        page.mouse(.press(.left), bar.body.column + 5, bar.body.row)
        page.mouse(.release(.left), bar.body.column + 5, bar.body.row)
        write(",", on: page)
        #expect(page.state.typing?.field.text == "hello, there")
        page.mouse(.wheelDown, 10, 5)
        #expect(page.state.current == 0)
        #expect(
            page.mouse(.press(.left), bar.send.column + 1, bar.send.row).contains(
                .sendComment("v1", local: "local-1", text: "hello, there", parent: nil)))
        page.type(":")
        #expect(page.mouse(.press(.left), 10, 3) == [.play("v1")])
        page.mouse(.release(.left), 10, 3)
        page.wait(.seconds(1))
        #expect(page.state.typing == nil && !page.state.isPaused)
    }

    /// Escape and a key at once, on a slow line, look like Alt and that key.
    @Test func escapeAndAKeyAtOnceAreTwoKeysOnThePage() {
        let page = page()
        page.type("?")
        #expect(page.press(Key(.character("j"), .alt)).contains(.play("v2")))
        #expect(page.state.view.sheet == nil && page.state.current == 1)
        page.type(":")
        write("one two", on: page)
        page.press(Key(.character("b"), .alt))
        write("x", on: page)
        #expect(page.state.typing?.field.text == "one xtwo")
    }

    // MARK: Where there is no service

    @Test func withoutAServiceNothingIsWritten() {
        let page = Page()
        page.play()
        #expect(page.type(":") == [] && page.state.typing == nil && page.state.toasts.current != nil)
        page.type("c")
        #expect(page.state.view.sheet == nil)
        #expect(!page.state.menu.contains { $0.action == .message })
        #expect(!page.screen.contains { $0.contains("Comment") })
        let bare = Page([Item(id: "a", url: "file:///a.mp4")])
        #expect(PageLayout(bare.state, index: 0).buttons.map(\.button) == [.like, .save])
        bare.send(.service(takesComments: true))
        #expect(PageLayout(bare.state, index: 0).buttons.map(\.button) == [.like, .comments, .save])
        #expect(bare.screen.contains { $0.contains("Comment") })
    }

    @Test func theHintOpensTheBar() {
        let page = page()
        let frame = PageLayout(page.state, index: 0).message
        #expect(frame != nil)
        page.mouse(.press(.left), frame?.column ?? 0, frame?.row ?? 0)
        page.mouse(.release(.left), frame?.column ?? 0, frame?.row ?? 0)
        #expect(page.state.typing?.item == "v1")
    }

    @Test func aServiceThatGoesAwayClosesTheBar() {
        let page = page()
        page.type(":")
        #expect(page.send(.service(takesComments: false)) == [.play("v1")])
        #expect(page.state.typing == nil)
    }

    // MARK: Sending

    @Test func aCommentIsCountedAtOnceAndNamedLater() {
        let page = page()
        #expect(page.screen.contains { $0.contains(" 45") })
        page.type(":")
        write("  well done \n", on: page)
        #expect(
            page.press(.enter) == [.play("v1"), .sendComment("v1", local: "local-1", text: "well done", parent: nil)])
        #expect(page.state.discussion.count(of: Page.feed[0]) == 46)
        #expect(page.screen.contains { $0.contains(" 46") })
        page.send(.commentSent("v1", local: "local-1", comment("n9", "well done")))
        #expect(page.state.discussion.count(of: Page.feed[0]) == 46)
        #expect(page.state.toasts.current?.text == GlyphLine("Comment sent"))
        page.type(":")
        write("more", on: page)
        #expect(page.press(.enter).contains(.sendComment("v1", local: "local-2", text: "more", parent: nil)))
    }

    @Test(arguments: ["\u{200B}", " \u{200B}\u{2060} ", "\u{3164}", "\u{2800}", "\u{0301}"])
    func invisibleCommentIsNotSent(text: String) {
        #expect(!Model.Comment.isVisible(text))
        let page = page()
        page.type(":")
        write(text, on: page)
        #expect(
            !page.press(.enter).contains { if case .sendComment = $0 { true } else { false } })
        #expect(page.state.discussion.count(of: Page.feed[0]) == 45)
    }

    @Test(arguments: ["a", "\u{200B}a", "é", "e\u{0301}", "🦦", "👩‍👩‍👧", "।", "あ", "."])
    func visibleCommentIsSent(text: String) { #expect(Model.Comment.isVisible(text)) }

    @Test func refusedCommentIsNotCountedAndCanBeEdited() {
        let page = page()
        page.type(":")
        write("bad words", on: page)
        page.press(.enter)
        page.send(.commentRefused("v1", local: "local-1", why: "not\u{1B}[31m polite"))
        #expect(page.state.discussion.count(of: Page.feed[0]) == 45)
        page.wait(.milliseconds(300))
        #expect(page.toast == "Comment not sent (c shows it): not\u{FFFD} polite")
        page.type("c")
        #expect(page.screen.contains { $0.contains("bad words") })
        #expect(page.screen.contains { $0.contains("not sent: not\u{FFFD} polite") })
        #expect(page.screen.count { $0.contains("not sent") } == 1)
        #expect(SheetLayout(page.state).footer.text == "Enter edit   Esc close")
        page.press(.enter)
        #expect(page.state.typing?.field.text == "bad words")
        #expect(page.state.commentList.entries.isEmpty)
    }

    @Test func nothingIsSentWithoutText() {
        let page = page()
        page.type(":")
        write(" ", on: page)
        page.press(Key(.enter, .alt))
        #expect(page.press(.enter) == [] && page.state.typing != nil)
    }

    // MARK: The sheet

    private func discussed(_ columns: Int = 80, _ rows: Int = 24, count: Int = 12) -> Page {
        let page = page(columns, rows)
        #expect(page.type("c") == [.loadComments("v1", after: nil)])
        let comments = (0..<count).map { comment("\($0)", "Comment number \($0)", ago: Double($0) * 60) }
        page.send(.comments("v1", after: nil, CommentPage(comments: comments, next: "p2", total: 30)))
        return page
    }

    @Test func commentsAreLoadedAndShown() {
        let page = page()
        page.type("c")
        #expect(page.screen.contains { $0.contains("Loading comments") })
        page.send(
            .comments(
                "v1", after: nil,
                CommentPage(comments: [comment("a", "First"), comment("b", "Answer", under: "a", ago: 40)])))
        let rows = page.screen
        let (first, answer) = (rows.first { $0.contains("First") } ?? "", rows.first { $0.contains("Answer") } ?? "")
        #expect(rows.contains { $0.contains("Name a · 1m ago") } && rows.contains { $0.contains("Name b · 50s ago") })
        #expect(
            answer.firstIndex(of: "A").map { answer.distance(from: answer.startIndex, to: $0) } ?? 0
                == (first.firstIndex(of: "F").map { first.distance(from: first.startIndex, to: $0) } ?? 0) + 3)
        page.type("c")
        #expect(page.state.view.sheet == nil)
    }

    @Test func emptyAndFailedAreSaid() {
        let page = page()
        page.type("c")
        page.send(.commentsUnavailable("v1", why: "example.org: refused"))
        #expect(page.screen.joined().contains("example.org: refused"))
        page.type("c")
        #expect(page.type("c") == [.loadComments("v1", after: nil)])
        page.send(.comments("v1", after: nil, CommentPage(comments: [], total: 0)))
        #expect(page.screen.contains { $0.contains("No comments yet. Enter adds") })
    }

    @Test func theNextPageIsLoadedNearTheEndOnce() {
        let page = discussed(count: 40)
        #expect(page.orders.isEmpty)
        var loads: [Effect] = []
        for _ in 0..<40 { loads += page.press(.down).filter { $0 == .loadComments("v1", after: "p2") } }
        #expect(loads.count == 1)
        page.send(.commentsUnavailable("v1", why: "'https://example.org/api/comments?page=2&id=v1': gone"))
        #expect(page.screen.joined().contains("Couldn't load more comments: 'example.org': gone; scroll down"))
        #expect(page.press(.down) == [.loadComments("v1", after: "p2")])
        page.send(.comments("v1", after: "p2", CommentPage(comments: [comment("last", "The last one")])))
        for _ in 0..<5 { page.press(.down) }
        #expect(page.screen.contains { $0.contains("The last one") })
    }

    /// Going down and up, by comments and by pages, passes no row, however long comments are.
    @Test(arguments: [(40, 12), (80, 24)]) func noRowIsPassed(columns: Int, rows: Int) {
        let page = page(columns, rows)
        page.type("c")
        let long = (0..<90).map { "word\($0)" }.joined(separator: " ")
        page.send(
            .comments(
                "v1", after: nil,
                CommentPage(comments: [comment("a"), comment("b", long), comment("c"), comment("d", long)])))
        func range() -> Range<Int> {
            let layout = SheetLayout(page.state)
            return layout.first..<layout.first + layout.body.rows
        }
        for (down, up) in [(Key.down, Key.up), (.pageDown, .pageUp)] {
            page.press(.home)
            #expect(range().lowerBound == 0)
            var before = range()
            for _ in 0..<200 {
                page.press(down)
                #expect(range().lowerBound >= before.lowerBound && range().lowerBound < before.upperBound)
                before = range()
            }
            #expect(before.upperBound == SheetLayout(page.state).total)
            for _ in 0..<200 {
                page.press(up)
                #expect(range().lowerBound <= before.lowerBound && range().upperBound > before.lowerBound)
                before = range()
            }
            #expect(before.lowerBound == 0 && page.state.chosenComment == 0)
        }
        page.press(.end)
        #expect(range().upperBound == SheetLayout(page.state).total && page.state.chosenComment == 3)
    }

    /// What comes above does not move what is read.
    @Test func theChosenCommentStaysWhereItIs() {
        let page = discussed()
        for _ in 0..<6 { page.press(.down) }
        let row = page.screen.firstIndex { $0.contains("Comment number 6") }
        page.type("c")
        page.type("c")
        for _ in 0..<6 { page.press(.down) }
        let new = [comment("new", "Just now", ago: 0)] + (0..<12).map { comment("\($0)", "Comment number \($0)") }
        page.send(.comments("v1", after: nil, CommentPage(comments: new)))
        #expect(page.screen.firstIndex { $0.contains("Comment number 6") } == row)
        #expect(page.state.commentList.entries[page.state.chosenComment].id == "6")
    }

    @Test func anAnswerStandsUnderTheChosenComment() {
        let page = discussed()
        page.press(.down)
        #expect(page.type("r") == [.pause("v1")])
        #expect(page.screen.contains { $0.contains("Reply to Name 1") })
        #expect(page.state.view.sheet == .comments)
        write("I agree", on: page)
        #expect(
            page.press(.enter) == [.play("v1"), .sendComment("v1", local: "local-1", text: "I agree", parent: "1")])
        let entries = page.state.commentList.entries
        #expect(entries[2].id == "local-1" && entries[2].depth == 1)
        #expect(page.screen.contains { $0.contains("you · sending…") })
        page.type("r")
        #expect(page.state.typing == nil)
        page.send(.commentSent("v1", local: "local-1", comment("s", "I agree", under: "1", ago: -10)))
        #expect(page.screen.contains { $0.contains("Name s · you · now") })
        #expect(page.state.discussion.count(of: Page.feed[0]) == 31)
    }

    @Test func theSheetIsUsedWithTheMouse() {
        let page = discussed()
        let layout = SheetLayout(page.state)
        let row = layout.body.row + 3
        page.mouse(.press(.left), layout.body.column + 2, row)
        page.mouse(.release(.left), layout.body.column + 2, row)
        #expect(page.state.chosenComment == 1 && page.state.view.sheet == .comments)
        page.mouse(.wheelDown, 20, 10)
        #expect(page.state.chosenComment == 2)
        let footer = layout.footerFrame ?? GridRect(column: 0, row: 0, columns: 0, rows: 0)
        page.mouse(.press(.left), footer.column + 2, footer.row)
        page.mouse(.release(.left), footer.column + 2, footer.row)
        #expect(page.state.typing?.item == "v1")
    }

    /// In the sheet `r` answers; on the page and in other sheets it reads the feed again.
    @Test func refreshKeepsItsKeyElsewhere() {
        let page = page()
        #expect(page.type("r") == [.refresh])
        page.type("I")
        #expect(page.type("r") == [.refresh])
    }

    // MARK: Time

    @Test func agesOfCommentsInViewWakeThePage() {
        let page = page()
        page.type(" ")
        page.type("c")
        page.send(
            .comments("v1", after: nil, CommentPage(comments: [comment("a", ago: 3_000), comment("b", ago: 20)])))
        page.wait(.seconds(3))
        #expect(page.state.nextText(after: page.now) == page.now + .seconds(1))
        page.type("c")
        #expect(page.state.nextText(after: page.now) ?? .zero > page.now + .seconds(9))
    }

    // MARK: Refused reactions

    @Test func aRefusedReactionIsTakenBack() {
        let page = page()
        page.type("l")
        page.type("y")
        page.send(.reactionRefused("v1", Reaction(), why: "sign in\u{7}"))
        #expect(page.state.reactions["v1"].isLiked == false && page.state.reactions["v1"].wasShared == true)
        #expect(page.state.toasts.current?.text == GlyphLine("Change not saved: sign in\u{FFFD}"))
    }
}
