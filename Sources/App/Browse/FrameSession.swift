import Bytes
import Model
import Platform
import Player
import Synchronization
import TermGraphics
import Threads
import UI
import Wire

/// A frame of a clip that is saved to a file, in the clip's full size. A value.
struct SavedFrame: Sendable {
    let item: Item
    /// In the clip.
    let time: Duration
    /// The clip's, in square pixels.
    let size: PixelSize

    /// Decodes the frame once more, and writes it as PNG. Returns the file's path. Blocks.
    ///
    /// - Parameter decoderPath: the decoder's executable.
    func write(
        to folder: String, decoderPath: String, provider: any ByteProvider, retention: Asset.Retention
    ) throws(AppError) -> String {
        let file = try png(decoderPath: decoderPath, provider: provider, retention: retention)
        let (path, descriptor) = try Self.create(in: folder, named: name)
        defer { descriptor.close() }
        do throws(SystemError) { try descriptor.write(file) } catch {
            unlink(path)
            throw .file("write", path, error.code)
        }
        return path
    }

    private func png(
        decoderPath: String, provider: any ByteProvider, retention: Asset.Retention
    ) throws(AppError) -> [UInt8] {
        let surface = SurfaceRequest(
            generation: 1, width: UInt32(clamping: size.width), height: UInt32(clamping: size.height), fit: .fit)
        do {
            let run = try LinearDecode(
                url: item.url, asset: Asset(item, retention: retention), pictures: surface, start: time,
                decoderPath: decoderPath, bytes: MediaBytes(local: provider))
            while true {
                switch try run.next() {
                case .opened: break
                case .picture(let header):
                    var png = PNG()
                    return try run.withPicture(header) { png.file(of: $0) }
                case .ended: throw PlaybackError(why: "there is no frame at that time")
                }
            }
        } catch {
            throw AppError.playing(item.url, error)
        }
    }

    // MARK: Where

    /// The file's name without its ending: the clip's title, and the time.
    var name: String {
        let name = FileName.clean(item.title ?? SafeURL.text(item.url))
        let whole = time.components.seconds
        let milliseconds = String(1_000 + Int((time - .seconds(whole)).milliseconds)).dropFirst()
        return "\(name.isEmpty ? "clip" : name) \(whole / 60)m\(whole % 60).\(milliseconds)s"
    }

    /// The most files of one name. More of the same frame are not wanted.
    private static let maxSame = 1_000

    /// A new file, with the permissions that the user gives new files. One that is there already stays as it is.
    static func create(in folder: String, named name: String) throws(AppError) -> (path: String, Descriptor) {
        for number in 1...maxSame {
            let path = "\(folder)/\(name)\(number == 1 ? "" : " (\(number))").png"
            let number = open(path, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0o666)
            if number >= 0 { return (path, Descriptor(number)) }
            guard errno == EEXIST else { throw .file("write", path, errno) }
        }
        throw .file("write", "\(folder)/\(name).png", EEXIST)
    }
}

/// Saves frames as files, one after the other. What came of it comes to the page as events. Any thread.
final class FrameSession: Sendable {
    /// The most frames that wait; further ones are refused.
    static let limit = 8

    private struct Work {
        var waiting: [(frame: SavedFrame, retention: Asset.Retention)] = []
        var isSaving = false
    }

    private let provider: any ByteProvider
    private let inbox: Inbox<LoopMessage>
    private let journal: Journal
    private let folder: @Sendable () throws(AppError) -> String
    private let decoderPath: @Sendable () throws(AppError) -> String
    private let work = Mutex(Work())

    /// - Parameters:
    ///   - folder: returns the user's folder for pictures. Called on the thread that saves.
    ///   - decoderPath: returns the decoder's executable. Called there too.
    init(
        provider: any ByteProvider, inbox: Inbox<LoopMessage>, journal: Journal,
        folder: @escaping @Sendable () throws(AppError) -> String = { () throws(AppError) in
            try UserFolder.pictures.path()
        },
        decoderPath: @escaping @Sendable () throws(AppError) -> String = { () throws(AppError) in
            try Installation.decoderPath()
        }
    ) {
        (self.provider, self.inbox, self.journal) = (provider, inbox, journal)
        (self.folder, self.decoderPath) = (folder, decoderPath)
    }

    /// Saves a frame in the user's folder for pictures. Returns at once.
    func save(_ frame: SavedFrame, retention: Asset.Retention) {
        let isAccepted = work.withLock { work in
            guard work.waiting.count < Self.limit else { return false }
            work.waiting.append((frame, retention))
            return true
        }
        guard isAccepted else { return complain("too many frames are being saved") }
        saveNext()
    }

    /// Starts with the next frame, unless one is being saved.
    private func saveNext() {
        let next: (frame: SavedFrame, retention: Asset.Retention)? = work.withLock { work in
            guard !work.isSaving, !work.waiting.isEmpty else { return nil }
            work.isSaving = true
            return work.waiting.removeFirst()
        }
        guard let next else { return }
        BlockingThread.start { [self] in
            write(next.frame, retention: next.retention)
            work.withLock { $0.isSaving = false }
            saveNext()
        }
    }

    private func write(_ frame: SavedFrame, retention: Asset.Retention) {
        do throws(AppError) {
            let path = try frame.write(
                to: try folder(), decoderPath: try decoderPath(), provider: provider, retention: retention)
            inbox.post(.event(.linkNotice("Frame saved", link: path)))
        } catch {
            complain("\(error)")
        }
    }

    private func complain(_ why: String) {
        inbox.post(.event(journal.complaint(of: "frame", "Couldn't save the frame: \(why)")))
    }
}
