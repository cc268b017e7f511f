import Bytes
import Captions
import Feeds
import Model
import Platform
import Player
import Synchronization
import Threads
import UI
import Wire

/// A clip that is saved as a file of the user's, with its subtitles and a description beside it, as folders are read.
/// A value.
struct SavedClip: Sendable {
    let item: Item
    /// nil while unknown; a live stream has none.
    let duration: Duration?
    /// libav's name of it; nil while unknown.
    let container: String?
    /// Where such clips go.
    let folder: UserFolder
    /// What of a segmented stream is saved.
    var choice = Remux.Choice()

    /// Where the clip is, and what is missing beside it.
    struct Outcome {
        let path: String
        /// Why subtitles are missing: one line; nil if none are.
        let missing: String?
    }

    /// The most bytes that are copied between two looks at the cancellation: by the file system, and through memory.
    private static let (sharedPiece, piece) = (64 << 20, 256 << 10)
    /// What stays free on the disk, in bytes.
    private static let reserve: Int64 = 16 << 20

    /// The name of the files without their endings: the title and the creator.
    var name: String {
        let creator = item.creator?.name ?? item.folder
        let title = FileName.clean(item.title ?? SafeURL.text(item.url))
        let name = FileName.clean([title, creator ?? ""].filter { !$0.isEmpty }.joined(separator: " - "))
        return name.isEmpty ? "clip" : name
    }

    /// Copies the clip from where it is: a file, the cache, and the network for the rest. A segmented stream (HLS,
    /// DASH) becomes one file. A file gets its name once it is whole, and replaces no other. Blocks.
    ///
    /// - Parameters:
    ///   - folder: the path of an existing folder.
    ///   - decoderPath: returns the decoder's executable, if one is needed.
    ///   - progress: called on this thread after each piece: the bytes on disk, and of how many; nil while unknown.
    /// - Returns: nil after a cancellation, which leaves nothing, as an error does.
    func write(
        to folder: String, decoderPath: () throws(AppError) -> String, provider: any ByteProvider,
        retention: Asset.Retention, cancellation: Cancellation, progress: (Int64, Int64?) -> Void
    ) throws(AppError) -> Outcome? {
        let files = UnfinishedFiles(folder: folder)
        defer { files.remove() }
        do throws(AppError) {
            let source = Source(
                provider: provider, asset: Asset(item, retention: retention), cancellation: cancellation)
            if try !copy(from: source, to: files, in: folder, progress) {
                try join(source, decoderPath: try decoderPath(), to: files, in: folder, progress)
            }
            let missing = try addSubtitles(to: files, provider, cancellation)
            try files.add(".json", Sidecar.file(describing: item))
            guard !cancellation.isCancelled else { return nil }
            return Outcome(path: try files.publish(as: name), missing: missing)
        } catch {
            if cancellation.isCancelled { return nil }
            throw error
        }
    }

    /// What a clip is copied from.
    private struct Source {
        let provider: any ByteProvider
        let asset: Asset
        let cancellation: Cancellation
    }

