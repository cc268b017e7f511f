internal import Databases
import Model

/// The state that holds again after a service refused a message. A value.
public enum Rollback: Hashable, Sendable {
    /// The reaction to the message's item.
    case reaction(Reaction)
    case follow(CreatorKey, Bool)
    /// What was not done with the comment of this id.
    case comment(String, CommentAct)
    /// The message's item was not deleted, or did not come back (false).
    case deletion(Bool)
}

extension Store {
    /// Undoes the effect of a message. If a later one concerns the same thing, that one's refusal undoes both instead:
    /// what was before the first of them then holds.
    /// Returns what holds now; nil if nothing has changed.
    static func undo(_ queued: QueuedMessage, now: Double, _ db: Database) throws -> Rollback? {
        // A file that was created again has other messages with the same numbers.
        guard let concern = queued.message.undo.concern,
            try db.hasRow("SELECT 1 FROM message WHERE number = ? AND id = ?", [queued.number, queued.message.id])
        else { return nil }
        let later: Int64? = try db.first(
            """
            SELECT number FROM message WHERE endpoint = ? AND subject = ? AND number > ?
                AND substr(undo, 1, length(?4) + 1) = ?4 || ':' ORDER BY number LIMIT 1
            """, [queued.endpoint, queued.message.subject, queued.number, concern]
        ) { try $0["number"] }
        if let later {
            try db.execute("UPDATE message SET undo = ? WHERE number = ?", [queued.message.undo.text, later])
            return nil
        }
        switch queued.message.undo {
        case .nothing: return nil
        case .comment(let act): return queued.message.comment.map { .comment($0, act) }
        case .deletion(let deletes): return .deletion(deletes)
        case .follow(let follows, let was):
            let creator = CreatorKey(
                scope: queued.item.scope, id: String(queued.message.subject.dropFirst("creator/".count)))
            try follow(
                creator, name: was?.name ?? creator.id, feed: was?.feed, follows, at: was?.since ?? now, db)
            return .follow(creator, follows)
        case .opinion(let isLiked, let isDisliked):
            try update(
                queued.item, "liked = iif(?, ?, NULL), disliked = iif(?, ?, NULL)", [isLiked, now, isDisliked, now], db)
        case .save(let isSaved):
            try update(queued.item, "saved = iif(?, ?, NULL)", [isSaved, now], db)
        }
        return try db.first(
            "SELECT place, liked, disliked, saved FROM item WHERE scope = ? AND id = ?",
            [queued.item.scope, queued.item.id]
        ) { .reaction(try ItemMemory($0).reaction) }
    }

    private static func update(
        _ item: ItemKey, _ columns: String, _ values: [any DatabaseValue], _ db: Database
    ) throws {
        try db.execute("UPDATE item SET \(columns) WHERE scope = ? AND id = ?", values + [item.scope, item.id])
    }
}
