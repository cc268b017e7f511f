import Platform
import Threads

/// Starts other programs without waiting for them.
enum Launch {
    /// What became of a program in its first moments.
    enum Outcome: Equatable, Sendable {
        /// It ended with this status; 128 and more: by a signal.
        case ended(Int32)
        /// It still runs after `patience`.
        case runs
    }

    /// A program that reports a failure does so within this time.
    static let patience = Duration.seconds(3)

    /// Starts `program` (found through PATH) in its own process group.
    ///
    /// - Parameter outcome: called once, on another thread.
    static func detached(
        _ program: String, _ arguments: [String], patience: Duration = Launch.patience,
        outcome: @escaping @Sendable (Outcome) -> Void
    ) throws(AppError) {
        let child: ChildProcess
        do throws(SystemError) { child = try ChildProcess(Invocation([program] + arguments)) } catch {
            let why = SystemError.text(error.code)
            throw AppError(error.code == ENOENT ? "\(program) is not installed" : "cannot start \(program): \(why)")
        }
        let status = Monitor<Int32?>(nil)
        // A separate thread reaps it, so that it leaves no zombie however long it runs; another thread waits for news.
        BlockingThread.start {
            let raw = child.reap()
            let signal = raw & 0x7F
            status.change { $0 = signal == 0 ? (raw >> 8) & 0xFF : 128 + signal }
        }
        BlockingThread.start {
            outcome(status.wait(upTo: patience) { $0 }.map(Outcome.ended) ?? .runs)
        }
    }

    /// The system's program that opens files and links.
    static var opener: String {
        #if os(Linux)
            "xdg-open"
        #else
            "open"
        #endif
    }

    /// Why `opener` opened nothing, by how it ended; nil if it did.
    ///
    /// - Parameter isLink: whether it was to open a link rather than a file.
    static func failure(of outcome: Outcome, isLink: Bool) -> String? {
        // The numbers are those of xdg-open(1).
        switch outcome {
        case .runs, .ended(0): nil
        case .ended(2): "Couldn't open: file not found"
        case .ended(3): "Couldn't open: no \(isLink ? "browser" : "app") found"
        case .ended(let status): "Couldn't open: \(opener) failed (status \(status))"
        }
    }
}
