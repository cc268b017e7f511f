/// Keeps writes within a transaction of PostgreSQL, in few statements, each for all writes of a kind. Blocks.
struct PostgresWriting {
    private let connection: PostgresConnection

    init(_ connection: PostgresConnection) { self.connection = connection }

    /// The changes to an item's counts, by columns of its tally.
    private typealias Counts = [String: [String: Int]]

    func keep(_ batch: WriteBatch) throws(PostgresError) -> [WriteOutcome] {
        var counts: Counts = [:]
        let added = try add(batch.events, &counts)
        try set(batch.reactions, &counts)
        try set(batch.follows)
        let comments = try add(batch.comments, &counts)
        var changes: [Int: WriteOutcome] = [:]
        let changing = PostgresComments(connection)
        for (place, change) in batch.changes {
            let (outcome, difference) = try changing.apply(change)
            changes[place] = outcome
            counts[change.item, default: [:]]["comments", default: 0] += difference
        }
        for removal in batch.removals { try set(removal) }
        // Last, as every server wants the rows of what is seen most.
        try count(counts)
        return batch.outcomes(added: added, comments: comments, changes: changes)
    }

    // MARK: Events

    private func add(
        _ events: [ServiceEvent], _ counts: inout Counts
    ) throws(PostgresError) -> Set<WriteBatch.EventKey> {
        guard !events.isEmpty else { return [] }
        let rows = try connection.run(
            """
            INSERT INTO event (kind, id, item, viewer, session, at, received, clock_off, detail)
            SELECT * FROM unnest($1::text[], $2::text[], $3::text[], $4::text[], $5::text[], $6::float8[], $7::float8[],
                $8::integer[], $9::text[])
            ON CONFLICT (kind, id) DO NOTHING RETURNING kind, id, item
            """,
            [
                PostgresArray.text(events.map(\.kind.rawValue)), PostgresArray.text(events.map(\.id)),
                PostgresArray.text(events.map(\.item)), PostgresArray.text(events.map(\.viewer)),
                PostgresArray.text(events.map(\.session)), PostgresArray.text(events.map(\.at)),
                PostgresArray.text(events.map(\.received)), PostgresArray.text(events.map { $0.isClockOff ? 1 : 0 }),
                PostgresArray.text(events.map(\.detail)),
            ])
        var added: Set<WriteBatch.EventKey> = []
        for row in 0..<rows.count {
            let kind = rows.required(row, 0)
            added.insert(WriteBatch.EventKey(kind: kind, id: rows.required(row, 1)))
            switch ServiceEvent.Kind(rawValue: kind) {
            case .view: counts[rows.required(row, 2), default: [:]]["views", default: 0] += 1
            case .share: counts[rows.required(row, 2), default: [:]]["shares", default: 0] += 1
            case .engagement, nil: break
            }
        }
        return added
    }

    // MARK: Reactions and follows

    /// Missing rows are made first, as older than anything: then all can be locked, and their
    /// changes counted once, even if other servers write the same rows.
    private func set(
        _ reactions: [(key: WriteBatch.ReactionKey, change: WriteBatch.Change)], _ counts: inout Counts
    ) throws(PostgresError) {
        guard !reactions.isEmpty else { return }
        let keys = Self.arrays(reactions.map(\.key))
        try connection.run(
            """
            INSERT INTO reaction (item, viewer, kind, is_on, at)
            SELECT item, viewer, kind, 0, -1 FROM unnest($1::text[], $2::text[], $3::text[]) AS new (item, viewer, kind)
            ON CONFLICT (item, viewer, kind) DO NOTHING
            """, keys)
        let rows = try connection.run(
            """
            SELECT reaction.is_on, reaction.at, new.place FROM reaction
            JOIN unnest($1::text[], $2::text[], $3::text[]) WITH ORDINALITY AS new (item, viewer, kind, place)
                USING (item, viewer, kind)
            ORDER BY new.place FOR UPDATE OF reaction
            """, keys)
        var changed: [(key: WriteBatch.ReactionKey, change: WriteBatch.Change)] = []
        for row in 0..<rows.count {
            let (key, change) = reactions[Int(rows.integer(row, 2)) - 1]
            guard rows.number(row, 1) <= change.at else { continue }
            changed.append((key, change))
            let wasOn = rows.integer(row, 0) != 0
            if wasOn != change.isOn {
                counts[key.item, default: [:]][Self.column(key.kind), default: 0] += change.isOn ? 1 : -1
            }
        }
        guard !changed.isEmpty else { return }
        try connection.run(
            """
            UPDATE reaction SET is_on = new.is_on, at = new.at
            FROM unnest($1::text[], $2::text[], $3::text[], $4::integer[], $5::float8[])
                AS new (item, viewer, kind, is_on, at)
            WHERE (reaction.item, reaction.viewer, reaction.kind) = (new.item, new.viewer, new.kind)
            """, Self.arrays(changed.map(\.key)) + Self.arrays(changed.map(\.change)))
    }

