import Model
import Platform
import Synchronization
import Threads

/// Where resolvers have found the media of assets. Each asset is resolved once, however many readers wait for it, and
/// again only when the result is no longer valid. Any thread.
///
/// Cancelling a reader does not end its question: clips that are opened ahead wait for two seconds, and find the answer
/// when they come again. But a question without readers makes way for one with readers.
final class Resolutions: Sendable {
    private final class Question: Sendable {
        let asset: Asset
        let provider: any ByteProvider
        let cancellation = Cancellation()
        let answer = Mutex<Result<ResolvedMedia, BytesError>?>(nil)

        init(_ asset: Asset, _ provider: any ByteProvider) { (self.asset, self.provider) = (asset, provider) }
    }

    private struct Asked {
        let question: Question
        var readers = 1
        var isRunning = false
    }

    private struct Known {
        var media: ResolvedMedia?
        /// Why there is no result, or why it is no longer valid.
        var failure: BytesError?
        /// Each question counts as fruitless, because it is unknown how long its answer stays valid.
        var budget = RequestBudget()
    }

    private struct State {
        /// By the asset's URL.
        var known = Recent<String, Known>(limit: 256)
        /// In the order in which they were asked.
        var asked: [Asked] = []
        /// Cancelled questions without readers that have not ended yet.
        var ending: [Question] = []
        var threads = 0
        /// The URL of the asset in view, which is resolved first.
        var focus: String?
        var isClosed = false
    }

    private enum Turn {
        case known(ResolvedMedia)
        case refused(BytesError)
        case waits(Question, displaced: Question?)
    }

    /// The most questions that run at once.
    static let atOnce = 3

    private let resolvers: [Resolver: any MediaResolver]
    private let now: @Sendable () -> Duration
    private let state = Monitor(State())

    init(_ resolvers: [Resolver: any MediaResolver], now: @escaping @Sendable () -> Duration) {
        (self.resolvers, self.now) = (resolvers, now)
    }

    // MARK: Asking

    /// Resolves the asset's URL. Blocks until that is done, or until the reader is cancelled.
    func media(
        of asset: Asset, with provider: any ByteProvider, _ cancellation: Cancellation
    ) throws(BytesError) -> ResolvedMedia {
        let now = now()
        let cancelled = BytesError(verb: .open, url: asset.url, reason: .cancelled)
        switch state.change({ Self.join(asset, provider, now: now, &$0) }) {
        case .known(let media): return media
        case .refused(let error): throw error
        case .waits(let question, let displaced):
            displaced?.cancellation.cancel()
            startThread()
            let number = cancellation.onCancel { [state] in state.change { _ in } }
            let answer = state.wait { _ in
                question.answer.withLock(\.self) ?? (cancellation.isCancelled ? .failure(cancelled) : nil)
            }
            cancellation.forget(number)
            state.withLock { Self.leave(question, &$0) }
            // `wait` without a limit returns what it has found.
            return try (answer ?? .failure(cancelled)).get()
        }
    }

    private static func join(
        _ asset: Asset, _ provider: any ByteProvider, now: Duration, _ state: inout State
    ) -> Turn {
        if let media = state.known[asset.url]?.media { return .known(media) }
        if state.isClosed { return .refused(BytesError(verb: .open, url: asset.url, reason: .cancelled)) }
        if let index = state.asked.firstIndex(where: { $0.question.asset.url == asset.url }) {
            state.asked[index].readers += 1
            return .waits(state.asked[index].question, displaced: nil)
        }
        let known = state.known.peek(asset.url) ?? Known()
        guard known.budget.decision(at: now) == .send else {
            let often = BytesError.Reason.unresolved(
                by: asset.resolver?.name ?? "the resolver", why: "too many requests; try again later")
            return .refused(known.failure ?? BytesError(verb: .open, url: asset.url, reason: often))
        }
        let question = Question(asset, provider)
        state.asked.append(Asked(question: question))
        // Cancels a question without readers.
        guard state.threads >= atOnce,
            let idle = state.asked.firstIndex(where: { $0.isRunning && $0.readers == 0 })
        else { return .waits(question, displaced: nil) }
        let displaced = state.asked.remove(at: idle).question
        state.ending.append(displaced)
        return .waits(question, displaced: displaced)
    }

