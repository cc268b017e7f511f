internal import CCurl
import Model
import Synchronization
import Threads

/// Sends the requests of a `Transport`. Its connections stay open for a minute; its release closes them. Any thread.
final class CurlClient: Sendable {
    private struct State {
        /// Whether anything was sent: until then, there is no thread.
        var isUsed = false
        var isClosed = false
    }

    private let connections = CurlConnections()
    private let state = Mutex(State())

    deinit { if state.withLock(\.isUsed) { connections.close() } }

    /// Waits for the head of the response for `limit` at most, including the connection. Throws `.cancelled` if the
    /// task is cancelled or the client closed.
    func send(_ message: CurlTransfer.Message, upTo limit: Duration) async throws(BytesError.Reason) -> CurlResponse {
        let isClosed = state.withLock { state in
            if !state.isClosed { state.isUsed = true }
            return state.isClosed
        }
        guard !isClosed else { throw .cancelled }
        let transfer = CurlTransfer(message, on: connections)
        let alarm = StallAlarm(limit: limit)
        alarm.begin { transfer.timeOut(.timedOut(.firstByte, limit)) }
        defer { _ = alarm.end() }
        connections.add(transfer)
        return CurlResponse(try await transfer.head(), transfer, of: self)
    }

    /// Ends all transfers and closes all connections. Blocks for half a second
    /// at most; never called on the network's thread.
    func close() {
        let isUsed = state.withLock { state in
            state.isClosed = true
            return state.isUsed
        }
        guard isUsed else { return }
        let isOpen = Monitor(true)
        connections.close { isOpen.change { $0 = false } }
        _ = isOpen.wait(upTo: .milliseconds(500)) { $0 ? nil : true }
    }
}

/// libcurl, which sends all requests.
package enum NetworkLibrary {
    /// Loads it, unless it is loaded, which blocks for some milliseconds.
    /// - Returns: whether it can be used, and its version or why not.
    package static func check() -> (isUsable: Bool, found: String) {
        let isUsable = flick_curl_load() == 0
        return (isUsable, String(cString: flick_curl_found()))
    }
}
