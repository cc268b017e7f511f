import HTTP
import Model

/// A transfer of a loader from its first request to its end: it repeats attempts that failed. It runs on the network
/// thread and never blocks it.
struct LoaderTransfer {
    /// How an attempt ended.
    fileprivate enum Outcome {
        case done
        case again
        /// `took`: how long the attempt lasted.
        case failed(RetryPolicy.Cause, BytesError, took: Duration)
        /// A retry would not help. `wasBelieved`: discard what the response said of the file. `isHeldBack`: nothing was
        /// requested, perhaps only because readers are patient.
        case refused(BytesError, wasBelieved: Bool = false, isHeldBack: Bool = false)
    }

    private let loader: Loader
    private let number: Int
    private var services: LoaderServices { loader.services }
    private var delayed: Delays.Request { Delays.Request(key: loader.key, transfer: number) }

    init(_ number: Int, of loader: Loader) { (self.number, self.loader) = (number, loader) }

    func run() async {
        var policy = RetryPolicy()
        var asset: String?
        defer { if let asset { services.delays.end(asset, delayed) } }
        while let (request, isUrgent, isPatient) = loader.request(of: number) {
            // A newer reader may have changed the request's asset since the last attempt.
            if let asset, asset != request.asset.url { services.delays.end(asset, delayed) }
            await loader.pause(number)
            switch await attempt(request, isUrgent: isUrgent, isPatient: isPatient) {
            case .done: return
            case .again: continue
            case .refused(let error, let wasBelieved, let isHeldBack):
                // A captive portal answers in place of the server, so treat it like a missing network.
                return giveUp(
                    error, isUnreachable: error.reason == .webPage, isHeldBack: isHeldBack, forgets: wasBelieved)
            case .failed(let failure, let error, let took):
                loader.update { $0.save(all: true) }
                guard let pause = policy.delay(after: failure, took: took, jitter: .random(in: 0..<1)) else {
                    services.budgets.giveUp(request.url, because: error)
                    return giveUp(error, isUnreachable: failure == .unreachable)
                }
                asset = request.asset.url
                services.delays.begin(request.asset.url, delayed, error)
                // No event announces that the server responds again, so this sleeps. A stop cancels it.
                do { try await Task.sleep(for: pause) } catch { return }
            }
        }
    }

    /// Ends a transfer that is still wanted although its task has ended in any way: no reader must wait for it.
    func abandon() {
        guard let url = loader.url(ofTransfer: number) else { return }
        giveUp(BytesError(verb: .read, url: url, reason: .dropped))
    }

    private func giveUp(
        _ error: BytesError, isUnreachable: Bool = false, isHeldBack: Bool = false, forgets: Bool = false
    ) {
        let now = services.now
        loader.update { state in
            state.failed(
                number, error.reason, isUnreachable: isUnreachable, isHeldBack: isHeldBack,
                until: now + state.settings.failureLifetime)
            if forgets { state.forget() }
        }
    }

    private func attempt(_ request: Transport.Request, isUrgent: Bool, isPatient: Bool) async -> Outcome {
        let slot = HostSlot(
            limit: loader.isStill ? services.stillHosts : services.hosts,
            host: RemoteURL(request.url)?.origin.text ?? "")
        let permit: RequestBudgets.Permit
        do {
            permit = try await services.budgets.permit(for: request.url, isPatient: isPatient)
            try await slot.enter(isUrgent: isUrgent)
        } catch let error as BytesError {
            return .refused(error, isHeldBack: isPatient)
        } catch {
            return .done
        }
        defer { slot.leave() }
        var attempt = LoaderAttempt(loader, number, request, permit, slot)
        defer { attempt.report() }
        return await attempt.run()
    }
}

/// One of a host's slots, which a transfer leaves while it pauses.
private struct HostSlot {
    let limit: HostLimit
    let host: String

    func enter(isUrgent: Bool) async throws { try await limit.enter(host, isUrgent: isUrgent) }
    func leave() { limit.leave(host) }
    func reenter() { limit.reenter(host) }
}

/// One request of a transfer, and what it brought.
private struct LoaderAttempt {
    private let loader: Loader
    private let number: Int
    private let request: Transport.Request
    private let permit: RequestBudgets.Permit
    private let slot: HostSlot
    private let began: Duration
    private var got: Int64 = 0
    /// Whether any of it was new: see `LoaderState.arrived`.
    private var isProgress = false
    private var status = 0
    private var services: LoaderServices { loader.services }

    init(
        _ loader: Loader, _ number: Int, _ request: Transport.Request, _ permit: RequestBudgets.Permit, _ slot: HostSlot
    ) {
        (self.loader, self.number, self.request) = (loader, number, request)
        (self.permit, self.slot) = (permit, slot)
        began = loader.services.now
    }

    func report() { services.report(request, got: got, status: status, since: began) }

