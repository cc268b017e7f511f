internal import NIOCore

/// A transfer's life: asked for, taken in, tried again. It runs on the event loop's thread, and never blocks it.
extension Loader {
    private enum Outcome {
        case done
        case again
        case failed(RetryPolicy.Failure, BytesError)
        /// Trying again would not help.
        case refused(BytesError)
    }

    /// What one request brought, for the report.
    private struct Tally {
        var got: Int64 = 0
        var status = 0
    }

    func run(_ number: Int) async {
        var policy = RetryPolicy()
        var repeats = 0
        while let (request, isUrgent) = request(of: number) {
            switch await attempt(number, request, isUrgent: isUrgent) {
            case .done: return
            case .again:
                repeats += 1
                guard repeats < 5 else { return giveUp(number, BytesError(.otherBytes, of: request)) }
            case .refused(let error): return giveUp(number, error)
            case .failed(let failure, let error):
                update { $0.save(all: true) }
                guard let pause = policy.delay(after: failure, jitter: .random(in: 0..<1)) else {
                    return giveUp(number, error, isUnreachable: failure == .unreachable)
                }
                // The back-off, which is no waiting for an event: nothing tells when a server will do. A stop cancels it.
                do { try await Task.sleep(for: pause) } catch { return }
            }
        }
    }

    private func giveUp(_ number: Int, _ error: BytesError, isUnreachable: Bool = false) {
        let now = services.now
        update { $0.failed(number, error.reason, isUnreachable: isUnreachable, now: now) }
    }

    private func request(of number: Int) -> (Transport.Request, isUrgent: Bool)? {
        monitor.withLock { shared in
            guard let question = shared.state.question(of: number) else { return nil }
            let request = Transport.Request(
                url: shared.request.url, asset: shared.request.asset, range: question.range,
                ifRange: question.ifRange, isFresh: question.isFresh)
            return (request, shared.state.transfers.first { $0.number == number }?.isUrgent ?? false)
        }
    }

    private func attempt(_ number: Int, _ request: Transport.Request, isUrgent: Bool) async -> Outcome {
        let host = RemoteURL(request.url)?.origin.text ?? ""
        do { try await services.hosts.enter(host, isUrgent: isUrgent) } catch { return .done }
        defer { services.hosts.leave(host) }
        let began = services.now
        var tally = Tally()
        defer { report(request, tally, since: began) }
        do {
            let answer = try await services.transport.send(request)
            tally.status = answer.status
            let heading = LoaderState.Heading(
                status: answer.status, url: answer.url, facts: answer.facts, span: answer.span)
            switch update({ $0.answered(number, heading) }) {
            case .stop: return .done
            case .again: return .again
            case .failed(let status):
                let failure = RetryPolicy.Failure.status(status, retryAfter: answer.retryAfter)
                return .failed(failure, BytesError(.status(status), of: request))
            case .take: break
            }
            return try await take(answer.body, number, request, host: host, &tally)
        } catch let error as BytesError where error.reason == .otherBytes {
            return update({ $0.mismatched(number) }) == .again ? .again : .done
        } catch let error as BytesError {
            return error.failure(progress: tally.got > 0).map { .failed($0, error) } ?? .refused(error)
        } catch {
            // The task was cancelled.
            return .done
        }
    }

    private func take(
        _ body: Transport.Body, _ number: Int, _ request: Transport.Request, host: String, _ tally: inout Tally
    ) async throws -> Outcome {
        defer { services.throughput.withLock { $0.ended() } }
        while let bytes = try await measured(body) {
            tally.got += Int64(bytes.readableBytes)
            let (isWanted, mustHold) = bytes.withUnsafeReadableBytes { bytes in
                update { state in (state.arrived(number, bytes), state.mustHold(number)) }
            }
            guard isWanted else { return .done }
            if mustHold {
                services.hosts.leave(host)
                await holdUp(number)
                services.hosts.reenter(host)
            }
        }
        if update({ $0.ended(number) }) { return .done }
        return .failed(.dropped(progress: tally.got > 0), BytesError(.dropped, of: request))
    }

    private func measured(_ body: Transport.Body) async throws -> ByteBuffer? {
        var count = 0
        services.throughput.withLock { $0.waits(at: services.now) }
        defer { services.throughput.withLock { $0.got(count, at: services.now) } }
        let bytes = try await body.next()
        count = bytes?.readableBytes ?? 0
        return bytes
    }

    private func report(_ request: Transport.Request, _ tally: Tally, since began: Duration) {
        services.report(
            Fetch(
                asset: request.asset.url, url: SafeURL.text(request.url), from: request.range?.from ?? 0,
                to: request.range?.to, got: tally.got, source: .network, status: tally.status,
                time: services.now - began))
    }
}
