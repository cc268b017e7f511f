import Foundation
import Threads

/// A file of SQLite that another process keeps locked.
public final class LockedDatabase: Sendable {
    /// What excludes readers too: in WAL mode a transaction that writes does not.
    public static let excludesReaders = ["PRAGMA locking_mode = EXCLUSIVE", "BEGIN EXCLUSIVE"]

    private static let script = """
        import sqlite3, sys, os, time
        d = sqlite3.connect(sys.argv[1], isolation_level=None)
        for statement in sys.argv[2:]: d.execute(statement)
        open(sys.argv[1] + ".locked", "w").close()
        while not os.path.exists(sys.argv[1] + ".end"): time.sleep(0.01)
        """

    private let path: String
    /// What the process printed to standard error, or why there was none; nil while it runs.
    private let errors = Monitor<String?>(nil)

    /// Returns once the file is locked. Blocks.
    ///
    /// - Parameter statements: those that take the lock.
    public init(_ path: String, by statements: [String]) throws {
        self.path = path
        BlockingThread.start { [errors] in
            let found: String
            do {
                found = try Command.run(["python3", "-c", Self.script, path] + statements).errors
            } catch { found = "\(error)" }
            errors.change { $0 = found }
        }
        guard holds(within: .seconds(20), { FileManager.default.fileExists(atPath: path + ".locked") }) else {
            throw Command.Error(description: "'\(path)' cannot be locked: \(release())")
        }
    }

    /// Ends the process, and its lock with it. Returns what it printed to standard error. Blocks.
    @discardableResult
    public func release() -> String {
        _ = FileManager.default.createFile(atPath: path + ".end", contents: nil)
        defer { for suffix in [".locked", ".end"] { unlink(path + suffix) } }
        return errors.wait { $0 } ?? ""
    }
}
