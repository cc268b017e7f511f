import Cache
import Model
import Synchronization
import Threads

/// The result of fetching a whole file. A value.
public enum WholeFile: Equatable, Sendable {
    /// All of it is on disk. In bytes; how many were fetched for that.
    case whole(bytes: Int64, fetched: Int64)
    /// It is a stream: its segments are many files, in several qualities.
    case stream
    /// The room does not suffice for this many bytes.
    case tooLarge(bytes: Int64)
    /// Why the file could not be fetched, in a few words.
    case failed(String)

    /// How far it is, in bytes.
    public struct Progress: Equatable, Sendable {
        public var cached: Int64
        /// nil while unknown.
        public var length: Int64?
    }
}

extension CachedProvider {
    /// Fetches the missing parts of a file to the disk, where it stays as long as the asset's retention says. Blocks
    /// until the file is complete or the transfer ends: what has arrived stays, and another call continues from there.
    ///
    /// - Parameters:
    ///   - asset: on the network. It is resolved first, if its URL is only a name for it.
    ///   - room: in bytes: a longer file is not fetched.
    ///   - progress: called on this thread, at most five times a second.
    public func fetchWhole(
        _ asset: Asset, room: Int64, progress: (WholeFile.Progress) -> Void = { _ in }
    ) -> WholeFile {
        var request = ByteRequest(url: asset.url, asset: asset)
        if asset.resolver != nil {
            do throws(BytesError) {
                request = request.leading(to: try resolutions.media(of: asset, with: self, Cancellation()))
            } catch {
                return .failed(error.why)
            }
        }
        if let reason = URLAccessPolicy.refusal(of: request.url, for: request.asset, privateHosts: privateHosts) {
            return .failed(BytesError(verb: .open, url: request.url, reason: reason).why)
        }
        guard !PlaylistKind.isPlaylist(url: request.url) else { return .stream }
        guard let loader = registry.acquire(request) else {
            return .failed("not a network address")
        }
        defer { registry.release(loader, .media) }
        loader.lookUp()
        let before = loader.cachedBytes
        let hasEnded = Monitor(false)
        let writer = services.writer
        loader.fetchWhole {
            // Behind the pieces that are still to be written.
            if !writer.add({ hasEnded.change { $0 = true } }) { hasEnded.change { $0 = true } }
        }
        let began = ContinuousClock.now
        // Rejects a file that is too long before much of it has arrived. Some servers never send a length.
        func isBeginning() -> Bool { loader.length == nil && .now - began < .seconds(2) }
        while hasEnded.wait(upTo: .milliseconds(isBeginning() ? 5 : 200), for: { $0 ? () : nil }) == nil {
            // A closed loader reports no end.
            if isClosed.load(ordering: .acquiring) { return .failed("flick is quitting") }
            if let length = loader.length, length > room {
                loader.stopFetchingWhole()
                return .tooLarge(bytes: length)
            }
            if isBeginning() { continue }
            progress(WholeFile.Progress(cached: loader.cachedBytes, length: loader.length))
        }
        if loader.isPlaylist { return .stream }
        guard loader.isWhollyCached, let length = loader.length else {
            return .failed(loader.failure ?? "the disk is full")
        }
        // A short one may have been there before its length was looked at.
        return length > room ? .tooLarge(bytes: length) : .whole(bytes: length, fetched: length - before)
    }
}

/// The files that are wholly in the cache, so that no network is needed to read them. A value.
public struct WholeFiles: Sendable {
    /// When the first bytes of each came, by the hash of its key, in seconds since 1970.
    private let made: [String: Double]

    init(_ made: [String: Double]) { self.made = made }

    public var isEmpty: Bool { made.isEmpty }

    /// When the first bytes of a URL's file came, in seconds since 1970; nil unless all of it is there.
    public func since(_ url: String) -> Double? { AssetKey(url).flatMap { made[$0.hash] } }
}

extension CachedProvider {
    /// The files that are wholly in the cache now; none without a cache. Blocks on the disk.
    public func wholeFiles() -> WholeFiles { WholeFiles(services.writer.store()?.wholeAssets() ?? [:]) }
}
