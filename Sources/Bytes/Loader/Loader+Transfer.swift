import HTTP
import Model

/// A transfer from its request to its end, including failed attempts. It runs
/// on the network thread and never blocks it.
extension Loader {
    private enum Outcome {
        case done
        case again
        /// `took`: how long the attempt lasted.
        case failed(RetryPolicy.Failure, BytesError, took: Duration)
        /// A retry would not help. `wasBelieved`: discard what the response said of the file.
        case refused(BytesError, wasBelieved: Bool = false)
    }

    /// What one request brought.
    private struct Tally {
        var got: Int64 = 0
        /// Whether any of it was new: see `LoaderState.arrived`.
        var isProgress = false
        var status = 0
    }

    func run(_ number: Int) async {
        var policy = RetryPolicy()
        var repeats = 0
        var asset: String?
        let delayed = Delays.Request(key: key, transfer: number)
        defer { if let asset { services.delays.end(asset, delayed) } }
        while let (request, isUrgent) = request(of: number) {
            // A newer reader may have changed the request's asset since the last attempt.
            if let asset, asset != request.asset.url { services.delays.end(asset, delayed) }
            await pause(number)
            switch await attempt(number, request, isUrgent: isUrgent) {
            case .done: return
            case .again:
                repeats += 1
                guard repeats < 5 else { return giveUp(number, BytesError(.otherBytes, of: request)) }
            case .refused(let error, let wasBelieved):
                // A captive portal answers in place of the server, so treat it like a missing network.
                return giveUp(number, error, isUnreachable: error.reason == .webPage, forgets: wasBelieved)
            case .failed(let failure, let error, let took):
                update { $0.save(all: true) }
                guard let pause = policy.delay(after: failure, took: took, jitter: .random(in: 0..<1)) else {
                    return giveUp(number, error, isUnreachable: failure == .unreachable)
                }
                asset = request.asset.url
                services.delays.begin(request.asset.url, delayed, error)
                // No event tells when the server will respond again, so this sleeps. A stop cancels it.
                do { try await Task.sleep(for: pause) } catch { return }
            }
        }
    }

    /// Gives up a transfer whose task has ended in any way: nobody must wait for it.
    func abandon(_ number: Int) {
        guard let url = url(ofTransfer: number) else { return }
        giveUp(number, BytesError(verb: .read, url: url, reason: .dropped))
    }

    private func giveUp(_ number: Int, _ error: BytesError, isUnreachable: Bool = false, forgets: Bool = false) {
        let now = services.now
        // A server that asked flick to wait is not asked again before that.
        var wait: Duration?
        if case .busy(_, let asked) = error.reason { wait = min(asked, RetryAfter.most) }
        update { [wait] state in
            let lifetime = wait ?? state.settings.failureLifetime
            state.failed(number, error.reason, isUnreachable: isUnreachable, until: now + lifetime)
            if forgets { state.forget() }
        }
    }