    mutating func run() async -> LoaderTransfer.Outcome {
        do {
            let answer = try await services.transport.send(request)
            status = answer.status
            permit.answered()
            return try await take(answer)
        } catch let error as BytesError {
            if !isProgress { permit.failed(error) }
            if error.reason == .otherBytes { return mismatched(error) }
            guard let failure = error.failure(progress: isProgress) else { return .refused(error) }
            return failed(failure, error)
        } catch {
            // The task was cancelled.
            return .done
        }
    }

    private func failed(_ failure: RetryPolicy.Cause, _ error: BytesError) -> LoaderTransfer.Outcome {
        .failed(failure, error, took: services.now - began)
    }

    private func mismatched(_ error: BytesError) -> LoaderTransfer.Outcome {
        switch loader.update({ $0.mismatched(number) }) {
        case .again: .again
        case .misfit: .refused(error)
        case .receive, .stop, .failed: .done
        }
    }

    private mutating func take(_ answer: Transport.Answer) async throws -> LoaderTransfer.Outcome {
        var beginning: BodyChunk?
        let isBeginning = answer.status == 200 || answer.span?.lowerBound == 0
        if isBeginning, WebPage.isNamed(by: answer.facts.type) {
            // Check the response before using it: a captive portal's page is not a new edition of the file.
            beginning = try await Self.complete(answer.body.next(), from: answer.body)
            let isPage = beginning?.withBytes { WebPage.isPage(type: answer.facts.type, beginning: $0) }
            guard isPage != true else { throw BytesError(.webPage, of: request) }
        }
        if let outcome = judge(answer) { return outcome }
        if isBeginning, beginning == nil {
            // A response that calls itself media is judged by its head, because its first bytes can take long.
            let first = try await measured(answer.body, after: &beginning, isBroadcast: answer.isBroadcast)
            beginning = try await Self.complete(first, from: answer.body)
            guard beginning?.withBytes({ WebPage.isPage(beginning: $0) }) != true else {
                permit.fruitless(.webPage)
                return .refused(BytesError(.webPage, of: request), wasBelieved: true)
            }
        }
        guard try await !receive(answer, from: beginning) else { return .done }
        return failed(.dropped(progress: isProgress), BytesError(.dropped, of: request))
    }

    /// The outcome that the head of the response decides; nil to receive the body.
    private func judge(_ answer: Transport.Answer) -> LoaderTransfer.Outcome? {
        let heading = LoaderState.Heading(
            status: answer.status, url: answer.url, facts: answer.facts, span: answer.span,
            isBroadcast: answer.isBroadcast)
        switch loader.update({ $0.answered(number, heading) }) {
        case .receive:
            services.delays.end(request.asset.url, Delays.Request(key: loader.key, transfer: number))
            return nil
        case .stop: return .done
        case .again:
            permit.fruitless(.otherBytes)
            return .again
        case .misfit:
            permit.fruitless(.otherBytes)
            return .refused(BytesError(.otherBytes, of: request))
        case .failed(let status):
            let error = BytesError.status(status, retryAfter: answer.retryAfter, of: request.url)
            permit.fruitless(error.reason)
            return failed(.status(status, retryAfter: answer.retryAfter), error)
        }
    }

    /// Returns false if the body ended too early.
    private mutating func receive(_ answer: Transport.Answer, from beginning: BodyChunk?) async throws -> Bool {
        defer { services.throughput.withLock { $0.ended() } }
        var beginning = beginning
        while let bytes = try await measured(answer.body, after: &beginning, isBroadcast: answer.isBroadcast) {
            if answer.isBroadcast { services.titles.set(answer.body.title, of: request.asset.url) }
            got += Int64(bytes.count)
            let (new, mustPause, isInView) = bytes.withBytes { [number, loader] bytes in
                loader.update { state in (state.arrived(number, bytes), state.mustPause(number), state.isFocused) }
            }
            if isInView { services.arrivedInView() }
            guard let new else { return true }
            if new > 0 {
                isProgress = true
                permit.progressed()
            }
            if mustPause {
                slot.leave()
                await loader.pause(number)
                slot.reenter()
            }
        }
        let isWhole = loader.update { [number] in $0.ended(number) }
        if !isProgress { permit.fruitless(isWhole ? .empty : .dropped) }
        return isWhole
    }

    /// Enough bytes to recognize a web page: a server can send it byte by byte.
    private static func complete(_ first: BodyChunk?, from body: Transport.Body) async throws -> BodyChunk? {
        guard var bytes = first else { return nil }
        while bytes.withBytes(WebPage.isUndecided), let more = try await body.next() { bytes.append(more) }
        return bytes
    }

    /// The first bytes if they were received already, otherwise the next ones. A broadcast arrives no faster than it
    /// plays, which says nothing about the network.
    private func measured(
        _ body: Transport.Body, after before: inout BodyChunk?, isBroadcast: Bool
    ) async throws -> BodyChunk? {
        if let bytes = before.take() { return bytes }
        if isBroadcast { return try await body.next() }
        var count = 0
        services.throughput.withLock { $0.waits(at: services.now) }
        defer { services.throughput.withLock { $0.got(count, at: services.now) } }
        let bytes = try await body.next()
        count = bytes?.count ?? 0
        return bytes
    }
}
