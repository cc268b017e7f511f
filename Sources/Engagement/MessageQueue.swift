internal import Databases
import Model
import Threads

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// A message that waits in the store. A value.
public struct QueuedMessage: Hashable, Sendable {
    var number: Int64
    public var message: ServiceMessage
    /// The message's item.
    public var item: ItemKey
    /// The absolute URL of the service, and that of the feed which declares it.
    public var endpoint: String
    public var feed: String
    /// The name that the service knows the user by: random, and different for every service.
    public var viewer: String
    /// How often the service could not be reached, and how often it failed at this message, since either last worked.
    var serviceFailures: Int
    var failures: Int
}

/// The outcome of sending a message. A value.
public enum SendOutcome: Sendable {
    /// The service confirmed it as the protocol says. Its response.
    case accepted([UInt8])
    /// The service refuses it for good. Why.
    case refused(String)
    /// Something answered, but not as the protocol says: a login page, a proxy, another server. Why, and `after`: the
    /// pause it requests. The message stays.
    case unconfirmed(why: String, after: Duration? = nil)
    /// The service cannot be reached for now. `after`: the pause that it requests.
    case unreachable(after: Duration? = nil)
    /// This message failed; others may work.
    case failed(after: Duration? = nil)

    /// Whether the message is not sent again.
    public var isFinal: Bool {
        switch self {
        case .accepted, .refused: true
        case .unconfirmed, .unreachable, .failed: false
        }
    }
}

// Messages for services wait here until the service has them, in this session or a later one. Several flicks may send
// at once: each takes a message for a while. A message that is sent twice counts once, by its id.
extension Store {
    /// How long a message belongs to the flick that took it. Longer than a request takes.
    static let taken = Duration.seconds(30)
    /// Messages that could not be sent for this long are dropped.
    static let oldest = Duration.seconds(60 * 86_400)

    /// Takes the oldest message that may be sent now. Of messages about the same thing only the first may.
    ///
    /// - Parameter now: in seconds since 1970.
    /// - Returns: or when to ask again: nil if no message waits.
    public func nextMessage(now: Double) throws(StoreError) -> (message: QueuedMessage?, next: Double?) {
        try StoreError.plainly {
            try pool.write { db in
                let message = try db.first(
                    Self.firstOfEach + " AND max(m.due, s.due) <= ? ORDER BY m.number LIMIT 1", [now],
                    QueuedMessage.init)
                guard let message else {
                    let next: Double?? = try db.value("SELECT min(max(due, service_due)) FROM (\(Self.firstOfEach))")
                    return (nil, next ?? nil)
                }
                try db.execute(
                    "UPDATE message SET due = ? WHERE number = ?",
                    [now + Self.taken.seconds, message.number])
                return (message, nil)
            }
        }
    }

    /// A flick begins: what failed in earlier sessions is tried again at once,
    /// but for what another flick may be sending.
    public func endPauses(now: Double) throws(StoreError) {
        try StoreError.plainly {
            try pool.write { db in
                try db.execute("UPDATE service SET due = 0, failures = 0 WHERE due > ?", [now])
                try db.execute(
                    "UPDATE message SET due = ?1, failures = 0 WHERE due > ?1",
                    [now + Self.taken.seconds])
            }
        }
    }

    /// The first message of each subject.
    private static let firstOfEach = """
        SELECT m.*, s.feed, s.viewer, s.failures AS service_failures, s.due AS service_due, i.scope, i.id AS name
        FROM message m JOIN service s ON s.endpoint = m.endpoint JOIN item i ON i.number = m.item
        WHERE NOT EXISTS (
            SELECT 1 FROM message e WHERE e.endpoint = m.endpoint AND e.subject = m.subject AND e.number < m.number)
        """

    /// Notes what became of a message. Returns what holds of its item now, if a refusal changed that.
    ///
    /// - Parameters:
    ///   - now: in seconds since 1970.
    ///   - jitter: 0 ..< 1.
    public func settle(
        _ queued: QueuedMessage, _ outcome: SendOutcome, now: Double, jitter: Double
    ) throws(StoreError) -> Rollback? {
        try StoreError.plainly {
            try pool.write { db in
                switch outcome {
                case .accepted:
                    try Self.forget(queued, db)
                    try Self.rest(queued, failures: 0, until: 0, db)
                case .refused:
                    let undone = try Self.undo(queued, now: now, db)
                    try Self.forget(queued, db)
                    try Self.rest(queued, failures: 0, until: 0, db)
                    return undone
                case .unreachable(let after):
                    let pause = SendPause.length(failures: queued.serviceFailures, least: after, jitter: jitter)
                    try Self.rest(queued, failures: queued.serviceFailures + 1, until: now + pause.seconds, db)
                    try Self.rest(message: queued, failures: queued.failures, until: 0, db)
                    try Self.forgetOld(now: now, db)
                case .unconfirmed(_, let after):
                    // Whether the way to the service is blocked or only this message cannot pass is not known: the
                    // service rests, but not for long, and then another message is tried first.
                    let pause = SendPause.length(
                        failures: queued.serviceFailures, least: after, most: SendPause.maxUnconfirmed, jitter: jitter)
                    try Self.rest(queued, failures: queued.serviceFailures + 1, until: now + pause.seconds, db)
                    let own = SendPause.length(failures: queued.failures, least: after, jitter: jitter)
                    let due = now + max(own, pause + SendPause.first).seconds
                    try Self.rest(message: queued, failures: queued.failures + 1, until: due, db)
                    try Self.forgetOld(now: now, db)
                case .failed(let after):
                    let pause = SendPause.length(failures: queued.failures, least: after, jitter: jitter)
                    try Self.rest(message: queued, failures: queued.failures + 1, until: now + pause.seconds, db)
                }
                return nil
            }
        }
    }

