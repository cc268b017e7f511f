#if canImport(Glibc)
    import Glibc
#elseif canImport(Darwin)
    import Darwin
#endif

package enum SystemError {
    /// The system's words for an error number, as part of a sentence: "no space left on device". Any thread: the text
    /// is per thread in glibc (since 2.32) and on Darwin.
    package static func text(_ code: Int32) -> String { String(cString: strerror(code)).lowercased() }
}
