import Bytes

extension Setup {
    /// The door to everything, as the configuration wants it.
    ///
    /// - Parameter notice: told, once, of trouble with the cache; from any thread.
    func door(_ fetches: FetchJournal?, notice: @escaping @Sendable (String) -> Void) -> CachedDoor {
        CachedDoor(
            cache: cache, network: configuration.network, report: { fetches?.tell($0) },
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
