import Model

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// A request that reports a view or a reaction to a feed's service. A value.
public struct ServiceMessage: Hashable, Sendable {
    public enum Method: String, Sendable { case post = "POST", put = "PUT", delete = "DELETE" }

    /// The state to restore here if the service refuses the message.
    enum Undo: Hashable, Sendable {
        case nothing
        case opinion(isLiked: Bool, isDisliked: Bool)
        case save(Bool)
        /// `was`: how the creator was followed; nil if that was not so, or is not known.
        case follow(Bool, was: FollowRecord? = nil)
        // Nothing here: the page restores what its service did not do.
        case comment(CommentAct)
        case deletion(Bool)
    }

    /// How a creator is followed, without who that is. A value.
    struct FollowRecord: Hashable, Sendable {
        var name: String
        /// In seconds since 1970.
        var since: Double
        var feed: FollowedFeed?
    }

    public var method: Method
    /// Below the feed's endpoint, percent-encoded.
    public var path: String
    /// An object of JSON.
    public var body: String
    /// Unique for ever: the service counts a message once, however often it comes.
    public var id: String
    /// Messages about the same are sent in the order in which things happened: "video/ID", "creator/ID",
    /// "comment/ID".
    var subject: String
    var undo = Undo.nothing

    /// The user's action; nil if the message reports watching.
    public var act: Act? {
        let steps = path.split(separator: "/")
        switch steps.count {
        case 2 where method != .post: return .deletion
        case 3: return Act(rawValue: String(steps[2]))
        case 4: return .comment
        case 5: return steps[4] == "like" ? .commentLike : .report
        default: return nil
        }
    }

    /// Those of an item or a creator as the protocol has them: the last part of the path.
    public enum Act: String, Sendable {
        case like, dislike, save, share, follow, comments
        /// An item is deleted, or comes back.
        case deletion
        /// A comment is deleted, or comes back.
        case comment
        case commentLike = "comment_like"
        case report
    }

    /// The id of the comment that it is about; nil if it is about none.
    public var comment: String? {
        subject.hasPrefix(Self.commentMark) ? String(subject.dropFirst(Self.commentMark.count)) : nil
    }

    private static let commentMark = "comment/"

    private init(
        _ method: Method, video: String, _ action: String, id: String, body: JSONLine, undo: Undo = .nothing
    ) {
        self.init(
            method, subject: "video/\(video)", path: "videos/\(PercentEncoding.component(video))/\(action)", id: id,
            body: body, undo: undo)
    }

    private init(_ method: Method, subject: String, path: String, id: String, body: JSONLine, undo: Undo = .nothing) {
        self.init(method, subject: subject, path: path, id: id, body: body.object, undo: undo)
    }

    init(_ method: Method, subject: String, path: String, id: String, body: String, undo: Undo) {
        (self.method, self.subject, self.path, self.id) = (method, subject, path, id)
        (self.body, self.undo) = (body, undo)
    }

    /// The fields of every message. `at` is in seconds since 1970.
    private static func body(_ id: String, at: Double) -> JSONLine {
        var line = JSONLine()
        line.put("event_id", .text(id))
        line.put("at", .text(RFC3339.text(seconds: at)))
        return line
    }

    // MARK: What was watched

    /// nil if services do not get such an event.
    init?(_ what: EngagementEvent.What, _ event: LoggedEvent, of video: String) {
        var line = Self.body(event.id, at: event.at)
        line.put("video_id", .text(video))
        line.put("session_id", .text(event.session))
        let path: String
        switch what {
        case .view(let watched):
            path = "videos/track_view"
            line.put("watched_ms", .integer(Int(watched.milliseconds.rounded())))
        case .summary(let summary):
            path = "videos/track_engagement"
            line.put(summary)
        case .impression, .again, .start, .milestone, .skip: return nil
        }
        self.init(.post, subject: "video/\(video)", path: path, id: event.id, body: line)
    }

    // MARK: What was done

    /// The messages that turn `before` into `after` at a service.
    static func reaction(from before: Reaction, to after: Reaction, video: String, at: Double) -> [ServiceMessage] {
        func message(_ holds: Bool, _ action: String, _ undo: Undo) -> ServiceMessage {
            let id = UUID().uuidString
            return ServiceMessage(
                holds ? .put : .delete, video: video, action, id: id, body: body(id, at: at), undo: undo)
        }
        var messages: [ServiceMessage] = []
        if (before.isLiked, before.isDisliked) != (after.isLiked, after.isDisliked) {
            // The opposite reaction ends by itself: they exclude each other.
            let isLike = after.isLiked || !after.isDisliked && before.isLiked
            messages.append(
                message(
                    after.isLiked || after.isDisliked, isLike ? "like" : "dislike",
                    .opinion(isLiked: before.isLiked, isDisliked: before.isDisliked)))
        }
        if before.isSaved != after.isSaved { messages.append(message(after.isSaved, "save", .save(before.isSaved))) }
        return messages
    }

    /// - Parameter was: how the creator was followed until now; nil: not.
    static func follow(_ creator: String, _ follows: Bool, was: Follow?, at: Double) -> ServiceMessage {
        let id = UUID().uuidString
        return ServiceMessage(
            follows ? .put : .delete, subject: "creator/\(creator)",
            path: "creators/\(PercentEncoding.component(creator))/follow", id: id, body: body(id, at: at),
            undo: .follow(!follows, was: was.map(FollowRecord.init)))
    }