    /// A reader stops waiting. Removes the question if it has no other reader and has not started.
    private static func leave(_ question: Question, _ state: inout State) {
        guard let index = state.asked.firstIndex(where: { $0.question === question }) else { return }
        state.asked[index].readers -= 1
        if state.asked[index].readers == 0, !state.asked[index].isRunning { state.asked.remove(at: index) }
    }

    // MARK: Threads

    private func startThread() {
        let isNeeded = state.withLock { state in
            guard state.threads < Self.atOnce, state.asked.contains(where: { !$0.isRunning }) else { return false }
            state.threads += 1
            return true
        }
        if isNeeded { BlockingThread.start { [self] in work() } }
    }

    private func work() {
        while let question = next() {
            let asset = question.asset
            do throws(BytesError) {
                guard let resolver = asset.resolver.flatMap({ resolvers[$0] }) else {
                    let name = asset.resolver?.name ?? "the resolver"
                    throw BytesError(
                        verb: .open, url: asset.url, reason: .unresolved(by: name, why: "not available here"))
                }
                let media = try resolver.resolve(
                    asset, with: question.provider, cancellation: question.cancellation)
                finish(question, .success(media))
            } catch {
                finish(question, .failure(error))
            }
        }
    }

    /// The question to ask now; nil ends the thread.
    private func next() -> Question? {
        state.withLock { state in
            let waiting = state.asked.indices.filter { !state.asked[$0].isRunning }
            let inView = waiting.first { state.asked[$0].question.asset.url == state.focus }
            guard let index = inView ?? waiting.first else {
                state.threads -= 1
                return nil
            }
            state.asked[index].isRunning = true
            let question = state.asked[index].question
            state.known[question.asset.url, default: Known()].budget.begin()
            _ = state.known.trim { !$0.budget.isInUse }
            return question
        }
    }

    private func finish(_ question: Question, _ answer: Result<ResolvedMedia, BytesError>) {
        question.answer.withLock { $0 = answer }
        let url = question.asset.url
        let now = now()
        state.change { state in
            guard let index = state.asked.firstIndex(where: { $0.question === question }) else {
                state.ending.removeAll { $0 === question }
                state.known[url]?.budget.end(.unanswered, at: now)
                return
            }
            let isBegun = state.asked.remove(at: index).isRunning
            var known = state.known[url] ?? Known()
            switch answer {
            case .success(let media): (known.media, known.failure) = (media, nil)
            case .failure(let error): known.failure = error
            }
            if isBegun { known.budget.end(.fruitless(known.failure?.reason ?? .empty), at: now) }
            state.known[url] = known
            _ = state.known.trim { !$0.budget.isInUse }
        }
    }

    // MARK: What is known

    /// Where the asset was found, if that is still valid. Does not block.
    func known(_ url: String) -> ResolvedMedia? { state.withLock { $0.known.peek(url)?.media } }

    /// A result is no longer valid: the asset is resolved again when it is needed, unless that happens too often.
    ///
    /// - Parameter media: the invalid result; nil for any.
    func drop(_ media: ResolvedMedia? = nil, of url: String, because failure: BytesError? = nil) {
        let now = now()
        state.withLock { state in
            guard var known = state.known.peek(url), known.media != nil, media == nil || known.media == media,
                known.budget.decision(at: now) == .send
            else { return }
            (known.media, known.failure) = (nil, failure)
            state.known[url] = known
        }
    }

    /// Resolves the asset in view before others.
    func focus(on url: String?) { state.withLock { $0.focus = url } }

    /// What a reader of this asset waits for, in a few words; nil if it is not being resolved. Does not block.
    func words(_ url: String) -> String? {
        state.withLock { $0.asked.first { $0.question.asset.url == url } }
            .flatMap { $0.question.asset.resolver }.map { "resolving with \($0.name)" }
    }

    /// Ends all questions. Returns at once.
    func close() {
        let questions = state.change { state in
            state.isClosed = true
            return state.asked.map(\.question) + state.ending
        }
        for question in questions { question.cancellation.cancel() }
        for resolver in resolvers.values { resolver.close() }
    }
}
