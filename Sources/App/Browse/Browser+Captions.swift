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

/// What is being read for the page in view. A value.
struct CaptionReadings: Sendable {
    var captions: Cancellation?
    var chapters: Cancellation?
}

extension Browser {
    /// Reads a file of subtitles that an item names, which comes as a message.
    /// What was being read of another is given up.
    func readCaptions(_ index: Int, of item: Item) {
        captionReadings.captions?.cancel()
        guard item.captions.indices.contains(index) else { return }
        let cancellation = Cancellation()
        captionReadings.captions = cancellation
        let (id, charset) = (item.id, settings.subtitleCharset.name)
        read(CaptionFile(item.captions[index].url, of: item), cancellation) { [inbox] result in
            inbox.post(
                .captions(id, index, result.map { Captions.cues(ofText: TextEncoding.utf8($0, charset: charset)) }))
        }
    }

    /// The same of the chapters that an item leads to.
    func readChapters(of item: Item) {
        captionReadings.chapters?.cancel()
        guard let url = item.chaptersURL else { return }
        let cancellation = Cancellation()
        captionReadings.chapters = cancellation
        let id = item.id
        read(CaptionFile(url, of: item), cancellation) { [inbox] result in
            inbox.post(.chapters(id, result.map { Captions.chapters(ofText: $0) }))
        }
    }

    /// - Parameter then: called on another thread, once.
    private func read(
        _ file: CaptionFile, _ cancellation: Cancellation,
        then: @escaping @Sendable (Result<[UInt8], AppError>) -> Void
    ) {
        let provider = loader.provider
        let isStarted = BlockingThread.start {
            do throws(BytesError) {
                then(.success(try file.bytes(with: provider, cancellation: cancellation)))
            } catch {
                // An empty reason: it was given up, and that is no failure.
                then(.failure(AppError(error.reason == .cancelled ? "" : error.why)))
            }
        }
        if !isStarted { then(.failure(AppError("out of threads"))) }
    }

    /// What a file of subtitles says, or why that is not known.
    func receive(_ result: Result<[Cue], AppError>, ofCaptions index: Int, of id: Item.ID) {
        switch result {
        case .success(let cues): handle(Event.captions(id, index, cues))
        case .failure(let error):
            if !error.message.isEmpty { journal.record(.error(what: "subtitles", why: "\(error)")) }
            handle(Event.captionsUnavailable(id, index, why: error.message.isEmpty ? nil : "\(error)"))
        }
    }

    /// Nobody asked for chapters, so nobody is told that there are none.
    func receive(_ result: Result<[Chapter], AppError>, ofChaptersOf id: Item.ID) {
        switch result {
        case .success(let chapters): handle(Event.chapters(id, chapters))
        case .failure(let error):
            if !error.message.isEmpty { journal.record(.error(what: "chapters", why: "\(error)")) }
        }
    }
}
