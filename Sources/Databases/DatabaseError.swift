import CSQLite

/// An error of SQLite. A value. Its description is SQLite's message, one line.
package struct DatabaseError: Error, Hashable, Sendable, CustomStringConvertible {
    /// The primary result codes that flick distinguishes (https://www.sqlite.org/rescode.html).
    package enum Kind: Hashable, Sendable {
        case full, readOnly, cannotOpen, noPermission, busy, locked, corrupt, notADatabase
        /// SQLITE_ERROR: above all, a table or column that does not exist.
        case generic
        /// A value in a row has another type than flick writes.
        case type
        case other(Int32)
    }

    package var kind: Kind
    package var description: String

    package init(_ kind: Kind, _ description: String) { (self.kind, self.description) = (kind, description) }

    /// - Parameter code: primary or extended.
    init(code: Int32, _ description: String) {
        let kind: Kind =
            switch code & 0xFF {
            case SQLITE_FULL: .full
            case SQLITE_READONLY: .readOnly
            case SQLITE_CANTOPEN: .cannotOpen
            case SQLITE_PERM: .noPermission
            case SQLITE_BUSY: .busy
            case SQLITE_LOCKED: .locked
            case SQLITE_CORRUPT: .corrupt
            case SQLITE_NOTADB: .notADatabase
            case SQLITE_ERROR: .generic
            default: .other(code)
            }
        self.init(kind, description)
    }
}
