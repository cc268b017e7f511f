/// The bytes of a path, as the system's calls want them.
extension Collection<UInt8> {
    /// Calls `body` with the bytes as a C string. They must not contain NUL: the string would end there.
    package func withCString<Result>(_ body: (UnsafePointer<CChar>) throws -> Result) rethrows -> Result {
        let terminated = map { CChar(bitPattern: $0) } + [0]
        return try terminated.withUnsafeBufferPointer {
            // Never nil: the array holds at least the NUL.
            try body($0.baseAddress!)
        }
    }
}
