import Foundation
import Model
import TestSupport
import Testing

@testable import Bytes
@testable import HTTP

/// A transport and a server on loopback.
struct Wire {
    let server: FaultyServer
    let transport: Transport

    init(_ change: (inout NetworkOptions) -> Void = { _ in }) throws {
        server = try FaultyServer()
        var options = NetworkOptions()
        options.proxy = ""
        change(&options)
        transport = Transport(options)
    }

    /// A request for a path, as a separate asset.
    func request(_ path: String, range: Transport.Request.Range? = nil) -> Transport.Request {
        Transport.Request(url: server.url(path), asset: Asset(url: server.url(path)), range: range)
    }

    func send(_ request: Transport.Request) async throws -> (answer: Transport.Answer, bytes: [UInt8]) {
        let answer = try await transport.send(request)
        return (answer, try await answer.body.all())
    }

    /// The reason why sending fails.
    func reason(_ request: Transport.Request) async -> BytesError.Reason? {
        do {
            _ = try await send(request)
            return nil
        } catch {
            return (error as? BytesError)?.reason
        }
    }
}

extension FaultyServer {
    /// Like `waitUntil`, without blocking a thread of the shared pool.
    func until(_ condition: @escaping @Sendable (Counts) -> Bool) async -> Bool {
        await withCheckedContinuation { continuation in
            Thread.detachNewThread { continuation.resume(returning: self.waitUntil(within: .seconds(60), condition)) }
        }
    }
}

extension Transport.Body {
    func all() async throws -> [UInt8] {
        var bytes: [UInt8] = []
        while let chunk = try await next() { chunk.withBytes { bytes += $0 } }
        return bytes
    }
}

@Suite struct TransportTests {
    private static let clip = PatternBytes.bytes(seed: 7, at: 0, count: 300_000)

    @Test func wholeFilesAndRangesArrive() async throws {
        let wire = try Wire()
        wire.server.serve("/clip.mp4", Self.clip)
        let whole = try await wire.send(wire.request("/clip.mp4"))
        #expect(whole.answer.status == 200)
        #expect(whole.answer.facts.length == 300_000)
        #expect(whole.answer.facts.type == "video/mp4")
        #expect(whole.answer.facts.etag == "\"1\"")
        #expect(whole.answer.facts.servesRanges == true)
        #expect(whole.bytes == Self.clip)

        let part = try await wire.send(wire.request("/clip.mp4", range: .init(from: 1000, to: 1999)))
        #expect(part.answer.status == 206)
        #expect(part.answer.span == 1000...1999)
        #expect(part.answer.facts.length == 300_000)
        #expect(part.bytes == Array(Self.clip[1000...1999]))

        let rest = try await wire.send(wire.request("/clip.mp4", range: .init(from: 299_000)))
        #expect(rest.bytes == Array(Self.clip[299_000...]))
    }

    @Test func headBringsFactsWithoutABody() async throws {
        let wire = try Wire()
        wire.server.serve("/clip.mp4", Self.clip)
        var request = wire.request("/clip.mp4")
        request.method = .head
        let (answer, bytes) = try await wire.send(request)
        #expect(answer.facts.length == 300_000)
        #expect(bytes.isEmpty)
    }

    @Test(arguments: [Fault.HeaderNames.lower, .odd])
    func namesOfFieldsAreNotCaseSensitive(names: Fault.HeaderNames) async throws {
        let wire = try Wire()
        wire.server.serve("/clip.mp4", Self.clip, faults: [.headerNames(names)])
        let (answer, bytes) = try await wire.send(wire.request("/clip.mp4", range: .init(from: 5, to: 9)))
        #expect(answer.span == 5...9)
        #expect(answer.facts.etag == "\"1\"")
        #expect(bytes == Array(Self.clip[5...9]))
    }

    @Test func aServerWithoutRangesIsRecognised() async throws {
        let wire = try Wire()
        wire.server.serve("/clip.mp4", Self.clip, faults: [.noRanges])
        let (answer, bytes) = try await wire.send(wire.request("/clip.mp4", range: .init(from: 1000)))
        #expect(answer.status == 200)
        #expect(answer.span == nil)
        #expect(answer.facts.servesRanges == false)
        #expect(bytes == Self.clip)
    }

