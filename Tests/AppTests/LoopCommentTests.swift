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

    /// A list with one comment, of seven in all.
    private func serveComment(_ text: String, at path: String, on server: FaultyServer) {
        let list = #"{"comments":[{"id":"s","text":"\#(text)","at":"2026-01-01T00:00:00Z"}],"total":7}"#
        server.serve(path, Resource.text(list))
    }

    /// A file may name the list of comments of the clip that it is a copy of.
    @Test func commentsInTheLibraryAreShownAndCountedBeforeThoseOfAServer() throws {
        let server = try FaultyServer()
        serveComment("Theirs", at: "/comments", on: server)
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

    @Test func answersOfServicesBelongToTheirComments() throws {
        let stage = try LoopStage(library: true)
        defer { stage.close() }
        let link = try #require(stage.loop.library.link)
        let ids = ["a", "b"].enumerated().map { index, name in
            stage.comments.send(
                "Hello \(name)", on: LoopStage.items[index], local: "local-\(name)", answering: "parent-\(name)",
                through: link, now: .zero)
        }
        #expect(ids[0] != ids[1])
        // The service writes it in another way, under its own id.
        let changed = Comment(id: "7", text: "Hello B", at: Date(timeIntervalSince1970: 5), isOwn: true)
        stage.comments.settle(ids[1], .success(changed))
        stage.comments.settle(ids[0], .success(nil))
        let found = stage.drainEvents()
        guard found.count == 2, case .commentSent("b", local: "local-b", let second) = found[0],
            case .commentSent("a", local: "local-a", let first) = found[1]
        else {
            Issue.record("\(found)")
            return
        }
        #expect(second == changed)
        #expect(first.id == ids[0] && first.text == "Hello a" && first.parent == "parent-a" && first.isOwn)
    }

    @Test func commentInTheLibraryHasTheIdAndParentThatThePageKnows() throws {
        let stage = try LoopStage(library: true)
        defer { stage.close() }
        let (link, item) = (try #require(stage.loop.library.link), LoopStage.items[1])
        stage.comments.keep("Mine", on: item, local: "local", answering: "parent", in: link, now: .seconds(30))
        let found = stage.drainEvents()
        guard found.count == 1, case .commentSent("b", local: "local", let comment)? = found.first else {
            Issue.record("\(found)")
            return
        }
        #expect(comment.text == "Mine" && comment.parent == "parent" && comment.isOwn)
        let stored = OwnComment(id: comment.id, text: "Mine", parent: "parent", at: 30)
        // Writes what waits.
        link.close()
        #expect(stage.stored { try $0.comments(on: ItemKey(item)) } == [stored])
    }

    /// The user's own comments are on the first page.
    @Test func furtherPageOfAListIsReadWhereThePageBeforeNamedIt() throws {
        let server = try FaultyServer()
        serveComment("Older", at: "/older", on: server)
        var item = LoopStage.items[1]
        item.commentsURL = server.url("/comments")
        let stage = try LoopStage(library: true)
        defer { stage.close() }
        let link = try #require(stage.loop.library.link)
        stage.comments.keep("Mine", on: item, local: "local", answering: nil, in: link, now: .zero)
        stage.comments.load(of: item, after: server.url("/older"), from: link)
        let found = stage.nextEvents(1) { if case .comments = $0 { true } else { false } }
        guard case .comments("b", let after, let page)? = found.first else {
            Issue.record("\(found)")
            return
        }
        #expect(after == server.url("/older"))
        #expect(page.comments.map(\.text) == ["Older"] && page.total == 7)
        #expect(server.requests.map(\.path) == ["/older"])
    }

    @Test func listThatCannotBeReadIsUnavailableForItsItem() throws {
        let server = try FaultyServer()
        var item = Item(id: "remote", url: server.url("/a.mp4"), feed: server.url("/feed.json"))
        let stage = try LoopStage(library: true)
        defer { stage.close() }
        let link = try #require(stage.loop.library.link)
        var reasons: [String] = []
        for list in [nil, server.url("/comments")] {
            item.commentsURL = list
            stage.comments.load(of: item, after: nil, from: link)
            for case .commentsUnavailable("remote", let why) in stage.nextEvents(1) { reasons.append(why) }
        }
        #expect(reasons.count == 2 && reasons.first == "this feed has no comments")
        #expect(reasons.last?.contains("404") == true)
    }
}
