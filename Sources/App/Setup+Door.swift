import Bytes

extension Setup {
    /// The door to everything, as the configuration wants it.
    ///
    /// - Parameter notice: told, once, of trouble with the cache; from any thread.
    func door(_ fetches: FetchJournal?, notice: @escaping @Sendable (String) -> Void) -> CachedDoor {
        // Where nobody listens, no thread is started to tell.
        let report = fetches.flatMap { fetches in
            fetches.isHeard ? { @Sendable (fetch: Fetch) in fetches.tell(fetch) } : nil
        }
        return CachedDoor(
            cache: cache, network: configuration.network, report: report,
            notice: { trouble in
                fetches?.tell(trouble: trouble)
                notice(trouble)
            })
    }

    /// The door of a command without an interface, which tells standard error of trouble.
    func commandDoor(_ fetches: FetchJournal? = nil) -> CommandDoor {
        CommandDoor { door(fetches, notice: { printError("flick: \($0)") }) }
    }

    /// Tells standard error what of the configuration is of no use.
    func printWarnings() {
        for warning in warnings { printError("flick: \(warning)") }
    }
}
