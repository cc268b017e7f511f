/// The door to files and to the network, through the cache: each asset has one loader, whoever reads it.
public final class CachedDoor: ByteDoor {
    /// - Parameters:
    ///   - cache: nil keeps nothing on disk (`--no-cache`).
    ///   - report: told of each run of bytes that came from the network or the cache; from any thread.
    ///   - notice: told once of trouble with the cache that the user should know; from any thread.
    public init(
        cache: CacheOptions?, network: NetworkOptions, report: @escaping @Sendable (Fetch) -> Void = { _ in },
        notice: @escaping @Sendable (String) -> Void = { _ in }
    ) { fatalError("to come") }

    public func open(_ request: ByteRequest, cancellation: Cancellation) throws(BytesError) -> any ByteSource {
        fatalError("to come")
    }

    /// Saves what has come and ends all transfers. Blocks for a moment, at most a second.
    public func close() { fatalError("to come") }
}
