import Foundation
import Model

/// An X server without a screen, used by one thread.
public final class XServer {
    public let display: String
    private let server: pid_t

    /// Starts a server with an unused display number.
    public init(folder: String, size: PixelSize = PixelSize(width: 1_920, height: 1_200)) throws {
        let path = "\(folder)/display-\(UUID().uuidString)"
        let descriptor = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else {
            throw Command.Error(description: "cannot write \(path): \(String(cString: strerror(errno)))")
        }
        defer {
            close(descriptor)
            unlink(path)
        }
        // A server resets itself when its last client leaves, and a client that connects meanwhile is refused.
        server = try spawn(
            [
                "Xvfb", "-displayfd", "3", "-screen", "0", "\(size.width)x\(size.height)x24", "-nolisten", "tcp",
                "-noreset",
            ],
            descriptors: [(descriptor, 3)], environment: ProcessInfo.processInfo.environment)
        var number = ""
        guard
            holds(
                within: .seconds(10),
                {
                    var bytes = [UInt8](repeating: 0, count: 16)
                    let count = pread(descriptor, &bytes, bytes.count, 0)
                    number = String(decoding: bytes[..<max(count, 0)], as: UTF8.self)
                    return number.hasSuffix("\n")
                })
        else {
            kill(server, SIGTERM)
            throw Command.Error(description: "Xvfb does not start")
        }
        display = ":" + number.dropLast()
    }

    deinit { end(server) }
}

/// Ends a program that was started here: asked first, killed after 2 s.
public func end(_ program: pid_t) {
    kill(program, SIGTERM)
    var status: Int32 = 0
    if !holds(within: .seconds(2), { waitpid(program, &status, WNOHANG) != 0 }) {
        reap(program, after: SIGKILL)
    }
}
