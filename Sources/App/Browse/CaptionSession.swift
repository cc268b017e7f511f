import Bytes
import Captions
import Charset
import Model
import Threads
import UI

/// Files of subtitles and chapters that an item leads to. A value.
struct CaptionFile: Sendable {
    let url: String
    let asset: Asset

    /// - Parameter item: its headers are sent, and it and its feed must be allowed to lead to `url`.
    init(_ url: String, of item: Item) {
        self.url = url
        asset = Asset(url: item.url, feed: item.feed, headers: item.headers)
    }

    /// All of it. Blocks; any thread that may.
    func bytes(with provider: any ByteProvider, cancellation: Cancellation) throws(BytesError) -> [UInt8] {
        // As a feed's text it is kept for when its server cannot be asked.
        try provider.readAll(
            ByteRequest(url: url, asset: asset, role: .feed), limit: CaptionLink.sizeLimit, cancellation: cancellation)
    }
}

/// Reads files of subtitles and chapters for the page in view, one of each at a time. Main thread. What it has read
/// comes to the page as events.
@MainActor
final class CaptionSession {
    private let provider: any ByteProvider
    private let inbox: Inbox<LoopMessage>
    private let journal: Journal
    /// The encoding of subtitles that are not Unicode.
    private let charset: String?
    /// What is being read.
    private var captions: Cancellation?
    private var chapters: Cancellation?

    init(provider: any ByteProvider, inbox: Inbox<LoopMessage>, journal: Journal, charset: String?) {
        (self.provider, self.inbox, self.journal, self.charset) = (provider, inbox, journal, charset)
    }

    /// Reads a file of subtitles that an item names. What was being read of another is cancelled.
    func readCaptions(_ index: Int, of item: Item) {
        captions?.cancel()
        guard item.captions.indices.contains(index) else { return }
        let cancellation = Cancellation()
        captions = cancellation
        let (id, charset) = (item.id, charset)
        read(CaptionFile(item.captions[index].url, of: item), cancellation) { [inbox, journal] result in
            switch result {
            case .success(let bytes):
                let cues = Captions.cues(ofText: TextEncoding.utf8(bytes, charset: charset))
                inbox.post(.event(.captions(id, index, cues)))
            case .failure(let error):
                if let error { journal.record(.error(what: "subtitles", why: "\(error)")) }
                inbox.post(.event(.captionsUnavailable(id, index, why: error.map { "\($0)" })))
            }
        }
    }

    /// Reads the chapters that an item leads to. The user did not request them, so an error is not shown.
    func readChapters(of item: Item) {
        chapters?.cancel()
        guard let url = item.chaptersURL else { return }
        let cancellation = Cancellation()
        chapters = cancellation
        let id = item.id
        read(CaptionFile(url, of: item), cancellation) { [inbox, journal] result in
            switch result {
            case .success(let bytes): inbox.post(.event(.chapters(id, Captions.chapters(ofText: bytes))))
            case .failure(let error):
                if let error { journal.record(.error(what: "chapters", why: "\(error)")) }
            }
        }
    }

    /// What came of reading a file.
    private enum Outcome {
        case success([UInt8])
        /// nil: it was cancelled.
        case failure(AppError?)
    }

    /// - Parameter then: called once, on another thread.
    private func read(
        _ file: CaptionFile, _ cancellation: Cancellation, then: @escaping @Sendable (Outcome) -> Void
    ) {
        let provider = provider
        BlockingThread.start {
            do throws(BytesError) {
                then(.success(try file.bytes(with: provider, cancellation: cancellation)))
            } catch {
                then(.failure(error.reason == .cancelled ? nil : AppError(error.why)))
            }
        }
    }
}
