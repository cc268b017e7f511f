import Bytes
import Model
import Testing
import Threads

@testable import Feeds

/// Comments on items of services.
@Suite struct ServiceCommentsTests {
    private static let video = Item(
        id: "u", url: "https://h/api/v1/videos/u", feed: "https://h/c/river", resolver: .peerTube)
    private static let post = Item(
        id: "https://h/api/v1/statuses/10#2", url: "https://cdn.example/a.mp4", feed: "https://h")

    private func page(_ item: Item, _ answers: [String: String], after next: String? = nil) throws -> CommentPage {
        let comments = try #require(ServiceComments(of: item))
        let provider = ScriptedProvider(answers)
        return try comments.read(after: next, with: provider, cancellation: Cancellation())
    }

    @Test func commentsThatAManifestNamesAreRead() throws {
        var item = Item(id: "a", url: "file:///clips/a.mp4")
        #expect(ServiceComments(of: item) == nil)
        item.commentsURL = "file:///clips/a-comments.json"
        let answer = """
            {"comments": [{"id": "1", "name": "Ada", "text": "First", "at": "2026-05-01T12:00:00Z",
                "replies": [{"id": "2", "text": "Second", "at": "2026-05-01T12:01:00Z"}]}]}
            """
        let page = try page(item, ["file:///clips/a-comments.json": answer])
        #expect(page.comments.map(\.text) == ["First", "Second"] && page.comments.map(\.parent) == [nil, "1"])
        #expect(page.comments[0].name == "Ada" && page.next == nil)
    }

    @Test func commentsOfPeerTubeComePageByPage() throws {
        func thread(_ id: Int, _ text: String) -> String {
            #"{"id": \#(id), "threadId": \#(id), "text": "\#(text)", "createdAt": "2026-05-01T12:00:0\#(id).000Z", "totalReplies": 1, "isDeleted": false, "account": {"name": "o", "displayName": "Otter", "host": "h"}}"#
        }
        let first = "https://h/api/v1/videos/u/comment-threads?start=0&count=50&sort=-createdAt"
        let second = "https://h/api/v1/videos/u/comment-threads?count=50&sort=-createdAt&start=50"
        let deleted =
            #"{"id": 3, "text": "", "isDeleted": true, "createdAt": "2026-05-01T12:00:00.000Z", "account": null}"#
        let answers = [
            first:
                #"{"total": 51, "totalNotDeletedComments": 50, "data": [\#(thread(2, "2 < 3 **bold**")), \#(deleted), null, {"id": 9}]}"#,
            second: #"{"total": 51, "data": [\#(thread(1, "<p>From <b>elsewhere</b></p><p>two</p>"))]}"#,
        ]
        let page = try page(Self.video, answers)
        #expect(page.comments.map(\.text) == ["2 < 3 **bold**"] && page.next == second && page.total == 50)
        #expect(page.comments[0].name == "Otter" && page.comments[0].parent == nil && !page.comments[0].isOwn)
        let last = try self.page(Self.video, answers, after: second)
        #expect(last.comments.map(\.text) == ["From elsewhere\n\ntwo"] && last.next == nil)
    }

    @Test func answersOnMastodonStandBelowTheFirst() throws {
        func reply(_ id: Int, to answered: Int, _ text: String) -> String {
            #"{"id": "\#(id)", "in_reply_to_id": "\#(answered)", "content": "<p>\#(text)</p>", "created_at": "2026-05-01T12:00:\#(id).000Z", "account": {"acct": "o@h", "display_name": ""}}"#
        }
        let replies = [
            reply(11, to: 10, "one"), reply(12, to: 11, "to one"), reply(14, to: 12, "to that"),
            reply(13, to: 10, "two &amp; more"),
            reply(15, to: 99, "to no comment"),
        ]
        let answers = [
            "https://h/api/v1/statuses/10/context":
                "{\"ancestors\": [], \"descendants\": [\(replies.joined(separator: ","))]}"
        ]
        let page = try page(Self.post, answers)
        #expect(page.comments.map(\.text) == ["to no comment", "two & more", "one", "to one", "to that"])
        #expect(page.comments.map(\.parent) == [nil, nil, nil, "11", "11"] && page.next == nil)
        #expect(page.comments[0].name == "o@h")
    }

    /// An id is its feed's to choose: it leads to no other server.
    @Test(arguments: [
        Item(id: "https://other/api/v1/statuses/10", url: "https://h/a.mp4", feed: "https://h/feed.json"),
        Item(id: "https://g/api/v1/statuses/10", url: "https://h/a.mp4", feed: "https://h/feed.json"),
        Item(id: "https://h/api/v1/statuses/../x", url: "https://h/a.mp4", feed: "https://h/feed.json"),
        Item(id: "u", url: "https://other/api/v1/videos/u", feed: "https://h", resolver: .peerTube),
        Item(id: "u", url: "https://h/page", feed: "https://h", resolver: .ytDLP),
        Item(id: "https://h/api/v1/statuses/10", url: "https://h/a.mp4"),
    ])
    func otherItemsHaveNoComments(item: Item) { #expect(ServiceComments(of: item) == nil) }

    @Test(arguments: ["[]", "{}", "{\"descendants\": null}", "{\"descendants\": [", "<html>", "12"])
    func badAnswersAreReported(answer: String) throws {
        let comments = try #require(ServiceComments(of: Self.post))
        do throws(BytesError) {
            _ = try comments.read(
                after: nil, with: ScriptedProvider([comments.url: answer]), cancellation: Cancellation())
            Issue.record("it was read")
        } catch {
            #expect(error.why == "Mastodon: unexpected response")
        }
    }

    @Test func aPageLeadsToItsOwnServerOnly() throws {
        let comments = try #require(ServiceComments(of: Self.video))
        let provider = ScriptedProvider([:])
        #expect(throws: BytesError.self) {
            try comments.read(after: "https://other/x", with: provider, cancellation: Cancellation())
        }
        #expect(provider.asked.isEmpty)
    }
}
