import Bytes
import Model
import TestSupport
import Testing
import Threads

@testable import App

/// In which order the files beside clips are fetched that are kept offline, and which are not.
@Suite(.timeLimit(.minutes(2))) struct DownloadSessionTests {
    /// Has subtitles at every address.
    private struct Texts: ByteProvider {
        let file: String

        func open(_ request: ByteRequest, cancellation: Cancellation) throws(BytesError) -> any ByteSource {
            try FileProvider().open(file, for: file)
        }
    }

    private let inbox: Inbox<LoopMessage>
    private let folder = TemporaryFolder()
    private let provider: HeldProvider
    private let session: DownloadSession

    init() throws {
        inbox = try Inbox<LoopMessage>()
        let path = try folder.write("text.vtt", "WEBVTT\n\n00:00.000 --> 00:01.000\nHello\n".utf8)
        provider = HeldProvider(Texts(file: FileURL.url(path: path.utf8)), isHeld: true)
        session = DownloadSession(
            provider: provider, inbox: inbox,
            journal: try Journal(
                ReportSettings(stateFolder: folder.path), file: LogFile(path: folder.path + "/log"),
                clock: ProcessClock()))
    }

    private func item(_ name: String, captions: String? = nil) -> Item {
        var item = Item(id: name, url: "https://example.org/\(name).mp4")
        item.captions = [CaptionLink(url: captions ?? "https://example.org/\(name).vtt")]
        return item
    }

    /// Lets the files come, and returns the names of those that were requested since the start.
    private func fetched() -> [String] {
        provider.release()
        #expect(holds(within: .seconds(10)) { session.isIdle })
        return provider.requests.compactMap { $0.url.split(separator: "/").last.map(String.init) }
    }

    @Test func itemsAreFetchedInOrderUpToALimit() {
        session.keep(item("a"), true)
        let names = (0...DownloadSession.limit).map { "i\($0)" }
        for name in names { session.keep(item(name), true) }
        #expect(fetched() == (["a"] + names.dropLast()).map { "\($0).vtt" })
        #expect(inbox.drain().isEmpty)
    }

    @Test func itemThatIsKeptAgainIsFetchedOnceAtTheEnd() {
        for name in ["a", "b", "c", "b"] { session.keep(item(name), true) }
        #expect(fetched() == ["a.vtt", "c.vtt", "b.vtt"])
    }

    /// Its first download is cancelled.
    @Test func itemThatIsKeptAgainWhileItIsFetchedStartsOver() {
        session.keep(item("a"), true)
        #expect(holds(within: .seconds(10)) { provider.requests.count == 1 })
        for name in ["b", "a"] { session.keep(item(name), true) }
        #expect(fetched() == ["a.vtt", "b.vtt", "a.vtt"])
        #expect(inbox.drain().isEmpty)
    }

    @Test func itemThatLeavesTheQueueLeavesTheOthers() {
        for name in ["a", "b", "c"] { session.keep(item(name), true) }
        session.keep(item("b"), false)
        #expect(fetched() == ["a.vtt", "c.vtt"])
    }

    @Test func nothingIsFetchedForOtherItems() {
        session.keep(item("a"), false)
        session.keep(item("b", captions: "file:///clips/b.vtt"), true)
        #expect(session.isIdle && fetched().isEmpty)
    }

    @Test func nothingIsFetchedAfterTheEnd() {
        session.close()
        session.keep(item("a"), true)
        let isFetched = holds(within: .milliseconds(200)) { !provider.requests.isEmpty }
        #expect(!isFetched)
    }
}
