internal import GRDB
import Model

/// What holds again after a service refused something. A value.
public enum Undone: Hashable, Sendable {
    /// Of the message's item.
    case reaction(Reaction)
    case follow(CreatorKey, Bool)
}

extension Store {
    /// Takes back what a message told, unless a later one tells of the same. Returns what holds now; nil if nothing has changed.
    static func undo(_ queued: QueuedMessage, now: Double, _ db: Database) throws -> Undone? {
        guard let concern = queued.message.undo.concern else { return nil }
        let later = try Row.fetchOne(
            db,
            sql: """
                SELECT 1 FROM message WHERE endpoint = ? AND subject = ? AND number > ?
                    AND substr(undo, 1, length(?4) + 1) = ?4 || ':'
                """, arguments: [queued.endpoint, queued.message.subject, queued.number, concern])
        guard later == nil else { return nil }
        switch queued.message.undo {
        case .nothing: return nil
        case .follow(let follows):
            let creator = CreatorKey(
                scope: queued.item.scope, id: String(queued.message.subject.dropFirst("creator/".count)))
            try follow(creator, name: creator.id, follows, at: now, db)
            return .follow(creator, follows)
        case .opinion(let isLiked, let isDisliked):
            try update(
                queued.item, "liked = iif(?, ?, NULL), disliked = iif(?, ?, NULL)", [isLiked, now, isDisliked, now], db)
        case .save(let isSaved):
            try update(queued.item, "saved = iif(?, ?, NULL)", [isSaved, now], db)
        }
        let row = try Row.fetchOne(
            db, sql: "SELECT place, liked, disliked, saved FROM item WHERE scope = ? AND id = ?",
            arguments: [queued.item.scope, queued.item.id])
        return row.map { .reaction(ItemMemory($0).reaction) }
    }

    private static func update(
        _ item: ItemKey, _ columns: String, _ values: StatementArguments, _ db: Database
    ) throws {
        try db.execute(
            sql: "UPDATE item SET \(columns) WHERE scope = ? AND id = ?", arguments: values + [item.scope, item.id])
    }
}
