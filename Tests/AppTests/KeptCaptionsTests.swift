import Bytes
import Model
import Synchronization
import Testing
import Threads

@testable import App

/// Which files are fetched beside a clip that is to be had without the network.
@Suite struct KeptCaptionsTests {
    /// Answers by the last part of an address, and writes down what it was asked for.
    private final class Server: ByteProvider {
        let asked = Mutex<[String]>([])

        func open(_ request: ByteRequest, cancellation: Cancellation) throws(BytesError) -> any ByteSource {
            #expect(request.role == .feed && request.asset.url == "https://example.org/a.mp4")
            asked.withLock { $0.append(request.url) }
            let reason: BytesError.Reason? =
                switch request.url.split(separator: "/").last {
                case "gone.vtt": .status(404)
                case "away.vtt": .refused
                case "busy.vtt": .status(429)
                case "broken.vtt": .status(500)
                default: nil
                }
            if let reason { throw BytesError(verb: .open, url: request.url, reason: reason) }
            return Text(request.url.hasSuffix("page.vtt") ? "<html>" : "WEBVTT\n\n00:00.000 --> 00:01.000\nx\n")
        }
    }

    private final class Text: ByteSource {
        let bytes: [UInt8]
        let url = "https://example.org/x.vtt"
        let isSeekable = true
        var length: Int64? { Int64(bytes.count) }

        init(_ text: String) { bytes = Array(text.utf8) }

        func read(
            at offset: Int64, into buffer: UnsafeMutableRawBufferPointer, cancellation: Cancellation
        ) throws(BytesError) -> Int {
            let part = bytes.dropFirst(Int(offset)).prefix(buffer.count)
            buffer.copyBytes(from: part)
            return part.count
        }
    }

    private func item(_ names: [String], chapters: String? = nil) -> Item {
        var item = Item(id: "a", url: "https://example.org/a.mp4")
        item.captions = names.map { CaptionLink(url: $0.contains(":") ? $0 : "https://example.org/\($0)") }
        item.chaptersURL = chapters
        return item
    }

    @Test func fetchesAvailableCaptionsAndReportsMissingOnes() {
        let server = Server()
        let kept = KeptCaptions(
            of: item(["a.vtt", "gone.vtt", "page.vtt", "b.vtt"], chapters: "https://example.org/c.json"), with: server)
        #expect(kept.count == 2 && kept.missing == 2 && kept.why?.contains("404") == true)
        #expect(server.asked.withLock { $0.count } == 5)
    }

    @Test func aServerThatDoesNotAnswerIsAskedOnce() {
        let server = Server()
        let kept = KeptCaptions(
            of: item(
                ["https://example.net/away.vtt", "https://example.net/b.vtt", "c.vtt", "https://example.net/d.vtt"],
                chapters: "https://example.net/c.json"), with: server)
        #expect(kept.count == 1 && kept.missing == 3)
        #expect(
            server.asked.withLock(\.self) == ["https://example.net/away.vtt", "https://example.org/c.vtt"])
    }

    @Test(arguments: [("busy", "429"), ("broken", "500")])
    func serverThatAnswersNothingNowIsAskedOnce(name: String, status: String) {
        let server = Server()
        let kept = KeptCaptions(of: item(["\(name).vtt", "a.vtt", "b.vtt"]), with: server)
        #expect(kept.count == 0 && kept.missing == 3 && kept.why?.contains(status) == true)
        #expect(server.asked.withLock(\.self) == ["https://example.org/\(name).vtt"])
    }

    @Test func filesOfThisMachineAreThereAndTooManyAreNotFetched() {
        #expect(!KeptCaptions.isNeeded(for: item(["file:///a.vtt"])) && KeptCaptions.isNeeded(for: item(["a.vtt"])))
        #expect(KeptCaptions.isNeeded(for: item([], chapters: "https://example.org/c.json")))
        let server = Server()
        #expect(KeptCaptions(of: item(["file:///a.vtt"]), with: server) == KeptCaptions())
        let many = KeptCaptions(of: item((0..<1_000).map { "\($0).vtt" }), with: server)
        #expect(many.count == CaptionLink.limit && server.asked.withLock { $0.count } == CaptionLink.limit)
    }

    @Test func nothingIsMissingOfWhatWasCancelled() {
        let (server, cancellation) = (Server(), Cancellation())
        cancellation.cancel()
        let kept = KeptCaptions(of: item(["gone.vtt", "a.vtt"]), with: server, cancellation: cancellation)
        #expect(kept == KeptCaptions() && server.asked.withLock { $0.isEmpty })
    }
}
