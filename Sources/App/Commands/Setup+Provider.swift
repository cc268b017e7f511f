import Bytes
import Feeds
import Model
import Ranking

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
    func commandProvider(_ fetches: FetchJournal? = nil) -> CommandProvider {
        CommandProvider { provider(fetches, notice: { printError("flick: \($0)") }) }
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
