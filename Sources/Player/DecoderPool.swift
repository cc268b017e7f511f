import Bytes
import Model
import Wire

/// The decoders that have no clip: those that were started ahead of need, and those that were killed and have not ended
/// yet. On the main thread.
@MainActor
final class DecoderPool {
    private let options: PlayerPool.Options
    private let bytes: MediaBytes
    private let wake: @Sendable () -> Void
    private var idle: [DecoderHandle] = []
    private var ending: [DecoderHandle] = []
    private let nursery: Nursery
    /// After decoders that ended or misbehaved before they were useful:
    /// each doubles the pause before the next one, until one is useful.
    private var pause = RestartPause()
    /// The last attempt to start a decoder failed.
    private var cannotStart = false
    private var lacksRoom = false
    private var events: [PlayerEvent] = []

    /// - Parameter wake: called on any thread when a decoder has sent something.
    init(options: PlayerPool.Options, bytes: MediaBytes, wake: @escaping @Sendable () -> Void) {
        self.options = options
        self.bytes = bytes
        self.wake = wake
        nursery = Nursery(path: options.decoderPath)
    }

    /// The program that is started.
    var path: String { options.decoderPath }

    /// Whether `decoder()` has one at once.
    var hasIdle: Bool { !idle.isEmpty }

    /// When a decoder may be started: later than `now` after some that ended or misbehaved before they were useful.
    func due(now: Duration) -> Duration { max(pause.due ?? now, now) }

    /// Starts as many decoders ahead as the options say. The first needs some
    /// 30 ms until it can open anything, the others a few.
    func startAhead(now: Duration) {
        guard !cannotStart, pause.mayStart(now: now) else { return }
        do {
            while idle.count < options.idleDecoders { idle.append(try start()) }
        } catch {
            // Not retried before an item needs a decoder; that item's page then shows the reason.
            cannotStart = true
            events.append(.trace(.error(what: "idle decoder", why: "\(error)")))
        }
    }

    /// An idle decoder, or else a new one. Throws if none can be started.
    func decoder() throws -> DecoderHandle {
        guard idle.isEmpty else { return idle.removeFirst() }
        return try start()
    }

    /// A new decoder for work that nothing on screen waits for: the idle ones stay reserved for clips.
    func newDecoder() throws -> DecoderHandle { try start() }

    private func start() throws -> DecoderHandle {
        let process = try options.spawn?() ?? nursery.decoder()
        return DecoderHandle(process, bytes: bytes, wake: wake)
    }

    /// Handles an event of a decoder's process, whether the decoder is idle or belongs to an item.
    func note(_ event: DecoderHandle.DecoderEvent, of decoder: DecoderHandle, item: Item.ID? = nil, now: Duration) {
        switch event {
        case .started(let pid):
            events.append(.trace(.worker(item: nil, pid: Int(pid), state: .spawn, status: nil)))
        case .message(.hello):
            cannotStart = false
            guard let pid = decoder.pid else { return }
            events.append(.trace(.worker(item: nil, pid: Int(pid), state: .ready, status: nil)))
        // It was useful. A greeting is not enough: the decoder may end right after it.
        case .message(.opened), .message(.failed), .message(.still), .message(.noStill): pause.worked()
        case .message: break
        case .ended(let why, let status, let wasKilled):
            ending.removeAll { $0 === decoder }
            guard let pid = decoder.pid else {
                cannotStart = true
                // A page reports this itself.
                if item == nil { events.append(.trace(.error(what: "idle decoder", why: "\(why)"))) }
                return
            }
            if !decoder.hasGreeted, !decoder.wasStopped { pause.failed(now: now) }
            events.append(
                .trace(
                    .worker(
                        item: item, pid: Int(pid), state: wasKilled ? .killed : .exit, status: describe(status: status))
                ))
        }
    }

    /// For tests.
    var endingCount: Int { ending.count }

    /// The system had no room for a decoder: the next is tried after a pause.
    func noteShortage(now: Duration) {
        pause.failed(now: now)
        lacksRoom = true
    }

    /// Whether the system had no room for a decoder since the last call.
    func takeShortage() -> Bool {
        defer { lacksRoom = false }
        return lacksRoom
    }

    /// Kills a decoder that no player uses any longer. Its end is reported later.
    func end(_ decoder: DecoderHandle) {
        decoder.kill()
        ending.append(decoder)
    }

    /// Reads what the decoders sent.
    func advance(now: Duration) {
        for decoder in idle { noteIdle(decoder.receive().events, of: decoder, now: now) }
        for decoder in ending { noteEnd(in: decoder.receive().events, of: decoder, now: now) }
    }

    /// Handles a message of an idle decoder, which can only be about its start.
    private func noteIdle(_ received: [DecoderHandle.DecoderEvent], of decoder: DecoderHandle, now: Duration) {
        for (index, event) in received.enumerated() {
            switch event {
            case .started, .message(.hello): note(event, of: decoder, now: now)
            case .message:
                idle.removeAll { $0 === decoder }
                pause.failed(now: now)
                end(decoder)
                return noteEnd(in: received[index...], of: decoder, now: now)
            case .ended:
                idle.removeAll { $0 === decoder }
                // One that ended before its greeting is counted by `note`.
                if decoder.hasGreeted, !decoder.wasStopped { pause.failed(now: now) }
                note(event, of: decoder, now: now)
            }
        }
    }

    /// Notes the end of a decoder that no player uses any longer, if
    /// it is among the events. All its other messages are ignored.
    func noteEnd(
        in events: some Sequence<DecoderHandle.DecoderEvent>, of decoder: DecoderHandle, item: Item.ID? = nil,
        now: Duration
    ) {
        for event in events { if case .ended = event { note(event, of: decoder, item: item, now: now) } }
    }

    /// What happened since the last time.
    func drainEvents() -> [PlayerEvent] {
        defer { events = [] }
        return events
    }

    /// Ends the nursery: afterwards no decoder can be started. Returns at once.
    func endNursery() { nursery.end() }

    /// Kills all decoders and their nursery, and waits a moment until nothing is left of any process.
    func close() {
        for decoder in idle { decoder.kill() }
        endNursery()
        for decoder in idle + ending { decoder.end() }
        nursery.waitForEnd()
        idle = []
        ending = []
        events = []
    }
}
