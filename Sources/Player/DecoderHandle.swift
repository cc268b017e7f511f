import Bytes
import Model
import Platform
import Synchronization
import Threads
import Wire

/// A decoder process and the thread that receives its messages.
///
/// The thread passes messages about bytes to its `ReadServer`, and queues all others for the main
/// thread. When the process ends, or violates the protocol, the thread kills and reaps it, and queues
/// `ended` as the last event. The functions are for the main thread, and return at once except `end`.
final class DecoderHandle: Sendable {
    enum DecoderEvent: Sendable {
        /// There is a process now.
        case started(pid: Int32)
        case message(FromDecoder)
        /// The process has ended and was reaped; it was never started
        /// if `started` did not come before. `status` is waitpid's.
        case ended(why: WireError, status: Int32, wasKilled: Bool)
    }

    private struct Queue {
        var events: [DecoderEvent] = []
        /// In bytes: what the events hold.
        var size = 0
        /// Counts received messages, so that the main thread sees that the decoder works.
        var activity = 0
        /// Its `hello` has come.
        var hasGreeted = false
        /// The decoder's end is among the events, or was.
        var hasEnded = false
        /// Pictures and sound are called for too, and not only fetched when the main thread looks.
        var announcesAll = true
        /// `wake` was called since the main thread last emptied the queue.
        var isAnnounced = false
        /// It was killed, so that nothing but its end is of interest.
        var isIgnored = false
        /// Why flick killed it, if it was for something it did.
        var violation: WireError?
    }

    /// What a decoder has been doing.
    struct Received {
        /// The events since the last call.
        var events: [DecoderEvent]
        /// There are more events than requested.
        var hasMore: Bool
        /// Changes when the decoder does something.
        var activity: Int
        /// The decoder waits for bytes that it has requested, and so is not to blame for a delay.
        var isServed: Bool
        /// How many times it has requested bytes.
        var requests: Int
    }

    private let process: DecoderProcess
    private let outbox: Outbox
    private let server: ReadServer
    private let queue = Mutex(Queue())
    private let wasKilled = Atomic(false)
    /// How many orders were sent that have earned the decoder nothing yet.
    private let orders = Atomic(0)
    private let wake: @Sendable () -> Void

    /// A correct decoder cannot send more than this between two looks: its slots and its sound credit limit it.
    private static let queueLimit = 2_048
    /// In bytes: ten times what the sound of a second takes.
    private static let queueSize = 2 << 20
    /// How many messages are handled at a time, fewer if they hold long
    /// texts: at most some 5 ms of work, and then the keyboard has its turn.
    static let messagesAtOnce = 128

    /// nil as long as it was not started.
    var pid: Int32? { process.pid }
    var ring: PictureRing { process.ring }
    /// Messages wait that the decoder's socket did not take.
    var isBlocked: Bool { outbox.isBlocked }
    /// How many bytes it has read so far; nil if nothing waits for it to be read.
    var unread: Int? { outbox.unread }
    /// Whether its bytes ended because the server has another file now.
    var fileHasChanged: Bool { server.failure?.error.reason == .changed }
    /// Why it was refused bytes last.
    var lastReadError: ByteReadError? { server.failure }
    /// How many messages have been sent and received. With `hasEnded`, `isServed`
    /// and `isAnswering` it shows tests when nothing is in progress any more.
    var traffic: (sent: Int, received: Int) { (outbox.sentCount, queue.withLock(\.activity)) }
    /// The processor time that its process has used; nil without a process.
    var processorTime: Duration? { process.processorTime }
    var hasEnded: Bool { queue.withLock(\.hasEnded) }
    /// Whether it was of any use: it said that it is ready.
    var hasGreeted: Bool { queue.withLock(\.hasGreeted) }
    /// Whether bytes that the decoder requested are being opened or read.
    var isServed: Bool { server.load.isServing }
    var isAnswering: Bool { server.isAnswering }

    /// - Parameter process: belongs to the handle from now on, which kills and reaps it.
    /// - Parameter wake: called on any thread when something is in the queue that the main thread is to see at once.
    init(_ process: DecoderProcess, bytes: MediaBytes, wake: @escaping @Sendable () -> Void) {
        self.process = process
        let outbox = Outbox(channel: process.channel)
        self.outbox = outbox
        self.wake = wake
        server = ReadServer(provider: bytes.provider, prefetch: bytes.network) { _ = outbox.send($0, waits: true) }
        BlockingThread.start { [self] in listen() }
    }

    /// Sends without ever waiting. What the socket does not take is sent later,
    /// by `flush` or by the threads of the `ReadServer`.
    func send(_ message: ToDecoder) {
        if message.isOrder {
            orders.add(1, ordering: .relaxed)
            server.noteOrder()
        }
        if !outbox.send(message, waits: false) { kill(for: .unread) }
    }

    /// Has the decoder open an asset's URL; see `ToDecoder.open`. Once in its life.
    func open(_ asset: Asset, start: Microseconds, loop: Bool, sound: Bool) {
        server.begin(asset)
        send(.open(url: asset.url, start: start, loop: loop, sound: sound))
    }

    /// Has the decoder make a still; see `ToDecoder.still`. Once the last one was answered.
    ///
    /// - Parameter isImage: the asset is no clip, so it leads nowhere.
    func makeStill(_ id: UInt32, of asset: Asset, at time: Microseconds, isImage: Bool) {
        server.begin(asset, as: isImage ? .media : .unknown)
        send(.still(id: id, url: asset.url, time: time))
    }

