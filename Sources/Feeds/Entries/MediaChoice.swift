import Model

/// The video size that a page can show. A value.
struct MediaNeed: Sendable, Equatable {
    /// How many pixels high the surface can show them; 720 if that is not known.
    var height = 720

    /// - Parameter savesData: whether small files will do: those that can still be watched.
    init(height: Int = 720, savesData: Bool = false) { self.height = savesData ? 360 : height }
}

/// Chooses which of an entry's files and streams to play. Pure.
///
/// The smallest video that covers the surface is the choice: it looks like a larger one and costs less. If none is
/// known to cover it, an adaptive stream is, because it fits itself; a file that fits is preferred, as it begins with
/// one request, can be kept whole and loops without another. Then comes a file of unknown size, then the largest of
/// those that are too small. Sound alone, pictures alone and what nothing is known of follow in this order.
enum MediaChoice {
    /// nil if the entry has nothing to play.
    static func best(of entry: FeedEntry, need: MediaNeed) -> FeedMedia? {
        let best = best(of: entry.media, need: need)
        let kind = best.flatMap { MediaKind($0) }
        if let best, kind != .image, kind != .unknown { return best }
        // Some feeds have nothing but a link to the file, and perhaps a picture of it.
        guard let link = entry.link, let ending = MediaKind.ending(ofURL: link), ClipName.isClip(ending: ending),
            best == nil || MediaKind.kind(ofEnding: ending) != .image, isReachable(link)
        else { return best }
        return FeedMedia(url: link)
    }

    static func best(of media: [FeedMedia], need: MediaNeed) -> FeedMedia? {
        var best: (media: FeedMedia, rank: Rank)?
        for media in media where isReachable(media.url) {
            guard let kind = MediaKind(media) else { continue }
            let rank = Rank(media, kind, need)
            // Of equals the first one counts.
            if let known = best, !(rank < known.rank) { continue }
            best = (media, rank)
        }
        return best?.media
    }

    /// Whether flick could open an address, if the feed may lead there (see `URLAccessPolicy`).
    static func isReachable(_ url: String) -> Bool {
        guard url.utf8.count <= ItemLimit.url else { return false }
        if url.hasPrefix("https://") || url.hasPrefix("http://") { return true }
        return URLParts(url)?.scheme.map(["http", "https", "file"].contains) ?? false
    }

    /// How well a file of this height fits, in pixels; the least fits best.
    static func fit(height: Int?, _ need: MediaNeed) -> [Int] {
        guard let height else { return [2, 0] }
        return height >= need.height ? [0, height] : [3, -height]
    }

    /// The same of a stream that fits itself. Live streams are refused as DASH.
    static func adaptive(isDash: Bool) -> [Int] { [1, isDash ? 1 : 0] }

    /// How good a choice is; the least is the best.
    private struct Rank: Comparable {
        /// Its kind, then how well it fits, then whether the feed prefers another.
        private let steps: [Int]

        init(_ media: FeedMedia, _ kind: MediaKind, _ need: MediaNeed) {
            steps = [Self.order(of: kind, media)] + Self.fit(media, kind, need) + [media.isDefault ? 0 : 1]
        }

        static func < (left: Rank, right: Rank) -> Bool { left.steps.lexicographicallyPrecedes(right.steps) }

        /// A part comes behind everything whole; but a picture is not the whole of a film.
        private static func order(of kind: MediaKind, _ media: FeedMedia) -> Int {
            switch kind {
            case .video, .adaptive: media.isSample ? 2 : 0
            case .audio: media.isSample ? 3 : 1
            case .image: 4
            case .unknown: 5
            }
        }

        private static func fit(_ media: FeedMedia, _ kind: MediaKind, _ need: MediaNeed) -> [Int] {
            switch kind {
            case .adaptive: return MediaChoice.adaptive(isDash: MediaKind.isDash(media))
            case .audio, .unknown: return [0, 0]
            case .video, .image: return MediaChoice.fit(height: height(of: media), need)
            }
        }

        /// As the feed says, or as its bits a second are usually used for.
        private static func height(of media: FeedMedia) -> Int? {
            if let height = media.height, height > 0 { return height }
            guard let bitrate = media.bitrate, bitrate > 0 else { return nil }
            return ladder.last(where: { bitrate >= $0.bitrate })?.height ?? 144
        }

        /// The usual encodings of services, in H.264.
        private static let ladder: [(bitrate: Int, height: Int)] = [
            (300_000, 240), (600_000, 360), (1_000_000, 480), (2_000_000, 720), (4_000_000, 1_080),
            (9_000_000, 1_440), (16_000_000, 2_160),
        ]
    }
}
