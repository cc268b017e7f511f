import Bytes
import Feeds
import Model

/// The clip that a command works on, as named on the command line: a path, a URL, or what leads to one clip alone, as a
/// video's web page does.
enum ClipArgument {
    /// Throws `AppError` if the argument is not a single clip. Blocks if it has
    /// to look at the disk, or to ask what there is.
    static func asset(
        _ argument: String, provider: any ByteProvider, options: FeedOptions
    ) throws(AppError) -> Asset {
        do {
            switch try Source.parse(argument, provider: provider) {
            case .clip(let url): return Asset(url: url)
            case .folder:
                throw AppError("'\(CleanText.line(argument))' is a folder; pass one clip, or browse it with `flick`")
            case .feed, .service:
                let feed = try loadFeed(sources: [argument], provider: provider, options: options)
                if feed.items.count == 1, feed.pages == nil { return Asset(feed.items[0], retention: .lasting) }
                throw AppError(
                    "'\(CleanText.line(argument))' is a feed; pass one clip, or list it with `flick feed`")
            case .standardInput: throw AppError("a clip cannot be read from standard input; pass a file")
            }
        } catch let error as AppError {
            throw error
        } catch {
            throw AppError("\(error)")
        }
    }
}
