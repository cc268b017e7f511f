import Cache
import HTTP
import Model
import Synchronization
import Threads

/// The provider for files and, through loaders and the cache, for the network. Each URL has one loader, however many
/// readers it has. Any thread.
public final class CachedProvider: ByteProvider, MediaNetwork {
    let services: LoaderServices
    let registry: LoaderRegistry
    private let texts: TextLoader
    private let prefetcher: Prefetcher
    private let stills: Prefetcher
    let offline: OfflineFetcher
    let resolutions: Resolutions
    private let expectations: Expectations
    private let segments = SegmentTimes()
    let privateHosts: URLAccessPolicy.PrivateHosts
    let isClosed = Atomic(false)

    /// Returns at once: the cache is opened when it is first needed.
    ///
    /// - Parameters:
    ///   - cache: nil to cache nothing on disk (`--no-cache`).
    ///   - resolvers: find the media of clips whose URL is only a name for it.
    ///   - report: receives each run of bytes from the network or the cache, on any thread; nil without a listener.
    ///   - notice: receives problems with the cache that the user should know of, each kind once, on any thread.
    public convenience init(
        cache: CacheOptions?, network: NetworkOptions, resolvers: [Resolver: any MediaResolver] = [:],
        report: (@Sendable (Fetch) -> Void)? = nil, notice: @escaping @Sendable (String) -> Void = { _ in }
    ) {
        let services = LoaderServices(cache: cache, network: network, report: report, notice: notice)
        self.init(services, resolvers: resolvers, privateHosts: network.privateHosts)
    }

    init(
        _ services: LoaderServices, resolvers: [Resolver: any MediaResolver], privateHosts: URLAccessPolicy.PrivateHosts
    ) {
        self.services = services
        registry = LoaderRegistry(services: services)
        texts = TextLoader(services: services)
        prefetcher = Prefetcher(.clips, registry: registry, texts: texts)
        stills = Prefetcher(.stills, registry: registry, texts: texts)
        offline = OfflineFetcher(registry: registry)
        resolutions = Resolutions(resolvers) { [services] in services.now }
        expectations = Expectations(registry: registry)
        self.privateHosts = privateHosts
    }

    deinit {
        guard !isClosed.load(ordering: .acquiring) else { return }
        shut()
        services.writer.add { [services] in services.transport.close() }
        services.writer.end()
    }

    /// Saves what has arrived and ends all transfers. Blocks for a second and a half at most.
    public func close() {
        guard !isClosed.exchange(true, ordering: .acquiringAndReleasing) else { return }
        shut()
        services.writer.end()
        services.writer.drain(upTo: .milliseconds(900))
        services.transport.close()
        services.reporter.end(within: .milliseconds(100))
    }

    private func shut() {
        resolutions.close()
        prefetcher.replace([])
        stills.replace([])
        offline.close()
        texts.close()
        registry.close()
    }

    public func open(_ request: ByteRequest, cancellation: Cancellation) throws(BytesError) -> any ByteSource {
        guard request.asset.resolver != nil else { return try openDirectly(request, cancellation) }
        let isClip = request.url == request.asset.url
        return isClip ? try openResolved(request, cancellation) : try openPart(request, cancellation)
    }

    /// Opens what is at the request's URL itself.
    func openDirectly(_ request: ByteRequest, _ cancellation: Cancellation) throws(BytesError) -> any ByteSource {
        let url = request.url
        guard let scheme = URLParts(url)?.scheme, scheme == "http" || scheme == "https" else {
            return try FileProvider().open(request, cancellation: cancellation)
        }
        if let refusal = URLAccessPolicy.refusal(of: url, for: request.asset, privateHosts: privateHosts) {
            throw BytesError(verb: .open, url: url, reason: refusal)
        }
        switch request.role {
        case .feed: return try ArrivingText(request, self, cancellation)
        case .playlist, .key: return TextSource(try texts.text(request, cancellation))
        case .media where PlaylistKind.isPlaylist(url: url):
            return TextSource(try texts.text(request, cancellation))
        case .media, .segment, .liveSegment: return try openLoader(request, cancellation)
        }
    }

