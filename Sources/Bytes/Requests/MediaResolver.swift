import Cache
import Model
import Threads

/// Where a resolver has found media. A value.
public struct ResolvedMedia: Hashable, Sendable {
    /// An http or https URL. `URLAccessPolicy` still decides whether the asset may lead there.
    public var url: String
    /// Sent with every request for the clip, besides the asset's own, which count more.
    public var headers: [String: String]
    /// Names the bytes in the cache where addresses change: service, id and format. nil: the URL names them.
    public var cacheName: String?

    public init(url: String, headers: [String: String] = [:], cacheName: String? = nil) {
        self.url = url
        self.headers = headers
        self.cacheName = cacheName
    }
}

/// Finds out where media is.
public protocol MediaResolver: Sendable {
    /// Where the media of `asset` is, whose URL is only a name for it. Several threads may ask at once. Blocks: do not
    /// call it on the main thread or the shared pool. Ends soon with `.cancelled` after a cancellation.
    func resolve(
        _ asset: Asset, with provider: any ByteProvider, cancellation: Cancellation
    ) throws(BytesError) -> ResolvedMedia
    /// Ends at once all work outside this process. No call follows.
    func close()
}

extension MediaResolver {
    public func close() {}
}

extension ByteRequest {
    /// The request for what the asset's URL stands for.
    func leading(to media: ResolvedMedia) -> ByteRequest {
        var request = sending(media.headers)
        request.url = media.url
        request.media = media
        return request
    }

    /// The request with these headers besides the asset's own.
    func sending(_ headers: [String: String]) -> ByteRequest {
        var request = self
        request.asset.headers = FieldName.merge(asset.headers, over: headers)
        return request
    }

    /// The key of the bytes in the cache; nil if the URL is neither http nor https.
    var key: AssetKey? { media?.cacheName.map { AssetKey(name: $0) } ?? AssetKey(url) }

    /// Whether it is for the asset's own file, and not for what that leads to.
    var isOwnFile: Bool { role == .media && (media != nil || url == asset.url) }
}

extension BytesError {
    /// Whether a server said that it does not give this out, not any more, or
    /// not to this address: another address may lead to it.
    var isOfOldAddress: Bool {
        switch reason {
        case .status(401), .status(403), .status(404), .status(410): true
        default: false
        }
    }
}
