import Foundation
import Model
import Synchronization
import TestSupport
import Testing
import Threads

@testable import Bytes
@testable import HTTP

/// Whatever a server answers, no URL is requested more than four times in 30 s without new bytes.
@Suite struct RequestBudgetTests {
    private let fixture: ProviderFixture

    init() throws { fixture = try ProviderFixture() }

    /// A user who turns pages quickly leaves them before their servers have answered.
    @Test func unansweredRequestsCountOnlyAfterRecentFruitlessAnswers() {
        func decision(_ outcomes: [(RequestBudget.Outcome, Double)], at now: Double) -> RequestBudget.Decision {
            var budget = RequestBudget()
            for (outcome, time) in outcomes {
                budget.begin()
                budget.end(outcome, at: .seconds(time))
            }
            return budget.decision(at: .seconds(now))
        }
        let unanswered = (1...4).map { (RequestBudget.Outcome.unanswered, 31 + Double($0)) }
        #expect(decision(unanswered, at: 36) == .send)
        #expect(decision([(.fruitless(.empty), 0)] + unanswered, at: 36) == .send)
        #expect(decision([(.fruitless(.empty), 30)] + unanswered, at: 36) == .refuse(.empty))
    }

    /// A server that never has what is wanted of it.
    struct FailingServer: Sendable, CustomTestStringConvertible {
        let name: String
        let resource: Resource
        /// Where a reader waits for bytes.
        var offset: Int64 = 0
        var roles: [ByteRole] = [.media, .playlist, .feed]
        /// Whether the reader, as a player that recovers, has what came confirmed before it tries again.
        var revalidates = true
        /// The most requests in the time of a budget.
        var limit = RequestBudget.limit
        var role = ByteRole.media
        var testDescription: String { "\(name), as \(role)" }

        init(_ name: String, _ resource: Resource) { (self.name, self.resource) = (name, resource) }

        init(_ name: String, _ faults: Fault..., change: (inout FailingServer) -> Void = { _ in }) {
            self.init(name, Resource(.pattern(length: 5_000, seed: 1), faults: faults))
            change(&self)
        }

        /// A reader of media waits for bytes at 4,000. The first request brings the beginning.
        static func media(_ name: String, _ faults: Fault...) -> FailingServer {
            var server = FailingServer(name, Resource(.pattern(length: 5_000, seed: 1), faults: faults))
            (server.offset, server.roles, server.revalidates) = (4_000, [.media], false)
            server.limit += 1
            return server
        }

        /// A text of any kind would be one to readers of texts.
        private static func media(_ name: String, _ resource: Resource) -> FailingServer {
            var server = FailingServer(name, resource)
            server.roles = [.media]
            return server
        }

        private static let empty: [FailingServer] = [
            FailingServer("nothing", Resource(.bytes([]))),
            FailingServer("nothing of no type", Resource(.bytes([]), type: nil)),
            FailingServer("nothing without a length", Resource(.bytes([]), type: "text/html", faults: [.noLength])),
            FailingServer("nothing in chunks", Resource(.bytes([]), type: "text/html", faults: [.chunked])),
            FailingServer("an empty playlist", Resource(.bytes([]), type: "application/x-mpegurl")),
        ]

        private static let pages: [FailingServer] = [
            FailingServer("an empty web page", Resource(.bytes([]), type: "text/html")),
            FailingServer("a web page", .text("<!doctype html><p>Log in", type: "text/html")),
            media("a web page as video", .text("<html>", type: "video/mp4")),
        ]

        private static let statuses =
            [204, 403, 404, 416, 429, 500, 503].map { FailingServer("\($0)", .status($0)) } + [
                FailingServer("503, asking to wait", .status(503, retryAfter: "45")) { $0.limit = 1 }
            ]

        private static let connections: [FailingServer] = [
            FailingServer("noise", .garbage()), FailingServer("a redirection to itself", .redirect(to: "/failing")),
            FailingServer("a cut before the first byte", .cut(after: 0)),
            FailingServer("silence", .slowStart(.seconds(60))), FailingServer("a stall", .stall(after: 0)),
        ]

