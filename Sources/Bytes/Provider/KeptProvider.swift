import Cache
import Model
import Threads

/// Files, and what servers answered last as far as that is kept (`KeptFeed`): for who must ask nobody. Any thread; `open` blocks on the disk.
struct KeptProvider: ByteProvider {
    let writer: CacheWriter
    let privateHosts: LinkPolicy.PrivateHosts

    func open(_ request: ByteRequest, cancellation: Cancellation) throws(BytesError) -> any ByteSource {
        guard RemoteURL(request.url) != nil else {
            return try FileProvider().open(request, cancellation: cancellation)
        }
        if let refusal = LinkPolicy.refusal(of: request.url, for: request.asset, privateHosts: privateHosts) {
            throw BytesError(verb: .open, url: request.url, reason: refusal)
        }
        guard request.role == .feed, let key = AssetKey(request.url), let feed = KeptFeed(key, in: writer) else {
            throw BytesError(verb: .open, url: request.url, reason: .unreachable)
        }
        return TextSource(feed)
    }
}

extension CachedProvider {
    /// The same files and feeds without the network.
    public var kept: any ByteProvider { KeptProvider(writer: services.writer, privateHosts: privateHosts) }
}
