internal import CCurl
import Model
import Synchronization

/// One request and its response, between the network's thread and a reader. Any thread; one reader at a time.
final class CurlTransfer: Sendable {
    /// The request as it is sent.
    struct Message: Sendable {
        var url: RemoteURL
        var method: Transport.Method
        var fields: [RequestFields.Field]
        var content: Transport.Content?
        var route: ProxyChoice.Route
        /// Whether to refuse connections to private addresses.
        var onlyPublic: Bool
        /// Empty: the library's.
        var authorities: Authorities.Sources
        var connectTimeout: Duration
    }

    private enum End: Sendable {
        case whole
        case failed(BytesError.Reason)
    }

    private enum Awaited { case head, bytes }

    private struct State {
        /// The lines of a head that is not whole.
        var lines: [UInt8] = []
        var informational = InformationalLimit()
        var head: ResponseHead?
        /// Bytes of the body that have arrived but were not read.
        var bytes: [UInt8] = []
        /// Whether the connection waits for the reader.
        var isPaused = false
        /// Whether an address was refused.
        var hasPrivatePeer = false
        /// nil while more may come.
        var end: End?
        var waiter: CheckedContinuation<Void, Never>?

        func has(_ awaited: Awaited) -> Bool {
            end != nil || (awaited == .head ? head != nil : !bytes.isEmpty)
        }
    }

    /// How many bytes wait for a reader before the server has to wait.
    private static let readAhead = 32 << 10
    /// Those, and what curl has read meanwhile: lost if flick is killed.
    static let maxUnread = readAhead + flick_curl_buffer_size
    /// In bytes; a longer head is refused.
    private static let longestHead = 80 << 10
    /// curl's largest piece of a body (CURL_MAX_WRITE_SIZE): more follows it.
    private static let largestPiece = 16 << 10

    let message: Message
    let connections: CurlConnections
    private let state = Mutex(State())

    init(_ message: Message, on connections: CurlConnections) {
        self.message = message
        self.connections = connections
    }

    // MARK: The reader

    /// Waits for the head of the response. Throws `.cancelled` if the task or the transfer is cancelled.
    func head() async throws(BytesError.Reason) -> ResponseHead {
        await wait(for: .head)
        let (head, end) = state.withLock { ($0.head, $0.end) }
        if let head { return head }
        if case .failed(let reason) = end { throw reason }
        throw .dropped
    }

    /// The next bytes of the body; nil at its end. Throws as `head` does.
    func next() async throws(BytesError.Reason) -> BodyChunk? {
        await wait(for: .bytes)
        let (bytes, end, mustResume) = state.withLock { state -> ([UInt8], End?, Bool) in
            defer { (state.bytes, state.isPaused) = ([], false) }
            return (state.bytes, state.end, state.isPaused)
        }
        if mustResume { connections.resume(self) }
        if !bytes.isEmpty { return BodyChunk(bytes) }
        if case .failed(let reason) = end { throw reason }
        return nil
    }

