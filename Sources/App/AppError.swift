import Model
import Platform
import Threads

/// Ends a command, with one line for the user. A value.
public struct AppError: Error, Equatable, CustomStringConvertible {
    public var message: String

    public init(_ message: String) { self.message = message }

    public var description: String { message }

    /// For a clip that cannot be played. The error of its bytes already names the clip.
    static func playing(_ url: String, _ error: any Error) -> AppError {
        let (name, why) = (ShownName.of(url), "\(error)")
        return AppError(why.contains(name) ? why : "cannot play \(name): \(why)")
    }

    /// For a failed system call on a file.
    static func file(_ doing: String, _ path: String, _ code: Int32) -> AppError {
        AppError("cannot \(doing) '\(path)': \(SystemError.text(code))")
    }
}

/// Starts the threads that a command needs at once, so that it is refused before it does anything if the system has
/// none left.
///
/// - Parameter count: commands need some for signals, the network, the cache and a decoder.
func beginThreads(_ count: Int = 4) throws(AppError) {
    do throws(OutOfThreads) { try BlockingThread.begin(count) } catch { throw AppError("\(error)") }
}

/// Prints an error as one line on standard error. It can contain names of files, so it is cleaned of everything that
/// commands a terminal.
public func printError(_ line: String) { StandardError.print(CleanText.line(line)) }
