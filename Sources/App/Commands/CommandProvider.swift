import Bytes
import Feeds
import Model
import Platform
import Ranking
import Synchronization
import Threads

/// The provider of a command without an interface. It is closed at the end of the command, and also when SIGINT,
/// SIGTERM or SIGHUP ends the process, so that what has arrived is saved. Any thread.
final class CommandProvider: Sendable {
    let provider: CachedProvider
    private let isClosing = Atomic(false)

    /// Make it at the beginning of the command, before other threads start:
    /// they inherit that these signals are blocked.
    init(_ makeProvider: () -> CachedProvider) throws(AppError) {
        var signals = sigset_t()
        sigemptyset(&signals)
        for number in [SIGINT, SIGTERM, SIGHUP] where !isIgnored(number) { sigaddset(&signals, number) }
        pthread_sigmask(SIG_BLOCK, &signals, nil)
        try beginThreads()
        provider = makeProvider()
        let awaited = signals
        BlockingThread.start { self.wait(for: awaited) }
    }

    /// The command is done. Blocks briefly, or for ever if a signal is ending the process just now, so that nothing
    /// more is printed.
    func close() {
        if isClosing.exchange(true, ordering: .relaxed) { while true { pause() } }
        provider.close()
    }

    private func wait(for awaited: sigset_t) {
        var signals = awaited
        var number: Int32 = 0
        guard sigwait(&signals, &number) == 0, !isClosing.exchange(true, ordering: .relaxed) else { return }
        provider.close()
        // This thread now receives the signal: the handler that restores the
        // terminal runs here, or the system ends the process.
        pthread_sigmask(SIG_UNBLOCK, &signals, nil)
        raise(number)
    }
}

/// A signal that was ignored when flick started stays ignored, as nohup(1) needs.
private func isIgnored(_ number: Int32) -> Bool {
    let before = signal(number, SIG_IGN)
    signal(number, before)
    // Swift does not compare C functions; both are pointers.
    return unsafeBitCast(before, to: Int.self) == unsafeBitCast(SIG_IGN, to: Int.self)
}

extension Setup {
    /// The provider of all bytes, as configured.
    ///
    /// - Parameter notice: called at most once, on any thread, with a problem of the cache.
    func provider(_ fetches: FetchJournal?, notice: @escaping @Sendable (String) -> Void) -> CachedProvider {
        // If neither trace nor log wants fetches, no thread is started for them.
        let report = fetches.flatMap { fetches in
            fetches.writesFetches ? { @Sendable (fetch: Fetch) in fetches.record(fetch) } : nil
        }
        let savesData = configuration.playback.savesData
        return CachedProvider(
            cache: cache, network: configuration.network,
            resolvers: [
                .ytDLP: YTDLPResolver(ytDLP, savesData: savesData), .peerTube: PeerTubeResolver(savesData: savesData),
            ], report: report,
            notice: { problem in
                fetches?.record(cacheError: problem)
                notice(problem)
            })
    }

    /// The provider of a command without an interface. Problems are printed on standard error.
    func commandProvider(_ fetches: FetchJournal? = nil) throws(AppError) -> CommandProvider {
        try CommandProvider { provider(fetches, notice: { printError("flick: \($0)") }) }
    }

    /// What commands leave out: what the configuration and the user hide. Blocks on the disk.
    ///
    /// - Parameter libraryPath: nil if flick remembers nothing.
    func hidden(libraryPath: String?) -> HiddenRules {
        let hidden = HiddenItems(configured: configuration.hide.rules, libraryPath: libraryPath)
        hidden.read()
        return hidden.snapshot.rules
    }

    /// Prints the warnings about the configuration on standard error.
    func printWarnings() {
        for warning in warnings { printError("flick: \(warning)") }
    }
}
