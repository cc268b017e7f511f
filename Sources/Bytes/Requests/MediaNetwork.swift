import Model

/// Decides what is fetched ahead of need, and in which order. Any thread; every call returns at once.
public protocol PrefetchControl: Sendable {
    /// Announces a request that will soon be opened.
    func expect(_ request: ByteRequest)
    /// Sets the asset in view. Its bytes come first and may be fetched whole; other assets get only bytes that their
    /// readers wait for.
    func focus(on asset: Asset?)
    /// Whether the clip in view is stalled for lack of bytes. While it is and they come,
    /// other assets get none. The next `focus` ends that.
    func setViewStalled(_ isStalled: Bool)
    /// The user stays with the asset in view: it and what follows are read ahead on a slow link,
    /// too, up to where it would on any other. The next `focus` ends that.
    func stay()
    /// Sets whether as little as possible is fetched ahead, however fast the link is and however long the user stays.
    func setSavesData(_ savesData: Bool)
    /// Sets the clips that may be wanted soon, the likeliest first: the beginnings of their files are fetched. Replaces
    /// earlier ones.
    func prefetch(_ assets: [Asset])
    /// Sets the stills that may be wanted soon, the likeliest first. They are fetched at the same time: three of them,
    /// and a dozen of the others. Replaces earlier ones.
    func prefetchStills(_ assets: [Asset])
}

/// The cached bytes of assets, and how far they are trusted. Any thread; no call blocks.
public protocol AssetCache: Sendable {
    /// Begins or ends to keep a file offline: all of it is fetched, and stays in the cache beside its limit.
    func keepOffline(_ asset: Asset, _ isKept: Bool)
    /// Whether a clip is kept offline, and the progress of that.
    func offline(_ asset: Asset) -> OfflineState
    /// The parts of a clip that need no network, in order, as fractions 0 … 1 of a file's bytes, or of `duration` for
    /// segments.
    func available(of asset: Asset, duration: Duration?) -> [ClosedRange<Double>]
    /// Drops the buffered bytes of an asset that did not play, and confirms its cached bytes with the server.
    func revalidate(_ asset: Asset)
    /// Drops all bytes of an asset that failed to play again, and has them fetched again past every cache on the way,
    /// even if the server says that they have not changed. Only if it cannot be reached are they used.
    func reject(_ asset: Asset)
    /// Drops all bytes of an asset that are not what it is read for, from the disk, too. The next reader has them
    /// fetched again, but only a few times in a row (`RequestBudget`).
    func discard(_ asset: Asset)
}

/// How bytes come, for the page and for decoders that choose a variant. Any thread; no call blocks.
public protocol NetworkStatus: Sendable {
    /// The recently measured speed in bits a second; nil while unknown.
    var throughput: Int64? { get }
    /// Why an asset's bytes are late, in one line: a request failed and will be retried. nil if none did.
    func delay(of asset: Asset) -> String?
    /// The title that a radio sends now; nil for anything else. Not trusted.
    func title(of asset: Asset) -> String?
}

/// All that a player can want of a network beside bytes.
public typealias MediaNetwork = PrefetchControl & AssetCache & NetworkStatus

/// Where players and decoders get the bytes of media. A value.
public struct MediaBytes: Sendable {
    public let provider: any ByteProvider
    /// nil if all bytes are local, so that there is nothing to fetch, cache or measure.
    public let network: (any MediaNetwork)?

    public init(local provider: any ByteProvider) { (self.provider, network) = (provider, nil) }

    public init(network: any ByteProvider & MediaNetwork) { (provider, self.network) = (network, network) }
}
