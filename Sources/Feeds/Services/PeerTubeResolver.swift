import Bytes
import Model
import Threads

/// Asks a PeerTube instance where the media of a video is: one request of
/// `/api/v1/videos/ID`. A value; any thread that may block.
public struct PeerTubeResolver: MediaResolver {
    /// The most bytes of an answer: it names each file in each resolution.
    static let answerLimit = 2 << 20

    private let need: MediaNeed

    /// - Parameter savesData: whether small ones of several files are chosen.
    public init(savesData: Bool = false) { need = MediaNeed(savesData: savesData) }

    public func resolve(
        _ asset: Asset, with provider: any ByteProvider, cancellation: Cancellation
    ) throws(BytesError) -> ResolvedMedia {
        // Without the resolver: this requests the answer itself. As a feed's text it is
        // stored for use while the instance is unreachable.
        let asked = Asset(url: asset.url, feed: asset.feed)
        let source = try provider.open(
            ByteRequest(url: asset.url, asset: asked, role: .feed), cancellation: cancellation)
        let stream = ByteStream(source, limit: Int64(Self.answerLimit), cancellation: cancellation)
        guard let answer = try JSON.value(of: stream, upTo: Self.answerLimit),
            ServiceEntry.id(answer["uuid"]) != nil || answer["streamingPlaylists"] != nil
        else {
            throw Self.failure("unexpected response; is it a PeerTube server?", asset)
        }
        guard let url = Self.media(of: answer, base: source.url, need: need) else {
            let isWaiting = answer["isLive"]?.asFlag == true
            throw Self.failure(
                isWaiting
                    ? "the stream has not started or has ended; try again later"
                    : "it has no playable file", asset)
        }
        return ResolvedMedia(url: url)
    }

    private static func failure(_ why: String, _ asset: Asset) -> BytesError {
        BytesError(verb: .open, url: asset.url, reason: .unresolved(by: Resolver.peerTube.name, why: why))
    }

    /// The number of HLS among the kinds of playlists; there is no other yet.
    private static let hls = 1

    /// The absolute URL of the video's playlist, which has every resolution;
    /// otherwise of the best file; nil if it has neither.
    ///
    /// Pure. A video is in `streamingPlaylists`, in `files`, or in both, as the instance's owner chose.
    static func media(of video: JSON, base: String, need: MediaNeed) -> String? {
        let playlists = ServiceEntry.list(video["streamingPlaylists"])
        for playlist in playlists where playlist["type"]?.asCount ?? hls == hls {
            if let url = FeedEntry.address(playlist["playlistUrl"], base: base), isRemote(url) { return url }
        }
        let files = ServiceEntry.list(video["files"]) + playlists.flatMap { ServiceEntry.list($0["files"]) }
        return MediaChoice.best(of: files.compactMap { file($0, base: base) }, need: need)?.url
    }

    private static func isRemote(_ url: String) -> Bool { RemoteURL(url) != nil }

    private static func file(_ file: JSON, base: String) -> FeedMedia? {
        guard let url = FeedEntry.address(file["fileUrl"], base: base), isRemote(url) else { return nil }
        // Older versions send no size; the number of a resolution is its height, and 0 for audio only.
        let height = file["height"]?.asCount ?? file["resolution"]?["id"]?.asCount
        let isSound = file["hasVideo"]?.asFlag == false || height == 0
        var media = FeedMedia(url: url, medium: isSound ? .audio : .video)
        // The type of an MP4 without video is that of one with video.
        media.type = isSound ? "audio/mp4" : nil
        media.width = file["width"]?.asCount
        media.height = height
        media.length = file["size"]?.asCount.map { Int64($0) }
        return media
    }
}
