import Cache
import Model
import Threads

/// Files and the last answers of servers, if they are stored (`KeptFeed`, and the outlines of finished playlists), for
/// callers that must not use the network. Any thread; `open` blocks on the disk.
struct KeptProvider: ByteProvider {
    let writer: CacheWriter
    let privateHosts: URLAccessPolicy.PrivateHosts

    func open(_ request: ByteRequest, cancellation: Cancellation) throws(BytesError) -> any ByteSource {
        guard RemoteURL(request.url) != nil else {
            return try FileProvider().open(request, cancellation: cancellation)
        }
        if let refusal = URLAccessPolicy.refusal(of: request.url, for: request.asset, privateHosts: privateHosts) {
            throw BytesError(verb: .open, url: request.url, reason: refusal)
        }
        if let key = AssetKey(request.url) {
            if request.role == .feed, let feed = KeptFeed(key, in: writer) { return TextSource(feed) }
            if request.role == .playlist, let text = TextLoader.Text(outlineOf: key, in: writer) {
                return TextSource(text)
            }
        }
        throw BytesError(verb: .open, url: request.url, reason: .unreachable)
    }
}

extension CachedProvider {
    /// The same files and feeds without the network.
    public var kept: any ByteProvider { KeptProvider(writer: services.writer, privateHosts: privateHosts) }
}
