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
    private let ended = DispatchSemaphore(value: 0)

    /// Returns once the file is locked. Blocks.
    ///
    /// - Parameter statements: those that take the lock.
    public init(_ path: String, by statements: [String]) throws {
        self.path = path
        BlockingThread.start { [ended] in
            // Its failure is seen below: nothing is locked.
            _ = try? Command.run(["python3", "-c", Self.script, path] + statements)
            ended.signal()
        }
        guard holds(within: .seconds(20), { FileManager.default.fileExists(atPath: path + ".locked") }) else {
            release()
            throw Command.Error(description: "'\(path)' cannot be locked")
        }
    }

    /// The process ends, and its lock with it. Blocks.
    public func release() {
        _ = FileManager.default.createFile(atPath: path + ".end", contents: nil)
        ended.wait()
        for suffix in [".locked", ".end"] { unlink(path + suffix) }
    }
}
