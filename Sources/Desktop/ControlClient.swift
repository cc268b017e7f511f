import Platform

/// What `flick ctl` does: finds a running flick, and sends it a command.
public enum ControlClient {
    /// How long a flick may take to answer.
    private static let limit = Duration.seconds(3)

    /// Sends a command to the flick that was started last, and returns its answer. Blocks for at most some seconds.
    public static func send(
        _ command: DesktopCommand, in folder: RuntimeFolder
    ) throws(DesktopError) -> ControlAnswer {
        var facts = stat()
        guard lstat(folder.path, &facts) == 0 else { throw noFlick }
        try folder.check(folder.path)
        for path in folder.sockets() {
            if let line = try answer(of: path, to: command) { return try ControlAnswer(line) }
        }
        throw noFlick
    }

    private static let noFlick = DesktopError("no flick is running; start one with `flick`")

    /// nil if no flick listens there any more.
    private static func answer(of path: String, to command: DesktopCommand) throws(DesktopError) -> [UInt8]? {
        do throws(SystemError) {
            let socket = try UnixSocket.connect(to: path, within: limit)
            defer { socket.close() }
            let request = ControlProtocol.request(command)
            let sent = request.withUnsafeBytes { socket.send($0, waits: true) }
            // It is shorter than any socket's buffer.
            guard sent == request.count else { throw SystemError("send", sent < 0 ? errno : EIO) }
            return try answer(from: socket)
        } catch {
            guard error.code == ECONNREFUSED || error.code == ENOENT else {
                throw DesktopError("flick does not respond: \(error)")
            }
            // That flick was killed: the one that was started before it may run.
            if error.code == ECONNREFUSED { unlink(path) }
            return nil
        }
    }

    /// The line that flick sends.
    private static func answer(from socket: Descriptor) throws(SystemError) -> [UInt8] {
        let end = ContinuousClock.now + limit
        var line: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: 4_096)
        while line.last != UInt8(ascii: "\n"), line.count <= ControlProtocol.answerLimit {
            guard ContinuousClock.now < end else { throw SystemError("read", ETIMEDOUT) }
            let count = buffer.withUnsafeMutableBytes { socket.readSome(into: $0) }
            // Linux says EAGAIN when a socket's time is over.
            guard count >= 0 else { throw SystemError("read", errno == EAGAIN ? ETIMEDOUT : errno) }
            if count == 0 { break }
            line += buffer[..<count]
        }
        return line
    }
}
