import Bytes
import Engagement
import HTTP
import Model
import TestSupport
import Testing
import UI

@testable import App

/// What services are sent of the user's actions, and what comes back to the page.
@MainActor @Suite(.serialized, .timeLimit(.minutes(2))) struct ServicesTests {
    private let server: FaultyServer
    private let folder = TemporaryFolder()
    private let inbox: Inbox<LoopMessage>
    private let comments: CommentSession
    private let link: LibraryLink

    init() throws {
        let (server, inbox) = (try FaultyServer(), try Inbox<LoopMessage>())
        let journal = try Journal(
            ReportSettings(stateFolder: folder.path), file: LogFile(path: folder.path + "/log"), clock: ProcessClock())
        comments = CommentSession(provider: FileProvider(), inbox: inbox, journal: journal)
        link = LibraryLink(
            path: folder.path + "/flick.db", network: NetworkOptions(), name: "Ann", comments: comments, inbox: inbox,
            journal: journal, began: 1_000)
        (link.source, link.endpoint) = (server.url("/feed.json"), server.url("/service"))
        (self.server, self.inbox) = (server, inbox)
    }

    private func item(_ id: String, creator: Item.Creator? = nil) -> Item {
        Item(id: id, url: server.url("/clip.mp4"), creator: creator, feed: server.url("/feed.json"))
    }

    /// Has the server answer requests below its root.
    private func serve(_ path: String, _ body: String, status: Int = 200, type: String = "application/json") {
        var resource = Resource(.bytes(Array(body.utf8)), type: type, etag: nil)
        resource.status = status
        resource.methods = ["GET", "POST", "PUT", "DELETE"]
        server.serve(path, resource)
    }

    private static let kept = #"{"status":"kept"}"#

    /// Waits until nothing is left to send now, and returns what came of it.
    private func settled() -> [String] {
        link.recorder.flush(within: .seconds(20))
        link.services?.sender.drain(within: .seconds(20))
        return inbox.drain().map { words($0) }
    }

    private func words(_ message: LoopMessage) -> String {
        switch message {
        case .event(.delivered(let id, let action)): "delivered \(id) \(action)"
        case .event(.undelivered(let id, let action)): "undelivered \(id) \(action)"
        case .event(.commentSent(let id, let local, let comment)): "sent \(id) \(local) \(comment.id) \(comment.text)"
        case .event(.commentRefused(let id, let local, let why)): "refused \(id) \(local): \(why)"
        case .event(.commentLikes(let id, let comment, let likes)): "likes \(id) \(comment) \(likes)"
        case .event(.commentChangeRefused(let id, let comment, let act, let why)):
            "change \(id) \(comment) \(act): \(why)"
        case .event(.reactionRefused(let id, let before, let why)):
            "reaction \(id) \(before.isLiked) \(before.isSaved): \(why)"
        case .event(.followRefused(let creator, let before, let why)): "follow \(creator) \(before): \(why)"
        case .event(.deletionRefused(let id, let deletes, let why)): "deletion \(id) \(deletes): \(why)"
        case .event(.notice(let text, let kind)): "\(kind) \(text)"
        default: "\(message)"
        }
    }

    // MARK: Comments

    @Test func commentIsSentWithItsParentNameAndTime() throws {
        defer { link.close() }
        serve(
            "/service/videos/a/comments",
            #"{"id":"s1","text":"as kept","at":"2026-01-01T00:00:00Z","own":true}"#, status: 201)
        let id = comments.send(
            "Hello", on: item("a"), local: "local-1", answering: "7", through: link, now: .seconds(5))
        #expect(settled() == ["delivered a comments", "sent a local-1 s1 as kept"])
        let request = try #require(server.requests.first)
        #expect(request.method == "POST" && request.headers["flick-viewer"]?.isEmpty == false)
        #expect(
            String(decoding: request.body, as: UTF8.self)
                == #"{"event_id":"\#(id)","at":"1970-01-01T00:16:45Z","text":"Hello","parent":"7","name":"Ann"}"#)
    }

    @Test func refusedCommentIsNamedByItsIDOnThePage() {
        defer { link.close() }
        serve("/service/videos/b/comments", #"{"error":"too long"}"#, status: 403)
        comments.send("Hello", on: item("b"), local: "local-2", answering: nil, through: link, now: .zero)
        #expect(settled() == ["delivered b comments", "refused b local-2: too long"])
    }

    @Test func likeOfACommentBringsItsCount() {
        defer { link.close() }
        serve("/service/videos/b/comments/7/like", #"{"status":"kept","likes":4}"#)
        link.change("7", on: item("b"), .like(true), now: .seconds(1))
        #expect(settled() == ["delivered b likeComment", "likes b 7 4"])
        link.change("7", on: item("b"), .like(false), now: .seconds(2))
        #expect(settled() == ["delivered b likeComment", "likes b 7 4"])
        #expect(server.requests.map(\.method) == ["PUT", "DELETE"])
    }

    // MARK: Reactions

    @Test func refusalsRestoreWhatHeldBefore() {
        defer { link.close() }
        serve("/service/videos/a/like", Self.kept)
        serve("/service/videos/a/save", #"{"error":"no saves"}"#, status: 403)
        serve("/service/creators/c1/follow", #"{"error":"no follows"}"#, status: 404)
        serve("/service/videos/a/comments/7", #"{"error":"not yours"}"#, status: 403)
        serve("/service/videos/a", #"{"error":"not here"}"#, status: 405)
        let item = item("a", creator: Item.Creator(id: "c1", name: "Mira"))
        link.react(to: item, Reaction(isLiked: true, isDisliked: false, isSaved: false), now: .seconds(1))
        link.react(to: item, Reaction(isLiked: true, isDisliked: false, isSaved: true), now: .seconds(2))
        link.follow(item, true, now: .seconds(3))
        link.change("7", on: item, .delete(true), now: .seconds(4))
        link.delete(item, true, now: .seconds(5))
        #expect(
            settled() == [
                "delivered a like", "delivered a save", "reaction a true false: no saves", "delivered a follow",
                "follow c1 false: no follows", "delivered a deleteComment", "change a 7 delete(true): not yours",
                "delivered a deleteItem", "deletion a true: not here",
            ])
        #expect(server.requests.map(\.method) == ["PUT", "PUT", "PUT", "DELETE", "DELETE"])
    }

    /// A service knows creators by their ids alone.
    @Test func followOfACreatorWithoutAnIDIsNotSent() {
        defer { link.close() }
        link.follow(item("a", creator: Item.Creator(name: "Mira")), true, now: .zero)
        #expect(settled().isEmpty && server.requests.isEmpty)
    }

    @Test func shareThatIsNotDeliveredIsNotRefused() {
        defer { link.close() }
        serve("/service/videos/a/share", #"{"error":"later"}"#, status: 503)
        link.share(item("a"), now: .zero)
        #expect(settled() == ["undelivered a copyLink"])
    }

    /// A login page answers every message. Views, which the user does not send, are not mentioned.
    @Test func pageInPlaceOfServicesIsReportedOnce() {
        defer { link.close() }
        for path in ["/0/videos/track_view", "/1/videos/b/like", "/2/videos/c/share"] {
            serve(path, "<html>", status: 404, type: "text/html")
        }
        link.endpoint = server.url("/0")
        link.show(item("a"), page: 0)
        link.note([EngagementEvent(item: "a", at: .zero, what: .view(watched: .seconds(2)))])
        #expect(settled().isEmpty && server.requests.count == 1)
        link.endpoint = server.url("/1")
        link.react(to: item("b"), Reaction(isLiked: true, isDisliked: false, isSaved: false), now: .zero)
        let events = settled()
        #expect(events.count == 2 && events.first == "undelivered b like")
        #expect(events.last?.hasPrefix("remark like not sent yet; flick will retry: ") == true)
        link.endpoint = server.url("/2")
        link.share(item("c"), now: .zero)
        #expect(settled() == ["undelivered c copyLink"])
    }

    @Test func eachActIsItsActionOnThePage() {
        link.close()
        let acts: [ServiceMessage.Act] = [
            .like, .dislike, .save, .share, .follow, .comments, .deletion, .comment, .commentLike, .report,
        ]
        #expect(
            acts.map(\.action) == [
                .like, .dislike, .save, .copyLink, .follow, .comments, .deleteItem, .deleteComment, .likeComment,
                .reportComment,
            ])
    }

    // MARK: Reading comments

    /// The next answer to a request for comments.
    private func answer() -> Event? {
        var found: Event?
        #expect(
            holds(within: .seconds(20)) {
                for case .event(let event) in inbox.drain() { found = event }
                return found != nil
            })
        return found
    }

    @Test func pagesOfCommentsFollowEachOther() {
        defer { link.close() }
        link.endpoint = server.url("/service?token=secret")
        let comment = { (id: String) in #"{"id":"\#(id)","text":"x","at":"2026-01-01T00:00:00Z"}"# }
        let (first, second) = (comment("1"), comment("2"))
        let path = "/service/videos/a%2Fb/comments"
        let answers = Resource.Body.dynamic { request in
            let isFirst = request.query == "token=secret"
            return Array(
                (isFirst
                    ? #"{"comments":[\#(first)],"next":"comments?cursor=2","total":2}"#
                    : #"{"comments":[\#(second)],"total":2}"#).utf8)
        }
        server.serve(path, Resource(answers, type: "application/json", etag: nil))
        link.loadComments(of: item("a/b"), after: nil)
        guard case .comments("a/b", after: nil, let page)? = answer() else {
            Issue.record("no first page")
            return
        }
        let next = server.url(path + "?cursor=2")
        #expect(page.comments.map(\.id) == ["1"] && page.total == 2 && page.next == next)
        link.loadComments(of: item("a/b"), after: page.next)
        guard case .comments("a/b", after: next, let rest)? = answer() else {
            Issue.record("no second page")
            return
        }
        #expect(rest.comments.map(\.id) == ["2"] && rest.next == nil)
        #expect(server.requests.map(\.query) == ["token=secret", "cursor=2"])
        // The service has had no message, so it knows no viewer.
        #expect(server.requests.allSatisfy { $0.headers["flick-viewer"] == nil })
    }

    /// Services must not recognize a viewer of another one.
    @Test func requestNamesTheViewerOfItsOwnService() {
        defer { link.close() }
        for (service, id) in [("/1", "a"), ("/2", "b")] {
            serve("\(service)/videos/\(id)/share", Self.kept)
            serve("\(service)/videos/\(id)/comments", #"{"comments":[]}"#)
            link.endpoint = server.url(service)
            link.share(item(id), now: .zero)
            #expect(settled() == ["delivered \(id) copyLink"])
        }
        link.endpoint = server.url("/1")
        link.loadComments(of: item("a"), after: nil)
        guard case .comments("a", after: nil, _)? = answer() else {
            Issue.record("no comments")
            return
        }
        let viewers = server.requests.map { $0.headers["flick-viewer"] }
        #expect(viewers.count == 3 && viewers[2] == viewers[0] && viewers[1] != viewers[0] && viewers[0] != nil)
    }

    @Test func commentsThatCannotBeReadSayWhy() {
        defer { link.close() }
        serve("/service/videos/a/comments", #"{"error":"no such clip"}"#, status: 404)
        serve("/service/videos/b/comments", "{}")
        serve("/service/videos/c/comments", #"{"comments":[]}"#, type: "text/html")
        let unexpected = "unexpected response from the server"
        for (id, why) in [("a", "no such clip"), ("b", unexpected), ("c", unexpected)] {
            link.loadComments(of: item(id), after: nil)
            guard case .commentsUnavailable(id, why: why)? = answer() else {
                Issue.record("\(id) has comments")
                continue
            }
        }
    }

    @Test func abilitiesAreThoseOfAServiceThatTakesComments() {
        defer { link.close() }
        link.declared = [.likeComment]
        #expect(link.takesComments && link.takesComments(on: item("a")) && link.abilities == [.likeComment])
        link.endpoint = nil
        #expect(!link.takesComments && !link.takesComments(on: item("a")) && link.abilities.isEmpty)
    }
}
