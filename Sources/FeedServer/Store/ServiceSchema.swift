internal import Databases

/// The tables of the service, one step after the other, for every kind of store. A step that was released is never
/// changed: what is new is a new step.
enum ServiceSchema {
    /// The words that differ between the two.
    enum Dialect: Sendable {
        case sqlite, postgres

        /// A column that counts rows up, and never uses a number again.
        fileprivate var number: String {
            switch self {
            case .sqlite: "number INTEGER PRIMARY KEY AUTOINCREMENT"
            case .postgres: "number BIGINT GENERATED ALWAYS AS IDENTITY PRIMARY KEY"
            }
        }
    }

    /// SQL that SQLite and PostgreSQL share.
    static func steps(_ dialect: Dialect) -> [Migrations.Step] {
        [
            Migrations.Step(name: "1: events, reactions, follows, comments, tallies", statements: first(dialect)),
            Migrations.Step(name: "2: deleted, liked and reported comments, deleted items", statements: second),
        ]
    }

    /// Times are seconds since 1970. A reaction or follow that has ended stays
    /// as a row, so that a late order cannot bring it back.
    private static func first(_ dialect: Dialect) -> String {
        """
        CREATE TABLE event (
            kind TEXT NOT NULL, id TEXT NOT NULL, item TEXT NOT NULL, viewer TEXT NOT NULL, session TEXT NOT NULL,
            at DOUBLE PRECISION NOT NULL, received DOUBLE PRECISION NOT NULL, clock_off INTEGER NOT NULL,
            detail TEXT NOT NULL, PRIMARY KEY (kind, id));
        CREATE TABLE reaction (
            item TEXT NOT NULL, viewer TEXT NOT NULL, kind TEXT NOT NULL, is_on INTEGER NOT NULL,
            at DOUBLE PRECISION NOT NULL, PRIMARY KEY (item, viewer, kind));
        CREATE TABLE follow (
            creator TEXT NOT NULL, viewer TEXT NOT NULL, is_on INTEGER NOT NULL, at DOUBLE PRECISION NOT NULL,
            PRIMARY KEY (creator, viewer));
        CREATE TABLE comment (
            \(dialect.number), event TEXT NOT NULL UNIQUE, item TEXT NOT NULL,
            viewer TEXT NOT NULL, name TEXT, body TEXT NOT NULL, at DOUBLE PRECISION NOT NULL,
            clock_off INTEGER NOT NULL, parent BIGINT);
        CREATE INDEX comment_item ON comment (item, parent, number);
        CREATE TABLE tally (
            item TEXT PRIMARY KEY, likes BIGINT NOT NULL DEFAULT 0, dislikes BIGINT NOT NULL DEFAULT 0,
            saves BIGINT NOT NULL DEFAULT 0, comments BIGINT NOT NULL DEFAULT 0, shares BIGINT NOT NULL DEFAULT 0,
            views BIGINT NOT NULL DEFAULT 0);
        """
    }

    /// `comment.deleted`: when; NULL means not. `comment.deleted_by`: the viewer; NULL for the server's operator.
    /// `removal`: see `ItemRemoval`.
    private static let second = """
        ALTER TABLE comment ADD COLUMN likes BIGINT NOT NULL DEFAULT 0;
        ALTER TABLE comment ADD COLUMN deleted DOUBLE PRECISION;
        ALTER TABLE comment ADD COLUMN deleted_by TEXT;
        CREATE INDEX comment_deleted ON comment (deleted) WHERE deleted IS NOT NULL AND body <> '';
        CREATE TABLE comment_like (
            comment BIGINT NOT NULL, viewer TEXT NOT NULL, is_on INTEGER NOT NULL, at DOUBLE PRECISION NOT NULL,
            PRIMARY KEY (comment, viewer));
        CREATE TABLE comment_report (
            comment BIGINT NOT NULL, viewer TEXT NOT NULL, reason TEXT NOT NULL, at DOUBLE PRECISION NOT NULL,
            PRIMARY KEY (comment, viewer));
        CREATE INDEX comment_report_at ON comment_report (at);
        CREATE TABLE removal (
            item TEXT PRIMARY KEY, is_removed INTEGER NOT NULL, path TEXT NOT NULL, place TEXT NOT NULL);
        """
}
