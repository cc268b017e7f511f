import Bytes
import Synchronization
import Threads
import Wire

/// A decoder process and the thread that listens to it.
///
/// The thread serves reads by itself and leaves everything else in a mailbox for the main thread. When the process ends, or sends what it may not,
/// the thread kills it, reaps it and leaves `gone` as the last letter.
final class Worker: Sendable {
    enum Letter: Sendable {
        case message(FromDecoder)
        case gone(why: WireError, status: Int32, wasKilled: Bool)
    }

    private struct Mailbox {
        var letters: [Letter] = []
        /// Counts what the thread did, so that the main thread sees that the decoder works.
        var activity = 0
        /// The thread waits for the door: that is no fault of the decoder's.
        var isServing = false
        var asset = ""
    }

    private struct Life {
        var status: Int32?
        var wasKilled = false
    }

    private let process: DecoderProcess
    private let outbox: Outbox
    private let mailbox = Mutex(Mailbox())
    private let life = Mutex(Life())

    /// A decoder has no more than its slots and its sound credit to fill this with; the rest is flood.
    private static let mailboxLimit = 2_048

    var pid: Int32 { process.pid }
    var ring: PictureRing { process.ring }
    var isBlocked: Bool { outbox.isBlocked }

    /// Takes a process over. `wake` is called on the worker's thread whenever the mailbox is no longer empty.
    init(_ process: DecoderProcess, door: any ByteDoor, wake: @escaping @Sendable () -> Void) {
        self.process = process
        outbox = Outbox(channel: process.channel)
        let started = BlockingThread.start { [self] in listen(door: door, wake: wake) }
        if !started {
            kill()
            post(.gone(why: .system(call: "pthread_create", code: 0), status: reap(), wasKilled: true), wake: wake)
        }
    }

    /// Sends without ever waiting. What the socket does not take is sent later, by `flush` or by the worker's thread.
    func send(_ message: ToDecoder) {
        if case .open(let url, _, _, _) = message { mailbox.withLock { $0.asset = url } }
        outbox.send(message, waits: false)
    }

    func flush() { if outbox.isBlocked { outbox.drain(waits: false) } }

    /// What has come since the last time, and whether the decoder was seen to work.
    func collect() -> (letters: [Letter], activity: Int, isServing: Bool) {
        mailbox.withLock { box in
            defer { box.letters = [] }
            return (box.letters, box.activity, box.isServing)
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

    private func reap() -> Int32 {
        life.withLock { life in
            if let status = life.status { return status }
            let status = process.reap()
            life.status = status
            return status
        }
    }

    private func listen(door: any ByteDoor, wake: @Sendable () -> Void) {
        var server = ReadServer(door: door)
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
                    try serve(message, with: &server)
                default:
                    guard greeted else { throw .invalid("greeting") }
                    guard post(.message(message), wake: wake) < Worker.mailboxLimit else { throw .invalid("flood") }
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

    private func serve(_ message: FromDecoder, with server: inout ReadServer) throws(WireError) {
        let asset = mailbox.withLock { box in
            box.isServing = true
            box.activity += 1
            return box.asset
        }
        defer { mailbox.withLock { $0.isServing = false } }
        if let answer = try server.answer(message, asset: asset) { outbox.send(answer, waits: true) }
    }

    /// Returns how many letters wait.
    @discardableResult
    private func post(_ letter: Letter, wake: @Sendable () -> Void) -> Int {
        let count = mailbox.withLock { box in
            box.letters.append(letter)
            box.activity += 1
            return box.letters.count
        }
        if count == 1 { wake() }
        return count
    }
}
