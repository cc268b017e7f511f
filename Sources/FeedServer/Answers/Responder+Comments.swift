import Model
import Platform

/// Comments and replies.
extension Responder {
    static let textLimit = 2_000
    static let nameLimit = 64
    private static let usualPage = 20
    private static let largestPage = 100

    func addComment(to item: String, _ call: Call) async throws -> Answer {
        let fields = try Fields(try await call.body())
        let now = WallClock.now
        let moment = try fields.required("at", try fields.moment(now: now))
        var parent: Int64?
        if let text = try fields.optionalText("parent", limit: 32) {
            guard let number = Int64(text), number > 0 else { throw Self.unknownParent }
            parent = number
        }
        let viewer = try call.viewer()
        let event = try fields.id("event_id")
        let text = try fields.text("text", limit: Self.textLimit)
        guard Comment.isVisible(text) else { throw RequestError(.badRequest, "text: it has no visible characters") }
        let new = Remark(
            item: item, viewer: viewer, name: try fields.optionalText("name", limit: Self.nameLimit), text: text,
            at: moment.isFar ? now : moment.at,
            isClockOff: moment.isFar, parent: parent)
        _ = try await self.item(item)
        switch try await queue.write(.comment(new, event: event)) {
        case .comment(let comment, let isNew):
            return .text(Self.object(comment, for: viewer), status: isNew ? .created : .ok)
        case .noParent: throw Self.unknownParent
        case .done, .repeated: throw ServiceError(why: "a comment was stored incorrectly")
        }
    }

    private static let unknownParent = RequestError(.badRequest, "parent: no such comment on this item")

    func comments(of item: String, _ call: Call) async throws -> Answer {
        let limit = try call.query.number("limit", in: 1...Self.largestPage) ?? Self.usualPage
        var before: Int64?
        if let text = call.query["cursor"] {
            guard let number = Int64(text), number > 0 else {
                throw RequestError(.badRequest, "cursor: unknown cursor")
            }
            before = number
        }
        let viewer = try call.viewer()
        _ = try await self.item(item)
        let page = try await queue.read { [before] in
            try $0.comments(of: item, before: before, limit: limit)
        }
        var object = JSONLine()
        object.put(
            "comments",
            page.threads.map { thread in
                var line = Self.object(thread.comment, for: viewer)
                line.put("replies", thread.replies.map { Self.object($0, for: viewer) })
                return line
            })
        if let next = page.next {
            let pairs = [("cursor", String(next)), ("limit", String(limit))]
            object.put("next", .text(call.base.url("/videos/\(item)/comments", pairs)))
        }
        object.put("total", .integer(page.total))
        return .text(object)
    }

    /// The text is sent as it was written: who shows it makes it safe to show.
    private static func object(_ comment: StoredComment, for viewer: String) -> JSONLine {
        var line = JSONLine()
        line.put("id", .text(String(comment.number)))
        let remark = comment.remark
        line.put("text", .text(remark.text))
        line.put("at", .text(RFC3339.text(seconds: remark.at)))
        if remark.isClockOff { line.put("clock", .text("off")) }
        if let name = remark.name { line.put("name", .text(name)) }
        line.put("own", .flag(remark.viewer == viewer))
        if let parent = remark.parent { line.put("parent", .text(String(parent))) }
        return line
    }
}