    /// The name that a service knows the user by; nil if it has never got a message.
    public func viewer(at endpoint: String) throws(StoreError) -> String? {
        try StoreError.plainly {
            try pool.read { db in
                try db.value("SELECT viewer FROM service WHERE endpoint = ?", [endpoint])
            }
        }
    }

    // MARK: Within a transaction

    /// False if it waits already.
    static func queue(
        _ message: ServiceMessage, to service: (endpoint: String, feed: String), item: Int64, at: Double, _ db: Database
    ) throws -> Bool {
        try db.execute(
            """
            INSERT INTO service (endpoint, feed, viewer) VALUES (?, ?, ?)
            ON CONFLICT (endpoint) DO UPDATE SET feed = excluded.feed WHERE feed <> excluded.feed
            """, [service.endpoint, service.feed, UUID().uuidString])
        try db.execute(
            """
            INSERT INTO message (endpoint, item, id, subject, method, path, body, undo, at)
            VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT (id) DO NOTHING
            """,
            [
                service.endpoint, item, message.id, message.subject, message.method.rawValue, message.path,
                message.body,
                message.undo.text, at,
            ])
        return db.changes > 0
    }

    /// By its id, too: numbers begin again in a file that was removed and made again.
    private static func forget(_ queued: QueuedMessage, _ db: Database) throws {
        try db.execute("DELETE FROM message WHERE number = ? AND id = ?", [queued.number, queued.message.id])
    }

    private static func forgetOld(now: Double, _ db: Database) throws {
        try db.execute("DELETE FROM message WHERE at < ?", [now - oldest.seconds])
    }

    private static func rest(_ queued: QueuedMessage, failures: Int, until due: Double, _ db: Database) throws {
        try db.execute(
            "UPDATE service SET failures = ?, due = ? WHERE endpoint = ? AND (failures, due) <> (?1, ?2)",
            [failures, due, queued.endpoint])
    }

    private static func rest(
        message queued: QueuedMessage, failures: Int, until due: Double, _ db: Database
    ) throws {
        try db.execute(
            "UPDATE message SET failures = ?, due = ? WHERE number = ? AND id = ?",
            [failures, due, queued.number, queued.message.id])
    }
}

extension QueuedMessage {
    fileprivate init(_ row: borrowing Row) throws {
        number = try row["number"]
        message = try ServiceMessage(row)
        item = ItemKey(scope: try row["scope"], id: try row["name"])
        endpoint = try row["endpoint"]
        feed = try row["feed"]
        viewer = try row["viewer"]
        serviceFailures = try row["service_failures"]
        failures = try row["failures"]
    }
}

/// How long to wait after a message to a service failed. Pure.
enum SendPause {
    static let first = Duration.seconds(2)
    static let longest = Duration.seconds(3600)
    /// The longest pause of a service after an unconfirmed message: other messages may still get through.
    static let maxUnconfirmed = Duration.seconds(64)

    /// Doubles from 2 s to an hour, of which between half and all is waited, so that clients which failed together do
    /// not come back together.
    ///
    /// - Parameters:
    ///   - failures: how often it failed before.
    ///   - least: the pause that the service requests, up to a day.
    ///   - most: in place of an hour.
    ///   - jitter: 0 ..< 1.
    static func length(failures: Int, least: Duration?, most: Duration = longest, jitter: Double) -> Duration {
        let pause = Backoff(from: first, upTo: most).pause(after: failures, jitter: jitter)
        return max(pause, min(least ?? .zero, .seconds(86_400)))
    }
}

extension ServiceMessage {
    fileprivate init(_ row: borrowing Row) throws {
        self.init(
            // flick wrote it. What is not known to this version is sent as what it was most likely.
            Method(rawValue: try row["method"]) ?? .post, subject: try row["subject"], path: try row["path"],
            id: try row["id"], body: try row["body"], undo: Undo(text: try row["undo"]))
    }
}
