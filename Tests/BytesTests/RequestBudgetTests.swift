import Foundation
import Model
import TestSupport
import Testing

@testable import Bytes
@testable import HTTP

/// Whatever a server answers, no URL is asked for more than four times in 30 s without new bytes.
@Suite(.serialized) struct RequestBudgetTests {
    private let fixture: ProviderFixture

    init() throws { fixture = try ProviderFixture() }

    struct Odd: Sendable, CustomTestStringConvertible {
        let name: String
        let resource: Resource
        var testDescription: String { name }

        init(_ name: String, _ resource: Resource) { (self.name, self.resource) = (name, resource) }

        init(_ name: String, _ fault: Fault) {
            self.init(name, Resource(.pattern(length: 5_000, seed: 1), faults: [fault]))
        }

        static let all: [Odd] =
            [
                Odd("nothing, as media", Resource(.bytes([]))),
                Odd("nothing, as a web page", Resource(.bytes([]), type: "text/html")),
                Odd("nothing, of no type", Resource(.bytes([]), type: nil)),
                Odd("nothing, without a length", Resource(.bytes([]), type: "text/html", faults: [.noLength])),
                Odd("nothing, in chunks", Resource(.bytes([]), type: "text/html", faults: [.chunked])),
                Odd("nothing, as a playlist", Resource(.bytes([]), type: "application/x-mpegurl")),
                Odd("a web page", .text("<!doctype html><p>Log in", type: "text/html")),
                Odd("a web page that calls itself a film", .text("<html>", type: "video/mp4")),
                Odd("a cut before the first byte", .cut(after: 0)), Odd("noise", .garbage()),
                Odd("itself", .redirect(to: "/odd")),
            ] + [204, 403, 404, 416, 429, 503].map { Odd("\($0)", .status($0)) }
    }

    @Test(arguments: Odd.all, [ByteRole.media, .playlist, .feed])
    func oddAnswersAreAskedForFourTimesAtMost(odd: Odd, role: ByteRole) async throws {
        // To those who read texts it brings some.
        if role != .media, case .bytes(let bytes) = odd.resource.body, !bytes.isEmpty,
            odd.resource.type == "video/mp4"
        {
            return
        }
        fixture.server.serve("/odd", odd.resource)
        let url = fixture.server.url("/odd")
        let provider = fixture.provider()
        let began = ContinuousClock.now
        for _ in 0..<12 {
            // As a decoder does that is replaced again and again. What comes of it does not matter.
            _ = try? await provider.source(url, role: role).bytes(at: 0, count: 100)
            provider.revalidate(Asset(url: url))
        }
        // A machine that is busy may take longer.
        let spans = Int((ContinuousClock.now - began) / RequestBudget.span) + 1
        #expect(fixture.server.counts.requests <= RequestBudget.most * spans)
        await provider.closed()
    }

    @Test func whatIsFetchedAheadIsNotAskedForInVainForEver() async throws {
        fixture.server.serve("/odd", Resource(.bytes([]), type: "text/html"))
        let url = fixture.server.url("/odd")
        let provider = fixture.provider()
        let began = ContinuousClock.now
        for _ in 0..<6 {
            provider.prefetch([Asset(url: url)])
            // Over at the latest when this one is. What comes of it does not matter.
            _ = try? await provider.source(url).bytes(at: 0, count: 1)
            provider.prefetch([])
        }
        let spans = Int((ContinuousClock.now - began) / RequestBudget.span) + 1
        #expect(fixture.server.counts.requests <= RequestBudget.most * spans)
        await provider.closed()
    }

    @Test func aPlaylistThatDoesNotChangeIsAskedForFourTimesAndStillRead() async throws {
        let text = "#EXTM3U\n#EXT-X-TARGETDURATION:1\n#EXTINF:1,\na.ts\n"
        fixture.server.serve("/live.m3u8", .text(text, type: "application/x-mpegurl"))
        let provider = fixture.provider()
        for _ in 0..<10 {
            let source = try await provider.source(fixture.server.url("/live.m3u8"), role: .playlist)
            #expect(try await source.bytes(at: 0, count: 1_000) == Array(text.utf8))
        }
        // The first brought something new.
        #expect(fixture.server.counts.requests == 1 + RequestBudget.most)
        await provider.closed()
    }

