import Model
import TestSupport
import Testing

@testable import Bytes
@testable import HTTP

/// Time limits, ends and cancellation, on real connections.
@Suite struct TransportErrorTests {
    private static let clip = PatternBytes.bytes(seed: 9, at: 0, count: 300_000)

    // MARK: Time limits

    @Test func aServerThatDoesNotAnswerIsAnError() async throws {
        let wire = try Wire { $0.firstByteTimeout = .milliseconds(200) }
        wire.server.serve("/slow", Self.clip, faults: [.slowStart(.seconds(60))])
        #expect(await wire.reason(wire.request("/slow")) == .timedOut(.firstByte, .milliseconds(200)))
        #expect(await wire.server.until { $0.openConnections == 0 })
    }

    @Test func aBodyThatStallsIsAnError() async throws {
        let wire = try Wire { $0.stallTimeout = .milliseconds(200) }
        wire.server.serve("/stalls", Self.clip, faults: [.stall(after: 100_000)])
        let answer = try await wire.transport.send(wire.request("/stalls"))
        var count = 0
        let error = await #expect(throws: BytesError.self) {
            while let chunk = try await answer.body.next() { count += chunk.count }
        }
        #expect(error?.reason == .timedOut(.nextByte, .milliseconds(200)))
        #expect(count == 100_000)
        // It stays failed, and is never taken for an end.
        await #expect(throws: BytesError.self) { try await answer.body.next() }
        #expect(await wire.server.until { $0.openConnections == 0 })
    }

    @Test func aSlowReaderIsNotAStall() {
        var watch = StallWatch(limit: .seconds(3))
        let start = ContinuousClock.now
        let setsFirst = watch.begin(at: start)
        watch.end()
        // The alarm that the first read has set fires while no read waits.
        let first = watch.look(at: start + .seconds(3))
        let setsSecond = watch.begin(at: start + .seconds(9))
        watch.end()
        // One that is set serves the next wait too.
        let setsThird = watch.begin(at: start + .seconds(10))
        let second = watch.look(at: start + .seconds(12))
        let hadRung = watch.hasRung
        let third = watch.look(at: start + .seconds(13))
        #expect([setsFirst, setsSecond, setsThird] == [true, true, false])
        #expect([first, second, third] == [.nothing, .again(after: .seconds(1)), .rings])
        #expect(!hadRung && watch.hasRung)
    }

    @Test func nextWaitForgetsTheAlarmOfTheLast() {
        var watch = StallWatch(limit: .seconds(3))
        let start = ContinuousClock.now
        _ = watch.begin(at: start)
        let finding = watch.look(at: start + .seconds(3))
        #expect(finding == .rings && watch.hasRung)
        let setsTimer = watch.begin(at: start + .seconds(4))
        #expect(setsTimer && !watch.hasRung)
    }

    /// 192.0.2.1 is for documentation (RFC 5737): it does not answer, or some router says that there is no way to it.
    @Test func anUnreachableHostIsOffline() async throws {
        let wire = try Wire { $0.connectTimeout = .milliseconds(300) }
        let url = "http://192.0.2.1/clip.mp4"
        let reason = await wire.reason(Transport.Request(url: url, asset: Asset(url: url)))
        #expect(BytesError(verb: .open, url: url, reason: try #require(reason)).isOffline)
    }

    @Test func aStoppedServerIsOffline() async throws {
        let wire = try Wire()
        wire.server.stop()
        #expect(await wire.reason(wire.request("/clip.mp4")) == .refused)
    }

    @Test func anUnknownHostNameIsOffline() async throws {
        let wire = try Wire()
        let url = "http://host.invalid/clip.mp4"
        #expect(await wire.reason(Transport.Request(url: url, asset: Asset(url: url))) == .noSuchHost)
    }

    // MARK: Back-pressure

    @Test func serverWaitsWhileTheBodyIsNotRead() async throws {
        let wire = try Wire()
        wire.server.serve("/huge", Resource(.pattern(length: 1 << 32, seed: 1)))
        let answer = try await wire.transport.send(wire.request("/huge"))
        _ = try await answer.body.next()
        // While all of another one comes, the server fills the buffers of the system with this, some megabytes.
        wire.server.serve("/other", Resource(.pattern(length: 48 << 20, seed: 2)))
        let other = try await wire.transport.send(wire.request("/other"))
        while try await other.body.next() != nil {}
        let sent = try #require(wire.server.requests(for: "/huge").first).bodyBytes
        #expect(sent < 16 << 20)
        // The server may notice the end of the other one a moment later.
        #expect(await wire.server.until { $0.answering == 1 })
        withExtendedLifetime(answer) {}
    }

    // MARK: Ends

    @Test func droppingABodyEndsTheTransfer() async throws {
        let wire = try Wire()
        wire.server.serve("/huge", Resource(.pattern(length: 1 << 32, seed: 1)))
        do {
            let answer = try await wire.transport.send(wire.request("/huge"))
            _ = try await answer.body.next()
        }
        #expect(await wire.server.until { $0.openConnections == 0 })
    }

    @Test func cancellingTheReaderEndsTheTransfer() async throws {
        let wire = try Wire()
        wire.server.serve("/stalls", Self.clip, faults: [.stall(after: 1000)])
        let answer = try await wire.transport.send(wire.request("/stalls"))
        let reader = Task { while try await answer.body.next() != nil {} }
        #expect(await wire.server.until { $0.bodyBytes >= 1000 })
        reader.cancel()
        await #expect(throws: CancellationError.self) { try await reader.value }
        #expect(await wire.server.until { $0.openConnections == 0 })
    }

    @Test func cancellingTheSenderEndsTheRequest() async throws {
        let wire = try Wire()
        wire.server.serve("/slow", Self.clip, faults: [.slowStart(.seconds(60))])
        let sender = Task { try await wire.transport.send(wire.request("/slow")) }
        #expect(await wire.server.until { $0.answering == 1 })
        sender.cancel()
        await #expect(throws: CancellationError.self) { try await sender.value }
        #expect(await wire.server.until { $0.openConnections == 0 })
    }

    @Test func closingEndsEverything() async throws {
        let wire = try Wire()
        wire.server.serve("/stalls", Self.clip, faults: [.stall(after: 1000)])
        wire.server.serve("/slow", Self.clip, faults: [.slowStart(.seconds(60))])
        let answer = try await wire.transport.send(wire.request("/stalls"))
        let reader = Task { try await answer.body.all() }
        let sender = Task { try await wire.transport.send(wire.request("/slow")) }
        #expect(await wire.server.until { $0.answering == 2 && $0.bodyBytes >= 1000 })
        let began = ContinuousClock.now
        wire.transport.close()
        #expect(.now - began < .seconds(2))
        await #expect(throws: BytesError.self) { try await reader.value }
        await #expect(throws: BytesError.self) { _ = try await sender.value }
        #expect(await wire.server.until { $0.openConnections == 0 })
        #expect(await wire.reason(wire.request("/stalls")) == .cancelled)
        wire.transport.close()
    }

    @Test func releasedTransportIsFreed() async throws {
        let server = try FaultyServer()
        server.serve("/clip.mp4", Self.clip)
        do {
            let transport = Transport(NetworkOptions())
            let url = server.url("/clip.mp4")
            _ = try await transport.send(Transport.Request(url: url, asset: Asset(url: url))).body.all()
        }
        #expect(await server.until { $0.openConnections == 0 })
    }

    // MARK: Peers

    private func message(_ url: String, onlyPublic: Bool) throws -> CurlTransfer.Message {
        CurlTransfer.Message(
            url: try #require(RemoteURL(url)), method: .get, fields: [], route: .direct, onlyPublic: onlyPublic,
            authorities: Authorities.Sources(), connectTimeout: .seconds(10))
    }

    @Test func privateAddressesAreNotConnectedTo() async throws {
        let server = try FaultyServer()
        let client = CurlClient()
        let message = try message(server.url("/clip.mp4"), onlyPublic: true)
        await #expect(throws: BytesError.Reason.privateHost("127.0.0.1")) {
            _ = try await client.send(message, upTo: .seconds(60))
        }
        #expect(server.counts.connections == 0)
        client.close()
    }

    @Test func connectionsToPrivateAddressesAreNotUsedAgainForPublicHosts() async throws {
        let server = try FaultyServer()
        server.serve("/clip.mp4", Self.clip)
        let client = CurlClient()
        let first = try await client.send(try message(server.url("/clip.mp4"), onlyPublic: false), upTo: .seconds(60))
        while try await first.next() != nil {}
        let second = try message(server.url("/clip.mp4"), onlyPublic: true)
        await #expect(throws: BytesError.Reason.privateHost("127.0.0.1")) {
            _ = try await client.send(second, upTo: .seconds(60))
        }
        #expect(server.counts.connections == 1 && server.requests.count == 1)
        client.close()
    }

    @Test func proxyIsUsedAndItsErrorIsReported() async throws {
        let proxy = try FaultyServer()
        let wire = try Wire { $0.proxy = "http://me:secret@127.0.0.1:\(proxy.port)" }
        let url = "http://example.com/clip.mp4"
        let reason = await wire.reason(Transport.Request(url: url, asset: Asset(url: url)))
        #expect(reason == .proxy("127.0.0.1:\(proxy.port)"))
        #expect(proxy.requests.first?.method == "CONNECT")
        #expect(proxy.requests.first?.headers["proxy-authorization"] == "Basic bWU6c2VjcmV0")
        // This machine needs none.
        wire.server.serve("/clip.mp4", Self.clip)
        #expect(try await wire.send(wire.request("/clip.mp4")).bytes == Self.clip)
    }
}
