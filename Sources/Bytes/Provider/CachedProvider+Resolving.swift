import Model
import Threads

/// Clips whose URL is only a name for them.
extension CachedProvider {
    /// The request for a clip's own file; nil until the clip is resolved. Does not block.
    func request(of asset: Asset) -> ByteRequest? {
        let request = ByteRequest(url: asset.url, asset: asset)
        guard asset.resolver != nil else { return request }
        return resolutions.known(asset.url).map(request.leading)
    }

    /// The same request with the headers that the clip's resolver wants sent.
    func completed(_ request: ByteRequest) -> ByteRequest {
        guard request.asset.resolver != nil, let media = resolutions.known(request.asset.url) else { return request }
        return request.sending(media.headers)
    }

    /// Opens a clip where its resolver found it. An earlier result is tried only once: if
    /// the server refuses it, the clip is resolved again.
    func openResolved(_ request: ByteRequest, _ cancellation: Cancellation) throws(BytesError) -> any ByteSource {
        let media = try resolutions.media(of: request.asset, with: self, cancellation)
        let opened: ResolvedSource.Opened
        do throws(BytesError) {
            opened = ResolvedSource.Opened(
                source: try openDirectly(request.leading(to: media), cancellation), media: media)
        } catch {
            guard error.isOfOldAddress else { throw error }
            opened = try reopen(request, after: media, error, cancellation)
        }
        offline.resume(request.leading(to: opened.media))
        return ResolvedSource(opened, of: request, by: self)
    }

    /// Opens a clip somewhere else than at `media`, where the server refused it. Throws
    /// that error if the resolver finds no other place.
    func reopen(
        _ request: ByteRequest, after media: ResolvedMedia, _ error: BytesError, _ cancellation: Cancellation
    ) throws(BytesError) -> ResolvedSource.Opened {
        resolutions.drop(media, of: request.asset.url, because: error)
        let other = try resolutions.media(of: request.asset, with: self, cancellation)
        guard other != media else { throw error }
        return ResolvedSource.Opened(
            source: try openDirectly(request.leading(to: other), cancellation), media: other)
    }

    /// Opens what a resolved clip leads to.
    func openPart(_ request: ByteRequest, _ cancellation: Cancellation) throws(BytesError) -> any ByteSource {
        let asset = request.asset.url
        let note: @Sendable (BytesError) -> Void = { [resolutions] error in
            if error.isOfOldAddress { resolutions.drop(of: asset, because: error) }
        }
        do throws(BytesError) {
            return ResolvedPart(try openDirectly(completed(request), cancellation), fails: note)
        } catch {
            note(error)
            throw error
        }
    }

    /// Keeps a clip offline that is not resolved yet: resolves it first, on a separate thread. Returns at once.
    func keepOfflineUnresolved(_ asset: Asset, _ isKept: Bool) {
        guard isKept else {
            offline.endSearch(asset.url)
            return
        }
        offline.beginSearch(asset.url)
        let isStarted = BlockingThread.start { [self] in
            do throws(BytesError) {
                let media = try resolutions.media(of: asset, with: self, Cancellation())
                let request = ByteRequest(url: asset.url, asset: asset).leading(to: media)
                if offline.endSearch(asset.url) { offline.keep(request, true) }
            } catch {
                offline.endSearch(asset.url, failure: error.why)
            }
        }
        if !isStarted { offline.endSearch(asset.url, failure: "out of threads") }
    }
}