    /// Sends what the socket did not take before.
    func flush() { if outbox.isBlocked { outbox.drain(waits: false) } }

    /// The oldest messages, one at least, and no more than are `count`
    /// messages' work; the others are handed out by the next calls.
    func receive(atMost count: Int = .max) -> Received {
        let load = server.load
        return queue.withLock { queue in
            var left = count
            let events = Array(
                queue.events.prefix { event in
                    defer { left -= event.work }
                    return left == count || left >= event.work
                })
            queue.events.removeFirst(events.count)
            queue.size -= events.reduce(0) { $0 + $1.size }
            queue.isAnnounced = false
            return Received(
                events: events, hasMore: !queue.events.isEmpty, activity: queue.activity, isServed: load.isServing,
                requests: load.requests)
        }
    }

    /// Whether the main thread is to be woken for pictures, sound
    /// and buffer reports. Otherwise it finds them at its next look.
    func announcesAll(_ all: Bool) {
        let wakes = queue.withLock { queue in
            queue.announcesAll = all
            guard all, !queue.events.isEmpty, !queue.isAnnounced else { return false }
            queue.isAnnounced = true
            return true
        }
        if wakes { wake() }
    }

    /// Whether it was killed before it ended by itself.
    var wasStopped: Bool { wasKilled.load(ordering: .relaxed) }

    /// Ends the process. Its memory stays until the handle is released; messages not yet read are dropped at once.
    func kill() {
        if !process.hasEnded { wasKilled.store(true, ordering: .relaxed) }
        process.kill()
        queue.withLock { queue in
            guard !queue.hasEnded else { return }
            queue.events.removeAll { if case .message = $0 { true } else { false } }
            (queue.size, queue.isIgnored) = (0, true)
        }
    }

    /// Ends a process that violates the protocol. Its end event carries the reason.
    private func kill(for violation: WireError) {
        queue.withLock { $0.violation = $0.violation ?? violation }
        kill()
    }

    /// Kills, and waits until nothing is left of the process: a moment.
    func end() {
        kill()
        process.reap()
    }

    private func listen() {
        // The last thing to do: closing the last source may take a moment.
        defer { server.end() }
        var greeting = Handshake()
        var allowance = TokenBucket.messages
        let began = ContinuousClock.now
        do throws(WireError) {
            add(.started(pid: try process.waitUntilStarted()))
            while true {
                let message = try process.channel.receive()
                allowance.earn(orders.exchange(0, ordering: .relaxed) * TokenBucket.messagesOfOrder)
                if !message.isAboutBytes, !allowance.take(now: .now - began) { throw .tooMany("messages") }
                try greeting.check(message)
                switch message {
                case .hello:
                    queue.withLock { $0.hasGreeted = true }
                    add(.message(message))
                case .openURL, .read, .closeURL, .expect:
                    try server.handle(message)
                    queue.withLock { $0.activity += 1 }
                case .muxed: throw .invalid("kind")
                default:
                    guard add(.message(message)) else { throw .tooMany("messages") }
                }
            }
        } catch {
            let killed = wasStopped
            // It ended, or it closed its end of the socket: then it is unusable.
            process.kill()
            let violation = queue.withLock(\.violation)
            add(.ended(why: violation ?? error, status: process.reap(), wasKilled: killed || error != .closed))
        }
    }

    /// False if more events wait than a correct decoder sends.
    @discardableResult
    private func add(_ event: DecoderEvent) -> Bool {
        let (fits, wakes) = queue.withLock { queue in
            switch event {
            // That is the nursery's work.
            case .started: break
            case .message: queue.activity += 1
            case .ended:
                queue.activity += 1
                queue.hasEnded = true
            }
            if queue.isIgnored, case .message = event { return (true, false) }
            queue.events.append(event)
            queue.size += event.size
            let wakes = !queue.isAnnounced && (queue.announcesAll || event.isUrgent)
            if wakes { queue.isAnnounced = true }
            return (
                queue.events.count <= DecoderHandle.queueLimit && queue.size <= DecoderHandle.queueSize, wakes
            )
        }
        if wakes { wake() }
        return fits
    }
}

extension DecoderHandle.DecoderEvent {
    /// In bytes: the payload.
    fileprivate var size: Int {
        switch self {
        case .message(.sound(_, _, _, let samples)): samples.count * 2
        case .message(.opened(let info)): info.size
        case .message(.failed(_, let why, let advice, let detail)):
            why.utf8.count + advice.utf8.count + detail.utf8.count
        case .message(.variant(_, let why)): why.utf8.count
        case .message(.cue(_, _, _, let text)): text.utf8.count
        default: 0
        }
    }

    /// How many messages without a text are as much work: texts are cleaned, letter by letter.
    fileprivate var work: Int {
        switch self {
        case .message(.cue(_, _, _, let text)), .message(.variant(_, let text)): 1 + text.utf8.count / 64
        default: 1
        }
    }

    /// Whether it cannot wait even if the clip has enough pictures and sound buffered.
    fileprivate var isUrgent: Bool {
        switch self {
        case .message(.picture), .message(.sound), .message(.buffered), .message(.through), .message(.begins),
            .message(.loudness):
            false
        default: true
        }
    }
}