    private func wait(for awaited: Awaited) async {
        guard !state.withLock({ $0.has(awaited) }) else { return }
        await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let isReady = state.withLock { state in
                    if state.has(awaited) { return true }
                    state.waiter = continuation
                    return false
                }
                if isReady { continuation.resume() }
            }
        } onCancel: {
            cancel()
        }
    }

    /// Ends the transfer, unless it has ended.
    func cancel(_ reason: BytesError.Reason = .cancelled) { if end(.failed(reason)) { connections.remove(self) } }

    /// Ends the transfer if the reader waits: what has arrived already is no reason to.
    func timeOut(_ reason: BytesError.Reason) {
        let isWaiting = state.withLock { $0.waiter != nil }
        if isWaiting { cancel(reason) }
    }

    var hasEnded: Bool { state.withLock { $0.end != nil } }

    /// Returns false if it has ended before.
    @discardableResult
    private func end(_ end: End) -> Bool {
        let (isFirst, waiter) = state.withLock { state -> (Bool, CheckedContinuation<Void, Never>?) in
            guard state.end == nil else { return (false, nil) }
            state.end = end
            return (true, state.waiter.take())
        }
        waiter?.resume()
        return isFirst
    }

    // MARK: The network's thread

    /// Whether the address may be connected to, or be sent the request.
    func mayConnect(to address: String) -> Bool {
        guard message.onlyPublic, HostKind(address) != .publicAddress else { return true }
        state.withLock { $0.hasPrivatePeer = true }
        return false
    }

    enum LineVerdict: Int32 { case accepted = 0, connectionIsSpent = 1, refused = -1 }

    /// A line of a head arrives, with its line end. Trailers are ignored.
    func line(_ bytes: UnsafeRawBufferPointer) -> LineVerdict {
        let (verdict, waiter) = state.withLock { state -> (LineVerdict, CheckedContinuation<Void, Never>?) in
            guard state.head == nil else { return (.accepted, nil) }
            state.lines += bytes
            guard state.lines.count <= CurlTransfer.longestHead else { return (.refused, nil) }
            guard bytes.first == 0x0A || bytes.first == 0x0D else { return (.accepted, nil) }
            defer { state.lines = [] }
            guard let head = ResponseHead(state.lines) else { return (.refused, nil) }
            if head.isInformational { return (state.informational.isExceeded() ? .refused : .accepted, nil) }
            state.head = head
            return (head.isRepaired ? .connectionIsSpent : .accepted, state.waiter.take())
        }
        waiter?.resume()
        if verdict == .refused { end(.failed(.nonsense)) }
        return verdict
    }

    /// Bytes of the body arrive. Returns false if they have to come again later, as the reader is behind.
    func add(_ bytes: UnsafeRawBufferPointer) -> Bool {
        let (isTaken, waiter) = state.withLock { state -> (Bool, CheckedContinuation<Void, Never>?) in
            guard state.bytes.isEmpty || state.bytes.count + bytes.count <= CurlTransfer.readAhead else {
                state.isPaused = true
                return (false, nil)
            }
            if state.bytes.isEmpty, bytes.count == CurlTransfer.largestPiece {
                state.bytes.reserveCapacity(CurlTransfer.readAhead)
            }
            state.bytes.append(contentsOf: bytes)
            return (true, state.waiter.take())
        }
        // The reader's task runs on this thread, after what else has arrived was added.
        waiter?.resume()
        return isTaken
    }

    /// curl has ended the transfer.
    /// - Parameter error: an errno, or 0.
    func ended(_ kind: flick_curl_end_kind, error: Int32) {
        let isPrivate = state.withLock { $0.hasPrivatePeer }
        end(CurlOutcome.reason(kind, error: error, of: message, hasPrivatePeer: isPrivate).map(End.failed) ?? .whole)
    }
}

/// A response whose head has arrived. Its release ends the transfer.
final class CurlResponse: Sendable {
    let head: ResponseHead
    private let transfer: CurlTransfer
    /// Keeps the client open while the response is in use.
    private let client: CurlClient

    init(_ head: ResponseHead, _ transfer: CurlTransfer, of client: CurlClient) {
        (self.head, self.transfer, self.client) = (head, transfer, client)
    }

    deinit { transfer.cancel() }

    func next() async throws(BytesError.Reason) -> BodyChunk? { try await transfer.next() }

    func timeOut(_ reason: BytesError.Reason) { transfer.timeOut(reason) }
}

/// Counts informational responses (1xx) before a response: with one after the other, a server would keep the request
/// and a core busy until the time limit. Pure.
struct InformationalLimit: Sendable {
    /// A server has nothing more to say than `100 Continue`, `102 Processing` and some `103 Early Hints`.
    static let most = 16

    private var count = 0

    /// Another one has come. Returns whether it is one too many.
    mutating func isExceeded() -> Bool {
        count += 1
        return count > InformationalLimit.most
    }
}
