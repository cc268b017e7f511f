import Bytes
import Synchronization
import Threads

#if canImport(Glibc)
    import Glibc
#elseif canImport(Darwin)
    import Darwin
#endif

/// The provider of a command without an interface. It is closed at the command's end, or by SIGINT, SIGTERM or SIGHUP before they end the process, so that
/// what has come is saved.
final class CommandProvider: Sendable {
    let provider: CachedProvider
    private let isClosing = Atomic(false)

    /// To be made at the command's beginning, before there are other threads: they inherit that the signals are not for them.
    init(_ makeProvider: () -> CachedProvider) {
        var signals = sigset_t()
        sigemptyset(&signals)
        for number in [SIGINT, SIGTERM, SIGHUP] where !isIgnored(number) { sigaddset(&signals, number) }
        pthread_sigmask(SIG_BLOCK, &signals, nil)
        provider = makeProvider()
        let awaited = signals
        if !BlockingThread.start({ self.wait(for: awaited) }) {
            // No thread waits for them: they end the process at once.
            pthread_sigmask(SIG_UNBLOCK, &signals, nil)
        }
    }

    /// The command is done. Blocks for a moment; for ever if a signal ends the process just now, for then there is nothing more to be said.
    func close() {
        if isClosing.exchange(true, ordering: .relaxed) { while true { pause() } }
        provider.close()
    }

    private func wait(for awaited: sigset_t) {
        var signals = awaited
        var number: Int32 = 0
        guard sigwait(&signals, &number) == 0, !isClosing.exchange(true, ordering: .relaxed) else { return }
        provider.close()
        // Now it is this thread's: the handler that gives the terminal back runs here, or the system ends the process.
        pthread_sigmask(SIG_UNBLOCK, &signals, nil)
        raise(number)
    }
}

/// A signal that flick's parent has set to be ignored stays ignored, as nohup(1) needs it.
private func isIgnored(_ number: Int32) -> Bool {
    let before = signal(number, SIG_IGN)
    signal(number, before)
    return unsafeBitCast(before, to: Int.self) == unsafeBitCast(SIG_IGN, to: Int.self)
}
