import Bytes
import Model
import Wire

/// Decodes a clip from a time on, picture after picture, without clock and sound: for `preview` and `probe`.
///
/// Belongs to one thread, which `next` blocks. Bytes are read on other threads:
/// the decoder's requests are answered while the caller uses a picture.
public final class LinearDecode {
    /// What `next` returns.
    public enum Step {
        /// Comes first, once.
        case opened(MediaInfo)
        /// Its pixels are handed out by `withPicture`.
        case picture(PictureHeader)
        case ended
    }

    /// What a decoder is to open.
    private struct Clip {
        let url: String
        let asset: Asset
        let pictures: SurfaceRequest?
        let start: Duration
        let bytes: MediaBytes
    }

    private let clip: Clip
    private var decoder: LinearDecoder
    /// Makes another decoder; nil if the run has only the first.
    private let spawn: (() throws(WireError) -> DecoderProcess)?
    /// Steps that were received and not returned yet.
    private var steps: [Result<Step, any Error>] = []
    /// When the decoder last requested bytes, had to wait for them, or sent a step.
    private var progressedAt: Duration = .zero
    private var hasOpened = false
    /// The media time of the last picture that was handed out.
    private var handedOut: Microseconds?
    /// The media time of the last picture that the decoders before this one brought.
    private var seen: Microseconds?
    private var silence: SilenceLimits
    private let limit: Duration?
    private let now: () -> Duration
    /// How many messages are received ahead at most: more than a correct decoder has to send.
    private static let maxSteps = 64

    /// Starts a decoder and opens `url`. A silent decoder is replaced (`SilenceLimits`).
    ///
    /// - Parameters:
    ///   - asset: the asset that `url` belongs to; nil: made from `url`.
    ///   - pictures: nil if only the clip's facts are wanted.
    public convenience init(
        url: String, asset: Asset? = nil, pictures: SurfaceRequest?, start: Duration, decoderPath: String,
        bytes: MediaBytes
    ) throws(WireError) {
        let nursery = Nursery(path: decoderPath)
        let clip = Clip(
            url: url, asset: asset ?? Asset(url: url), pictures: pictures, start: start, bytes: bytes)
        try self.init(clip, silence: SilenceLimits(), spawn: { () throws(WireError) in try nursery.decoder() })
    }

    /// - Parameters:
    ///   - process: has opened nothing so far, and belongs to the run from now on. Another thread may kill it, which
    ///     ends the run.
    ///   - patience: how long the decoder may be silent.
    ///   - limit: how long the run may take, whatever the decoder does; then `next` throws `WireError.silent`.
    ///   - now: a monotonic clock, 0 now.
    public convenience init(
        _ process: DecoderProcess, url: String, asset: Asset? = nil, pictures: SurfaceRequest?, start: Duration,
        bytes: MediaBytes,
        patience: Duration = SilenceLimits.longest, limit: Duration? = nil, now: (() -> Duration)? = nil
    ) {
        let clip = Clip(
            url: url, asset: asset ?? Asset(url: url), pictures: pictures, start: start, bytes: bytes)
        self.init(clip, process, silence: SilenceLimits([patience]), spawn: nil, limit: limit, now: now)
    }

    /// As above, with decoders from `spawn`.
    convenience init(
        url: String, pictures: SurfaceRequest?, bytes: MediaBytes, silence: SilenceLimits,
        spawn: @escaping () throws(WireError) -> DecoderProcess
    ) throws(WireError) {
        let clip = Clip(url: url, asset: Asset(url: url), pictures: pictures, start: .zero, bytes: bytes)
        try self.init(clip, silence: silence, spawn: spawn)
    }

    private convenience init(
        _ clip: Clip, silence: SilenceLimits, spawn: @escaping () throws(WireError) -> DecoderProcess
    ) throws(WireError) {
        self.init(clip, try spawn(), silence: silence, spawn: spawn, limit: nil, now: nil)
    }

    private init(
        _ clip: Clip, _ process: DecoderProcess, silence: SilenceLimits,
        spawn: (() throws(WireError) -> DecoderProcess)?, limit: Duration?, now: (() -> Duration)?
    ) {
        let began = ContinuousClock.now
        self.now = now ?? { ContinuousClock.now - began }
        self.clip = clip
        self.silence = silence
        self.spawn = spawn
        self.limit = limit
        decoder = LinearDecoder(process, bytes: clip.bytes)
        open(at: clip.start)
    }

