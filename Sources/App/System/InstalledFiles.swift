import Feeds
import Model
import Platform

extension Installation {
    /// The decoder beside the running executable. Throws without one, because flick cannot play anything then.
    static func decoderPath() throws(AppError) -> String {
        guard let decoder = current().decoder else {
            throw AppError(
                "flick-decoder not found beside flick or in ../libexec/flick; reinstall flick")
        }
        return decoder
    }

    /// The given sources; the built-in demo feed if the list is empty, or names only `demo` and no such file exists.
    static func sourcesOrDemo(_ sources: [FeedSource]) throws(AppError) -> [FeedSource] {
        let isDemo = sources.count == 1 && sources[0].text == "demo" && access("demo", F_OK) != 0
        guard sources.isEmpty || isDemo else { return sources }
        guard let demo = demoPath else {
            throw AppError("the demo feed is not installed; pass a folder, a file or a feed")
        }
        return [FeedSource(demo)]
    }

    private static var demoPath: String? { current().demo.map { "\($0)/\(manifestName)" } }

    /// The demo feed's name in stored state, as `Feed.source`; nil if it is not installed.
    static var demoName: String? { demoPath.map { FileURL.url(path: FileURL.absolute(Array($0.utf8))) } }
}
