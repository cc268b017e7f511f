import CTestTerminal
import Foundation

/// Tests of what may not be read or written, which root always may.
public enum OrdinaryUser {
    /// Runs `body` with the file rights of somebody who is not root, and who owns `path`. `body` must not leave its thread.
    public static func runs<Result>(owning path: String, _ body: () throws -> Result) rethrows -> Result {
        guard geteuid() == 0 else { return try body() }
        let nobody: uid_t = 65_534
        chown(path, nobody, nobody)
        let before = flick_set_file_user(nobody)
        defer { _ = flick_set_file_user(UInt32(before)) }
        return try body()
    }
}
