import Foundation
import Model
import TestSupport
import Testing
import Threads

@testable import Bytes
@testable import HTTP

/// Radios that speak ICY, and their titles.
@Suite struct RadioTests {
    private static let sound = PatternBytes.bytes(seed: 3, at: 0, count: 300_000)

    // MARK: Metadata

    /// The stream and the titles of bytes that arrive in pieces of `size`.
    private func separate(_ bytes: [UInt8], interval: Int, size: Int) throws -> (stream: [UInt8], titles: [String?]) {
        var radio = try #require(RadioMetadata(interval: "\(interval)"))
        var (stream, titles): ([UInt8], [String?]) = ([], [])
        for start in stride(from: 0, to: bytes.count, by: size) {
            var chunk = BodyChunk(Array(bytes[start..<min(start + size, bytes.count)]))
            while let part = radio.next(from: &chunk) { part.withBytes { stream += $0 } }
            if titles.last != radio.title { titles.append(radio.title) }
        }
        return (stream, titles)
    }

    private func block(_ text: [UInt8]) -> [UInt8] {
        let blocks = (text.count + 15) / 16
        return [UInt8(blocks)] + text + [UInt8](repeating: 0, count: blocks * 16 - text.count)
    }

    @Test(arguments: [1, 2, 7, 16, 1000]) func titlesAreRemovedFromTheStream(size: Int) throws {
        var bytes: [UInt8] = []
        for (index, text) in ["StreamTitle='One';", "", "StreamTitle='It's two';StreamUrl='x';", "", "StreamTitle='';"]
            .enumerated()
        {
            bytes += Self.sound[index * 10..<(index + 1) * 10] + block(Array(text.utf8))
        }
        let (stream, titles) = try separate(bytes + Self.sound[50..<53], interval: 10, size: size)
        #expect(stream == Array(Self.sound[..<53]))
        #expect(titles == (size == 1000 ? [nil] : [nil, "One", "It's two", nil]))
    }

    @Test(
        arguments: [
            (Array("StreamTitle='Caf\u{E9}';".utf8), "Caf\u{E9}"),
            (
                Array("StreamTitle='Caf".utf8) + [0xE9, 0x20, 0x93, 0x78, 0x94] + Array("';".utf8),
                "Caf\u{E9} \u{201C}x\u{201D}"
            ),
            (Array("StreamUrl='u';StreamTitle='last'".utf8), "last"), (Array("StreamTitle='cut".utf8), "cut"),
            (Array("nothing".utf8), nil), (Array("StreamTitle=' ';".utf8), nil),
        ] as [([UInt8], String?)]) func titlesAreDecodedAsUTF8OrWindows1252(text: [UInt8], expected: String?) throws
    {
        #expect(try separate([0] + block(text) + [0], interval: 1, size: 1).titles.compactMap(\.self).first == expected)
    }

    @Test(arguments: ["0", "-1", "", "x", "99999999999"]) func invalidIntervalsDisableTitles(interval: String) {
        #expect(RadioMetadata(interval: interval) == nil)
    }

    // MARK: Over a connection

    private func wire() -> Transport {
        var options = NetworkOptions()
        options.proxy = ""
        return Transport(options)
    }

    private func bytes(_ body: Transport.Body, _ count: Int) async throws -> [UInt8] {
        var bytes: [UInt8] = []
        while bytes.count < count, let chunk = try await body.next() { chunk.withBytes { bytes += $0 } }
        return Array(bytes.prefix(count))
    }

    @Test(arguments: ["ICY 200 OK", "HTTP/1.0 200 OK", "HTTP/1.1 200 OK"])
    func radiosAreReadWithAndWithoutTitles(status: String) async throws {
        let radio = try RadioServer(Self.sound, interval: 1000, title: "First", status: status)
        defer { radio.stop() }
        var request = Transport.Request(url: radio.url(), asset: Asset(url: radio.url()), range: .init(from: 0))
        for acceptsTitles in [false, true] {
            request.acceptsTitles = acceptsTitles
            let answer = try await wire().send(request)
            #expect(answer.isBroadcast && answer.status == 200)
            #expect(answer.facts == AssetFacts(type: "audio/mpeg", servesRanges: false))
            #expect(try await bytes(answer.body, 100_000) == Array(Self.sound[..<100_000]))
            #expect(answer.body.title == (acceptsTitles ? "First" : nil))
        }
        #expect(radio.requests.map { $0.contains("Icy-MetaData: 1") } == [false, true])
    }

    @Test func icecastFilesAreNotRadios() async throws {
        let wire = try Wire()
        wire.server.serve("/a.mp3", Self.sound, faults: [.header("icy-name", "Archive")])
        let (answer, bytes) = try await wire.send(wire.request("/a.mp3", range: .init(from: 10, to: 19)))
        #expect(!answer.isBroadcast && answer.span == 10...19 && bytes == Array(Self.sound[10...19]))
        wire.server.serve("/b.mp3", Self.sound, faults: [.header("icy-metaint", "100")])
        #expect(await wire.reason(wire.request("/b.mp3", range: .init(from: 10, to: 19))) == .otherBytes)
    }

