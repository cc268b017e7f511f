import Model
import Testing

@testable import UI

@Suite struct OfflineTests {
    private func page(_ url: String = "https://example.com/a.mp4") -> Page {
        let page = Page([Item(id: "a", url: url, title: "A")])
        page.play()
        return page
    }

    @Test func theKeyKeepsItAndLetsItGo() {
        let page = page()
        #expect(page.type("D") == [.keepOffline("a", true)])
        #expect(page.screen[0].contains(" downloading ... "))
        page.send(.player("a", .offline(.fetching(0.456))))
        #expect(page.screen[0].contains(" downloading 45 % "))
        page.send(.player("a", .offline(.whole)))
        #expect(
            page.screen[0].contains(" downloaded ") && page.state.toasts.current?.text == GlyphLine("Downloaded"))
        #expect(page.state.menu.contains { $0.text == "Remove the download" })
        #expect(page.type("D") == [.keepOffline("a", false)])
        #expect(!page.screen[0].contains("download"))
    }

    @Test func failureIsReportedOnceAndTheKeyRetries() {
        let page = page()
        page.type("D")
        page.send(.player("a", .offline(.failed("no route\u{7} to host"))))
        #expect(page.state.toasts.current?.text == GlyphLine("Couldn't download: no route\u{FFFD} to host"))
        page.wait(.seconds(20))
        page.send(.player("a", .offline(.failed("no route\u{7} to host"))))
        #expect(page.state.toasts.current == nil)
        #expect(!page.screen[0].contains("download"))
        #expect(page.type("D") == [.keepOffline("a", true)])
    }

    @Test func filesAndStreamsAreNotKept() {
        let file = page("file:///clips/a.mp4")
        #expect(file.type("D") == [])
        #expect(!file.state.menu.contains { $0.action == .keepOffline })
        let stream = page("https://example.com/a.m3u8")
        stream.send(
            .player(
                "a",
                .opened(
                    ClipFacts(duration: .seconds(9), isSeekable: true, hasVideo: true, hasAudio: true, container: "hls")
                )))
        #expect(stream.type("D") == [])
        #expect(stream.state.toasts.current?.text == GlyphLine("Streams cannot be downloaded"))
    }
}
