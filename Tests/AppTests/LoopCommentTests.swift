import Engagement
import Foundation
import Model
import TestSupport
import Testing

@testable import App
@testable import UI

/// Comments of the loop: sent, kept in the library, and settled while the page is elsewhere.
@MainActor @Suite(.serialized, .timeLimit(.minutes(2))) struct LoopCommentTests {
    @Test func commentsThatArriveAfterTheirSheetIsClosedStayKnown() throws {
        let stage = try LoopStage()
        defer { stage.close() }
        stage.start()
        stage.inbox.post(.event(.service(takesComments: true)))
        try stage.type("c")
        stage.settle()
        #expect(stage.state.view.sheet == .comments)
        try stage.type("c")
        stage.settle()
        #expect(stage.state.view.sheet == nil)
        let comment = Comment(id: "1", text: "Hello", at: Date(timeIntervalSince1970: 0))
        stage.inbox.post(.event(.comments("a", after: nil, CommentPage(comments: [comment]))))
        stage.settle()
        #expect(stage.state.view.sheet == nil)
        #expect(stage.state.discussion["a"].entries.map(\.id) == ["1"])
    }

    @Test func commentIsSettledOnce() throws {
        let stage = try LoopStage(library: true)
        defer { stage.close() }
        let link = try #require(stage.loop.library.link)
        let id = stage.comments.send(
            "Hello", on: LoopStage.items[0], local: "local", answering: nil, through: link, now: .zero)
        stage.comments.settle(id, .success(nil))
        stage.comments.settle(id, .success(nil))
        let found = stage.drainEvents()
        guard found.count == 1, case .commentSent("a", local: "local", let comment)? = found.first else {
            Issue.record("\(found)")
            return
        }
        #expect(comment.text == "Hello" && comment.id == id && comment.isOwn)
    }

    @Test func commentOnAFileStaysInTheLibrary() throws {
        let stage = try LoopStage(library: true)
        defer { stage.close() }
        stage.start()
        try stage.type(":")
        stage.settle()
        try stage.type("Hello\r")
        #expect(stage.wait { stage.state.discussion["a"].entries.map(\.comment.state) == [.sent] })
        let sent = stage.state.discussion["a"].entries
        // What the library has is shown, and nothing is left of what the page knew.
        stage.comments.load(of: LoopStage.items[0], after: nil, from: stage.loop.library.link)
        // That the library has the comment may be reported only now.
        let found = stage.nextEvents(1) { if case .comments = $0 { true } else { false } }
        guard case .comments("a", after: nil, let page)? = found.first else {
            Issue.record("\(found)")
            return
        }
        #expect(page.comments.map(\.id) == sent.map(\.id) && page.comments.map(\.text) == ["Hello"])
        #expect(page.total == 1 && page.comments.allSatisfy(\.isOwn))
        let stored = { stage.stored { try $0.comments(on: ItemKey(LoopStage.items[0])).map(\.text) } }
        try stage.type("cd")
        #expect(stage.wait { stored() == [] })
        try stage.type("U")
        #expect(stage.wait { stored() == ["Hello"] })
    }

    /// A file may name the list of comments of the clip that it is a copy of.
    @Test func commentsInTheLibraryAreShownAndCountedBeforeThoseOfAServer() throws {
        let server = try FaultyServer()
        let text = #"{"comments":[{"id":"s","text":"Theirs","at":"2026-01-01T00:00:00Z"}],"total":7}"#
        server.serve("/comments", Resource.text(text))
        var item = LoopStage.items[0]
        item.commentsURL = server.url("/comments")
        let stage = try LoopStage(library: true)
        defer { stage.close() }
        let link = try #require(stage.loop.library.link)
        stage.comments.keep("Mine", on: item, local: "local", answering: nil, in: link, now: .zero)
        stage.comments.load(of: item, after: nil, from: link)
        let found = stage.nextEvents(1) { if case .comments = $0 { true } else { false } }
        guard case .comments("a", after: nil, let page)? = found.first else {
            Issue.record("\(found)")
            return
        }
        #expect(page.comments.map(\.text) == ["Mine", "Theirs"] && page.total == 8)
    }

    @Test func commentOfAnEarlierSessionIsNotOnThePage() throws {
        let stage = try LoopStage()
        defer { stage.close() }
        stage.comments.settle("earlier", .failure(AppError("refused")))
        #expect(stage.drainEvents().isEmpty)
    }

    @Test func commentThatIsRefusedSaysWhy() throws {
        let stage = try LoopStage(library: true)
        defer { stage.close() }
        let link = try #require(stage.loop.library.link)
        let id = stage.comments.send(
            "Hello", on: LoopStage.items[0], local: "local", answering: nil, through: link, now: .zero)
        stage.comments.settle(id, .failure(AppError("too rude")))
        guard case .commentRefused("a", local: "local", why: "too rude")? = stage.drainEvents().first else {
            Issue.record("no refusal")
            return
        }
    }
}
