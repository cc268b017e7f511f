import Model
import Testing

@testable import UI

/// The words of pages that wait or have failed.
@Suite struct FailureTests {
    private func line(_ wait: ClipWait, columns: Int = 64) -> String {
        let page = Page(columns: columns, rows: 24)
        page.send(.player("v1", .waits(wait)))
        page.wait(.milliseconds(400))
        return page.screen.first { $0.contains("example") || $0.contains("clip.mp4") || $0.contains("B/s") } ?? ""
    }

    @Test func waitSaysForWhomHowFarAndHowFast() {
        let wait = ClipWait(place: "server.example", isRemote: true, share: 0.389, speed: 40_900)
        #expect(line(wait, columns: 100).contains("server.example · 38 % buffered · 40 KB/s"))
        #expect(line(wait, columns: 46).contains("server.example · 38 % · 40 KB/s"))
        #expect(line(wait, columns: 40).contains("38 % · 40 KB/s"))
    }

    @Test func waitSaysWhatIsKnown() {
        #expect(line(ClipWait(place: "a.example", isRemote: true)).contains("waiting for a.example"))
        #expect(line(ClipWait(place: "clip.mp4", isRemote: false)).contains("reading clip.mp4"))
        #expect(line(ClipWait(place: "a.example", isRemote: true, share: 0.5, speed: 0)).contains("no data"))
        let late = ClipWait(place: "a.example", isRemote: true, share: 0.5, speed: 9, trouble: "busy")
        #expect(line(late).contains("a.example · busy"))
        #expect(line(ClipWait(place: "a.example\u{1B}[31m", isRemote: true)).contains("waiting for a.example\u{FFFD} "))
    }

    @Test func failureSaysWhatIsWrongThenWhatCanBeDone() throws {
        let page = Page(columns: 100, rows: 30)
        page.send(
            .player(
                "v1", .failed("cut off: its index is missing", advice: "fetch it again", detail: "moov atom not found"))
        )
        let rows = page.screen
        let words = try #require(rows.firstIndex { $0.contains("Cut off: its index is missing") })
        #expect(rows[words + 1].contains("Fetch it again"))
        #expect(rows[words + 3].contains("retry"))
        #expect(!rows.contains { $0.contains("moov") })
        page.type("I")
        #expect(page.screen.contains { $0.contains("moov atom not found") })
    }

    @Test func hostKeepsItsNameAtTheBeginning() {
        let page = Page(columns: 100, rows: 30)
        page.send(.player("v1", .failed("video.example refuses connections", advice: "try again later")))
        #expect(page.screen.contains { $0.contains("video.example refuses connections") })
    }

    @Test func linesOfAFailureAreAboutEquallyLong() {
        let text = GlyphLine("the certificate of video.example is not trusted by anybody here")
        let lines = text.balanced(to: 44).map { text.slice($0).columns }
        #expect(lines.count == 2 && abs(lines[0] - lines[1]) <= 8, "\(lines)")
        #expect(lines.count == text.wrapped(to: 44).count)
        // No word is broken that need not be.
        let long = GlyphLine("a abcdefghijklmnop b")
        #expect(long.balanced(to: 18).map { long.slice($0).columns }.max() ?? 0 >= 16)
    }
}
