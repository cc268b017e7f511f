// The C library comes with this target: no other one has to know whose it is.
#if canImport(Glibc)
    @_exported import Glibc
#elseif canImport(Darwin)
    @_exported import Darwin
#endif

/// A system call that failed. A value.
package struct SystemError: Error, Equatable, Sendable, CustomStringConvertible {
    /// For example "open".
    package let call: String
    package let code: Int32

    /// - Parameter code: the error number; read it right after the call.
    package init(_ call: String, _ code: Int32 = errno) { (self.call, self.code) = (call, code) }

    /// For example "open: permission denied".
    package var description: String { "\(call): \(SystemError.text(code))" }

    /// The system's words for an error number, as part of a sentence: "no space left on device". Any thread: the text
    /// is per thread in glibc (since 2.32) and on Darwin.
    package static func text(_ code: Int32) -> String { String(cString: strerror(code)).lowercased() }
}

/// Repeats a system call while a signal interrupts it. Returns its result.
package func uninterrupted<Result: SignedInteger>(_ call: () -> Result) -> Result {
    while true {
        let result = call()
        if result >= 0 || errno != EINTR { return result }
    }
}
