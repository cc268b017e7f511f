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
    private var allowance = Allowance.messages
    private var unread = UnreadWatch()
    /// When it last asked for bytes, had to wait for them, or had something to hand out.
    private var progressedAt: Duration = .zero
    private var greeting = Greeting()
    private var hasOpened = false
    private let pictures: SurfaceRequest?
    private let patience: Duration
    private let limit: Duration?
    private let now: () -> Duration
    /// So many are received ahead at most: more than an honest decoder has to say.
    private static let mostSteps = 64
    /// How long the decoder may say nothing while it has all that it needs. It works through some of a clip before it has a picture, but asks for bytes then.
    public static let patience = Duration.seconds(10)

    /// Starts a decoder and opens `url`.
    ///
    /// - Parameters:
    ///   - asset: whose clip that is; nil: `url` alone tells.
    ///   - pictures: nil if only the clip's facts are wanted.
    public convenience init(
        url: String, asset: Asset? = nil, pictures: SurfaceRequest?, start: Duration, decoderPath: String,
        provider: any ByteProvider
    ) throws(WireError) {
        let process = try Nursery(path: decoderPath).decoder()
        self.init(process, url: url, asset: asset, pictures: pictures, start: start, provider: provider)
    }

    /// - Parameters:
    ///   - process: has opened nothing so far, and belongs to the run from now on. Another thread may kill it, which ends the run.
    ///   - limit: how long the run may take, whatever the decoder does; then `next` throws `WireError.silent`.
    ///   - now: a monotonic clock, 0 now.
    public init(
        _ process: DecoderProcess, url: String, asset: Asset? = nil, pictures: SurfaceRequest?, start: Duration,
        provider: any ByteProvider,
        patience: Duration = LinearDecode.patience, limit: Duration? = nil, now: (() -> Duration)? = nil
    ) {
        let began = ContinuousClock.now
        self.now = now ?? { ContinuousClock.now - began }
        let outbox = Outbox(channel: process.channel)
        self.process = process
        self.outbox = outbox
        self.pictures = pictures
        self.patience = patience
        self.limit = limit
        server = ReadServer(provider: provider) { _ = outbox.send($0, waits: true) }
        server.begin(asset ?? Asset(url: url))
        if let pictures { outbox.send(.surface(pictures), waits: false) }
        if let bits = provider.throughput { outbox.send(.link(bitsPerSecond: bits), waits: false) }
        outbox.send(.open(url: url, start: start.microseconds, loop: false, sound: false), waits: false)
    }

    deinit {
        process.kill()
        server.end()
        process.reap()
    }

    /// What comes next. Blocks until there is something. Throws `PlaybackFailure` when the clip cannot be played, `WireError` when the decoder misbehaves or dies.
    public func next() throws -> Step {
        // The time that the caller took is not the decoder's.
        if steps.isEmpty { progressedAt = now() }
        // Reads that were asked for behind pictures are not to wait until the caller has used those.
        while steps.isEmpty || process.channel.hasMessage && steps.count < LinearDecode.mostSteps {
            switch Result(catching: { try receive().flatMap(step) }) {
            case .success(let step): if let step { steps.append(.success(step)) }
            case .failure(let error): steps.append(.failure(error))
            }
        }
        return try steps.removeFirst().get()
    }

    /// The next message; nil if none has come for a moment.
    private func receive() throws(WireError) -> FromDecoder? {
        if outbox.isBlocked { outbox.drain(waits: false) }
        var message: FromDecoder?
        do throws(WireError) {
            message = try process.channel.receive(within: min(patience, .milliseconds(500)))
        } catch {
            // Where there never was a process, that is why the channel is closed.
            if error == .closed, !greeting.hasCome { try process.waitUntilStarted() }
            guard error == .silent else { throw error }
        }
        let now = now()
        if let message, !message.isAboutBytes, !allowance.take(now: now) { throw .tooMany("messages") }
        guard !unread.isStuck(outbox.unread, now: now) else { throw .unread }
        if message?.isProgress == true || server.load.isServing { progressedAt = now }
        guard now - progressedAt < patience, limit.map({ now < $0 }) ?? true else { throw .silent }
        return message
    }

    private func step(for message: FromDecoder) throws -> Step? {
        try greeting.check(message)
        switch message {
        case .opened(let info):
            guard !hasOpened else { throw WireError.invalid("second opening") }
            hasOpened = true
            return .opened(info)
        case .picture(let header):
            guard hasOpened, let pictures, header.width <= pictures.width, header.height <= pictures.height else {
                throw WireError.invalid("picture size")
            }
            return .picture(header)
        case .ended: return .ended
        case .failed(_, let why, let advice, _):
            throw PlaybackFailure(why: advice.isEmpty ? why : "\(why); \(advice)")
        case .hello, .sound, .buffered, .variant, .still, .noStill, .through: break
        case .cue: throw WireError.invalid("text that nobody asked for")
        case .openURL, .read, .closeURL, .expect: try server.handle(message)
        }
        return nil
    }

    /// Borrows a picture's pixels for the time of a call. Afterwards its slot belongs to the decoder again, so call it once for each picture.
    public func withPicture<Result>(_ header: PictureHeader, _ body: (PictureView) throws -> Result) throws -> Result {
        let result = try body(PictureView(of: header, in: process.ring))
        guard outbox.send(.release(slots: [header.slot]), waits: false) else { throw WireError.unread }
        return result
    }
}

extension FromDecoder {
    /// Whether it brings the caller, or the decoder, any further.
    fileprivate var isProgress: Bool {
        switch self {
        case .sound, .buffered, .variant, .cue: false
        default: true
        }
    }
}

/// Why a clip cannot be played, in one line. A value.
public struct PlaybackFailure: Error, Equatable, CustomStringConvertible {
    public var why: String

    public init(why: String) { self.why = why }

    public var description: String { why }
}
