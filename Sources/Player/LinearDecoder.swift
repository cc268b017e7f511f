import Bytes
import Model
import Wire

/// One decoder of a `LinearDecode`: its process, the reader of its bytes, and its limits.
struct LinearDecoder {
    let process: DecoderProcess
    let outbox: Outbox
    let server: ReadServer
    var greeting = Handshake()
    var hasOpened = false
    private var allowance = TokenBucket.messages
    private var unread = StalledReaderDetector()

    init(_ process: DecoderProcess, bytes: MediaBytes) {
        let outbox = Outbox(channel: process.channel)
        self.process = process
        self.outbox = outbox
        server = ReadServer(provider: bytes.provider, prefetch: bytes.network) { _ = outbox.send($0, waits: true) }
    }

    /// The next message; nil if none has come within `patience`. Blocks until then.
    mutating func receive(within patience: Duration, now: @autoclosure () -> Duration) throws(WireError) -> FromDecoder?
    {
        if outbox.isBlocked { outbox.drain(waits: false) }
        var message: FromDecoder?
        do throws(WireError) {
            message = try process.channel.receive(within: patience)
        } catch {
            // The channel is closed because there never was a process.
            if error == .closed, !greeting.hasCome { try process.waitUntilStarted() }
            guard error == .silent else { throw error }
        }
        let now = now()
        if let message, !message.isAboutBytes, !allowance.take(now: now) { throw .tooMany("messages") }
        guard !unread.isStuck(outbox.unread, now: now) else { throw .unread }
        return message
    }

    /// Kills the process and waits for its end, which takes a moment.
    func end() {
        process.kill()
        server.end()
        process.reap()
    }
}

extension FromDecoder {
    /// Whether it brings the caller, or the decoder, any further.
    var isProgress: Bool {
        switch self {
        case .sound, .buffered, .variant, .cue, .begins, .loudness: false
        default: true
        }
    }
}

/// How long each of several decoders may say nothing while it has all that it
/// needs, before another replaces it. A value.
///
/// A decoder that hangs costs 1.5 s, as in a player. One that works through much of a clip before it has a picture is
/// silent as well; as each has twice as long as the one before, the last brings it.
public struct SilenceLimits: Sendable {
    public static let longest = Duration.seconds(10)

    /// That of the present decoder.
    private(set) var current: Duration
    private var later: ArraySlice<Duration>

    /// - Parameter limits: of one decoder after the other; not empty.
    init(_ limits: [Duration] = [Watchdog.firstPicture, Watchdog.firstPicture * 2, longest]) {
        current = limits[0]
        later = limits.dropFirst()
    }

    /// A decoder was silent for too long. False if there is to be no other.
    mutating func next() -> Bool {
        guard let limit = later.popFirst() else { return false }
        current = limit
        return true
    }
}
