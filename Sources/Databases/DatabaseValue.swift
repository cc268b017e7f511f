import CSQLite

/// A value that SQLite can store. Only integers and equal real numbers are
/// converted into each other; any other type is an error.
package protocol DatabaseValue {
    /// Binds it to a parameter, from 1 on. Returns SQLite's result code.
    func bind(to statement: OpaquePointer, at parameter: Int32) -> Int32

    /// nil if the column, from 0 on, of the current row has another type.
    init?(_ statement: OpaquePointer, column: Int32)
}

extension Int64: DatabaseValue {
    package func bind(to statement: OpaquePointer, at parameter: Int32) -> Int32 {
        sqlite3_bind_int64(statement, parameter, self)
    }

    package init?(_ statement: OpaquePointer, column: Int32) {
        switch sqlite3_column_type(statement, column) {
        case SQLITE_INTEGER: self = sqlite3_column_int64(statement, column)
        // A sum or an average may be whole.
        case SQLITE_FLOAT: self.init(exactly: sqlite3_column_double(statement, column))
        default: return nil
        }
    }
}

extension DatabaseValue where Self: FixedWidthInteger {
    package func bind(to statement: OpaquePointer, at parameter: Int32) -> Int32 {
        Int64(self).bind(to: statement, at: parameter)
    }

    package init?(_ statement: OpaquePointer, column: Int32) {
        guard let number = Int64(statement, column: column) else { return nil }
        self.init(exactly: number)
    }
}

extension Int: DatabaseValue {}
extension Int32: DatabaseValue {}

/// 0 or 1.
extension Bool: DatabaseValue {
    package func bind(to statement: OpaquePointer, at parameter: Int32) -> Int32 {
        Int64(self ? 1 : 0).bind(to: statement, at: parameter)
    }

    package init?(_ statement: OpaquePointer, column: Int32) {
        guard let number = Int64(statement, column: column) else { return nil }
        self = number != 0
    }
}

extension Double: DatabaseValue {
    package func bind(to statement: OpaquePointer, at parameter: Int32) -> Int32 {
        sqlite3_bind_double(statement, parameter, self)
    }

    package init?(_ statement: OpaquePointer, column: Int32) {
        let type = sqlite3_column_type(statement, column)
        guard type == SQLITE_FLOAT || type == SQLITE_INTEGER else { return nil }
        self = sqlite3_column_double(statement, column)
    }
}

/// UTF-8. Invalid bytes become U+FFFD.
extension String: DatabaseValue {
    package func bind(to statement: OpaquePointer, at parameter: Int32) -> Int32 {
        var text = self
        return text.withUTF8 { bytes in
            bytes.withMemoryRebound(to: CChar.self) { characters in
                // Without an address, SQLite would bind NULL.
                guard let address = characters.baseAddress else {
                    return sqlite3_bind_text(statement, parameter, "", 0, flick_sqlite_transient())
                }
                return sqlite3_bind_text64(
                    statement, parameter, address, UInt64(characters.count), flick_sqlite_transient(),
                    UInt8(SQLITE_UTF8))
            }
        }
    }

    package init?(_ statement: OpaquePointer, column: Int32) {
        guard sqlite3_column_type(statement, column) == SQLITE_TEXT else { return nil }
        // The address first: that makes it UTF-8, and the size is of that. nil without memory.
        guard let address = sqlite3_column_text(statement, column) else { return nil }
        let size = Int(sqlite3_column_bytes(statement, column))
        self.init(decoding: UnsafeBufferPointer(start: address, count: size), as: UTF8.self)
    }
}

/// A blob.
extension [UInt8]: DatabaseValue {
    package func bind(to statement: OpaquePointer, at parameter: Int32) -> Int32 {
        withUnsafeBytes { bytes in
            guard let address = bytes.baseAddress, !bytes.isEmpty else {
                return sqlite3_bind_zeroblob(statement, parameter, 0)
            }
            return sqlite3_bind_blob64(
                statement, parameter, address, UInt64(bytes.count), flick_sqlite_transient())
        }
    }

    package init?(_ statement: OpaquePointer, column: Int32) {
        guard sqlite3_column_type(statement, column) == SQLITE_BLOB else { return nil }
        // An empty blob has no address.
        guard let address = sqlite3_column_blob(statement, column) else {
            self = []
            return
        }
        let size = Int(sqlite3_column_bytes(statement, column))
        self.init(UnsafeRawBufferPointer(start: address, count: size))
    }
}

/// nil is NULL.
extension Optional: DatabaseValue where Wrapped: DatabaseValue {
    package func bind(to statement: OpaquePointer, at parameter: Int32) -> Int32 {
        self?.bind(to: statement, at: parameter) ?? sqlite3_bind_null(statement, parameter)
    }

    package init?(_ statement: OpaquePointer, column: Int32) {
        if sqlite3_column_type(statement, column) == SQLITE_NULL {
            self = .none
            return
        }
        guard let value = Wrapped(statement, column: column) else { return nil }
        self = .some(value)
    }
}
