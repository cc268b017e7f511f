import Model

#if canImport(Glibc)
    import Glibc
#elseif canImport(Darwin)
    import Darwin
#endif

/// What ends a command, as the one line that the user reads.
public struct AppError: Error, Equatable, CustomStringConvertible {
    public var message: String

    public init(_ message: String) { self.message = message }

    public var description: String { message }

    /// A clip that cannot be played. What its bytes' source says names it already.
    static func playing(_ url: String, _ error: any Error) -> AppError {
        let (name, why) = (ShownName.of(url), "\(error)")
        return AppError(why.contains(name) ? why : "cannot play \(name): \(why)")
    }

    /// A failed call on a file.
    static func file(_ doing: String, _ path: String, _ code: Int32) -> AppError {
        AppError("cannot \(doing) '\(path)': \(String(cString: strerror(code)))")
    }
}
