internal import Databases

/// The tables of the store, one step after the other. A step that was released
/// is never changed: what is new is a new step.
enum StoreSchema {
    static let migrations = Migrations([
        Migrations.Step(name: "1: items, follows, events", statements: first),
        Migrations.Step(name: "2: pages, messages to services", statements: second),
        Migrations.Step(name: "3: comments that are not sent", statements: comments),
        Migrations.Step(name: "4: hidden", statements: hidden),
    ])

    /// Times are seconds since 1970; NULL means never, or not.
    private static let first = """
        CREATE TABLE item (
            number INTEGER PRIMARY KEY, scope TEXT NOT NULL, id TEXT NOT NULL, url TEXT NOT NULL, json TEXT NOT NULL,
            feed TEXT, source TEXT NOT NULL, seen REAL, place REAL, liked REAL, disliked REAL, saved REAL, UNIQUE (scope, id));
        CREATE INDEX item_seen ON item (seen, number) WHERE seen IS NOT NULL;
        CREATE INDEX item_liked ON item (liked, number) WHERE liked IS NOT NULL;
        CREATE INDEX item_saved ON item (saved, number) WHERE saved IS NOT NULL;
        CREATE INDEX item_source ON item (source, seen) WHERE seen IS NOT NULL;
        CREATE TABLE follow (
            scope TEXT NOT NULL, creator TEXT NOT NULL, name TEXT NOT NULL, since REAL NOT NULL,
            PRIMARY KEY (scope, creator)) WITHOUT ROWID;
        CREATE TABLE event (
            number INTEGER PRIMARY KEY AUTOINCREMENT, id TEXT NOT NULL UNIQUE,
            item INTEGER NOT NULL REFERENCES item ON DELETE CASCADE, session TEXT NOT NULL, at REAL NOT NULL,
            what TEXT NOT NULL, detail TEXT NOT NULL);
        CREATE INDEX event_item ON event (item);
        CREATE INDEX event_at ON event (at);
        """

    /// `item.page`: where its feed had it. `item.endpoint`: where its feed wants reports, if it does. `service.due`,
    /// `message.due`: not sent before. `message.undo`: see `ServiceMessage.Undo`.
    private static let second = """
        ALTER TABLE item ADD COLUMN page INTEGER;
        ALTER TABLE item ADD COLUMN endpoint TEXT;
        CREATE TABLE service (
            endpoint TEXT PRIMARY KEY, feed TEXT NOT NULL, viewer TEXT NOT NULL, failures INTEGER NOT NULL DEFAULT 0,
            due REAL NOT NULL DEFAULT 0) WITHOUT ROWID;
        CREATE TABLE message (
            number INTEGER PRIMARY KEY AUTOINCREMENT, endpoint TEXT NOT NULL REFERENCES service,
            item INTEGER NOT NULL REFERENCES item ON DELETE CASCADE, id TEXT NOT NULL UNIQUE, subject TEXT NOT NULL,
            method TEXT NOT NULL, path TEXT NOT NULL, body TEXT NOT NULL, undo TEXT NOT NULL, at REAL NOT NULL,
            failures INTEGER NOT NULL DEFAULT 0, due REAL NOT NULL DEFAULT 0);
        CREATE INDEX message_order ON message (endpoint, subject, number);
        CREATE INDEX message_item ON message (item);
        """

    private static let comments = """
        CREATE TABLE comment (
            id TEXT NOT NULL UNIQUE, item INTEGER NOT NULL REFERENCES item ON DELETE CASCADE, parent TEXT,
            text TEXT NOT NULL, at REAL NOT NULL);
        CREATE INDEX comment_item ON comment (item);
        """

    /// `kind`, `scope`, `value`, `url`, `name`: see `HideRule`. `source`: the feed in which it was hidden.
    private static let hidden = """
        CREATE TABLE hidden (
            number INTEGER PRIMARY KEY, kind TEXT NOT NULL, scope TEXT NOT NULL, value TEXT NOT NULL, url TEXT NOT NULL,
            name TEXT NOT NULL, source TEXT NOT NULL, since REAL NOT NULL, UNIQUE (kind, scope, value));
        """
}
