import Bytes
import Model
import Wire

/// Decodes a clip from a time on, picture after picture, without clock and sound: for `preview` and `probe`.
///
/// Belongs to one thread, which `next` blocks. Bytes are read on other threads: what the decoder asks for comes while the caller uses a picture.
public final class LinearDecode {
    /// What `next` returns.
    public enum Step {
        /// Comes first, once.
        case opened(MediaInfo)
        /// Its pixels are handed out by `withPicture`.
        case picture(PictureHeader)
        case ended
    }

    private let process: DecoderProcess
    private let outbox: Outbox
    private let server: ReadServer
    /// What has come and was not handed out yet.
    private var steps: [Result<Step, any Error>] = []
    /// So many are received ahead at most: more than an honest decoder has to say.
    private static let mostSteps = 64

    /// Starts a decoder and opens `url`.
    ///
    /// - Parameter pictures: nil if only the clip's facts are wanted.
    public init(
        url: String, pictures: SurfaceRequest?, start: Duration, decoderPath: String, provider: any ByteProvider
    ) throws(WireError) {
        let process = try DecoderProcess.spawn(path: decoderPath)
        let outbox = Outbox(channel: process.channel)
        self.process = process
        self.outbox = outbox
        server = ReadServer(provider: provider) { outbox.send($0, waits: true) }
        server.begin(Asset(url: url))
        if let pictures { outbox.send(.surface(pictures), waits: true) }
        if let bits = provider.throughput { outbox.send(.link(bitsPerSecond: bits), waits: true) }
        outbox.send(.open(url: url, start: start.microseconds, loop: false, sound: false), waits: true)
    }

    deinit {
        process.kill()
        server.end()
        process.reap()
    }

    /// What comes next. Blocks until there is something. Throws `PlaybackFailure` when the clip cannot be played, `WireError` when the decoder misbehaves or dies.
    public func next() throws -> Step {
        // Reads that were asked for behind pictures are not to wait until the caller has used those.
        while steps.isEmpty || process.channel.hasMessage && steps.count < LinearDecode.mostSteps {
            switch Result(catching: { try step(for: process.channel.receive()) }) {
            case .success(let step): if let step { steps.append(.success(step)) }
            case .failure(let error): steps.append(.failure(error))
            }
        }
        return try steps.removeFirst().get()
    }

    private func step(for message: FromDecoder) throws -> Step? {
        switch message {
        case .opened(let info): return .opened(info)
        case .picture(let header): return .picture(header)
        case .ended: return .ended
        case .failed(_, let why, let detail):
            throw PlaybackFailure(why: detail.isEmpty ? why : "\(why) (\(detail))")
        case .hello(let version):
            guard version == WireLimit.version else { throw WireError.invalid("version") }
        case .sound, .buffered, .variant: break
        case .openURL, .read, .closeURL, .expect: try server.handle(message)
        }
        return nil
    }

    /// Borrows a picture's pixels for the time of a call. Afterwards its slot belongs to the decoder again, so call it once for each picture.
    public func withPicture<Result>(_ header: PictureHeader, _ body: (PictureView) throws -> Result) throws -> Result {
        let result = try body(PictureView(of: header, in: process.ring))
        outbox.send(.release(slots: [header.slot]), waits: true)
        return result
    }
}

/// Why a clip cannot be played, in one line. A value.
public struct PlaybackFailure: Error, Equatable, CustomStringConvertible {
    public var why: String

    public init(why: String) { self.why = why }

    public var description: String { why }
}