    private func attempt(_ number: Int, _ request: Transport.Request, isUrgent: Bool) async -> Outcome {
        let host = RemoteURL(request.url)?.origin.text ?? ""
        let hosts = isStill ? services.stillHosts : services.hosts
        do { try await hosts.enter(host, isUrgent: isUrgent) } catch { return .done }
        defer { hosts.leave(host) }
        let began = services.now
        var tally = Tally()
        defer { services.report(request, got: tally.got, status: tally.status, since: began) }
        let ask: RequestBudgets.Ask
        do {
            ask = try await services.asks.ask(request.url)
        } catch let error as BytesError {
            return .refused(error)
        } catch {
            return .done
        }
        do {
            let answer = try await services.transport.send(request)
            tally.status = answer.status
            if answer.facts.length == 0 || answer.status == 416 { ask.endedInVain(.empty) } else { ask.answered() }
            var beginning: BodyChunk?
            let isBeginning = answer.status == 200 || answer.span?.lowerBound == 0
            if WebPage.isNamed(by: answer.facts.type), isBeginning {
                // Check the response before using it: a captive portal's page is not a new edition of the file.
                beginning = try await Self.complete(answer.body.next(), from: answer.body)
                let isPage = beginning?.withBytes {
                    WebPage.isPage(type: answer.facts.type, beginning: $0)
                }
                if isPage == true {
                    ask.endedInVain(.webPage)
                    return .refused(BytesError(.webPage, of: request))
                }
            }
            let heading = LoaderState.Heading(
                status: answer.status, url: answer.url, facts: answer.facts, span: answer.span,
                isBroadcast: answer.isBroadcast)
            switch update({ $0.answered(number, heading) }) {
            case .stop: return .done
            case .again:
                ask.endedInVain(.otherBytes)
                return .again
            case .misfit:
                ask.endedInVain(.otherBytes)
                return .refused(BytesError(.otherBytes, of: request))
            case .failed(let status):
                let failure = RetryPolicy.Failure.status(status, retryAfter: answer.retryAfter)
                let error = BytesError.refusal(status, retryAfter: answer.retryAfter, of: request.url)
                ask.endedInVain(error.reason)
                return .failed(failure, error, took: services.now - began)
            case .receive: services.delays.end(request.asset.url, Delays.Request(key: key, transfer: number))
            }
            if isBeginning, beginning == nil {
                // A response that calls itself media is judged by its head, because its first bytes can take long.
                let first = try await measured(answer.body, after: &beginning, isBroadcast: answer.isBroadcast)
                beginning = try await Self.complete(first, from: answer.body)
                if beginning?.withBytes({ WebPage.isPage(beginning: $0) }) == true {
                    ask.endedInVain(.webPage)
                    return .refused(BytesError(.webPage, of: request), wasBelieved: true)
                }
            }
            let isWhole = try await receive(answer, from: beginning, number, request, slot: (hosts, host), ask, &tally)
            guard !isWhole else { return .done }
            return .failed(
                .dropped(progress: tally.isProgress), BytesError(.dropped, of: request), took: services.now - began)
        } catch let error as BytesError where error.reason == .otherBytes {
            if !tally.isProgress { ask.endedInVain(.otherBytes) }
            switch update({ $0.mismatched(number) }) {
            case .again: return .again
            case .misfit: return .refused(error)
            case .receive, .stop, .failed: return .done
            }
        } catch let error as BytesError {
            // A server that cannot be reached was not asked.
            if !tally.isProgress, !error.isOffline { ask.endedInVain(error.reason) }
            guard let failure = error.failure(progress: tally.isProgress) else { return .refused(error) }
            return .failed(failure, error, took: services.now - began)
        } catch {
            // The task was cancelled.
            return .done
        }
    }

    /// Returns false if the body ended too early.
    private func receive(
        _ answer: Transport.Answer, from beginning: BodyChunk?, _ number: Int, _ request: Transport.Request,
        slot: (limit: HostLimit, host: String), _ ask: RequestBudgets.Ask, _ tally: inout Tally
    ) async throws -> Bool {
        defer { services.throughput.withLock { $0.ended() } }
        var beginning = beginning
        while let bytes = try await measured(answer.body, after: &beginning, isBroadcast: answer.isBroadcast) {
            if answer.isBroadcast { services.titles.set(answer.body.title, of: request.asset.url) }
            tally.got += Int64(bytes.count)
            let (new, mustPause, isInView) = bytes.withBytes { bytes in
                update { state in (state.arrived(number, bytes), state.mustPause(number), state.isFocused) }
            }
            if isInView { services.arrivedInView() }
            guard let new else { return true }
            if new > 0 {
                tally.isProgress = true
                ask.progressed()
            }
            if mustPause {
                slot.limit.leave(slot.host)
                await pause(number)
                slot.limit.reenter(slot.host)
            }
        }
        let isWhole = update { $0.ended(number) }
        if !tally.isProgress { ask.endedInVain(isWhole ? .empty : .dropped) }
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
