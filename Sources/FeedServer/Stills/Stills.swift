internal import CJPEG
import Model
import Platform
import Player
import Wire

/// The requirements for making stills. A value.
public struct StillOptions: Sendable {
    /// The program flick-decoder; nil if it was not found.
    public var decoder: String?
    /// The folder where they are stored; nil for none.
    public var folder: String?
    var limits = StillFiles.Limits()
    /// How long one may take.
    var patience = SilenceLimits.longest

    public init(decoder: String?, folder: String?) { (self.decoder, self.folder) = (decoder, folder) }
}

/// The stills that the server makes of clips. Any thread.
final class Stills: Sendable {
    private let files: StillFiles?
    private let picture: ClipPicture
    private let queue: StillQueue
    private let metrics: Metrics

    /// - Parameters:
    ///   - decoder: the program flick-decoder.
    ///   - warn: receives one line for each failing decoder, and for a folder that cannot be used.
    init(
        _ options: StillOptions, decoder: String, keeper: FolderKeeper, metrics: Metrics,
        warn: @escaping @Sendable (String) -> Void
    ) {
        let files = options.folder.map { StillFiles(folder: $0, limits: options.limits, warn: warn) }
        let picture = ClipPicture(limit: options.patience)
        (self.files, self.picture, self.metrics) = (files, picture, metrics)
        queue = StillQueue {
            // One for all that are made in a row: each decoder is a copy of it,
            // which takes a millisecond in place of thirty.
            let nursery = Nursery(path: decoder)
            return { job in
                // It may have been made since the request.
                if let file = files?.find(job.name) { return .file(file) }
                let outcome = Self.make(job, picture, nursery, keeper, files, warn)
                switch outcome {
                case .file, .bytes: metrics.note(still: .made)
                case .none, .failed, .busy: metrics.note(still: .failed)
                }
                return outcome
            }
        }
    }

    private static func make(
        _ job: StillQueue.Job, _ picture: ClipPicture, _ nursery: Nursery, _ keeper: FolderKeeper, _ files: StillFiles?,
        _ warn: (String) -> Void
    ) -> StillQueue.Outcome {
        let bytes = ClipBytes(keeper: keeper, path: job.path, clip: job.clip)
        do {
            let picture = try picture.take(of: bytes.url, provider: bytes, from: nursery)
            guard let jpeg = JPEG.file(of: picture) else { return .none("its frame cannot be encoded as JPEG") }
            return files?.keep(jpeg, as: job.name).map { .file($0) } ?? .bytes(jpeg)
        } catch let failure as PlaybackError {
            // What the decoder says may be the file's author's words.
            return .none(CleanText.line(failure.why, limit: 200))
        } catch WireError.system(let call, let code) {
            // Not the clip's fault: memory, processes or the program itself are missing.
            return .failed("\(call): \(SystemError.text(code))")
        } catch {
            // The end of the server is the end of its decoders.
            if picture.running.isEnded { return .failed("the server is shutting down") }
            // It has crashed, or did what no honest decoder does: with this file it will again.
            warn("no still for '\(String(decoding: job.path, as: UTF8.self))': the decoder failed: \(error)")
            return .none("the decoder failed: \(error)")
        }
    }

    /// The name of a clip's edition among the stills.
    private static func name(_ id: String, _ clip: ServedFile) -> String {
        "\(id)-\(clip.validators.tag.filter { $0 != "\"" }).jpg"
    }

    /// Whether a clip's edition may have a still; true if unknown. Does not block.
    func mayBeMade(_ id: String, at path: ArraySlice<UInt8>, _ clip: ServedFile) -> Bool {
        !ServedMediaType.of(path: path).hasPrefix("audio/") && !queue.hasFailed(Self.name(id, clip))
    }

    /// The stored still of a clip's edition, or nil. Blocks on the disk.
    func find(_ id: String, _ clip: ServedFile) -> ServedFile? {
        guard let file = files?.find(Self.name(id, clip)) else { return nil }
        metrics.note(still: .kept)
        return file
    }

    /// Makes the still of a clip's edition. Waits for a decoder, and does not block.
    func make(_ id: String, at path: [UInt8], _ clip: ServedFile) async -> StillQueue.Outcome {
        await queue.make(StillQueue.Job(name: Self.name(id, clip), path: path, clip: clip))
    }

    /// How many decoders are at work. For tests.
    var decoders: Int { picture.running.count }

    /// Makes no more, and ends those decoders that are at work. Returns at once.
    func end() {
        queue.end()
        picture.running.end()
    }

    /// After `end`: waits for the decoders' end. Blocks.
    func drain(upTo limit: Duration) { queue.drain(upTo: limit) }
}

/// Writes pictures as JPEG. Any thread.
enum JPEG {
    private static let quality: Int32 = 80

    /// Loads libturbojpeg. Returns why it cannot be had; nil if it can. Takes about a millisecond the first time.
    static func load() -> String? {
        guard flick_jpeg_load() != 0 else { return nil }
        return CleanText.line(String(cString: flick_jpeg_load_error()), limit: 200)
    }

    /// A picture's file; nil for an empty picture. `load` has succeeded before.
    /// Some milliseconds for the largest still.
    static func file(of picture: Picture) -> [UInt8]? {
        let (width, height) = (Int32(clamping: picture.size.width), Int32(clamping: picture.size.height))
        guard width > 0, height > 0 else { return nil }
        let bound = flick_jpeg_bound(width, height)
        var length = -1
        let bytes = [UInt8](unsafeUninitializedCapacity: bound) { buffer, count in
            length = picture.withView {
                flick_jpeg_write($0.pixels, width, height, Int32($0.stride), quality, buffer.baseAddress)
            }
            count = max(0, length)
        }
        return length > 0 ? bytes : nil
    }
}