    private func openLoader(
        _ request: ByteRequest, _ cancellation: Cancellation
    ) throws(BytesError) -> any ByteSource {
        segments.note(request)
        while true {
            guard let loader = registry.acquire(request) else {
                let reason: BytesError.Reason = isClosed.load(ordering: .acquiring) ? .cancelled : .malformed
                throw BytesError(verb: .open, url: request.url, reason: reason)
            }
            // The source keeps the provider alive while it is read.
            let source = LoadedSource(loader, request: request) { [self] in registry.release(loader, request.role) }
            // Not before its reader waits: nothing would need the transfer under way.
            defer { expectations.fulfil(request) }
            guard try source.waitUntilKnown(cancellation) else { break }
            if !loader.isBroadcast || registry.separate(loader, request.role) { return source }
        }
        // The supposed media is a playlist.
        return TextSource(try texts.text(request, cancellation))
    }

    public func expect(_ request: ByteRequest) {
        guard URLAccessPolicy.allows(request.url, for: request.asset, privateHosts: privateHosts) else { return }
        let request = completed(request)
        switch request.role {
        case .playlist, .key: texts.fetchAhead(request)
        case .media, .feed: break
        case .segment, .liveSegment:
            segments.note(request)
            expectations.add(request)
        }
    }

    public func focus(on asset: Asset?) {
        services.setStays(asset == nil)
        registry.setViewStalled(false)
        resolutions.focus(on: asset?.url)
        registry.focus(on: asset?.url)
        expectations.focus(on: asset?.url)
        if let request = asset.flatMap(request) { offline.resume(request) }
    }

    public func setViewStalled(_ isStalled: Bool) { registry.setViewStalled(isStalled) }

    public func stay() {
        services.setStays(true)
        registry.updateAll()
        guard !services.savesData else { return }
        prefetcher.fetchMore()
        stills.fetchMore()
    }

    public func setSavesData(_ savesData: Bool) {
        guard savesData != services.savesData else { return }
        services.setSavesData(savesData)
        registry.updateAll()
    }

    /// Skips clips that are not resolved: a clip is resolved only when it is opened.
    public func prefetch(_ assets: [Asset]) { prefetcher.replace(assets.compactMap(request)) }

    public func prefetchStills(_ assets: [Asset]) { stills.replace(assets.compactMap(request)) }

    public func keepOffline(_ asset: Asset, _ isKept: Bool) {
        if let request = request(of: asset) {
            offline.keep(request, isKept)
        } else {
            keepOfflineUnresolved(asset, isKept)
        }
    }

    public func offline(_ asset: Asset) -> OfflineState {
        offline.search(asset.url) ?? request(of: asset).map { offline.state(of: $0) } ?? .no
    }

    public func revalidate(_ asset: Asset) {
        resolutions.drop(of: asset.url)
        texts.revalidate(asset.url)
        segments.forget(asset.url)
        for loader in registry.all where loader.belongs(to: asset.url) { loader.update { $0.revalidate() } }
    }

    public func reject(_ asset: Asset) {
        resolutions.drop(of: asset.url)
        texts.revalidate(asset.url)
        segments.forget(asset.url)
        registry.reject(asset.url)
    }

    public func discard(_ asset: Asset) {
        texts.revalidate(asset.url)
        for loader in registry.all where loader.belongs(to: asset.url) { loader.discard() }
    }

    public func available(of asset: Asset, duration: Duration?) -> [ClosedRange<Double>] {
        guard let key = request(of: asset)?.key else { return [] }
        if let (ranges, length) = registry.peek(key, .media)?.available {
            guard let length, length > 0 else { return [] }
            return ClipParts.merged(
                ranges.map { (Double($0.lowerBound) / Double(length), (Double($0.upperBound) + 1) / Double(length)) })
        }
        guard let duration else { return [] }
        return segments.available(of: asset.url, duration: duration) { [registry] key, range in
            registry.peek(key, .segment)?.isAvailable(range) ?? false
        }
    }

    public func delay(of asset: Asset) -> String? {
        services.delays.words(asset.url) ?? resolutions.words(asset.url)
    }

    public func title(of asset: Asset) -> String? { services.titles[asset.url] }

    public var throughput: Int64? { services.throughput.withLock(\.estimate) }
}

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
        BlockingThread.start { [self] in
            do throws(BytesError) {
                let media = try resolutions.media(of: asset, with: self, Cancellation())
                let request = ByteRequest(url: asset.url, asset: asset).leading(to: media)
                if offline.endSearch(asset.url) { offline.keep(request, true) }
            } catch {
                offline.endSearch(asset.url, failure: error.why)
            }
        }
    }
}
