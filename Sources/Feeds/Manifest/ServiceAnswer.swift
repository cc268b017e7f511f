import Model

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// Parses the answers of a feed's service. docs/internals/service.md has
/// the protocol. Nothing in them is trusted. Pure.
public enum ServiceAnswer {
    private static let idLimit = 200
    private static let textLimit = 2_000
    private static let nameLimit = 64
    /// The most comments that are read of one answer.
    private static let commentLimit = 2_000

    /// The service's reason for an error, `{"error": "…"}`: cleaned, in one line; nil if it gives none.
    public static func error(_ body: [UInt8]) -> String? {
        guard let text = value(body)?["error"]?.asText(limit: 200).map({ CleanText.line($0, limit: 120) }),
            !text.isEmpty
        else { return nil }
        return text
    }

    /// The media type of all responses that a client reads.
    public static let type = "application/json"

    /// Whether the body confirms what was sent, other than a comment: `{"status": "kept"}`, `"known"`, or `{}`.
    public static func confirms(_ body: [UInt8]) -> Bool {
        guard case .object(let fields)? = value(body) else { return false }
        return fields.isEmpty || fields["status"] == .text("kept") || fields["status"] == .text("known")
    }

    /// A page of comments; nil if the body is something else.
    public static func comments(_ body: [UInt8]) -> CommentPage? {
        value(body).flatMap(comments)
    }

    static func comments(_ value: JSON) -> CommentPage? {
        guard case .list(let list)? = value["comments"] else { return nil }
        var comments: [Comment] = []
        for entry in list {
            guard comments.count < commentLimit, let comment = comment(entry, parent: nil) else { continue }
            comments.append(comment)
            guard case .list(let replies)? = entry["replies"] else { continue }
            comments += replies.prefix(commentLimit - comments.count)
                .compactMap { self.comment($0, parent: comment.id) }
        }
        return CommentPage(
            comments: comments, next: value["next"]?.asText(limit: ItemLimit.url),
            total: value["total"]?.asCount)
    }

    /// A comment; nil if the body is something else.
    public static func comment(_ body: [UInt8]) -> Comment? { value(body).flatMap { comment($0, parent: nil) } }

    private static func comment(_ value: JSON, parent: String?) -> Comment? {
        guard let id = value["id"]?.asText(limit: idLimit), let text = value["text"]?.asText(limit: textLimit),
            let at = value["at"]?.asText(limit: 64).flatMap(RFC3339.date)
        else { return nil }
        var comment = Comment(
            id: id, name: value["name"]?.asText(limit: nameLimit), text: text, at: at,
            parent: parent ?? value["parent"]?.asText(limit: idLimit), isOwn: value["own"]?.asFlag ?? false)
        comment.likes = value["likes"]?.asCount
        comment.isLiked = value["liked"]?.asFlag ?? false
        comment.isDeleted = value["deleted"]?.asFlag ?? false
        return comment
    }

    /// How many like the comment that a like was sent for; nil if the answer does not say.
    public static func likes(_ body: [UInt8]) -> Int? { value(body)?["likes"]?.asCount }

    /// The statistics of all viewers, summed up by the server; nil if it is no such answer. Names are not cleaned.
    public static func statistics(_ body: [UInt8]) -> Statistics? {
        guard let value = value(body), let all = group(value) else { return nil }
        func groups(_ name: String) -> [Statistics.Group] {
            guard case .list(let list)? = value[name] else { return [] }
            return list.compactMap(group)
        }
        var statistics = Statistics.nothing
        (statistics.all, statistics.clips) = (all, value["clips"]?.asCount ?? 0)
        (statistics.creators, statistics.topics) = (groups("creators"), groups("topics"))
        if case .list(let days)? = value["days"] {
            statistics.days = days.compactMap { day in
                guard let date = day["date"]?.asText(limit: 10), let watched = day["watch_time"]?.asNumber else {
                    return nil
                }
                return Statistics.Day(date: date, watched: watched)
            }
        }
        if case .list(let skips)? = value["skips"] {
            for (tenth, skip) in skips.prefix(Statistics.skipTenths).enumerated() {
                statistics.skips[tenth] = skip["count"]?.asCount ?? 0
            }
        }
        return statistics
    }

    private static func group(_ value: JSON) -> Statistics.Group? {
        guard let watched = value["watch_time"]?.asNumber, let visits = value["visits"]?.asCount,
            let completion = value["completion"]?.asNumber
        else { return nil }
        return Statistics.Group(
            name: value["name"]?.asText(limit: textLimit) ?? "", watched: watched, visits: visits,
            completion: completion)
    }

    /// nil if it is no JSON: whatever is wrong with it, it says nothing.
    private static func value(_ body: [UInt8]) -> JSON? {
        do throws(JSONError) { return try JSON(whole: body) } catch { return nil }
    }
}
