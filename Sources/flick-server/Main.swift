import ArgumentParser
import FeedServer
import Model
import Platform
import Threads

/// Serves until a signal ends it. Exit codes: 0 ended by SIGTERM, 1 failed, 2 wrong usage, 130 ended by SIGINT.
@main
enum Main {
    static func main() {
        // A client that has left makes a write fail, and does not end the server.
        signal(SIGPIPE, SIG_IGN)
        // They are waited for here. Threads that are started later inherit that they are blocked; libdispatch's main
        // queue, which would let them through, does not run.
        var signals = sigset_t()
        sigemptyset(&signals)
        for number in [SIGINT, SIGTERM, SIGHUP] { sigaddset(&signals, number) }
        pthread_sigmask(SIG_BLOCK, &signals, nil)

        do {
            let options = try FlickServe.parse(ProcessArguments.all.map(FileURL.text)).options()
            // For the folder, its tags, the database and the log.
            try BlockingThread.begin(4)
            let server = try FeedServer(options)
            let port = try waiting { try await server.start() }
            let folder = CleanText.line(String(decoding: options.folder, as: UTF8.self))
            print("flick serves \(folder) at \(server.address(port: port))")
            // All streams, because Swift cannot name stdout: the parent process may wait for the line.
            fflush(nil)
            var number: Int32 = 0
            sigwait(&signals, &number)
            endAtOnceAtAnother(signals)
            try waiting { await server.stop() }
            exit(number == SIGINT ? 130 : 0)
        } catch let error where error is ServerError || error is ExitError || error is OutOfThreads {
            StandardError.print(CleanText.line("flick: \(error)"))
            exit(1)
        } catch {
            // The parser throws for help, too, which goes to standard output and succeeds.
            let code = FlickServe.exitCode(for: error)
            let text = FlickServe.fullMessage(for: error)
            guard code.isSuccess else {
                StandardError.print(CleanText.usageError(text))
                exit(code == .validationFailure ? 2 : 1)
            }
            if !text.isEmpty { print(text) }
        }
    }

    /// Runs a task, and blocks this thread until it has ended.
    private static func waiting<Value: Sendable>(_ body: @escaping @Sendable () async throws -> Value) throws -> Value {
        let result = Monitor<Result<Value, any Error>?>(nil)
        Task {
            let value: Result<Value, any Error>
            do { value = .success(try await body()) } catch { value = .failure(error) }
            result.change { $0 = value }
        }
        // Without a limit it waits until there is a result.
        return try result.wait { $0 }!.get()
    }

    /// Who sends a second signal does not want to wait for requests in flight.
    private static func endAtOnceAtAnother(_ signals: sigset_t) {
        BlockingThread.start {
            var (signals, number) = (signals, Int32(0))
            sigwait(&signals, &number)
            _exit(128 + number)
        }
    }
}
