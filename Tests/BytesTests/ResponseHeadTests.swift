import Model
import TestSupport
import Testing

@testable import Bytes
@testable import HTTP

/// Malformed heads of responses, and how they are repaired.
@Suite struct ResponseHeadTests {
    /// The head as it was understood; nil if that is what came.
    private func repaired(_ head: String) throws -> String? {
        let head = try #require(ResponseHead(Array((head + "\r\n\r\n").utf8)))
        guard head.isRepaired else { return nil }
        let fields = head.fields.map { "\($0.name): \(String(decoding: $0.value, as: UTF8.self))\r\n" }
        return "\(head.statusLine)\r\n\(fields.joined())"
    }

    @Test(arguments: [
        "HTTP/1.1 200 OK\r\nContent-Length: 5\r\nX:", "HTTP/1.0 200\r\nx-a: caf\u{E9}", "HTTP/1.1 206 Partial Content",
        "HTTP/1.1 200 OK\r\nContent-Length: 5\r\nContent-Length: 6", "HTTP/1.1 200 OK\r\nContent-Length: -1",
        "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked", "HTTP/2 200 ",
    ]) func wellFormedAndAmbiguousHeadsAreUnchanged(head: String) throws {
        #expect(try repaired(head) == nil)
    }

    @Test(arguments: [
        ("HTTP/1.1 200 OK\nA: b\nC: d", "HTTP/1.1 200 OK\r\nA: b\r\nC: d\r\n"),
        ("HTTP/1.1 200 OK\r\nA: b\r\n  c\r\n\td", "HTTP/1.1 200 OK\r\nA: b c d\r\n"),
        ("HTTP/1.1 200 OK\r\n  c\r\nA : b\r\n: x\r\njunk\r\nA b: c", "HTTP/1.1 200 OK\r\nA: b\r\n"),
        ("HTTP/1.1 200 OK\r\nA: b\u{1}c\u{0}", "HTTP/1.1 200 OK\r\nA: b c \r\n"),
        ("HTTP/1.1 200 OK\r\nContent-Length: 5\r\ncontent-length: 5", "HTTP/1.1 200 OK\r\nContent-Length: 5\r\n"),
        ("HTTP/1.1 200 OK\r\nContent-Length: 5, 5", "HTTP/1.1 200 OK\r\nContent-Length: 5\r\n"),
        (
            "HTTP/1.1 200 OK\r\nTransfer-Encoding: Chunked\r\nContent-Length: 5",
            "HTTP/1.1 200 OK\r\nTransfer-Encoding: Chunked\r\n"
        ),
        ("HTTP/1.1 200 OK\r\nTransfer-Encoding: identity\r\nA: b", "HTTP/1.1 200 OK\r\nA: b\r\n"),
        ("http/1.1  200 OK", "HTTP/1.0 200 OK\r\n"),
        ("HTTP/1.1  200 OK", "HTTP/1.1 200 OK\r\n"),
        ("ICY 200 OK\r\nicy-br:128", "HTTP/1.0 200 OK\r\nicy-br: 128\r\nicy-pub: 0\r\n"),
    ]) func unambiguousHeadsAreRepaired(head: String, expected: String) throws {
        #expect(try repaired(head) == expected)
    }

    @Test(arguments: ["XHTTP/1.1 200 OK", "ICY\r\nA: b", "<html>"]) func otherTextsAreNotHeads(text: String) {
        #expect(ResponseHead(Array(text.utf8)) == nil)
    }

    // MARK: Over a connection

    private static let clip = PatternBytes.bytes(seed: 7, at: 0, count: 300_000)

    @Test(
        arguments: [
            { $0.replacing("\r\n", with: "\n") }, { $0.replacing("\r\nETag: ", with: "\r\nETag: \r\n ") },
            { $0.replacing("\r\nETag", with: "\r\nContent-Length: 1000\r\nETag") },
            { $0.replacing("HTTP/1.1", with: "HTTP/2") },
            { $0.replacing("HTTP/1.1 206 Partial Content", with: "HTTP/1.1 206") },
            { $0.replacing("Content-Range: bytes ", with: "content-range: bytes=") },
        ] as [@Sendable (String) -> String])
    func clipsWithMalformedHeadsAreRead(change: @escaping @Sendable (String) -> String) async throws {
        let wire = try Wire()
        wire.server.serve("/clip.mp4", Self.clip, faults: [.head(change), .continues(2)])
        for _ in 0..<2 {
            let (answer, bytes) = try await wire.send(wire.request("/clip.mp4", range: .init(from: 1000, to: 1999)))
            #expect(answer.status == 206 && answer.facts.etag == "\"1\"")
            #expect(bytes == Array(Self.clip[1000...1999]))
        }
    }

    /// curl does not read these, whatever `ResponseHead` would make of them.
    @Test(
        arguments: [
            { $0.replacing("\r\nETag", with: "\r\nno field\r\nETag") },
            { $0.replacing("\r\nETag", with: "\r\nX: \u{0}\r\nETag") },
            { $0.replacing("\r\nContent-Length", with: "\r\nContent-Length: 7\r\nContent-Length") },
        ] as [@Sendable (String) -> String])
    func rejectsHeadsThatCurlCannotParse(change: @escaping @Sendable (String) -> String) async throws {
        let wire = try Wire()
        wire.server.serve("/clip.mp4", Self.clip, faults: [.head(change)])
        #expect(await wire.reason(wire.request("/clip.mp4")) == .nonsense)
    }

    @Test func status203IsASuccess() async throws {
        let wire = try Wire()
        let change: @Sendable (String) -> String = { $0.replacing("200 OK", with: "203 Non-Authoritative Information") }
        wire.server.serve("/clip.mp4", Self.clip, faults: [.head(change)])
        let (answer, bytes) = try await wire.send(wire.request("/clip.mp4"))
        #expect(answer.status == 200 && answer.facts.length == 300_000 && bytes == Self.clip)
    }

    @Test func onlyConnectionsWithWellFormedHeadsAreReused() async throws {
        let wire = try Wire()
        wire.server.serve("/clip.mp4", Self.clip)
        for _ in 0..<3 { _ = try await wire.send(wire.request("/clip.mp4")) }
        #expect(wire.server.counts.connections == 1)
        wire.server.serve("/lf.mp4", Self.clip, faults: [.head { $0.replacing("\r\n", with: "\n") }])
        for _ in 0..<3 { _ = try await wire.send(wire.request("/lf.mp4")) }
        #expect(wire.server.counts.connections == 3)
    }
}
