import CTestTerminal
import Foundation

/// For tests of missing permissions, which root always has.
public enum OrdinaryUser {
    /// Runs `body` with the permissions of a user who is not root and who owns `path`. `body` must stay on its thread.
    public static func runs<Result>(owning path: String, _ body: () throws -> Result) rethrows -> Result {
        guard geteuid() == 0 else { return try body() }
        let unprivileged: uid_t = 65_534
        chown(path, unprivileged, unprivileged)
        let before = flick_set_file_user(unprivileged)
        defer { _ = flick_set_file_user(UInt32(before)) }
        return try body()
    }
}
