internal import GRDB

/// What keeps the store from being used. A value.
public enum StoreTrouble: Error, Hashable, Sendable, CustomStringConvertible {
    /// The disk is full.
    case full
    /// The file or its folder cannot be written.
    case readOnly
    /// The file is not what flick wrote.
    case damaged(String)
    /// A newer flick wrote it, and it means something else there.
    case newer
    /// The file is another program's database.
    case foreign
    /// Another process has kept it locked for longer than flick waits.
    case busy
    case failed(String)

    public var description: String {
        switch self {
        case .full: "the disk is full"
        case .readOnly: "read-only"
        case .damaged(let why): "damaged (\(why))"
        case .newer: "written by a newer flick"
        case .foreign: "another program's database"
        case .busy: "locked by another program"
        case .failed(let why): why
        }
    }

    /// Turns SQLite's errors into troubles.
    static func plainly<Value>(_ body: () throws -> Value) throws(StoreTrouble) -> Value {
        do {
            return try body()
        } catch let error as StoreTrouble {
            throw error
        } catch let error as DatabaseError {
            switch error.resultCode {
            case .SQLITE_FULL: throw .full
            case .SQLITE_READONLY, .SQLITE_CANTOPEN, .SQLITE_PERM: throw .readOnly
            // SQLITE_ERROR means a missing table or column: not flick's database.
            case .SQLITE_CORRUPT, .SQLITE_NOTADB, .SQLITE_ERROR: throw .damaged(error.message ?? "damaged")
            case .SQLITE_BUSY, .SQLITE_LOCKED: throw .busy
            default: throw .failed(error.message ?? "error \(error.resultCode.rawValue) of SQLite")
            }
        } catch {
            // A value of a type that flick does not write.
            throw .damaged(String(describing: error))
        }
    }
}