        private static let bodies: [FailingServer] = [
            media("a body that ends early", .end(at: 1_000)),
            media("a body that ends early, without ranges", .end(at: 1_000), .noRanges),
            media("a stall, without ranges", .stall(after: 1_000), .noRanges),
            FailingServer("wrong ranges", .noRanges, .head { $0.asPart(range: "bytes 1-5000/5001") }) {
                $0.roles = [.media]
            },
            FailingServer("a part without a range", .noRanges, .head { $0.asPart(range: nil) }) {
                $0.roles = [.media]
            },
        ]

        static let all = (empty + pages + statuses + connections + bodies).flatMap { server in
            server.roles.map { role in
                var server = server
                server.role = role
                return server
            }
        }
    }

    @Test(arguments: FailingServer.all)
    func failingServerReceivesFourRequestsInThirtySeconds(failing: FailingServer) async throws {
        fixture.server.serve("/failing", failing.resource)
        let (clock, url) = (ManualClock(), fixture.server.url("/failing"))
        let provider = fixture.provider(firstByte: .milliseconds(300), stall: .milliseconds(300), clock: clock)
        var before = 0
        for _ in 0..<2 {
            for _ in 0..<10 {
                // As decoders do that are replaced again and again. `try?`: only the requests count.
                _ = try? await provider.source(url, role: failing.role).bytes(at: failing.offset, count: 100)
                if failing.revalidates { provider.revalidate(Asset(url: url)) }
                // A failure is reported for a second.
                clock.advance(by: .seconds(2))
            }
            let count = fixture.server.counts.requests - before
            #expect((1...failing.limit).contains(count))
            before += count
            clock.advance(by: .seconds(30))
        }
        await provider.closed()
    }

    /// A server that was not reached received no request.
    @Test func refusedConnectionUsesNoBudget() async throws {
        let url = fixture.serve("/clip.mp4", length: 1_000)
        fixture.server.stop()
        let clock = ManualClock()
        let provider = fixture.provider(clock: clock)
        for _ in 0...RequestBudget.limit {
            #expect(await reason { try await provider.source(url) } == .refused)
            provider.revalidate(Asset(url: url))
            clock.advance(by: .seconds(2))
        }
        try fixture.server.restart()
        #expect(try await provider.source(url).bytes(at: 0, count: 1_000) == pattern(0, 1_000))
        #expect(fixture.server.counts.requests == 1)
        await provider.closed()
    }

