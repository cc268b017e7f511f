/// What viewers do with comments in a database of PostgreSQL. Blocks.
struct PostgresComments {
    private let connection: PostgresConnection

    init(_ connection: PostgresConnection) { self.connection = connection }

    // MARK: Changes, within a transaction

    /// Returns the outcome, and by how much the item has more comments.
    func apply(_ change: CommentChange) throws(PostgresError) -> (WriteOutcome, Int) {
        let number = String(change.comment)
        // Not those that another server has locked: to wait for them in another order than it does would be a deadlock.
        try connection.run(
            """
            UPDATE comment SET body = '', name = NULL WHERE number IN (
                SELECT number FROM comment WHERE deleted IS NOT NULL AND deleted < $1::float8 AND body <> ''
                FOR UPDATE SKIP LOCKED)
            """, ["\(change.received - CommentChange.grace)"])
        // Locked: another server may change it, too.
        let rows = try connection.run(
            """
            SELECT item, viewer, likes, deleted, deleted_by FROM comment WHERE number = $1::bigint FOR UPDATE
            """, [number])
        let known =
            rows.count == 0
            ? nil
            : CommentState(
                item: rows.required(0, 0), viewer: rows.required(0, 1), likes: Int(rows.integer(0, 2)),
                deleted: rows.text(0, 3).flatMap { Double($0) }, deletedBy: rows.text(0, 4))
        switch CommentState.step(change, at: known) {
        case .nothing(let outcome): return (outcome, 0)
        case .delete(let viewer):
            try connection.run(
                "UPDATE comment SET deleted = $1::float8, deleted_by = $2 WHERE number = $3::bigint",
                ["\(change.received)", viewer, number])
            return (.done, -1)
        case .seal:
            try connection.run("UPDATE comment SET deleted_by = NULL WHERE number = $1::bigint", [number])
            return (.repeated, 0)
        case .restore:
            try connection.run(
                "UPDATE comment SET deleted = NULL, deleted_by = NULL WHERE number = $1::bigint", [number])
            return (.done, 1)
        case .like(let isOn): return (.likes(try like(change, isOn, likes: known?.likes ?? 0)), 0)
        case .report(let reason):
            let added = try connection.run(
                """
                INSERT INTO comment_report (comment, viewer, reason, at) VALUES ($1::bigint, $2, $3, $4::float8)
                ON CONFLICT (comment, viewer) DO NOTHING RETURNING comment
                """, [number, change.viewer, reason, "\(change.received)"])
            return (added.count > 0 ? .done : .repeated, 0)
        }
    }

    /// Returns how many like the comment now. Its row is locked, and so none of its likes changes meanwhile.
    private func like(_ change: CommentChange, _ isOn: Bool, likes: Int) throws(PostgresError) -> Int {
        let number = String(change.comment)
        let before = try connection.run(
            "SELECT is_on, at FROM comment_like WHERE comment = $1::bigint AND viewer = $2", [number, change.viewer])
        if before.count > 0, before.number(0, 1) > change.at { return likes }
        try connection.run(
            """
            INSERT INTO comment_like (comment, viewer, is_on, at) VALUES ($1::bigint, $2, $3::integer, $4::float8)
            ON CONFLICT (comment, viewer) DO UPDATE SET is_on = excluded.is_on, at = excluded.at
            """, [number, change.viewer, isOn ? "1" : "0", "\(change.at)"])
        guard (before.count > 0 && before.integer(0, 0) != 0) != isOn else { return likes }
        let now = likes + (isOn ? 1 : -1)
        try connection.run(
            "UPDATE comment SET likes = $1::bigint WHERE number = $2::bigint", [String(now), number])
        return now
    }

    // MARK: Reading

    /// Whether the viewer `$1` likes the comment `c`.
    private static let liked = """
        CASE WHEN EXISTS (
            SELECT 1 FROM comment_like AS l WHERE l.comment = c.number AND l.viewer = $1 AND l.is_on = 1)
        THEN 1 ELSE 0 END
        """

    private static func comment(_ rows: PostgresRows, _ row: Int) -> StoredComment {
        var found = PostgresWriting.comment(rows, row)
        found.isLiked = rows.integer(row, 11) != 0
        return found
    }

    func page(of item: String, before: Int64?, limit: Int, viewer: String) throws(PostgresError) -> StoredComments {
        let columns = PostgresWriting.commentColumns + ", " + Self.liked
        // One more than asked, to see whether there is a next page. A deleted one stays while it has replies.
        let found = try connection.run(
            """
            SELECT \(columns) FROM comment AS c WHERE item = $2 AND parent IS NULL AND number < $3::bigint
                AND (deleted IS NULL OR EXISTS (
                    SELECT 1 FROM comment AS r WHERE r.item = $2 AND r.parent = c.number AND r.deleted IS NULL))
            ORDER BY number DESC LIMIT $4::bigint
            """, [viewer, item, String(before ?? .max), String(limit + 1)])
        let tops = (0..<min(limit, found.count)).map { Self.comment(found, $0) }
        let answers = try connection.run(
            """
            SELECT reply.* FROM unnest($3::bigint[]) WITH ORDINALITY AS top (number, place), LATERAL (
                SELECT \(columns) FROM comment AS c WHERE item = $2 AND parent = top.number AND deleted IS NULL
                ORDER BY number LIMIT \(StoredComments.replyLimit)) AS reply
            ORDER BY top.place, reply.number
            """, [viewer, item, PostgresArray.text(tops.map { Int($0.number) })])
        let replies = Dictionary(grouping: (0..<answers.count).map { Self.comment(answers, $0) }) { $0.remark.parent }
        let total = try connection.run("SELECT comments FROM tally WHERE item = $1", [item])
        return StoredComments(
            threads: tops.map { (comment: $0, replies: replies[$0.number] ?? []) },
            next: found.count > limit ? tops.last?.number : nil,
            total: total.count > 0 ? Int(total.integer(0, 0)) : 0)
    }

    func reports(limit: Int) throws(PostgresError) -> [StoredReport] {
        let rows = try connection.run(
            """
            SELECT number, item, c.viewer, name, body, c.at, clock_off, parent, event, likes, 0, reason, r.at
            FROM comment_report AS r JOIN comment AS c ON number = r.comment WHERE deleted IS NULL
            ORDER BY r.at DESC, number DESC LIMIT $1::bigint
            """, [String(limit)])
        return (0..<rows.count).map { row in
            StoredReport(
                comment: PostgresWriting.comment(rows, row), reason: rows.required(row, 11), at: rows.number(row, 12))
        }
    }
}
