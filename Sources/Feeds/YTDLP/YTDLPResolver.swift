import Bytes
import Model
import Threads

/// Asks yt-dlp where the clip of a web page is.
public struct YTDLPResolver: MediaResolver {
    private let program: YTDLP
    private let need: MediaNeed

    /// - Parameter savesData: whether small ones of several files are chosen.
    public init(_ program: YTDLP, savesData: Bool = false) {
        self.init(program, need: MediaNeed(savesData: savesData))
    }

    init(_ program: YTDLP, need: MediaNeed) { (self.program, self.need) = (program, need) }

    public func resolve(
        _ asset: Asset, with provider: any ByteProvider, cancellation: Cancellation
    ) throws(BytesError) -> ResolvedMedia {
        let info: YTDLPInfo
        do throws(YTDLP.ResolveError) { info = try program.single(asset.url, cancellation) } catch {
            let isCancelled = error == .program(.cancelled)
            throw BytesError(
                verb: .open, url: asset.url,
                reason: isCancelled ? .cancelled : .unresolved(by: Resolver.ytDLP.name, why: "\(error)"))
        }
        do throws(YTDLPChoice.ChoiceError) { return try YTDLPChoice.media(of: info, need: need) } catch {
            throw BytesError(
                verb: .open, url: asset.url, reason: .unresolved(by: Resolver.ytDLP.name, why: error.why))
        }
    }

    public func close() { program.close() }
}

/// Chooses in which of its forms a clip is played. Pure.
///
/// The smallest form with pictures and sound in one that covers the surface is the choice. If none does, a playlist of
/// several forms is, then the best there is. Pictures and sound that come separately, without a playlist that joins
/// them, cannot be played.
enum YTDLPChoice {
    struct ChoiceError: Error, Equatable { var why: String }

    static func media(of info: YTDLPInfo, need: MediaNeed) throws(ChoiceError) -> ResolvedMedia {
        let reachable = info.formats.filter { RemoteURL($0.url) != nil || $0.way == .dash }
        let formats = reachable.filter { !$0.hasDRM }
        let hasVideo = formats.contains(where: \.hasVideo)
        let hasAudio = formats.contains(where: \.hasAudio)
        var best: (media: ResolvedMedia, rank: [Int])?
        func offer(_ media: @autoclosure () -> ResolvedMedia, _ rank: [Int]) {
            // Of equals the last one counts, which yt-dlp finds better.
            if let best, best.rank.lexicographicallyPrecedes(rank) { return }
            best = (media(), rank)
        }
        for format in formats {
            let isWhole = format.hasVideo == hasVideo && format.hasAudio == hasAudio
            if isWhole, format.way != .dash {
                let order = [format.way == .file ? 0 : 1, format.isPlain ? 0 : 1]
                offer(file(format, of: info), MediaChoice.fit(height: format.height, need) + order)
            }
            guard let manifest = format.manifest, RemoteURL(manifest) != nil else { continue }
            // A live stream's manifest is refused as DASH.
            if format.way == .dash, info.isLive { continue }
            if format.way == .file { continue }
            offer(
                ResolvedMedia(url: manifest, headers: format.headers),
                MediaChoice.adaptive(isDash: format.way == .dash))
        }
        if let best { return best.media }
        throw ChoiceError(why: reason(of: info, hasDRM: !reachable.isEmpty && formats.isEmpty, isSeparate: hasVideo))
    }

    private static func file(_ format: YTDLPFormat, of info: YTDLPInfo) -> ResolvedMedia {
        var media = ResolvedMedia(url: format.url, headers: format.headers)
        // The addresses change with each answer, the bytes do not; but what is live has no end.
        if format.way == .file, !info.isLive, !info.isOfAnyPage, let service = info.service,
            let id = info["id"]?.asText(limit: ItemLimit.word), !format.id.isEmpty
        {
            media.cacheName = "\(service):\(id):\(format.id)"
        }
        return media
    }

    private static func reason(of info: YTDLPInfo, hasDRM: Bool, isSeparate: Bool) -> String {
        if info["live_status"] == .text("is_upcoming") { return "it has not started yet" }
        if hasDRM { return "protected (DRM)" }
        if isSeparate { return "its video and audio are separate, which is not supported" }
        return "no playable format"
    }
}
