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
        case .done, .repeated, .likes, .refused: throw ServiceError(why: "a comment was stored incorrectly")
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
            try $0.comments(of: item, before: before, limit: limit, viewer: viewer)
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

    // MARK: Changes of a comment

    static let reasonLimit = 500

    /// What a refusal of the store says.
    private static func error(_ refusal: CommentRefusal) -> RequestError {
        switch refusal {
        case .unknown: unknownComment
        case .notOwn: RequestError(.forbidden, "this comment is another viewer's")
        case .tooLate: RequestError(.forbidden, "this comment was deleted over an hour ago")
        }
    }

    private static let unknownComment = RequestError(.notFound, "no such comment on this item")

    func change(_ comment: String, of item: String, _ act: CommentAct, _ call: Call) async throws -> Answer {
        try await change(comment, of: item, act, at: try await orderTime(call), call)
    }

    func report(_ comment: String, of item: String, _ call: Call) async throws -> Answer {
        let fields = try Fields(try await call.body())
        let reason = try fields.text("reason", limit: Self.reasonLimit)
        guard Comment.isVisible(reason) else { throw RequestError(.badRequest, "reason: it has no visible characters") }
        return try await change(comment, of: item, .report(reason: reason), at: try Self.orderTime(fields), call)
    }

    private func change(
        _ comment: String, of item: String, _ act: CommentAct, at: Double, _ call: Call
    ) async throws -> Answer {
        let viewer = try call.viewer()
        _ = try await self.item(item)
        guard comment.utf8.count <= 32, let number = Int64(comment), number > 0 else { throw Self.unknownComment }
        let change = CommentChange(
            comment: number, item: item, viewer: viewer, isByAddress: call.request.headers[Viewer.header] == nil,
            isOperator: call.isOperator, act: act, at: at, received: WallClock.now)
        switch try await queue.write(.change(change)) {
        case .refused(let why): throw Self.error(why)
        case .likes(let likes):
            return .text(JSONLine(fields: [("status", .text("kept")), ("likes", .integer(likes))]))
        case let outcome: return Self.kept(isRepeated: outcome == .repeated)
        }
    }

    /// The reports of comments, for the server's operator.
    func reports(_ query: AddressQuery) async throws -> Answer {
        let limit = try query.number("limit", in: 1...1_000) ?? 100
        let reports = try await queue.read { try $0.reports(limit: limit) }
        var object = JSONLine()
        object.put(
            "reports",
            reports.map { report in
                var line = JSONLine()
                line.put("video_id", .text(report.comment.remark.item))
                line.put("comment", Self.object(report.comment, for: ""))
                line.put("reason", .text(report.reason))
                line.put("at", .text(RFC3339.text(seconds: report.at)))
                return line
            })
        return .text(object)
    }

    /// The text is sent as it was written: who shows it makes it safe to show.
    private static func object(_ comment: StoredComment, for viewer: String) -> JSONLine {
        var line = JSONLine()
        line.put("id", .text(String(comment.number)))
        let remark = comment.remark
        line.put("text", .text(comment.isDeleted ? deletedText : remark.text))
        line.put("at", .text(RFC3339.text(seconds: remark.at)))
        if remark.isClockOff { line.put("clock", .text("off")) }
        if let name = remark.name, !comment.isDeleted { line.put("name", .text(name)) }
        line.put("own", .flag(remark.viewer == viewer && !comment.isDeleted))
        if let parent = remark.parent { line.put("parent", .text(String(parent))) }
        line.put("likes", .integer(comment.likes))
        line.put("liked", .flag(comment.isLiked))
        if comment.isDeleted { line.put("deleted", .flag(true)) }
        return line
    }

    /// Clients of the first version, which know nothing of deleted comments, show it like any text.
    private static let deletedText = "Deleted comment"
}
