import Wire

/// The only way to bytes: a decoder opens no file, so every read is a request to flick. Used by the session's thread only; reads block it.
final class ByteClient {
    private let channel: OwnerChannel
    private let messages: MessageQueue
    private var lastID: UInt32 = 0
    private var openCount = 0

    /// The most resources that are open at once; flick's limit too.
    private static let mostSources = 64

    /// Whether a waiting seek interrupts a read. Not while the clip is being opened: there is nothing to seek in yet.
    var seekInterrupts = false
    /// Why the last read or opening failed, as flick says it; empty if it succeeded.
    private(set) var lastError = ""
    /// Does some of the work that needs no bytes and returns true, or returns false when there is none.
    var workWhileWaiting: () -> Bool = { false }

    init(channel: OwnerChannel, messages: MessageQueue) {
        self.channel = channel
        self.messages = messages
    }

    /// Whether a read that waits should give up.
    var isInterrupted: Bool { messages.isClosed || seekInterrupts && messages.hasSeek }

    /// Waits for what `find` looks for in the messages, working meanwhile; nil if interrupted.
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

    /// Sends flick what has no answer.
    func report(_ message: FromDecoder) { _ = send(message) }

    /// Works until `time` of `MonotonicTime`; false if interrupted.
    func wait(until time: Microseconds) -> Bool {
        while !isInterrupted {
            let version = messages.version
            if MonotonicTime.now() >= time { return true }
            if !workWhileWaiting() { messages.wait(past: version, until: time) }
        }
        return false
    }

    /// Opens a resource, or a range of one. Offsets count from the beginning of the whole resource. Blocks. Throws `.limits` if too many are open,
    /// `.unreadable` if flick cannot open it.
    func open(_ want: ByteWant) throws(MediaError) -> ResourceReader {
        guard openCount < ByteClient.mostSources else {
            throw MediaError(.limits, "too many resources are open at once")
        }
        if isInterrupted { throw MediaError(.other, "interrupted") }
        lastID += 1
        let id = lastID
        guard send(.openURL(id: id, want: want)), let answer = wait(for: { messages.receiveSource(id: id) }) else {
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

    /// A reader has gone: flick may close the resource.
    func closed(id: UInt32) {
        openCount -= 1
        _ = send(.closeURL(id: id))
    }

    func read(id: UInt32, offset: Int64, count: Int) -> Result<[UInt8], MediaError> {
        if isInterrupted { return .failure(MediaError(.other, "interrupted")) }
        guard send(.read(id: id, offset: offset, count: UInt32(count))),
            let answer = wait(for: { messages.receiveData(id: id, offset: offset) })
        else { return .failure(MediaError(.other, "interrupted")) }
        guard answer.error.isEmpty else {
            lastError = answer.error
            return .failure(MediaError(.unreadable, answer.error))
        }
        lastError = ""
        return .success(answer.bytes)
    }
}
