import Bytes
import Model
import Wire

/// A clip decoded from a time on, picture after picture, without clock and sound: for `preview` and `probe`.
///
/// Belongs to one thread and blocks there. Bytes come on others: what the decoder has asked for by the time of a call to `next` is on its way while
/// the caller looks at what that call returned.
public final class LinearDecode {
    public enum Step {
        case opened(MediaInfo)
        case picture(PictureHeader)
        case ended
    }

    private let process: DecoderProcess
    private let outbox: Outbox
    private let server: ReadServer
    /// What has come and was not handed out yet.
    private var steps: [Result<Step, any Error>] = []
    /// So many are taken in ahead at most: more than an honest decoder can have to say.
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

    /// What comes next. Throws `PlaybackFailure` when the clip cannot be played, `WireError` when the decoder misbehaves or dies.
    public func next() throws -> Step {
        // Reads that lie behind pictures are not to wait until those have been looked at.
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
        case .failed(_, let why): throw PlaybackFailure(why: why)
        case .hello(let version):
            guard version == WireLimit.version else { throw WireError.invalid("version") }
        case .sound, .buffered, .variant: break
        case .openURL, .read, .closeURL, .expect: try server.take(message)
        }
        return nil
    }

    /// Borrows a picture's pixels, and gives its slot back afterwards.
    public func take<Result>(_ header: PictureHeader, _ body: (PictureView) throws -> Result) throws -> Result {
        let view = PictureView(
            pixels: process.ring.pixels(of: header.slot),
            size: PixelSize(width: Int(header.width), height: Int(header.height)), stride: Int(header.stride))
        let result = try body(view)
        outbox.send(.release(slot: header.slot), waits: true)
        return result
    }
}

/// Why a clip cannot be played, in one line.
public struct PlaybackFailure: Error, Equatable, CustomStringConvertible {
    public var why: String

    public init(why: String) { self.why = why }

    public var description: String { why }
}
