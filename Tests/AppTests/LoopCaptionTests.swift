import Bytes
import Foundation
import HTTP
import Model
import TestSupport
import Testing

@testable import App
@testable import Player
@testable import UI

/// Subtitles, chapters and downloads of the loop's sessions.
@MainActor @Suite(.serialized, .timeLimit(.minutes(2))) struct LoopCaptionTests {
    private let server: FaultyServer

    init() throws { server = try FaultyServer() }

    // MARK: Subtitles

    @Test func captionsThatWereReadComeAsAnEvent() throws {
        server.serve("/a.vtt", .text(LoopStage.cues))
        let stage = try LoopStage()
        defer { stage.close() }
        stage.captions.readCaptions(0, of: server.item("a"))
        let found = stage.nextEvents(1)
        guard case .captions("a", 0, let cues)? = found.first else {
            Issue.record("\(found)")
            return
        }
        #expect(cues.map(\.text) == ["Hello"])
    }

    @Test func captionsOfAnotherItemCancelThoseInFlight() throws {
        server.serve("/a.vtt", .text(LoopStage.cues, faults: [.stall(after: 3)]))
        server.serve("/b.vtt", .text(LoopStage.cues))
        let stage = try LoopStage()
        defer { stage.close() }
        stage.captions.readCaptions(0, of: server.item("a"))
        #expect(server.waitUntil { $0.answering == 1 })
        stage.captions.readCaptions(0, of: server.item("b"))
        let found = stage.nextEvents(2)
        let cancelled = found.contains { if case .captionsUnavailable("a", 0, why: nil) = $0 { true } else { false } }
        let read = found.contains { if case .captions("b", 0, _) = $0 { true } else { false } }
        #expect(cancelled && read, "\(found)")
    }

    @Test func captionsThatAreMissingSayWhy() throws {
        let stage = try LoopStage()
        defer { stage.close() }
        stage.captions.readCaptions(0, of: server.item("a"))
        let found = stage.nextEvents(1)
        guard case .captionsUnavailable("a", 0, let why?)? = found.first else {
            Issue.record("\(found)")
            return
        }
        #expect(why.contains("404"))
    }

    /// The page asks for chapters by itself.
    @Test func chaptersThatAreMissingAreNotReported() throws {
        server.serve("/b.json", .text(#"{"version":"1.2.0","chapters":[{"startTime":0,"title":"One"}]}"#))
        let stage = try LoopStage()
        defer { stage.close() }
        stage.captions.readChapters(of: server.item("a"))
        #expect(server.waitUntil { $0.requests >= 1 && $0.answering == 0 })
        stage.captions.readChapters(of: server.item("b"))
        let found = stage.nextEvents(1)
        guard found.count == 1, case .chapters("b", let chapters)? = found.first else {
            Issue.record("\(found)")
            return
        }
        #expect(chapters.map(\.title) == ["One"])
    }

    @Test func captionsOfAnItemThatIsGoneChangeNothing() throws {
        let stage = try LoopStage()
        defer { stage.close() }
        stage.start()
        stage.inbox.post(.event(.captions("gone", 0, [])))
        stage.inbox.post(.event(.chapters("gone", [])))
        stage.settle()
        #expect(stage.state.clips["gone"] == nil)
        #expect(stage.loop.exit == nil)
    }

    @Test func captionsAreThoseOfTheFileThatIsNamed() throws {
        server.serve("/b.vtt", .text(LoopStage.cues))
        server.serve("/second.vtt", .text(LoopStage.cues.replacingOccurrences(of: "Hello", with: "Bonjour")))
        var item = server.item("b")
        item.captions.append(CaptionLink(url: server.url("/second.vtt")))
        item.headers = ["Referer": "https://h.example/"]
        let stage = try LoopStage()
        defer { stage.close() }
        stage.captions.readCaptions(1, of: item)
        let found = stage.nextEvents(1)
        guard case .captions("b", 1, let cues)? = found.first else {
            Issue.record("\(found)")
            return
        }
        #expect(cues.map(\.text) == ["Bonjour"])
        #expect(server.requests.map(\.path) == ["/second.vtt"])
        #expect(server.requests.first?.headers["referer"] == "https://h.example/")
    }

    @Test func fileThatAnItemDoesNotHaveEndsTheReadingBefore() throws {
        server.serve("/a.vtt", .text(LoopStage.cues, faults: [.stall(after: 3)]))
        let stage = try LoopStage()
        defer { stage.close() }
        stage.captions.readCaptions(0, of: server.item("a"))
        #expect(server.waitUntil { $0.answering == 1 })
        stage.captions.readCaptions(1, of: server.item("b"))
        let found = stage.nextEvents(1)
        guard found.count == 1, case .captionsUnavailable("a", 0, why: nil)? = found.first else {
            Issue.record("\(found)")
            return
        }
        #expect(server.waitUntil { $0.answering == 0 } && server.counts.requests == 1)
        #expect(!stage.log.contains("subtitles"))
    }

    @Test func chaptersAreReadBesideCaptions() throws {
        server.serve("/a.vtt", .text(LoopStage.cues, faults: [.stall(after: 3)]))
        server.serve("/a.json", .text("{}", faults: [.stall(after: 1)]))
        server.serve("/b.json", .text(#"{"version":"1.2.0","chapters":[{"startTime":0,"title":"One"}]}"#))
        let stage = try LoopStage()
        defer { stage.close() }
        stage.captions.readCaptions(0, of: server.item("a"))
        stage.captions.readChapters(of: server.item("a"))
        #expect(server.waitUntil { $0.answering == 2 })
        // Those of another item end the chapters in flight, and leave the captions alone.
        stage.captions.readChapters(of: server.item("b"))
        let found = stage.nextEvents(1)
        guard found.count == 1, case .chapters("b", _)? = found.first else {
            Issue.record("\(found)")
            return
        }
        #expect(server.waitUntil { $0.answering == 1 })
        #expect(server.requests.filter { !$0.isOver }.map(\.path) == ["/a.vtt"])
    }

    @Test func configuredEncodingIsThatOfOtherTextsThanUnicode() throws {
        let text = Array("WEBVTT\n\n00:00.000 --> 00:01.000\ncaf".utf8) + [0xE9, 0x0A]
        server.serve("/b.vtt", Resource(.bytes(text), type: "text/vtt"))
        let stage = try LoopStage()
        defer { stage.close() }
        var network = NetworkOptions()
        network.environment = [:]
        let provider = CachedProvider(cache: nil, network: network)
        defer { provider.close() }
        let session = CaptionSession(
            provider: provider, inbox: stage.inbox, journal: stage.loop.journal, charset: "CP1251")
        session.readCaptions(0, of: server.item("b"))
        let found = stage.nextEvents(1)
        guard case .captions("b", 0, let cues)? = found.first else {
            Issue.record("\(found)")
            return
        }
        #expect(cues.map(\.text) == ["cafй"])
    }

    @Test func filesThatCannotBeReadAreLoggedByTheirKind() throws {
        let stage = try LoopStage()
        defer { stage.close() }
        stage.captions.readCaptions(0, of: server.item("a"))
        _ = stage.nextEvents(1)
        #expect(stage.log.contains("what=subtitles") && !stage.log.contains("what=chapters"))
        stage.captions.readChapters(of: server.item("a"))
        #expect(holds(within: .seconds(10)) { stage.log.contains("what=chapters") })
        #expect(stage.drainEvents().isEmpty)
    }

    // MARK: Downloads

    @Test func filesOfTheNextItemFollowThoseThatFail() throws {
        server.serve("/b.vtt", .text(LoopStage.cues))
        server.serve("/b.json", .text("{}"))
        let stage = try LoopStage()
        defer { stage.close() }
        stage.downloads.keep(server.item("a"), true)
        stage.downloads.keep(server.item("b"), true)
        #expect(holds(within: .seconds(10)) { stage.downloads.isIdle })
        #expect(server.requests(for: "/b.vtt").count == 1)
        let found = stage.drainEvents()
        guard found.count == 1, case .notice(let text, .remark)? = found.first else {
            Issue.record("\(found)")
            return
        }
        #expect(text.contains("not available offline"))
    }

    @Test func itemThatIsNotKeptAnyMoreLeavesTheQueue() throws {
        server.serve("/a.vtt", .text(LoopStage.cues, faults: [.stall(after: 3)]))
        server.serve("/b.vtt", .text(LoopStage.cues))
        let stage = try LoopStage()
        defer { stage.close() }
        stage.downloads.keep(server.item("a"), true)
        for isKept in [true, false] { stage.downloads.keep(server.item("b"), isKept) }
        stage.downloads.keep(server.item("a"), false)
        #expect(holds(within: .seconds(10)) { stage.downloads.isIdle })
        #expect(server.requests(for: "/b.vtt").isEmpty)
    }

    @Test func itemThatIsNotKeptAnyMoreEndsItsDownload() throws {
        server.serve("/a.vtt", .text(LoopStage.cues, faults: [.stall(after: 3)]))
        let stage = try LoopStage()
        defer { stage.close() }
        stage.downloads.keep(server.item("a"), true)
        #expect(server.waitUntil { $0.answering == 1 })
        #expect(!stage.downloads.isIdle)
        stage.downloads.keep(server.item("a"), false)
        #expect(holds(within: .seconds(10)) { stage.downloads.isIdle })
        #expect(stage.drainEvents().isEmpty)
    }

    @Test func downloadThatEndsWithFlickIsNoFailure() throws {
        server.serve("/a.vtt", .text(LoopStage.cues, faults: [.stall(after: 3)]))
        server.serve("/b.vtt", .text(LoopStage.cues))
        let stage = try LoopStage()
        stage.downloads.keep(server.item("a"), true)
        stage.downloads.keep(server.item("b"), true)
        #expect(server.waitUntil { $0.answering == 1 })
        stage.downloads.close()
        stage.close()
        #expect(holds(within: .seconds(10)) { stage.downloads.isIdle })
        #expect(stage.drainEvents().isEmpty && server.requests(for: "/b.vtt").isEmpty)
    }
}