    @Test(arguments: [
        Fault.ContentRange.shifted(by: 1), .shifted(by: -1), .tooLong, .missing, .text("bytes 0-"),
        .text("chapters 1-2/3"),
        .text("bytes=11-20/300000"), .text("bytes 10-20/15"), .text("bytes 10-99999999999999999999/*"),
        .text("bytes */300000"),
    ])
    func otherBytesThanRequestedAreRefused(wrong: Fault.ContentRange) async throws {
        let wire = try Wire()
        wire.server.serve("/clip.mp4", Self.clip, faults: [.contentRange(wrong)])
        #expect(await wire.reason(wire.request("/clip.mp4", range: .init(from: 10, to: 20))) == .otherBytes)
    }

    @Test func aBodyWithoutLengthEndsWhereItEnds() async throws {
        for fault in [Fault.chunked, .noLength] {
            let wire = try Wire()
            wire.server.serve("/clip.mp4", Self.clip, faults: [fault])
            let (answer, bytes) = try await wire.send(wire.request("/clip.mp4"))
            #expect(answer.facts.length == nil)
            #expect(bytes == Self.clip)
        }
    }

    @Test func aCutBodyIsAnError() async throws {
        for fault in [Fault.cut(after: 1000), .cut(after: 1000, .closed), .lengthOff(by: 10)] {
            let wire = try Wire()
            wire.server.serve("/clip.mp4", Self.clip, faults: [fault])
            #expect(await wire.reason(wire.request("/clip.mp4")) == .dropped)
        }
        let wire = try Wire()
        wire.server.serve("/clip.mp4", Self.clip, faults: [.chunked, .cut(after: 1000, .closed)])
        #expect(await wire.reason(wire.request("/clip.mp4")) == .dropped)
        // More bytes than `Content-Range` announces are an error.
        wire.server.serve("/clip.mp4", Self.clip, faults: [.lengthOff(by: 10)])
        #expect(await wire.reason(wire.request("/clip.mp4", range: .init(from: 0, to: 200))) == .otherBytes)
    }

    @Test func errorStatusesAreReturned() async throws {
        let wire = try Wire()
        wire.server.serve("/busy", Self.clip, faults: [.status(429, retryAfter: "7")])
        wire.server.serve("/clip.mp4", Self.clip)
        let busy = try await wire.send(wire.request("/busy")).answer
        #expect(busy.status == 429)
        #expect(busy.retryAfter == .seconds(7))
        #expect(busy.facts == AssetFacts())
        #expect(try await wire.send(wire.request("/none")).answer.status == 404)
        let beyond = try await wire.send(wire.request("/clip.mp4", range: .init(from: 300_000))).answer
        #expect(beyond.status == 416)
        #expect(beyond.facts.length == 300_000)
    }

    @Test func bytesThatAreNotHTTPAreRefused() async throws {
        let wire = try Wire { $0.firstByteTimeout = .seconds(5) }
        wire.server.serve("/noise", Self.clip, faults: [.garbage()])
        wire.server.serve("/headers", Self.clip, faults: [.endlessHeaders])
        #expect(await wire.reason(wire.request("/noise")) == .nonsense)
        #expect(await wire.reason(wire.request("/headers")) == .nonsense)
    }

    @Test func connectionsAreReused() async throws {
        let wire = try Wire()
        wire.server.serve("/clip.mp4", Self.clip)
        wire.server.serve("/old", Self.clip, faults: [.redirect(to: "/clip.mp4")])
        for index in 0..<10 {
            let path = index % 3 == 0 ? "/old" : "/clip.mp4"
            _ = try await wire.send(wire.request(path, range: .init(from: Int64(index), to: 50_000)))
        }
        #expect(wire.server.counts.connections == 1)
    }

    // MARK: Compressed text