    @Test func statusLinesOfOtherProtocolsAreErrors() async throws {
        let radio = try RadioServer(Self.sound, status: "ICY")
        defer { radio.stop() }
        let request = Transport.Request(url: radio.url(), asset: Asset(url: radio.url()))
        await #expect(throws: BytesError.self) { try await wire().send(request) }
    }

    // MARK: Through the provider

    @Test func radioIsNotCachedAndEachReaderHasItsOwnStream() async throws {
        let fixture = try ProviderFixture()
        let radio = try RadioServer(Self.sound, interval: 1000, title: "First")
        defer { radio.stop() }
        let provider = fixture.provider()
        let asset = Asset(url: radio.url())
        #expect(provider.title(of: asset) == nil)
        let source = try await provider.source(radio.url())
        #expect(!source.isSeekable && source.length == nil)
        #expect(try await source.bytes(at: 0, count: 100_000) == Array(Self.sound[..<100_000]))
        #expect(provider.title(of: asset) == "First")
        let other = try await provider.source(radio.url())
        #expect(try await other.bytes(at: 0, count: 50_000) == Array(Self.sound[..<50_000]))
        #expect(try await source.bytes(at: 100_000, count: 20_000) == Array(Self.sound[100_000..<120_000]))
        #expect(radio.requests.count == 2)
        radio.title = "Second"
        var place: Int64 = 120_000
        while provider.title(of: asset) != "Second" {
            place += Int64(try await source.bytes(at: place, count: 1000).count)
        }
        await provider.written()
        #expect(try FileManager.default.contentsOfDirectory(atPath: fixture.cacheFolder + "/assets").isEmpty)
        #expect(provider.throughput == nil)
        await provider.closed()
    }

    /// A second look at a camera shows the current frames, not those stored at the first.
    @Test func aCameraIsReadLikeARadio() async throws {
        let fixture = try ProviderFixture()
        let camera = try RadioServer(
            Self.sound, interval: 1000, rate: 1_000_000, status: "HTTP/1.0 200 OK",
            type: "multipart/x-mixed-replace; boundary=picture", isStation: false)
        defer { camera.stop() }
        let provider = fixture.provider()
        for count in 1...2 {
            let source = try await provider.source(camera.url())
            #expect(!source.isSeekable && source.length == nil)
            #expect(try await source.bytes(at: 0, count: 20_000) == Array(Self.sound[..<20_000]))
            #expect(camera.requests.count == count)
        }
        await provider.written()
        #expect(try FileManager.default.contentsOfDirectory(atPath: fixture.cacheFolder + "/assets").isEmpty)
        await provider.closed()
    }

    /// Its frames are shown as they come, whether all of them are there before a decoder looks or not.
    @Test func cameraThatHasEndedHasNoLength() async throws {
        let fixture = try ProviderFixture()
        fixture.server.serve(
            "/camera",
            Resource(
                .pattern(length: 100_000, seed: 1), type: "multipart/x-mixed-replace;boundary=picture", etag: nil,
                faults: [.noLength, .noRanges]))
        let source = try await fixture.provider().source(fixture.server.url("/camera"))
        #expect(try await source.bytes(at: 0, count: 200_000).count == 100_000)
        #expect(source.length == nil && !source.isSeekable)
    }

    @Test func cutRadioContinuesLive() async throws {
        let fixture = try ProviderFixture()
        // Few bytes follow the burst, so that the read reaches into the second one.
        let radio = try RadioServer(Self.sound, interval: 1000, rate: 2000)
        defer { radio.stop() }
        let provider = fixture.provider()
        let source = try await provider.source(radio.url())
        let first = try await source.bytes(at: 0, count: 50_000)
        #expect(first == Array(Self.sound[..<50_000]))
        radio.cut()
        // First the bytes before the cut, then the new stream from its beginning.
        let rest = try await source.bytes(at: 50_000, count: 180_000)
        let seam = try #require(rest.indices.first { rest[$0] != Self.sound[50_000 + $0] })
        let isSeam = (max(0, seam - 8)...seam).contains { rest[$0...].starts(with: Self.sound[..<10_000]) }
        #expect(isSeam, "something else follows at \(seam)")
        #expect(radio.requests.count == 2)
        await provider.closed()
    }

    @Test func prefetchedRadioIsRequestedAgainWhenRead() async throws {
        let fixture = try ProviderFixture()
        let radio = try RadioServer(Self.sound, interval: 1000)
        defer { radio.stop() }
        let provider = fixture.provider()
        provider.prefetch([Asset(url: radio.url())])
        #expect(await onThread { radio.waitForRequests(1) })
        let source = try await provider.source(radio.url())
        #expect(try await source.bytes(at: 0, count: 50_000) == Array(Self.sound[..<50_000]))
        await provider.closed()
    }
}
