internal import Databases

/// Why the store cannot be used. A value.
public enum StoreError: Error, Hashable, Sendable, CustomStringConvertible {
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
    static func plainly<Value>(_ body: () throws -> Value) throws(StoreError) -> Value {
        do {
            return try body()
        } catch let error as StoreError {
            throw error
        } catch let error as DatabaseError {
            switch error.kind {
            case .full: throw .full
            case .readOnly, .cannotOpen, .noPermission: throw .readOnly
            case .corrupt, .notADatabase, .generic, .type: throw .damaged(error.description)
            case .busy, .locked: throw .busy
            case .other: throw .failed(error.description)
            }
        } catch {
            throw .failed(String(describing: error))
        }
    }
}