    /// Copies the bytes. Returns false for a segmented stream, whose bytes are no clip.
    private func copy(
        from source: Source, to files: UnfinishedFiles, in folder: String, _ progress: (Int64, Int64?) -> Void
    ) throws(AppError) -> Bool {
        let cancellation = source.cancellation
        let request = ByteRequest(url: item.url, asset: source.asset)
        let bytes = try reading { () throws(BytesError) in
            try source.provider.open(request, cancellation: cancellation)
        }
        let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: Self.piece, alignment: 16)
        defer { buffer.deallocate() }
        let first = try reading { () throws(BytesError) in
            try bytes.read(at: 0, into: buffer, cancellation: cancellation)
        }
        guard first > 0 else { throw AppError("it is empty") }
        if PlaylistKind.isPlaylist(beginning: UnsafeRawBufferPointer(rebasing: buffer[..<first])) { return false }
        guard bytes.length != nil || duration != nil else { throw AppError("it is a live stream") }
        if let length = bytes.length { try checkRoom(for: length, in: folder) }
        let file = try files.add(".\(ClipTypes.ending(urls: [item.url, bytes.url], container: container))")
        var done: Int64 = 0
        while true {
            var count = bytes.copyPiece(to: file, at: done, count: Self.sharedPiece)
            if count == 0 {
                count = try reading { () throws(BytesError) in
                    try bytes.read(at: done, into: buffer, cancellation: cancellation)
                }
                try write(UnsafeRawBufferPointer(rebasing: buffer[..<count]), to: file, at: done, in: folder)
            }
            guard count > 0 else { break }
            guard !cancellation.isCancelled else { throw AppError("cancelled") }
            // What is to come is not known: it may be more than there is room for.
            if bytes.length == nil { try checkRoom(in: folder) }
            done += Int64(count)
            progress(done, bytes.length)
        }
        if let length = bytes.length, done < length { throw AppError("the file was truncated while copying") }
        return true
    }

    /// Puts the segments of a stream into one file.
    private func join(
        _ source: Source, decoderPath: String, to files: UnfinishedFiles, in folder: String,
        _ progress: (Int64, Int64?) -> Void
    ) throws(AppError) {
        let remux = Remux(
            url: item.url, asset: source.asset, choice: choice, bytes: MediaBytes(local: source.provider))
        var (file, length): (Descriptor?, Int64) = (nil, 0)
        do {
            let isWhole = try remux.run(decoderPath: decoderPath, cancellation: source.cancellation) {
                container, offset, bytes in
                try checkRoom(in: folder)
                let made = try file ?? files.add(ending(of: container))
                file = made
                try bytes.withUnsafeBytes { try write($0, to: made, at: offset, in: folder) }
                length = max(length, offset + Int64(bytes.count))
                progress(length, nil)
            }
            if !isWhole { throw AppError("cancelled") }
        } catch {
            throw error as? AppError ?? AppError(CleanText.line("\(error)", limit: 300))
        }
    }

    private func ending(of container: MuxedContainer) -> String {
        switch (container, folder == .music) {
        case (.mp4, true): ".m4a"
        case (.mp4, false): ".mp4"
        case (.matroska, true): ".mka"
        case (.matroska, false): ".mkv"
        }
    }

    private func write(
        _ bytes: UnsafeRawBufferPointer, to file: Descriptor, at offset: Int64, in folder: String
    ) throws(AppError) {
        do throws(SystemError) { try file.write(bytes, at: offset) } catch { throw .file("write", folder, error.code) }
    }

    private func reading<Value>(_ body: () throws(BytesError) -> Value) throws(AppError) -> Value {
        do throws(BytesError) { return try body() } catch { throw AppError(error.why) }
    }

    /// More of a length that is not known follows.
    private func checkRoom(in folder: String) throws(AppError) {
        if let free = UnfinishedFiles.freeBytes(in: folder), free < Self.reserve {
            throw AppError("the disk is full")
        }
    }

    private func checkRoom(for length: Int64, in folder: String) throws(AppError) {
        guard let free = UnfinishedFiles.freeBytes(in: folder), length > free - Self.reserve else { return }
        let (needed, has) = (Amount.text(bytes: length), Amount.text(bytes: max(free - Self.reserve, 0)))
        throw AppError("it needs \(needed), and the disk has room for \(has)")
    }

    /// Files of subtitles as they are, one for each language, as folders are read. What is missing is no error.
    private func addSubtitles(
        to files: UnfinishedFiles, _ provider: any ByteProvider, _ cancellation: Cancellation
    ) throws(AppError) -> String? {
        var missing: String?
        for link in item.captions.prefix(CaptionLink.limit) where !cancellation.isCancelled {
            do throws(BytesError) {
                let bytes = try CaptionFile(link.url, of: item).bytes(with: provider, cancellation: cancellation)
                // A login page, say; or a podcast's transcript, which folders do not have.
                let isTranscript = bytes.first { $0 > 0x20 }.map { $0 == UInt8(ascii: "{") || $0 == UInt8(ascii: "[") }
                guard isTranscript == false, !Captions.cues(ofText: bytes).isEmpty else {
                    missing = missing ?? "not WebVTT or SubRip"
                    continue
                }
                let ending = CaptionSidecar.suffix(language: link.language, isWebVTT: Captions.isWebVTT(bytes))
                guard !files.has(ending) else { continue }
                do throws(AppError) { try files.add(ending, bytes) } catch { missing = missing ?? "\(error)" }
            } catch {
                missing = missing ?? error.why
            }
        }
        return missing
    }
}

/// Saves clips as files, one after the other. What comes of it comes to the page as events. Any thread.
final class ClipSaveSession: Sendable {
    /// The most clips that wait; further ones are refused.
    static let limit = 20
    /// How often the page hears how far a clip is. One that is faster is not worth the words.
    private static let interval = Duration.milliseconds(700)