    static func share(video: String, at: Double) -> ServiceMessage {
        let id = UUID().uuidString
        return ServiceMessage(.post, video: video, "share", id: id, body: body(id, at: at))
    }

    static func comment(_ comment: OwnComment, video: String) -> ServiceMessage {
        var line = body(comment.id, at: comment.at)
        line.put("text", .text(comment.text))
        if let parent = comment.parent { line.put("parent", .text(parent)) }
        if let name = comment.name { line.put("name", .text(name)) }
        return ServiceMessage(.post, video: video, "comments", id: comment.id, body: line)
    }

    static func change(of comment: String, _ act: CommentAct, video: String, at: Double) -> ServiceMessage {
        let id = UUID().uuidString
        var line = body(id, at: at)
        let (method, ending): (Method, String) =
            switch act {
            case .delete(let deletes): (deletes ? .delete : .put, "")
            case .like(let likes): (likes ? .put : .delete, "/like")
            case .report: (.post, "/report")
            }
        if case .report(let reason) = act { line.put("reason", .text(reason)) }
        let path = "videos/\(PercentEncoding.component(video))/comments/\(PercentEncoding.component(comment))"
        return ServiceMessage(
            method, subject: commentMark + comment, path: path + ending, id: id, body: line, undo: .comment(act))
    }

    static func deletion(of video: String, _ deletes: Bool, at: Double) -> ServiceMessage {
        let id = UUID().uuidString
        return ServiceMessage(
            deletes ? .delete : .put, subject: "video/\(video)", path: "videos/\(PercentEncoding.component(video))",
            id: id, body: body(id, at: at), undo: .deletion(deletes))
    }
}

extension ServiceMessage.Undo {
    /// As the store has it.
    var text: String {
        switch self {
        case .nothing: ""
        case .opinion(let isLiked, let isDisliked):
            isLiked ? "opinion:like" : isDisliked ? "opinion:dislike" : "opinion:"
        case .save(let holds): holds ? "save:1" : "save:"
        case .follow(let holds, let was): holds ? "follow:1" + (was?.text ?? "") : "follow:"
        case .comment(.delete(let deletes)): deletes ? "comment_deletion:1" : "comment_deletion:"
        case .comment(.like(let likes)): likes ? "comment_like:1" : "comment_like:"
        // The reason is the user's, and of no use here.
        case .comment(.report): "comment_report:"
        case .deletion(let deletes): deletes ? "deletion:1" : "deletion:"
        }
    }

    init(text: String) {
        switch text {
        case "opinion:like": self = .opinion(isLiked: true, isDisliked: false)
        case "opinion:dislike": self = .opinion(isLiked: false, isDisliked: true)
        case "opinion:": self = .opinion(isLiked: false, isDisliked: false)
        case "save:1": self = .save(true)
        case "save:": self = .save(false)
        case "follow:": self = .follow(false)
        case "comment_deletion:1": self = .comment(.delete(true))
        case "comment_deletion:": self = .comment(.delete(false))
        case "comment_like:1": self = .comment(.like(true))
        case "comment_like:": self = .comment(.like(false))
        case "comment_report:": self = .comment(.report(reason: ""))
        case "deletion:1": self = .deletion(true)
        case "deletion:": self = .deletion(false)
        case _ where text.hasPrefix("follow:1"):
            // Earlier versions of flick stored nothing behind it.
            self = .follow(true, was: ServiceMessage.FollowRecord(text: text.dropFirst("follow:1".count)))
        default: self = .nothing
        }
    }

    /// The subject: of several messages about it only the last decides what holds. nil if there is nothing to undo.
    var concern: String? { self == .nothing ? nil : String(text.prefix { $0 != ":" }) }
}

extension ServiceMessage.FollowRecord {
    init(_ follow: Follow) { self.init(name: follow.name, since: follow.since, feed: follow.feed) }

    /// An object of JSON in one line.
    fileprivate var text: String {
        var line = JSONLine()
        line.put("name", .text(name))
        line.put("since", .number(since))
        line.put("feed", .optional(feed?.address))
        line.put("shared", .flag(feed?.isShared ?? false))
        return line.object
    }

    /// nil for other text.
    fileprivate init?(text: Substring) {
        var rest = Array(text.utf8)
        var parser = JSONParser {
            defer { rest = [] }
            return rest
        }
        // `try?`: a record that cannot be read leaves the follow with the creator's id as its name.
        guard let json = try? parser.value(upTo: 1 << 16), let name = json["name"]?.asText(limit: 1 << 12),
            let since = json["since"]?.asNumber
        else { return nil }
        let address = json["feed"]?.asText(limit: 1 << 13)
        self.init(
            name: name, since: since,
            feed: address.map { FollowedFeed(address: $0, isShared: json["shared"]?.asFlag ?? false) })
    }
}

extension JSONLine {
    /// The fields of a summary, in seconds and shares.
    public mutating func put(_ summary: EngagementEvent.Summary) {
        put("watch_time", .number(summary.watchTime.seconds))
        put("completion", .number(summary.completion))
        put("milestones", integers: summary.milestones)
        put("replay_count", .integer(summary.replays))
        put("has_skipped", .flag(summary.hasSkipped))
        put("buffer_duration", .number(summary.stallTime.seconds))
    }
}
