import Feeds
import Model

extension Installation {
    /// The decoder of the running executable. Throws if there is none, because flick cannot play anything then.
    static func decoderPath() throws(AppError) -> String {
        guard let decoder = current().decoder else {
            throw AppError(
                "flick-decoder not found beside flick or in ../libexec/flick; reinstall flick")
        }
        return decoder
    }

    /// The given sources, or the built-in demo feed.
    static func sourcesOrDemo(_ sources: [FeedSource]) throws(AppError) -> [FeedSource] {
        guard sources.isEmpty else { return sources }
        guard let demo = current().demo else {
            throw AppError("the demo feed is not installed; pass a folder, a file or a feed")
        }
        return [FeedSource("\(demo)/\(manifestName)")]
    }
}
