import Model
import Threads
import Wire

/// The decoder's only access to bytes: it opens no files itself, so every read is a request to flick. Reads block the
/// session's thread, the only one that may use it.
final class ByteClient {
    private let channel: OwnerChannel
    private let messages: MessageQueue
    private var lastID: UInt32 = 0
    private var openCount = 0

    /// The most resources that are open at once; flick has the same limit.
    private static let maxSources = 64

    /// After audio or text could not be read, the time until it is requested again. The clip plays without it.
    let retryInterval: Microseconds

    /// Whether a waiting seek interrupts a read. Not while the clip is being opened: there is nothing to seek in yet.
    var seekInterrupts = false
    /// flick's reason why the last read or opening failed; empty if it succeeded.
    private(set) var lastError = ""
    /// Whether something is left to play, so that a read that failed can be tried again.
    var canWait: () -> Bool = { false }
    /// Does some work that needs no bytes and returns true, or returns false if there is nothing to do.
    var workWhileWaiting: () -> Bool = { false }

    init(
        channel: OwnerChannel, messages: MessageQueue, retryInterval: Microseconds = DecoderSession.retryInterval
    ) {
        self.channel = channel
        self.messages = messages
        self.retryInterval = retryInterval
    }

    /// Whether a waiting read should give up.
    var isInterrupted: Bool { messages.isClosed || seekInterrupts && messages.hasSeek }

    /// Waits until `find` finds its answer among the messages, and works meanwhile; nil if interrupted.
    private func wait<Answer>(for find: () -> Answer?) -> Answer? {
        while true {
            let version = messages.version
            if let answer = find() { return answer }
            if isInterrupted { return nil }
            if workWhileWaiting() { continue }
            messages.wait(past: version)
        }
    }

    private func send(_ message: FromDecoder) -> Bool {
        do {
            try channel.send(message)
            return true
        } catch {
            messages.close()
            return false
        }
    }

    /// Sends flick a message that has no answer.
    func report(_ message: FromDecoder) { if !isQuiet { _ = send(message) } }
    /// Requests only bytes, as for a still: flick expects nothing else.
    var isQuiet = false

    /// Works until `time` of `MonotonicTime`; false if interrupted.
    func wait(until time: Microseconds) -> Bool {
        while !isInterrupted {
            let version = messages.version
            if MonotonicTime.now() >= time { return true }
            if !workWhileWaiting() { messages.wait(past: version, until: time) }
        }
        return false
    }

    /// Opens a resource or a range of one. Offsets count from the beginning of the whole resource. Throws `.limits` if
    /// too many are open, and `.unreadable` if flick cannot open it. Blocks.
    ///
    /// - Parameter isPatient: whether the caller opens it again later if that fails: flick then repeats no request.
    func open(_ want: ByteWant, isPatient: Bool = false) throws(MediaError) -> ResourceReader {
        guard openCount < ByteClient.maxSources else {
            throw MediaError(.limits, "too many resources are open at once")
        }
        if isInterrupted { throw MediaError(.other, "interrupted") }
        lastID += 1
        let id = lastID
        guard send(.openURL(id: id, want: want, isPatient: isPatient)),
            let answer = wait(for: { messages.receiveSource(id: id) })
        else {
            _ = send(.closeURL(id: id))
            throw MediaError(.other, "interrupted")
        }
        guard answer.error.isEmpty else {
            lastError = answer.error
            throw MediaError(.unreadable, answer.error)
        }
        lastError = ""
        openCount += 1
        return ResourceReader(
            client: self, id: id, url: answer.url, start: want.offset, end: want.end, length: answer.length,
            seekable: answer.seekable)
    }

    /// What flick knows by now of a resource that is open, if it is more than before: how long it is, and whether it
    /// can be read at any place.
    func news(of id: UInt32) -> (length: Int64, seekable: Bool)? {
        messages.receiveSource(id: id).map { ($0.length, $0.seekable) }
    }

    /// A reader was released, so flick can close the resource.
    func closed(id: UInt32) {
        openCount -= 1
        _ = send(.closeURL(id: id))
    }

    func read(id: UInt32, offset: Int64, count: Int) -> Result<[UInt8], MediaError> {
        var backoff = Backoff(from: .seconds(1), upTo: .seconds(30))
        while true {
            if isInterrupted { return .failure(MediaError(.other, "interrupted")) }
            let isPatient = canWait()
            guard send(.read(id: id, offset: offset, count: UInt32(count), isPatient: isPatient)),
                let answer = wait(for: { messages.receiveData(id: id, offset: offset) })
            else { return .failure(MediaError(.other, "interrupted")) }
            if answer.error.isEmpty {
                lastError = ""
                return .success(answer.bytes)
            }
            // The last attempt is made when nothing is left to play.
            guard isPatient else {
                lastError = answer.error
                return .failure(MediaError(.unreadable, answer.error))
            }
            playOn(until: MonotonicTime.now() + backoff.next().microseconds)
        }
    }

    /// Plays from the buffer until `time` of `MonotonicTime`, or until nothing is left or a newer order waits.
    private func playOn(until time: Microseconds) {
        while canWait(), case let now = MonotonicTime.now(), now < time {
            guard wait(until: min(time, now + 100_000)) else { return }
        }
    }
}
