import Bytes

extension Setup {
    /// The provider to everything, as the configuration wants it.
    ///
    /// - Parameter notice: called at most once, on any thread, with what is wrong with the cache.
    func provider(_ fetches: FetchJournal?, notice: @escaping @Sendable (String) -> Void) -> CachedProvider {
        // Where neither trace nor log wants fetches, no thread is started to report them.
        let report = fetches.flatMap { fetches in
            fetches.writesFetches ? { @Sendable (fetch: Fetch) in fetches.record(fetch) } : nil
        }
        return CachedProvider(
            cache: cache, network: configuration.network, report: report,
            notice: { trouble in
                fetches?.record(cacheTrouble: trouble)
                notice(trouble)
            })
    }

    /// The provider of a command without an interface. Trouble goes to standard error.
    func commandProvider(_ fetches: FetchJournal? = nil) -> CommandProvider {
        CommandProvider { provider(fetches, notice: { printError("flick: \($0)") }) }
    }

    /// Writes the warnings about the configuration to standard error.
    func printWarnings() {
        for warning in warnings { printError("flick: \(warning)") }
    }
}
