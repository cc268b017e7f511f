import Model

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// What a feed's service answers. docs/service.md has the protocol. Nothing in it is trusted. Pure.
public enum ServiceAnswer {
    private static let idLimit = 200
    private static let textLimit = 2_000
    private static let nameLimit = 64
    /// The most comments that are read of one answer.
    private static let commentLimit = 2_000

    /// Why it refused what was asked, `{"error": "…"}`: cleaned, in one line. nil if it does not say.
    public static func error(_ body: [UInt8]) -> String? {
        guard let text = value(body)?["error"]?.asText(limit: 200).map({ CleanText.line($0, limit: 120) }),
            !text.isEmpty
        else { return nil }
        return text
    }

    /// A page of comments; nil if it is none.
    public static func comments(_ body: [UInt8]) -> CommentPage? {
        guard let value = value(body), case .list(let list)? = value["comments"] else { return nil }
        var comments: [Comment] = []
        for entry in list {
            guard comments.count < commentLimit, let comment = comment(entry, parent: nil) else { continue }
            comments.append(comment)
            guard case .list(let replies)? = entry["replies"] else { continue }
            comments += replies.prefix(commentLimit - comments.count)
                .compactMap { self.comment($0, parent: comment.id) }
        }
        return CommentPage(
            comments: comments, next: value["next"]?.asText(limit: ItemReader.urlLimit),
            total: value["total"]?.asCount)
    }

    /// A comment; nil if it is none.
    public static func comment(_ body: [UInt8]) -> Comment? { value(body).flatMap { comment($0, parent: nil) } }

    private static func comment(_ value: JSON, parent: String?) -> Comment? {
        guard let id = value["id"]?.asText(limit: idLimit), let text = value["text"]?.asText(limit: textLimit),
            let at = value["at"]?.asText(limit: 64).flatMap(RFC3339.date)
        else { return nil }
        return Comment(
            id: id, name: value["name"]?.asText(limit: nameLimit), text: text, at: at,
            parent: parent ?? value["parent"]?.asText(limit: idLimit), isOwn: value["own"]?.asFlag ?? false)
    }

    /// nil if it is no JSON: whatever is wrong with it, it says nothing.
    private static func value(_ body: [UInt8]) -> JSON? {
        do throws(JSONError) { return try JSON(whole: body) } catch { return nil }
    }
}
