#if canImport(Glibc)
    import Glibc
#elseif canImport(Darwin)
    import Darwin
#endif

package enum Folders {
    /// Creates the folders above the file `path`, for the user only. Ignores
    /// failures: opening the file will report them.
    package static func make(above path: String) {
        var parts = path.split(separator: "/", omittingEmptySubsequences: true).dropLast()
        var folder = path.hasPrefix("/") ? "" : "."
        while let part = parts.popFirst() {
            folder += "/\(part)"
            mkdir(folder, 0o700)
        }
    }
}