    private struct Work {
        var waiting: [(clip: SavedClip, retention: Asset.Retention)] = []
        /// Which is being saved.
        var current: (id: Item.ID, cancellation: Cancellation)?
        /// Set at the end of flick.
        var isClosed = false

        /// The next clip, unless another one is being saved.
        mutating func next() -> (clip: SavedClip, retention: Asset.Retention, cancellation: Cancellation)? {
            guard current == nil, !waiting.isEmpty, !isClosed else { return nil }
            let (next, cancellation) = (waiting.removeFirst(), Cancellation())
            current = (next.clip.item.id, cancellation)
            return (next.clip, next.retention, cancellation)
        }
    }

    private let provider: any ByteProvider
    private let inbox: Inbox<LoopMessage>
    private let journal: Journal
    private let path: @Sendable (UserFolder) throws(AppError) -> String
    private let decoderPath: @Sendable () throws(AppError) -> String
    private let work = Monitor(Work())

    /// - Parameters:
    ///   - path: returns a folder of the user. Called on the thread that saves.
    ///   - decoderPath: returns the decoder's executable. Called there too.
    init(
        provider: any ByteProvider, inbox: Inbox<LoopMessage>, journal: Journal,
        path: @escaping @Sendable (UserFolder) throws(AppError) -> String = { folder throws(AppError) in
            try folder.path()
        },
        decoderPath: @escaping @Sendable () throws(AppError) -> String = { () throws(AppError) in
            try Installation.decoderPath()
        }
    ) {
        (self.provider, self.inbox, self.journal) = (provider, inbox, journal)
        (self.path, self.decoderPath) = (path, decoderPath)
    }

    /// Whether nothing is being saved, or is about to be.
    var isIdle: Bool { work.withLock { $0.current == nil && $0.waiting.isEmpty } }

    /// Saves a clip; or, if it is being saved or waits for that, no longer. Returns at once what the page shows.
    func toggle(_ clip: SavedClip, retention: Asset.Retention) -> [Event] {
        let id = clip.item.id
        let events: [Event]? = work.withLock { work in
            if let current = work.current, current.id == id {
                current.cancellation.cancel()
                return []
            }
            if let place = work.waiting.firstIndex(where: { $0.clip.item.id == id }) {
                work.waiting.remove(at: place)
                return [.savingEnded(id), .notice("Saving cancelled")]
            }
            guard work.waiting.count < Self.limit else {
                return [.notice("Couldn't save the clip: \(Self.limit) others are queued; try again later", .failure)]
            }
            work.waiting.append((clip, retention))
            return nil
        }
        if let events { return events }
        saveNext()
        return [.saving(id, bytes: 0, of: nil)]
    }

    /// Cancels all. Blocks for a moment, until the unfinished file is removed.
    func close() {
        work.withLock {
            $0.isClosed = true
            $0.waiting = []
            $0.current?.cancellation.cancel()
        }
        _ = work.wait(upTo: .milliseconds(500)) { $0.current == nil ? () : nil }
    }

    /// Starts with the next clip, unless another one is being saved.
    private func saveNext() {
        guard let (clip, retention, cancellation) = work.withLock({ $0.next() }) else { return }
        BlockingThread.start { [self] in
            save(clip, retention, cancellation)
            work.change { $0.current = nil }
            saveNext()
        }
    }

    private func save(_ clip: SavedClip, _ retention: Asset.Retention, _ cancellation: Cancellation) {
        let id = clip.item.id
        var shownAt = ContinuousClock.now
        do throws(AppError) {
            let outcome = try clip.write(
                to: try path(clip.folder), decoderPath: decoderPath, provider: provider, retention: retention,
                cancellation: cancellation
            ) { [inbox] bytes, length in
                guard .now - shownAt >= Self.interval else { return }
                shownAt = .now
                inbox.post(.event(.saving(id, bytes: bytes, of: length)))
            }
            inbox.post(.event(.savingEnded(id)))
            guard let outcome else { return inbox.post(.event(.notice("Saving cancelled"))) }
            let words = outcome.missing.map { "Clip saved, subtitles are missing (\($0))" } ?? "Clip saved"
            inbox.post(.event(.linkNotice(words, link: outcome.path)))
        } catch {
            end(clip, why: "\(error)")
        }
    }

    private func end(_ clip: SavedClip, why: String) {
        inbox.post(.event(.savingEnded(clip.item.id)))
        let title = clip.item.title.map { " '\(CleanText.line($0, limit: 40))'" } ?? " the clip"
        inbox.post(.event(journal.complaint(of: "save", "Couldn't save\(title): \(why)")))
    }
}
