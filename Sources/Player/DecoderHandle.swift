import Bytes
import Model
import Synchronization
import Threads
import Wire

/// A decoder process and the thread that receives its messages.
///
/// The thread passes messages about bytes to its `ReadServer`, and queues all others for the main thread. When the process ends, or sends what it may not,
/// the thread kills and reaps it, and queues `ended` as the last event. The functions are for the main thread, and return at once but for `end`.
final class DecoderHandle: Sendable {
    enum DecoderEvent: Sendable {
        case message(FromDecoder)
        /// The process has ended and was reaped. `status` is waitpid's.
        case ended(why: WireError, status: Int32, wasKilled: Bool)
    }

    private struct Queue {
        var events: [DecoderEvent] = []
        /// Counts what came, so that the main thread sees that the decoder works.
        var activity = 0
        /// The decoder's end is among the events, or was.
        var hasEnded = false
        /// Pictures and sound are called for too, and not only fetched when the main thread looks.
        var announcesAll = true
        /// `wake` was called since the main thread last emptied the queue.
        var isAnnounced = false
    }

    /// What a decoder has been doing.
    struct Received {
        /// What has come since the last time.
        var events: [DecoderEvent]
        /// Changes when the decoder does something.
        var activity: Int
        /// The decoder waits for bytes that it has asked for, which is no fault of its own.
        var isServed: Bool
        /// How often it has asked for bytes.
        var requests: Int
    }

    private struct Life {
        var status: Int32?
        var wasKilled = false
    }

    private let process: DecoderProcess
    private let outbox: Outbox
    private let server: ReadServer
    private let queue = Mutex(Queue())
    private let life = Mutex(Life())
    private let wake: @Sendable () -> Void

    /// An honest decoder cannot send more than this between two looks: its slots and its sound credit limit it.
    private static let queueLimit = 2_048

    var pid: Int32 { process.pid }
    var ring: PictureRing { process.ring }
    /// Messages wait that the decoder's socket did not take.
    var isBlocked: Bool { outbox.isBlocked }
    /// Whether its bytes ended because the server has another file now.
    var fileHasChanged: Bool { server.failure?.reason == .changed }
    /// Why it was refused bytes last.
    var lastFailure: BytesError? { server.failure }
    /// How many messages went either way so far. With `hasEnded`, `isServed` and `isAnswering` it tells tests when nothing is under way any more.
    var traffic: (sent: Int, received: Int) { (outbox.sentCount, queue.withLock(\.activity)) }
    var hasEnded: Bool { queue.withLock(\.hasEnded) }
    /// Whether bytes that the decoder asked for are being opened or read.
    var isServed: Bool { server.load.isServing }
    var isAnswering: Bool { server.isAnswering }

    /// - Parameter process: belongs to the handle from now on, which kills and reaps it.
    /// - Parameter wake: called on any thread when something is in the queue that the main thread is to see at once.
    init(_ process: DecoderProcess, provider: any ByteProvider, wake: @escaping @Sendable () -> Void) {
        self.process = process
        let outbox = Outbox(channel: process.channel)
        self.outbox = outbox
        self.wake = wake
        server = ReadServer(provider: provider) { outbox.send($0, waits: true) }
        let started = BlockingThread.start { [self] in listen() }
        if !started {
            kill()
            add(.ended(why: .system(call: "pthread_create", code: 0), status: reap(), wasKilled: true))
        }
    }

    /// Sends without ever waiting. What the socket does not take is sent later, by `flush` or by the threads of the `ReadServer`.
    func send(_ message: ToDecoder) { outbox.send(message, waits: false) }

    /// Has the decoder open an asset's URL; see `ToDecoder.open`. Once in its life.
    func open(_ asset: Asset, start: Microseconds, loop: Bool, sound: Bool) {
        server.begin(asset)
        send(.open(url: asset.url, start: start, loop: loop, sound: sound))
    }

    /// Sends what the socket did not take before.
    func flush() { if outbox.isBlocked { outbox.drain(waits: false) } }

    /// Empties the queue.
    func receive() -> Received {
        let load = server.load
        return queue.withLock { queue in
            defer {
                queue.events = []
                queue.isAnnounced = false
            }
            return Received(
                events: queue.events, activity: queue.activity, isServed: load.isServing, requests: load.requests)
        }
    }

    /// Whether the main thread is to be woken for pictures, sound and what has been buffered. Without, it finds them when it looks next.
    func announcesAll(_ all: Bool) {
        let wakes = queue.withLock { queue in
            queue.announcesAll = all
            guard all, !queue.events.isEmpty, !queue.isAnnounced else { return false }
            queue.isAnnounced = true
            return true
        }
        if wakes { wake() }
    }

    /// Ends the process. Its memory stays until the handle goes.
    func kill() {
        life.withLock { life in
            guard life.status == nil else { return }
            life.wasKilled = true
            process.kill()
        }
    }

    /// Kills, and waits until nothing is left of the process: a moment.
    func end() {
        kill()
        _ = reap()
    }

    /// The process is reaped under the lock, so that nobody kills another that has got its number; its end is waited for before that.
    private func reap() -> Int32 {
        if life.withLock({ $0.status == nil }) { process.waitForEnd() }
        return life.withLock { life in
            if let status = life.status { return status }
            let status = process.reap()
            life.status = status
            return status
        }
    }

    private func listen() {
        // The last thing to do: closing the last source may take a moment.
        defer { server.end() }
        var greeted = false
        do throws(WireError) {
            while true {
                let message = try process.channel.receive()
                switch message {
                case .hello(let version):
                    guard !greeted, version == WireLimit.version else { throw .invalid("version") }
                    greeted = true
                    add(.message(message))
                case .openURL, .read, .closeURL, .expect:
                    guard greeted else { throw .invalid("greeting") }
                    try server.handle(message)
                    queue.withLock { $0.activity += 1 }
                default:
                    guard greeted else { throw .invalid("greeting") }
                    guard add(.message(message)) < DecoderHandle.queueLimit else {
                        throw .invalid("flood")
                    }
                }
            }
        } catch {
            let killed = life.withLock { $0.wasKilled }
            if error == .closed {
                // It ended, or it closed its end of the socket: then it is of no use any more.
                life.withLock { if $0.status == nil { process.kill() } }
            } else {
                kill()
            }
            add(.ended(why: error, status: reap(), wasKilled: killed || error != .closed))
        }
    }

    /// Returns how many events wait.
    @discardableResult
    private func add(_ event: DecoderEvent) -> Int {
        let (count, wakes) = queue.withLock { queue in
            queue.events.append(event)
            queue.activity += 1
            if case .ended = event { queue.hasEnded = true }
            let wakes = !queue.isAnnounced && (queue.announcesAll || event.isUrgent)
            if wakes { queue.isAnnounced = true }
            return (queue.events.count, wakes)
        }
        if wakes { wake() }
        return count
    }
}

extension DecoderHandle.DecoderEvent {
    /// Whether it can not wait even if the clip has pictures and sound to go on with.
    fileprivate var isUrgent: Bool {
        switch self {
        case .message(.picture), .message(.sound), .message(.buffered): false
        default: true
        }
    }
}