    deinit { decoder.end() }

    private func open(at start: Duration) {
        decoder.server.begin(clip.asset)
        if let pictures = clip.pictures { decoder.outbox.send(.surface(pictures), waits: false) }
        if let bits = clip.bytes.network?.throughput { decoder.outbox.send(.link(bitsPerSecond: bits), waits: false) }
        decoder.outbox.send(
            .open(url: clip.url, start: start.microseconds, loop: false, sound: false), waits: false)
    }

    /// The next step. Blocks until there is one. Throws `PlaybackError` when the
    /// clip cannot be played, `WireError` when the decoder misbehaves or dies.
    public func next() throws -> Step {
        // The time that the caller took is not the decoder's.
        if steps.isEmpty { progressedAt = now() }
        // Reads that were requested behind pictures must not wait until the caller has used those.
        while steps.isEmpty || decoder.process.channel.hasMessage && steps.count < LinearDecode.maxSteps {
            switch Result(catching: { try receive().flatMap(step) }) {
            case .success(let step): if let step { steps.append(.success(step)) }
            case .failure(let error): steps.append(.failure(error))
            }
        }
        let next = try steps.removeFirst().get()
        if case .picture(let header) = next { handedOut = header.mediaTime }
        return next
    }

    /// The next message; nil if none has come for a moment.
    private func receive() throws(WireError) -> FromDecoder? {
        let message = try decoder.receive(within: min(silence.current, .milliseconds(500)), now: now())
        let now = now()
        if message?.isProgress == true || decoder.server.load.isServing { progressedAt = now }
        guard limit.map({ now < $0 }) ?? true else { throw .silent }
        guard now - progressedAt >= silence.current else { return message }
        try replaceDecoder(now: now)
        // The message is from the replaced decoder; the new one has not greeted yet.
        return nil
    }

    /// Continues with another decoder where the silent one stopped. Throws `.silent` if there were enough of them.
    private func replaceDecoder(now: Duration) throws(WireError) {
        // Pictures that are still to be handed out are in the silent decoder's memory.
        guard let spawn, steps.isEmpty, silence.next() else { throw .silent }
        let process = try spawn()
        decoder.end()
        decoder = LinearDecoder(process, bytes: clip.bytes)
        seen = handedOut
        open(at: seen.map { .microseconds($0) } ?? clip.start)
        progressedAt = now
    }

    private func step(for message: FromDecoder) throws -> Step? {
        try decoder.greeting.check(message)
        switch message {
        case .opened(let info):
            guard !decoder.hasOpened else { throw WireError.invalid("second opening") }
            decoder.hasOpened = true
            defer { hasOpened = true }
            return hasOpened ? nil : .opened(info)
        case .picture(let header):
            guard decoder.hasOpened, let pictures = clip.pictures, header.width <= pictures.width,
                header.height <= pictures.height
            else {
                throw WireError.invalid("picture size")
            }
            // A decoder that replaced another starts with pictures that the caller has already seen.
            if let seen, header.mediaTime <= seen {
                guard decoder.outbox.send(.release(slots: [header.slot]), waits: false) else { throw WireError.unread }
                return nil
            }
            return .picture(header)
        case .ended: return .ended
        case .failed(_, let why, let advice, _):
            throw PlaybackError(why: advice.isEmpty ? why : "\(why); \(advice)")
        case .hello, .sound, .buffered, .variant, .still, .noStill, .through, .seekable, .begins, .loudness: break
        case .cue: throw WireError.invalid("unrequested text")
        case .muxed: throw WireError.invalid("kind")
        case .openURL, .read, .closeURL, .expect: try decoder.server.handle(message)
        }
        return nil
    }

    /// Borrows a picture's pixels for the time of a call. Afterwards its slot belongs to the decoder again, so call it
    /// once for each picture.
    public func withPicture<Result>(_ header: PictureHeader, _ body: (PictureView) throws -> Result) throws -> Result {
        let result = try body(PictureView(of: header, in: decoder.process.ring))
        guard decoder.outbox.send(.release(slots: [header.slot]), waits: false) else { throw WireError.unread }
        return result
    }
}

/// Why a clip cannot be played, in one line. A value.
public struct PlaybackError: Error, Equatable, CustomStringConvertible {
    public var why: String

    public init(why: String) { self.why = why }

    public var description: String { why }
}
