import Model
import Bytes
import Synchronization
import Threads
import Wire

/// A decoder process and the thread that listens to it.
///
/// The thread hands what is about bytes to its `ReadServer`, and leaves everything else in a mailbox for the main thread. When the process ends, or
/// sends what it may not, the thread kills it, reaps it and leaves `gone` as the last letter.
final class DecoderHandle: Sendable {
    enum DecoderEvent: Sendable {
        case message(FromDecoder)
        case gone(why: WireError, status: Int32, wasKilled: Bool)
    }

    private struct Mailbox {
        var letters: [DecoderEvent] = []
        /// Counts what came, so that the main thread sees that the decoder works.
        var activity = 0
    }

    /// What a decoder has been doing.
    struct News {
        /// What has come since the last time.
        var letters: [DecoderEvent]
        /// Changes when the decoder does something.
        var activity: Int
        /// It waits for the provider, which is no fault of its own.
        var isServing: Bool
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
    private let mailbox = Mutex(Mailbox())
    private let life = Mutex(Life())

    /// A decoder has no more than its slots and its sound credit to fill this with; the rest is flood.
    private static let mailboxLimit = 2_048

    var pid: Int32 { process.pid }
    var ring: PictureRing { process.ring }
    var isBlocked: Bool { outbox.isBlocked }
    /// Whether its bytes ended because the server has another file now.
    var lostItsFile: Bool { server.hasChanged }

    /// Takes a process over. `wake` is called on the worker's thread whenever the mailbox is no longer empty.
    init(_ process: DecoderProcess, provider: any ByteProvider, wake: @escaping @Sendable () -> Void) {
        self.process = process
        let outbox = Outbox(channel: process.channel)
        self.outbox = outbox
        server = ReadServer(provider: provider) { outbox.send($0, waits: true) }
        let started = BlockingThread.start { [self] in listen(wake: wake) }
        if !started {
            kill()
            post(.gone(why: .system(call: "pthread_create", code: 0), status: reap(), wasKilled: true), wake: wake)
        }
    }

    /// Sends without ever waiting. What the socket does not take is sent later, by `flush` or by the worker's thread.
    func send(_ message: ToDecoder) { outbox.send(message, waits: false) }

    /// Has the decoder open an asset's URL; see `ToDecoder.open`. Once in its life.
    func open(_ asset: Asset, start: Microseconds, loop: Bool, sound: Bool) {
        server.begin(asset)
        send(.open(url: asset.url, start: start, loop: loop, sound: sound))
    }

    func flush() { if outbox.isBlocked { outbox.drain(waits: false) } }

    /// Empties the mailbox.
    func collect() -> News {
        let load = server.load
        return mailbox.withLock { box in
            defer { box.letters = [] }
            return News(
                letters: box.letters, activity: box.activity, isServing: load.isServing, requests: load.requests)
        }
    }

    /// Ends the process. Its memory stays until the worker goes.
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

    private func listen(wake: @Sendable () -> Void) {
        // After all that is said and done about the process: the last source may take a moment to go.
        defer { server.end() }
        var greeted = false
        do throws(WireError) {
            while true {
                let message = try process.channel.receive()
                switch message {
                case .hello(let version):
                    guard !greeted, version == WireLimit.version else { throw .invalid("version") }
                    greeted = true
                    post(.message(message), wake: wake)
                case .openURL, .read, .closeURL, .expect:
                    guard greeted else { throw .invalid("greeting") }
                    mailbox.withLock { $0.activity += 1 }
                    try server.take(message)
                default:
                    guard greeted else { throw .invalid("greeting") }
                    guard post(.message(message), wake: wake) < DecoderHandle.mailboxLimit else {
                        throw .invalid("flood")
                    }
                }
            }
        } catch {
            let killed = life.withLock { $0.wasKilled }
            if error == .closed {
                // It ended, or it closed its end: then it is of no use either.
                life.withLock { if $0.status == nil { process.kill() } }
            } else {
                kill()
            }
            post(.gone(why: error, status: reap(), wasKilled: killed || error != .closed), wake: wake)
        }
    }

    /// Returns how many letters wait.
    @discardableResult
    private func post(_ letter: DecoderEvent, wake: @Sendable () -> Void) -> Int {
        let count = mailbox.withLock { box in
            box.letters.append(letter)
            box.activity += 1
            return box.letters.count
        }
        if count == 1 { wake() }
        return count
    }
}
