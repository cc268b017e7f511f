import Threads

/// Runs another program to its end and collects its output. It is started without a shell, in its own
/// process group, with nothing open but /dev/null and two pipes; in every case the whole group is ended.
package enum Program {
    /// What it may cost.
    package struct Limits: Sendable {
        /// How long it may print nothing.
        package var silence: Duration
        package var time: Duration
        /// In bytes, of standard output.
        package var output: Int

        package init(silence: Duration, time: Duration, output: Int) {
            (self.silence, self.time, self.output) = (silence, time, output)
        }
    }

    package struct Printed: Sendable {
        package var output: [UInt8] = []
        /// The end of what it printed on standard error.
        package var errors: [UInt8] = []
    }

    package enum RunError: Error, Equatable, Sendable {
        /// With this errno.
        case notStarted(Int32)
        case silent(Duration)
        case slow(Duration)
        case tooMuch(limit: Int)
        case cancelled
    }

    /// In bytes: how much of standard error is kept.
    private static let keptErrors = 64 << 10
    /// How long to wait for standard error after standard output has ended.
    private static let lastErrors: Duration = .seconds(1)
    /// Its children may hold the pipes open. Once it has exited, and nothing has come for this long, it is done.
    private static let lastOutput: Duration = .seconds(1)
    /// How often to check whether it has exited.
    private static let exitCheck: Duration = .milliseconds(200)

    /// Runs the program at `path`. Blocks until it has closed its standard output or exited, or a limit is reached.
    package static func run(
        _ path: String, _ arguments: [String], environment: [String: String], limits: Limits,
        cancellation: Cancellation
    ) throws(RunError) -> Printed {
        let (output, errors, wake): (Pipe, Pipe, Pipe)
        let child: ChildProcess
        do throws(SystemError) {
            (output, errors, wake) = (try Pipe(), try Pipe(), try Pipe())
            child = try ChildProcess(
                Invocation(
                    path: path, [path] + arguments, environment: environment,
                    streams: [1: .descriptor(output.writing.number), 2: .descriptor(errors.writing.number)]))
        } catch { throw .notStarted(error.code) }
        output.closeWriting()
        errors.closeWriting()
        // What plays comes first.
        child.lowerPriority()
        let number = cancellation.onCancel {
            child.signalGroup(SIGKILL)
            // A process that has left the group could keep the pipes open.
            wake.wake()
        }
        defer {
            cancellation.forget(number)
            child.signalGroup(SIGKILL)
            child.reap()
        }
        return try read(output, errors, wake, limits, cancellation) { child.hasExited }
    }

    private static func read(
        _ output: Pipe, _ errors: Pipe, _ wake: Pipe, _ limits: Limits,
        _ cancellation: Cancellation, _ hasExited: () -> Bool
    ) throws(RunError) -> Printed {
        var printed = Printed()
        let began = ContinuousClock.now
        var last = began
        /// When standard output ended; nil before.
        var ended: ContinuousClock.Instant?
        /// When it was seen to have exited; nil before.
        var exited: ContinuousClock.Instant?
        var polled = [output, errors, wake].map { pollfd(fd: $0.reading.number, events: Int16(POLLIN), revents: 0) }
        while polled[1].fd >= 0 || ended == nil {
            let now = ContinuousClock.now
            if cancellation.isCancelled { throw .cancelled }
            if let ended, now - ended >= lastErrors { break }
            if exited == nil, hasExited() { exited = now }
            if let exited, now - max(exited, last) >= lastOutput { break }
            if now - last >= limits.silence { throw .silent(limits.silence) }
            if now - began >= limits.time { throw .slow(limits.time) }
            var left = min(limits.silence - (now - last), limits.time - (now - began))
            if let ended { left = min(left, lastErrors - (now - ended)) }
            left = min(left, exited.map { lastOutput - (now - max($0, last)) } ?? exitCheck)
            guard poll(&polled, nfds_t(polled.count), left.pollMilliseconds) > 0 else {
                continue
            }
            for place in 0...1 where polled[place].revents != 0 {
                let piece = bytes(of: Descriptor(polled[place].fd))
                if piece.isEmpty {
                    // poll passes over a negative descriptor.
                    polled[place].fd = -1
                    if place == 0 { ended = .now }
                    continue
                }
                last = .now
                if place == 0 {
                    printed.output += piece
                    guard printed.output.count <= limits.output else { throw .tooMuch(limit: limits.output) }
                } else {
                    printed.errors += piece
                    if printed.errors.count > 2 * keptErrors { printed.errors = printed.errors.suffix(keptErrors) }
                }
            }
        }
        // A killed program has closed its pipes, too.
        if cancellation.isCancelled { throw .cancelled }
        return printed
    }

    /// The next bytes; none at the end.
    private static func bytes(of descriptor: Descriptor) -> [UInt8] {
        [UInt8](unsafeUninitializedCapacity: 64 << 10) { buffer, count in
            // `try?`: what cannot be read has ended.
            count = (try? descriptor.read(into: UnsafeMutableRawBufferPointer(buffer))) ?? 0
        }
    }
}