    @Test func compressedTextIsDecompressed() async throws {
        let wire = try Wire()
        let text = Array(String(repeating: "#EXTINF:4,\nsegment.ts\n", count: 1000).utf8)
        wire.server.serve("/list.m3u8", text, faults: [.gzip])
        var request = wire.request("/list.m3u8")
        request.acceptsCompressed = true
        let (answer, bytes) = try await wire.send(request)
        #expect(bytes == text)
        #expect(answer.facts.length == nil)
        #expect(wire.server.requests.last?.headers["accept-encoding"] == "gzip, deflate, br, zstd")
    }

    private static let text = (0..<100_000).map { UInt8(truncatingIfNeeded: ($0 * $0) >> 7) }

    /// That text, compressed by an expression of Python.
    private static func packed(_ expression: String) throws -> [UInt8] {
        let script = """
            import gzip, subprocess, sys, zlib
            text = bytes((i * i >> 7) & 255 for i in range(100000))
            def raw(text):
                packer = zlib.compressobj(wbits=-15)
                return packer.compress(text) + packer.flush()
            def by(program, text):
                return subprocess.run([program, "-c", "-"], input=text, stdout=subprocess.PIPE, check=True).stdout
            sys.stdout.write((\(expression)).hex())
            """
        let result = try Command.run(["python3", "-c", script])
        guard result.status == 0 else { throw Command.Error(description: result.errors) }
        let digits = Array(result.output.utf8).compactMap { FileURL.digit($0) }
        return stride(from: 0, to: digits.count, by: 2).map { digits[$0] << 4 | digits[$0 + 1] }
    }

    static let packings = [
        ("gzip", "gzip.compress(text)"), ("x-gzip", "gzip.compress(text)"), ("X-GZip", "gzip.compress(text, 1)"),
        ("deflate", "zlib.compress(text)"), ("deflate", "zlib.compress(text, 1)"), ("deflate", "raw(text)"),
        ("gzip", "gzip.compress(text[:50000]) + gzip.compress(text[50000:])"),
        ("gzip", "gzip.compress(text) + bytes(512)"), ("gzip", "gzip.compress(b'') + gzip.compress(text)"),
        ("br", "by('brotli', text)"), ("br", "by('brotli', text) + bytes(512)"), ("zstd", "by('zstd', text)"),
        ("zstd", "by('zstd', text[:50000]) + by('zstd', text[50000:])"),
        // A frame to skip, of four bytes.
        ("zstd", "bytes.fromhex('5A2A4D1804000000') + bytes(4) + by('zstd', text)"),
    ]

    @Test(arguments: packings) func decompressesSupportedCodings(coding: String, expression: String) async throws {
        let wire = try Wire()
        let packed = try Self.packed(expression)
        for faults in [[], [Fault.chunked]] {
            wire.server.serve("/a", packed, faults: [.header("Content-Encoding", coding)] + faults)
            var request = wire.request("/a")
            request.acceptsCompressed = true
            let isSame = try await wire.send(request).bytes.elementsEqual(Self.text)
            #expect(isSame)
        }
    }

