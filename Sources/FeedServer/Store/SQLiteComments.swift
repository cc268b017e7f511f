internal import Databases

/// Comments in a file of SQLite, within a transaction. Blocks.
enum SQLiteComments {
    static let columns = "number, item, viewer, name, body, at, clock_off, parent, likes, deleted IS NOT NULL"

    static func comment(_ row: borrowing Row) throws -> StoredComment {
        StoredComment(
            number: try row[0],
            remark: Remark(
                item: try row[1], viewer: try row[2], name: try row[3], text: try row[4], at: try row[5],
                isClockOff: try row[6], parent: try row[7]), likes: try row[8], isDeleted: try row[9])
    }

    // MARK: Changes

    static func apply(_ change: CommentChange, _ db: Database) throws -> WriteOutcome {
        try db.execute(
            "UPDATE comment SET body = '', name = NULL WHERE deleted IS NOT NULL AND deleted < ? AND body <> ''",
            [change.received - CommentChange.grace])
        let known = try db.first(
            "SELECT item, viewer, likes, deleted, deleted_by FROM comment WHERE number = ?", [change.comment]
        ) { row in
            CommentState(
                item: try row[0], viewer: try row[1], likes: try row[2], deleted: try row[3], deletedBy: try row[4])
        }
        switch CommentState.step(change, at: known) {
        case .nothing(let outcome): return outcome
        case .delete(let viewer):
            try db.execute(
                "UPDATE comment SET deleted = ?, deleted_by = ? WHERE number = ?",
                [change.received, viewer, change.comment])
            try SQLiteStore.count("comments", -1, of: change.item, db)
            return .done
        case .seal:
            try db.execute("UPDATE comment SET deleted_by = NULL WHERE number = ?", [change.comment])
            return .repeated
        case .restore:
            try db.execute("UPDATE comment SET deleted = NULL, deleted_by = NULL WHERE number = ?", [change.comment])
            try SQLiteStore.count("comments", 1, of: change.item, db)
            return .done
        case .like(let isOn): return .likes(try like(change, isOn, likes: known?.likes ?? 0, db))
        case .report(let reason):
            try db.execute(
                """
                INSERT INTO comment_report (comment, viewer, reason, at) VALUES (?, ?, ?, ?)
                ON CONFLICT (comment, viewer) DO NOTHING
                """, [change.comment, change.viewer, reason, change.received])
            return db.changes > 0 ? .done : .repeated
        }
    }

    /// Returns how many like the comment now.
    private static func like(_ change: CommentChange, _ isOn: Bool, likes: Int, _ db: Database) throws -> Int {
        let before = try db.first(
            "SELECT is_on, at FROM comment_like WHERE comment = ? AND viewer = ?", [change.comment, change.viewer]
        ) { (isOn: try $0[0] as Bool, at: try $0[1] as Double) }
        if let before, before.at > change.at { return likes }
        try db.execute(
            """
            INSERT INTO comment_like (comment, viewer, is_on, at) VALUES (?, ?, ?, ?)
            ON CONFLICT (comment, viewer) DO UPDATE SET is_on = excluded.is_on, at = excluded.at
            """, [change.comment, change.viewer, isOn ? 1 : 0, change.at])
        guard (before?.isOn ?? false) != isOn else { return likes }
        let now = likes + (isOn ? 1 : -1)
        try db.execute("UPDATE comment SET likes = ? WHERE number = ?", [now, change.comment])
        return now
    }

    // MARK: Reading

    static func page(
        of item: String, before: Int64?, limit: Int, viewer: String, _ db: Database
    ) throws -> StoredComments {
        let liked = """
            EXISTS (SELECT 1 FROM comment_like WHERE comment = c.number AND comment_like.viewer = ?1 AND is_on = 1)
            """
        func read(_ row: borrowing Row) throws -> StoredComment {
            var found = try comment(row)
            found.isLiked = try row[10]
            return found
        }
        // One more than asked, to see whether there is a next page. A deleted one stays while it has replies.
        var tops = try db.all(
            """
            SELECT \(columns), \(liked) FROM comment AS c WHERE item = ?2 AND parent IS NULL AND number < ?3
                AND (deleted IS NULL OR EXISTS (
                    SELECT 1 FROM comment AS r WHERE r.item = ?2 AND r.parent = c.number AND r.deleted IS NULL))
            ORDER BY number DESC LIMIT ?4
            """, [viewer, item, before ?? Int64.max, limit + 1], read)
        let hasMore = tops.count > limit
        tops = Array(tops.prefix(limit))
        let sql = """
            SELECT \(columns), \(liked) FROM comment AS c WHERE item = ?2 AND parent = ?3 AND deleted IS NULL
            ORDER BY number LIMIT ?4
            """
        let threads = try tops.map { top in
            let arguments: [any DatabaseValue] = [viewer, item, top.number, StoredComments.replyLimit]
            return (comment: top, replies: try db.all(sql, arguments, read))
        }
        let total: Int? = try db.value("SELECT comments FROM tally WHERE item = ?", [item])
        return StoredComments(threads: threads, next: hasMore ? tops.last?.number : nil, total: total ?? 0)
    }

    static func reports(limit: Int, _ db: Database) throws -> [StoredReport] {
        try db.all(
            """
            SELECT number, item, c.viewer, name, body, c.at, clock_off, parent, likes, 0, reason, r.at
            FROM comment_report AS r JOIN comment AS c ON number = r.comment WHERE deleted IS NULL
            ORDER BY r.at DESC, number DESC LIMIT ?
            """, [limit]
        ) { StoredReport(comment: try comment($0), reason: try $0[10], at: try $0[11]) }
    }
}