    /// A decoder that plays what it has asks again and again until the server is back or nothing is left to play.
    @Test func readerWithoutStockGetsTheLastRequest() async throws {
        let isBack = Atomic(false)
        let url = fixture.serve(
            "/clip.mp4", length: 5_000,
            [
                .end(at: 1_000).on(1),
                .status(503).when { $0.rangeStart ?? 0 > 0 && !isBack.load(ordering: .relaxed) },
            ])
        let clock = ManualClock()
        let provider = fixture.provider(clock: clock)
        let source = try await provider.source(url)
        for pause in [0, 1, 2, 4, 8] {
            clock.advance(by: .seconds(pause))
            #expect(
                await reason { try await source.bytes(at: 1_000, count: 100, Cancellation(isPatient: true)) }
                    == .status(503))
        }
        #expect(fixture.server.counts.requests == 1 + RequestBudget.limit - 1)
        isBack.store(true, ordering: .relaxed)
        #expect(try await source.bytes(at: 1_000, count: 100) == pattern(1_000, 100))
        await provider.closed()
    }

    /// The same for a segment, which is opened again and again.
    @Test func openingWithoutStockGetsTheLastRequest() async throws {
        let isBack = Atomic(false)
        let url = fixture.serve(
            "/1.ts", length: 5_000, [.status(503).when { _ in !isBack.load(ordering: .relaxed) }])
        let clock = ManualClock()
        let provider = fixture.provider(clock: clock)
        for pause in [0, 1, 2, 4, 8] {
            clock.advance(by: .seconds(pause))
            #expect(
                await reason { try await provider.source(url, role: .segment, Cancellation(isPatient: true)) }
                    == .status(503))
        }
        #expect(fixture.server.counts.requests == RequestBudget.limit - 1)
        isBack.store(true, ordering: .relaxed)
        #expect(try await provider.source(url, role: .segment).bytes(at: 0, count: 100) == pattern(0, 100))
        await provider.closed()
    }

    /// A live stream is reloaded by its own schedule, so that its four requests are not sent in a second.
    @Test func patientReaderOfAPlaylistRepeatsItsRequestsItself() async throws {
        let list = "#EXTM3U\n#EXT-X-TARGETDURATION:2\n#EXTINF:2,\na.ts\n"
        fixture.server.serve(
            "/live.m3u8",
            Resource(.bytes(Array(list.utf8)), type: "application/vnd.apple.mpegurl", faults: [.status(503).first(3)]))
        let url = fixture.server.url("/live.m3u8")
        let provider = fixture.provider()
        for number in 1...3 {
            #expect(
                await reason { try await provider.source(url, role: .playlist, Cancellation(isPatient: true)) }
                    == .status(503))
            #expect(fixture.server.counts.requests == number)
        }
        let source = try await provider.source(url, role: .playlist, Cancellation(isPatient: true))
        #expect(try await source.bytes(at: 0, count: 100) == Array(list.utf8))
        await provider.closed()
    }

    /// Mirrors behind one name: each response is another edition.
    @Test func changingValidatorsCostFourRequests() async throws {
        let editions = (1...40).map { number in
            Fault.becomes(Resource(.pattern(length: 5_000, seed: 1), etag: "\"\(number)\"")).on(number)
        }
        let url = fixture.serve("/clip.mp4", length: 5_000, editions)
        let clock = ManualClock()
        let provider = fixture.provider(clock: clock)
        for round in 0..<10 {
            let range = Int64(round) * 500..<Int64(round + 1) * 500
            // As a decoder does after a change. `try?`: only the requests count.
            _ = try? await provider.source(url, range: range).bytes(at: range.lowerBound, count: 500)
            clock.advance(by: .seconds(2))
        }
        #expect(fixture.server.counts.requests <= RequestBudget.limit)
        #expect(try await provider.source(url).bytes(at: 0, count: 5_000) == pattern(0, 5_000))
        await provider.closed()
    }

    @Test func prefetchStopsAfterFourFruitlessRequests() async throws {
        fixture.server.serve("/odd", Resource(.bytes([]), type: "text/html"))
        let url = fixture.server.url("/odd")
        let provider = fixture.provider(clock: ManualClock())
        for _ in 0..<6 {
            provider.prefetch([Asset(url: url)])
            // Over at the latest when this one is. `try?`: only the requests count.
            _ = try? await provider.source(url).bytes(at: 0, count: 1)
            provider.prefetch([])
        }
        #expect(fixture.server.counts.requests <= RequestBudget.limit)
        await provider.closed()
    }

    /// The last version is read while the server asks for a pause.
    @Test func playlistOfABusyServerIsReadFromMemory() async throws {
        let text = "#EXTM3U\n#EXT-X-TARGETDURATION:1\n#EXTINF:1,\na.ts\n"
        fixture.server.serve(
            "/live.m3u8",
            .text(text, type: "application/x-mpegurl", faults: [.status(503, retryAfter: "45").from(2)]))
        let (provider, url) = (fixture.provider(clock: ManualClock()), fixture.server.url("/live.m3u8"))
        func read() async throws -> [UInt8] {
            try await provider.source(url, role: .playlist).bytes(at: 0, count: 1_000)
        }
        #expect(try await read() == Array(text.utf8))
        #expect(await reason { try await read() } == .busy(503, .seconds(45)))
        for _ in 0..<3 { #expect(try await read() == Array(text.utf8)) }
        #expect(fixture.server.counts.requests == 2)
        await provider.closed()
    }

    @Test func unchangedPlaylistIsRequestedFourTimesAndStillRead() async throws {
        let text = "#EXTM3U\n#EXT-X-TARGETDURATION:1\n#EXTINF:1,\na.ts\n"
        fixture.server.serve("/live.m3u8", .text(text, type: "application/x-mpegurl"))
        let provider = fixture.provider()
        for _ in 0..<10 {
            let source = try await provider.source(fixture.server.url("/live.m3u8"), role: .playlist)
            #expect(try await source.bytes(at: 0, count: 1_000) == Array(text.utf8))
        }
        // The first brought something new.
        #expect(fixture.server.counts.requests == 1 + RequestBudget.limit)
        await provider.closed()
    }

    @Test func changingPlaylistIsRequestedEachTime() async throws {
        fixture.server.serve(
            "/live.m3u8",
            Resource(
                .dynamic { request in Array("#EXTM3U\n#EXTINF:1,\n\(request.number).ts\n".utf8) },
                type: "application/x-mpegurl"))
        let provider = fixture.provider()
        for _ in 0..<10 {
            let source = try await provider.source(fixture.server.url("/live.m3u8"), role: .playlist)
            #expect(try await !source.bytes(at: 0, count: 1_000).isEmpty)
        }
        #expect(fixture.server.counts.requests == 10)
        await provider.closed()
    }

    @Test func someInformationalResponsesAreNoFault() async throws {
        let wire = try Wire()
        wire.server.serve("/slow", Resource(.bytes([1, 2]), faults: [.continues(InformationalLimit.most)]))
        // The limit applies to each answer separately.
        for _ in 0..<3 { #expect(try await wire.send(wire.request("/slow")).bytes == [1, 2]) }
    }

    @Test func informationalResponsesWithoutEndEndTheRequestAtOnce() async throws {
        let wire = try Wire { $0.firstByteTimeout = .seconds(60) }
        wire.server.serve("/endless", Resource(.bytes([1]), faults: [.continues()]))
        let began = ContinuousClock.now
        #expect(await wire.reason(wire.request("/endless")) == .nonsense)
        #expect(ContinuousClock.now - began < .seconds(20))
    }

    @Test(.timeLimit(.minutes(1))) func waitingRequestStartsWhenAnotherEnds() async throws {
        let budgets = RequestBudgets { .zero }
        var underWay: [RequestBudgets.Permit] = []
        for _ in 0..<RequestBudget.limit { underWay.append(try await budgets.permit(for: "a")) }
        let next = Task { try await budgets.permit(for: "a") }
        let givenUp = Task { try await budgets.permit(for: "a") }
        givenUp.cancel()
        await #expect(throws: CancellationError.self) { _ = try await givenUp.value }
        // Its last reference.
        underWay.removeLast()
        let answered = try await withTaskCancellationHandler {
            try await next.value
        } onCancel: {
            next.cancel()
        }
        underWay.append(answered)
        #expect(underWay.count == RequestBudget.limit)
    }

    // MARK: The rule

    /// Begins and ends a request, if the budget allows it now.
    private func send(_ budget: inout RequestBudget, _ outcome: RequestBudget.Outcome, at now: Duration = .zero) -> Bool
    {
        guard budget.decision(at: now) == .send else { return false }
        budget.begin()
        budget.end(outcome, at: now)
        return true
    }

    @Test func fourFruitlessRequestsAreEnoughForThirtySeconds() {
        var budget = RequestBudget()
        for second in 0..<4 {
            let isSent = send(&budget, .fruitless(.status(503)), at: .seconds(second))
            #expect(isSent)
        }
        #expect(budget.decision(at: .seconds(5)) == .refuse(.status(503)))
        #expect(budget.decision(at: .milliseconds(29_999)) == .refuse(.status(503)))
        let isSent = send(&budget, .fruitless(.empty), at: .seconds(30))
        #expect(isSent && budget.decision(at: .milliseconds(30_500)) == .refuse(.empty))
        #expect(!budget.isFull(at: .seconds(59)))
        #expect(budget.isFull(at: .seconds(61)))
    }

    /// Requests while something is left to play: they are spread, and one is left.
    @Test func patientReadersUseThreeRequestsWithPauses() {
        var budget = RequestBudget()
        for (second, pause) in [(0, 1), (1, 2), (3, 30)] {
            #expect(budget.decision(at: .seconds(second), isPatient: true) == .send)
            budget.begin()
            budget.end(.fruitless(.status(503)), at: .seconds(second))
            let early = Duration.seconds(second + pause) - .milliseconds(1)
            #expect(budget.decision(at: min(early, .seconds(29)), isPatient: true) == .refuse(.status(503)))
        }
        let isSent = send(&budget, .fruitless(.empty), at: .seconds(29))
        #expect(isSent && budget.decision(at: .seconds(29)) == .refuse(.empty))
        #expect(budget.decision(at: .seconds(33), isPatient: true) == .send)
    }

    @Test func newBytesRestoreTheBudget() {
        var budget = RequestBudget()
        for _ in 0..<3 { _ = send(&budget, .fruitless(.empty)) }
        #expect(budget.decision(at: .zero) == .send)
        budget.begin()
        budget.progressed()
        for _ in 0..<4 {
            let isSent = send(&budget, .fruitless(.empty))
            #expect(isSent)
        }
        #expect(budget.decision(at: .zero) == .refuse(.empty))
    }

    @Test func discardedBytesCountAlthoughTheyWereNew() {
        var budget = RequestBudget()
        for second in 0..<RequestBudget.limit {
            #expect(budget.decision(at: .seconds(second)) == .send)
            budget.begin()
            budget.progressed()
            budget.discard(at: .seconds(second))
        }
        #expect(budget.decision(at: .milliseconds(29_999)) == .refuse(.otherBytes))
        #expect(budget.decision(at: .seconds(30)) == .send)
        #expect(!budget.isFull(at: .seconds(32)))
        #expect(budget.isFull(at: .seconds(33)))
    }

    @Test func requestsUnderWayCountUntilTheyBringBytes() {
        var budget = RequestBudget()
        for _ in 0..<4 {
            #expect(budget.decision(at: .zero) == .send)
            budget.begin()
        }
        #expect(budget.decision(at: .zero) == .wait && budget.isInUse)
        budget.progressed()
        #expect(budget.decision(at: .zero) == .send)
        budget.begin()
        budget.end(.unanswered, at: .zero)
        #expect(budget.decision(at: .zero) == .send)
    }

    /// As the requests of a user who looks for a place in a clip.
    @Test func cancelledRequestsDoNotCountBeforeTheServerAnswers() {
        var budget = RequestBudget()
        for _ in 0..<100 {
            let isSent = send(&budget, .unanswered)
            #expect(isSent)
        }
    }

    @Test func cancelledRequestsCountAfterAFruitlessAnswer() {
        var budget = RequestBudget()
        _ = send(&budget, .fruitless(.empty))
        for _ in 0..<3 {
            let isSent = send(&budget, .unanswered)
            #expect(isSent)
        }
        #expect(budget.decision(at: .zero) == .refuse(.empty))
    }

    /// The user may try again until the server is there.
    @Test func requestsThatReachNoServerNeverCount() {
        var budget = RequestBudget()
        _ = send(&budget, .fruitless(.status(404)))
        for _ in 0..<100 {
            let isSent = send(&budget, .unreached)
            #expect(isSent)
        }
    }

    @Test(arguments: [(5, 5), (86_400, 60)])
    func busyServerIsPausedForAMinuteAtMost(asked: Int, seconds: Int) {
        var budget = RequestBudget()
        let (answered, reason) = (Duration.seconds(100), BytesError.Reason.busy(503, .seconds(asked)))
        _ = send(&budget, .fruitless(reason), at: answered)
        // The caller waits by itself, and requests once more.
        #expect(budget.decision(at: answered) == .send)
        budget.giveUp(reason, at: answered)
        let end = answered + .seconds(seconds)
        #expect(budget.decision(at: end - .milliseconds(1)) == .refuse(reason))
        // A caller without a permit gets the same decision.
        budget.giveUp(reason, at: end - .milliseconds(1))
        #expect(!budget.isFull(at: end - .milliseconds(1)) && budget.decision(at: end) == .send)
    }
}

extension String {
    /// A response's head as that of a 206.
    fileprivate func asPart(range: String?) -> String {
        let fields = drop { $0 != "\r\n" }
        return "HTTP/1.1 206 Partial Content" + (range.map { "\r\nContent-Range: \($0)" } ?? "") + fields
    }
}
