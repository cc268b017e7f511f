import Bytes

extension Setup {
    /// The provider to everything, as the configuration wants it.
    ///
    /// - Parameter notice: told, once, of trouble with the cache; from any thread.
    func provider(_ fetches: FetchJournal?, notice: @escaping @Sendable (String) -> Void) -> CachedProvider {
        // Where nobody listens, no thread is started to tell.
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

    /// The provider of a command without an interface, which tells standard error of trouble.
    func commandProvider(_ fetches: FetchJournal? = nil) -> CommandProvider {
        CommandProvider { provider(fetches, notice: { printError("flick: \($0)") }) }
    }

    /// Tells standard error what of the configuration is of no use.
    func printWarnings() {
        for warning in warnings { printError("flick: \(warning)") }
    }
}