    @Test(arguments: packings) func decompressesBodiesInAnyChunking(coding: String, expression: String) throws {
        let decompressor = Decompressor(try #require(ContentCoding([coding.lowercased()])), limit: 100_000)
        var bytes: [UInt8] = []
        for byte in try Self.packed(expression) {
            decompressor.add(BodyChunk([byte]))
            while let chunk = try decompressor.next() { chunk.withBytes { bytes += $0 } }
        }
        try decompressor.finish()
        // Not the arrays, which a failure would print.
        let isSame = bytes.elementsEqual(Self.text)
        #expect(isSame)
    }

    @Test(arguments: packings) func damagedBodiesAreReported(coding: String, expression: String) async throws {
        let wire = try Wire()
        let packed = try Self.packed(expression)
        let isRaw = expression.hasPrefix("raw")
        var flipped = packed
        switch coding {
        // A window of brotli that is too large (RFC 7932, 9.1), and no frame of zstd.
        case "br": flipped[0] = 0x11
        case "zstd": flipped[0] = 0
        // After the header of gzip or zlib, or without one: an invalid block type.
        default: flipped[coding != "deflate" ? 10 : isRaw ? 0 : 2] |= 0b110
        }
        // Only a checksum is certain to detect this.
        var other = packed
        other[packed.count / 3] ^= 0x40
        let short = expression.hasSuffix("bytes(512)") ? packed.dropLast(520) : packed.dropLast(1)
        for bytes in [flipped, Array(short), [packed[0]]] + (isRaw || coding == "br" ? [] : [other]) {
            wire.server.serve("/a", bytes, faults: [.header("Content-Encoding", coding)])
            var request = wire.request("/a")
            request.acceptsCompressed = true
            #expect(await wire.reason(request) == .damaged)
        }
    }

    /// It would take 128 MB of memory (RFC 9659 allows 8).
    @Test func aWindowOfZstdThatIsTooLargeIsRefused() async throws {
        let wire = try Wire()
        let packed = try Self.packed(
            "subprocess.run(['zstd', '--long=27', '-c', '-'], input=text, stdout=subprocess.PIPE).stdout")
        wire.server.serve("/a", packed, faults: [.header("Content-Encoding", "zstd")])
        var request = wire.request("/a")
        request.acceptsCompressed = true
        #expect(await wire.reason(request) == .damaged)
    }

    @Test func emptyCompressedBodyIsNotDamaged() async throws {
        let wire = try Wire()
        wire.server.serve("/a", [], faults: [.header("Content-Encoding", "gzip")])
        var request = wire.request("/a")
        request.acceptsCompressed = true
        #expect(try await wire.send(request).bytes.isEmpty)
    }

    @Test(arguments: ["br, gzip", "gzip, deflate", "compress"]) func rejectsOtherCodings(coding: String) async throws {
        let wire = try Wire()
        wire.server.serve("/a", [1, 2, 3], faults: [.header("Content-Encoding", coding)])
        var request = wire.request("/a")
        request.acceptsCompressed = true
        #expect(await wire.reason(request) == .compressed)
    }

    @Test func compressedMediaIsRefused() async throws {
        let wire = try Wire()
        wire.server.serve("/clip.mp4", Self.clip, faults: [.gzip])
        #expect(await wire.reason(wire.request("/clip.mp4")) == .compressed)
        #expect(wire.server.requests.last?.headers["accept-encoding"] == "identity")
    }

    @Test(arguments: [[], ["identity"], ["Identity, "], [""]])
    func anAnswerThatIsNotCodedIsTakenAsItIs(codings: [String]) throws {
        let fields = ["Content-Encoding": codings, "Content-Length": ["4"]]
        let request = Transport.Request(url: "http://h/x.mp4", asset: Asset(url: "http://h/x.mp4"))
        let head = try AnswerHead(status: 200, to: request) { fields[$0] ?? [] }
        #expect(head.facts.length == 4 && head.bodyLength == 4)
    }

    @Test func transfersStayOnOneThread() async {
        let threads = await Transport.task { () -> (ObjectIdentifier, ObjectIdentifier) in
            let first = threadIdentity()
            // Another thread resumes this task: on which one does it continue?
            await onThread {}
            return (first, threadIdentity())
        }.value
        let again = await Transport.task { threadIdentity() }.value
        #expect(threads.0 == threads.1 && threads.0 == again)
    }

    @Test func aTextThatDecompressesToTooMuchIsRefused() async throws {
        try await expectTooMuch(Self.clip, [.gzipBomb])
        for (coding, program) in [("br", "brotli"), ("zstd", "zstd")] {
            let packed = try Self.packed("by('\(program)', bytes(70_000_000))")
            #expect(packed.count < 10_000)
            try await expectTooMuch(packed, [.header("Content-Encoding", coding)])
        }
    }

    private func expectTooMuch(_ bytes: [UInt8], _ faults: [Fault]) async throws {
        let wire = try Wire()
        wire.server.serve("/list.m3u8", bytes, faults: faults)
        var request = wire.request("/list.m3u8")
        request.acceptsCompressed = true
        let answer = try await wire.transport.send(request)
        var count = 0
        await #expect(throws: BytesError(verb: .read, url: request.url, reason: .compressed)) {
            while let chunk = try await answer.body.next() { count += chunk.count }
        }
        #expect(count <= Transport.largestText)
    }
}

private func threadIdentity() -> ObjectIdentifier { ObjectIdentifier(Thread.current) }
