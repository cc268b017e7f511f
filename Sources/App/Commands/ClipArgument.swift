import Bytes
import Feeds
import Model

/// The clip that a command works on, as named on the command line: a path or a URL.
enum ClipArgument {
    /// Its absolute URL. Throws `AppError` if the argument is not a single clip. Blocks if it has to look at the disk.
    static func url(_ argument: String, provider: any ByteProvider) throws(AppError) -> String {
        do {
            switch try Source.parse(argument, provider: provider) {
            case .clip(let url): return url
            case .folder:
                throw AppError("'\(CleanText.line(argument))' is a folder; name one clip, or browse it with `flick`")
            case .feed, .service:
                throw AppError(
                    "'\(CleanText.line(argument))' is a feed; name one clip, or list it with `flick feed`")
            case .standardInput: throw AppError("a clip cannot be read from standard input; name a file")
            }
        } catch let error as AppError {
            throw error
        } catch {
            throw AppError("\(error)")
        }
    }
}