    private static func column(_ kind: String) -> String {
        switch ServiceReaction(rawValue: kind) {
        case .like, nil: "likes"
        case .dislike: "dislikes"
        case .save: "saves"
        }
    }

    private static func arrays(_ keys: [WriteBatch.ReactionKey]) -> [String] {
        [
            PostgresArray.text(keys.map(\.item)), PostgresArray.text(keys.map(\.viewer)),
            PostgresArray.text(keys.map(\.kind)),
        ]
    }

    private static func arrays(_ changes: [WriteBatch.Change]) -> [String] {
        [PostgresArray.text(changes.map { $0.isOn ? 1 : 0 }), PostgresArray.text(changes.map(\.at))]
    }

    private func set(
        _ follows: [(key: WriteBatch.FollowKey, change: WriteBatch.Change)]
    ) throws(PostgresError) {
        guard !follows.isEmpty else { return }
        try connection.run(
            """
            INSERT INTO follow (creator, viewer, is_on, at)
            SELECT * FROM unnest($1::text[], $2::text[], $3::integer[], $4::float8[])
            ON CONFLICT (creator, viewer) DO UPDATE SET is_on = excluded.is_on, at = excluded.at
                WHERE excluded.at >= follow.at
            """,
            [PostgresArray.text(follows.map(\.key.creator)), PostgresArray.text(follows.map(\.key.viewer))]
                + Self.arrays(follows.map(\.change)))
    }

    private func set(_ removal: ItemRemoval) throws(PostgresError) {
        try connection.run(
            """
            INSERT INTO removal (item, is_removed, path, place) VALUES ($1, $2::integer, $3, $4)
            ON CONFLICT (item) DO UPDATE SET is_removed = excluded.is_removed, path = excluded.path,
                place = excluded.place
            """, [removal.item, removal.isRemoved ? "1" : "0", FeedCursor.text(of: removal.path), removal.place])
    }

    // MARK: Comments

    static let commentColumns = """
        number, item, viewer, name, body, at, clock_off, parent, event, likes,
        CASE WHEN deleted IS NULL THEN 0 ELSE 1 END
        """

    static func comment(_ rows: PostgresRows, _ row: Int) -> StoredComment {
        StoredComment(
            number: rows.integer(row, 0),
            remark: Remark(
                item: rows.required(row, 1), viewer: rows.required(row, 2), name: rows.text(row, 3),
                text: rows.required(row, 4), at: rows.number(row, 5), isClockOff: rows.integer(row, 6) != 0,
                parent: rows.text(row, 7).flatMap { Int64($0) }), likes: Int(rows.integer(row, 9)),
            isDeleted: rows.integer(row, 10) != 0)
    }

