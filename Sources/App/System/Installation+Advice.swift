import Feeds
import Model

extension Installation {
    /// The decoder of the running executable. Throws if there is none, because flick cannot play anything then.
    static func decoderPath() throws(AppError) -> String {
        guard let decoder = current().decoder else {
            throw AppError(
                "cannot find flick-decoder, which belongs beside flick or in ../libexec/flick; install flick again")
        }
        return decoder
    }

    /// The given sources, or the built-in demo feed.
    static func sourcesOrDemo(_ sources: [FeedSource]) throws(AppError) -> [FeedSource] {
        guard sources.isEmpty else { return sources }
        guard let demo = current().demo else {
            throw AppError("cannot find the demo feed; name a folder, a file or a manifest")
        }
        return [FeedSource("\(demo)/\(manifestName)")]
    }
}
