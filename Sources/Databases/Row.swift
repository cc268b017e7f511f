import CSQLite

/// The current row of a statement, valid until the next step.
package struct Row: ~Copyable {
    private let statement: OpaquePointer

    init(_ statement: OpaquePointer) { self.statement = statement }

    /// The value of a column, from 0 on. Throws `DatabaseError` if it has another type.
    package subscript<Value: DatabaseValue>(column: Int) -> Value {
        get throws {
            guard let value = Value(statement, column: Int32(column)) else { throw unexpected(Int32(column)) }
            return value
        }
    }

    /// The value of the column of that name.
    package subscript<Value: DatabaseValue>(name: StaticString) -> Value {
        get throws {
            guard let column = column(name) else { throw DatabaseError(.generic, "no such column: \(name)") }
            guard let value = Value(statement, column: column) else { throw unexpected(column) }
            return value
        }
    }

    /// nil if it has another type, is NULL, or is not there.
    package func valid<Value: DatabaseValue>(_ name: StaticString, as type: Value.Type = Value.self) -> Value? {
        column(name).flatMap { Value(statement, column: $0) }
    }

    private func column(_ name: StaticString) -> Int32? {
        name.withUTF8Buffer { name in
            for column in 0..<sqlite3_column_count(statement) {
                guard let found = sqlite3_column_name(statement, column) else { continue }
                if name.indices.allSatisfy({ UInt8(bitPattern: found[$0]) == name[$0] }), found[name.count] == 0 {
                    return column
                }
            }
            return nil
        }
    }

    private func unexpected(_ column: Int32) -> DatabaseError {
        let name = sqlite3_column_name(statement, column).map { String(cString: $0) } ?? "\(column)"
        let type =
            switch sqlite3_column_type(statement, column) {
            case SQLITE_INTEGER: "INTEGER"
            case SQLITE_FLOAT: "REAL"
            case SQLITE_TEXT: "TEXT"
            case SQLITE_BLOB: "BLOB"
            default: "NULL"
            }
        return DatabaseError(.type, "column '\(name)' has type \(type)")
    }
}
