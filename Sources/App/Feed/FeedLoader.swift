import Bytes
import Feeds
import Model
import Threads

/// Reads the feed and its further pages on separate threads, because folders can be large and servers slow. Posts the
/// results to the loop.
struct FeedLoader: Sendable {
    let sources: [String]
    /// The file of what flick remembers, for lists of it.
    let libraryPath: String?
    let isShuffled: Bool
    let provider: any ByteProvider
    let options: FeedOptions
    let inbox: Inbox<Browser.Message>

    /// Reads the sources. `watched`, the current item, stays in a feed that has pages, even if the new feed lacks it.
    func load(keeping watched: Item? = nil) {
        let isStarted = BlockingThread.start {
            var options = options
            options.shuffle = isShuffled ? .random(in: 0 ... .max) : nil
            do {
                var feed =
                    try LibrarySource(sources)?.feed(path: libraryPath, privateHosts: options.privateHosts)
                    ?? loadFeed(sources: sources, provider: provider, options: options)
                if let watched, let pages = feed.pages { feed.items = pages.keep(watched) }
                inbox.post(.feed(.success(feed)))
            } catch {
                inbox.post(.feed(.failure(AppError("\(error)"))))
            }
        }
        if !isStarted { inbox.post(.feed(.failure(AppError("cannot read the feed: the system has no thread left")))) }
    }

    /// Reads the next page.
    func loadMore(of pages: FeedPages) {
        BlockingThread.start {
            do throws(FeedsError) {
                inbox.post(.page(pages, .success(try pages.load())))
            } catch {
                inbox.post(.page(pages, .failure(error)))
            }
        }
    }
}
