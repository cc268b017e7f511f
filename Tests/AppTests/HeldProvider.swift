import Bytes
import Model
import Threads

/// Passes requests on to another provider, in a record of their order. While it holds them, they wait.
final class HeldProvider: ByteProvider {
    private struct State {
        var requests: [ByteRequest] = []
        var isHeld: Bool
    }

    private let provider: any ByteProvider
    private let state: Monitor<State>

    init(_ provider: any ByteProvider, isHeld: Bool) {
        self.provider = provider
        state = Monitor(State(isHeld: isHeld))
    }

    /// All requests in order.
    var requests: [ByteRequest] { state.withLock { $0.requests } }

    func release() { state.change { $0.isHeld = false } }

    func open(_ request: ByteRequest, cancellation: Cancellation) throws(BytesError) -> any ByteSource {
        state.change { $0.requests.append(request) }
        let number = cancellation.onCancel { [state] in state.change { _ in } }
        defer { cancellation.forget(number) }
        _ = state.wait { $0.isHeld && !cancellation.isCancelled ? nil : () }
        guard !cancellation.isCancelled else {
            throw BytesError(verb: .open, url: request.url, reason: .cancelled)
        }
        return try provider.open(request, cancellation: cancellation)
    }
}