    @Test func aPlaylistThatChangesIsAskedForEachTime() async throws {
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
        // Counted for each answer anew.
        for _ in 0..<3 { #expect(try await wire.send(wire.request("/slow")).bytes == [1, 2]) }
    }

    @Test func informationalResponsesWithoutEndEndTheRequestAtOnce() async throws {
        let wire = try Wire { $0.firstByteTimeout = .seconds(60) }
        wire.server.serve("/endless", Resource(.bytes([1]), faults: [.continues()]))
        let began = ContinuousClock.now
        #expect(await wire.reason(wire.request("/endless")) == .nonsense)
        #expect(ContinuousClock.now - began < .seconds(20))
    }

    @Test(.timeLimit(.minutes(1))) func whoHasToWaitGoesOnOnceAnotherRequestHasEnded() async throws {
        let asks = RequestBudgets { .zero }
        var underWay: [RequestBudgets.Ask] = []
        for _ in 0..<RequestBudget.most { underWay.append(try await asks.ask("a")) }
        let next = Task { try await asks.ask("a") }
        let givenUp = Task { try await asks.ask("a") }
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
        #expect(underWay.count == RequestBudget.most)
    }

    // MARK: The rule

    @Test func fourInVainAreEnoughForThirtySeconds() {
        var limit = RequestBudget()
        for second in 0..<4 {
            #expect(limit.begin(now: .seconds(second)) == .ask)
            limit.end(.inVain(.status(503)), at: .seconds(second))
        }
        #expect(limit.begin(now: .seconds(5)) == .refuse(.status(503)))
        #expect(limit.begin(now: .milliseconds(29_999)) == .refuse(.status(503)))
        #expect(limit.begin(now: .seconds(30)) == .ask)
        limit.end(.inVain(.empty), at: .seconds(30))
        #expect(limit.begin(now: .milliseconds(30_500)) == .refuse(.empty))
        #expect(!limit.isOver(now: .seconds(59)))
        #expect(limit.isOver(now: .seconds(61)))
    }

    @Test func newBytesForgiveAll() {
        var limit = RequestBudget()
        for _ in 0..<3 {
            _ = limit.begin(now: .zero)
            limit.end(.inVain(.empty), at: .zero)
        }
        #expect(limit.begin(now: .zero) == .ask)
        limit.progressed()
        for _ in 0..<4 {
            #expect(limit.begin(now: .zero) == .ask)
            limit.end(.inVain(.empty), at: .zero)
        }
        #expect(limit.begin(now: .zero) == .refuse(.empty))
    }

    @Test func thoseUnderWayCountUntilTheyBringSomething() {
        var limit = RequestBudget()
        for _ in 0..<4 { #expect(limit.begin(now: .zero) == .ask) }
        #expect(limit.begin(now: .zero) == .wait)
        limit.progressed()
        #expect(limit.begin(now: .zero) == .ask)
        limit.end(.unanswered, at: .zero)
        #expect(limit.begin(now: .zero) == .ask)
    }

    /// As the requests of somebody who looks for a place in a clip.
    @Test func thoseThatWereGivenUpBeforeTheServerAnsweredDoNotCount() {
        var limit = RequestBudget()
        for _ in 0..<100 {
            #expect(limit.begin(now: .zero) == .ask)
            limit.end(.unanswered, at: .zero)
        }
    }

    @Test func onceAServerHasAnsweredInVainThoseGivenUpCountToo() {
        var limit = RequestBudget()
        _ = limit.begin(now: .zero)
        limit.end(.inVain(.empty), at: .zero)
        for _ in 0..<3 {
            #expect(limit.begin(now: .zero) == .ask)
            limit.end(.unanswered, at: .zero)
        }
        #expect(limit.begin(now: .zero) == .refuse(.empty))
    }
}