    /// The outcome of each comment, by its event.
    private func add(
        _ comments: [(event: String, remark: Remark)], _ counts: inout Counts
    ) throws(PostgresError) -> [String: WriteOutcome] {
        guard !comments.isEmpty else { return [:] }
        var outcomes = try known(comments.map(\.event))
        let fresh = try withParents(comments.filter { outcomes[$0.event] == nil })
        guard !fresh.isEmpty else { return outcomes }
        let rows = try connection.run(
            """
            INSERT INTO comment (event, item, viewer, name, body, at, clock_off, parent)
            SELECT event, item, viewer, name, body, at, clock_off, parent FROM unnest($1::text[], $2::text[], $3::text[],
                $4::text[], $5::text[], $6::float8[], $7::integer[], $8::bigint[])
                WITH ORDINALITY AS new (event, item, viewer, name, body, at, clock_off, parent, place)
            ORDER BY place ON CONFLICT (event) DO NOTHING RETURNING \(Self.commentColumns)
            """,
            [
                PostgresArray.text(fresh.map(\.event)), PostgresArray.text(fresh.map(\.remark.item)),
                PostgresArray.text(fresh.map(\.remark.viewer)), PostgresArray.text(fresh.map(\.remark.name)),
                PostgresArray.text(fresh.map(\.remark.text)), PostgresArray.text(fresh.map(\.remark.at)),
                PostgresArray.text(fresh.map { $0.remark.isClockOff ? 1 : 0 }),
                PostgresArray.text(fresh.map { $0.remark.parent.map(String.init) }),
            ])
        for row in 0..<rows.count {
            let comment = Self.comment(rows, row)
            outcomes[rows.required(row, 8)] = .comment(comment, isNew: true)
            counts[comment.remark.item, default: [:]]["comments", default: 0] += 1
        }
        // Another server was quicker with these.
        let rest = fresh.map(\.event).filter { outcomes[$0] == nil }
        if !rest.isEmpty { outcomes.merge(try known(rest)) { first, _ in first } }
        return outcomes
    }

    private func known(_ events: [String]) throws(PostgresError) -> [String: WriteOutcome] {
        let rows = try connection.run(
            "SELECT \(Self.commentColumns) FROM comment WHERE event = ANY($1::text[])", [PostgresArray.text(events)])
        return Dictionary(
            (0..<rows.count).map { (rows.required($0, 8), .comment(Self.comment(rows, $0), isNew: false)) }
        ) { first, _ in first }
    }

    /// Those that answer nothing, or a comment that is there; a reply to a reply hangs under the same comment.
    private func withParents(
        _ comments: [(event: String, remark: Remark)]
    ) throws(PostgresError) -> [(event: String, remark: Remark)] {
        let asked = Set(comments.compactMap(\.remark.parent))
        guard !asked.isEmpty else { return comments }
        let rows = try connection.run(
            "SELECT number, item, parent FROM comment WHERE number = ANY($1::bigint[])",
            [PostgresArray.text(asked.map { Int($0) })])
        var tops: [Int64: (item: String, top: Int64)] = [:]
        for row in 0..<rows.count {
            let number = rows.integer(row, 0)
            tops[number] = (rows.required(row, 1), rows.text(row, 2).flatMap { Int64($0) } ?? number)
        }
        return comments.compactMap { event, remark in
            guard let parent = remark.parent else { return (event, remark) }
            guard let found = tops[parent], found.item == remark.item else { return nil }
            var kept = remark
            kept.parent = found.top
            return (event, kept)
        }
    }

    // MARK: Tallies

    private func count(_ counts: Counts) throws(PostgresError) {
        let columns = ["likes", "dislikes", "saves", "comments", "shares", "views"]
        let changed = counts.filter { $0.value.contains { $0.value != 0 } }.sorted { $0.key < $1.key }
        guard !changed.isEmpty else { return }
        let sums = columns.map { "\($0) = tally.\($0) + excluded.\($0)" }.joined(separator: ", ")
        let arrays = columns.indices.map { "$\($0 + 2)::bigint[]" }.joined(separator: ", ")
        try connection.run(
            """
            INSERT INTO tally (item, \(columns.joined(separator: ", ")))
            SELECT * FROM unnest($1::text[], \(arrays)) ON CONFLICT (item) DO UPDATE SET \(sums)
            """,
            [PostgresArray.text(changed.map(\.key))]
                + columns.map { column in PostgresArray.text(changed.map { $0.value[column] ?? 0 }) })
    }
}
