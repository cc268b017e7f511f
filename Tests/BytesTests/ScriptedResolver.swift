import Model
import Threads

@testable import Bytes

/// Gives the scripted answers, one after the other, and repeats the last one.
final class ScriptedResolver: MediaResolver {
    enum Answer: Sendable {
        case media(ResolvedMedia)
        case failure(String)
        /// Until it is cancelled.
        case silence
    }

    private struct State {
        var answers: [Answer]
        var asked: [String] = []
        var cancelled = 0
        var isHeld = false
        var isClosed = false
    }

    private let state: Monitor<State>

    init(_ answers: [Answer]) { state = Monitor(State(answers: answers)) }

    convenience init(_ urls: String...) { self.init(urls.map { .media(ResolvedMedia(url: $0)) }) }

    /// The URLs of the assets to resolve, in the order of the calls.
    var asked: [String] { state.withLock(\.asked) }
    var isClosed: Bool { state.withLock(\.isClosed) }

    /// While it is held it does not answer.
    func hold(_ isHeld: Bool) { state.change { $0.isHeld = isHeld } }

    /// Waits until it was called `asked` times, or `cancelled` calls were cancelled.
    func waits(asked: Int = 0, cancelled: Int = 0) -> Bool {
        state.wait(upTo: .seconds(60)) { $0.asked.count >= asked && $0.cancelled >= cancelled ? true : nil } ?? false
    }

    func resolve(
        _ asset: Asset, with provider: any ByteProvider, cancellation: Cancellation
    ) throws(BytesError) -> ResolvedMedia {
        let answer = state.change { state in
            state.asked.append(asset.url)
            return state.answers.count > 1 ? state.answers.removeFirst() : state.answers[0]
        }
        cancellation.onCancel { [state] in state.change { _ in } }
        var isSilent = false
        if case .silence = answer { isSilent = true }
        let isCancelled = state.wait { state in
            if cancellation.isCancelled { return true }
            return isSilent || state.isHeld ? nil : false
        }
        guard isCancelled == false else {
            state.change { $0.cancelled += 1 }
            throw BytesError(verb: .open, url: asset.url, reason: .cancelled)
        }
        switch answer {
        case .media(let media): return media
        case .failure(let why):
            throw BytesError(verb: .open, url: asset.url, reason: .unresolved(by: "resolver", why: why))
        case .silence: throw BytesError(verb: .open, url: asset.url, reason: .cancelled)
        }
    }

    func close() { state.change { $0.isClosed = true } }
}
