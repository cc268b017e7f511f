import Model
import Testing

@testable import UI

struct DiagnosticsTests {
    @Test func graphsShowTheLastHalfMinute() {
        var item = Page.feed[0]
        item.url = "https://example.org/v1.mp4"
        let page = Page([item], columns: 100, rows: 40)
        page.play()
        page.type("I")
        for second in 0..<50 {
            var figures = Diagnostics()
            figures.picturesPerSecond = second < 45 ? 24 : 0
            figures.throughput = Int64(second) * 100_000
            page.send(.player("v1", .diagnostics(figures)))
        }
        #expect(page.state.clip.rates.pictures.count == 30 && page.state.clip.rates.link.count == 30)
        #expect(page.screen.contains { $0.contains("link") && $0.contains("▇ 4.9 Mbit/s") })
        let page2 = Page([item], columns: 100, rows: 40)
        page2.play()
        page2.type("I")
        for pictures in [0.0, 12, 24] {
            var figures = Diagnostics()
            figures.picturesPerSecond = pictures
            page2.send(.player("v1", .diagnostics(figures)))
        }
        #expect(page2.screen.contains { $0.contains("frame rate") && $0.contains("▁▄▇ 24 fps") })
    }

    @Test(arguments: [
        (-31.24, 15.24, LoudnessOrigin.partial, "-31.2 LUFS, measured so far", "+15.2 dB"),
        (-7.96, -8.04, .whole, "-8.0 LUFS, measured", "-8.0 dB"),
        (-16.02, 0.02, .tag, "-16.0 LUFS, from tags", "+0.0 dB"),
    ])
    func loudnessAndGainAreShown(
        loudness: Double, gain: Double, origin: LoudnessOrigin, words: String, gainWords: String
    ) {
        let page = Page(columns: 100, rows: 40)
        page.play()
        page.type("I")
        #expect(!page.screen.contains { $0.contains("LUFS") || $0.contains("gain") })
        var figures = Diagnostics()
        figures.loudness = ClipLoudness(loudness: loudness, gain: gain, origin: origin)
        page.send(.player("v1", .diagnostics(figures)))
        #expect(page.screen.contains { $0.contains("loudness") && $0.contains(words) })
        #expect(page.screen.contains { $0.contains("gain") && $0.contains(gainWords) })
    }

    @Test func singleFigureHasNoGraph() throws {
        let page = Page()
        page.play()
        page.type("I")
        var figures = Diagnostics()
        figures.picturesPerSecond = 24
        for count in 1...2 {
            page.send(.player("v1", .diagnostics(figures)))
            let row = try #require(page.screen.first { $0.contains("frame rate") })
            #expect(row.contains("24 fps") && row.contains("▇") == (count > 1))
        }
    }

    @Test(arguments: [false, true]) func figuresHaveTheirUnits(isASCII: Bool) {
        var options = Options()
        if isASCII { options.pictureMode = .ascii }
        let page = Page(columns: 120, rows: 40, options: options)
        page.play()
        page.type("I")
        var figures = Diagnostics()
        figures.picture = PixelSize(width: 27, height: 48)
        (figures.bytesPerSecond, figures.terminalRate) = (56_900, 3_500_000)
        figures.roundTrip = .milliseconds(1)
        page.send(.player("v1", .diagnostics(figures)))
        let by = isASCII ? "x" : "×"
        for words in [
            "56 KB/s to the terminal", "1 ms, accepts 3.5 MB/s", "720 \(by) 1280", "27 \(by) 48",
            "120 \(by) 40 cells",
        ] {
            #expect(page.screen.contains { $0.contains(words) }, "\(words)")
        }
    }

    /// A line breaks between two of them.
    @Test func namesOfAContainerAreSeparated() {
        let page = Page(columns: 40, rows: 20)
        page.play()
        let facts = ClipFacts(
            duration: .seconds(20), isSeekable: true, hasVideo: true, hasAudio: true,
            container: "mov,mp4,m4a,3gp,3g2,mj2", video: "h264", audio: "aac")
        page.send(.player("v1", .opened(facts)))
        page.type("I")
        #expect(page.screen.contains { $0.contains("mov, mp4, m4a,") })
    }

    @Test func aGraphIsInASCIIWhereTextIs() {
        let line = Sparkline.line([0, 5, 10], isASCII: true)
        #expect(line == GlyphLine("_-*"))
        #expect(Sparkline.line([0, 0], isASCII: false) == GlyphLine("▁▁"))
    }

    @Test func diagnosticsStartWithDroppedFrames() throws {
        let page = Page()
        page.play()
        var figures = Diagnostics()
        (figures.shown, figures.dropped) = (97, 3)
        page.send(.player("v1", .diagnostics(figures)))
        page.type("I")
        let dropped = try #require(
            page.screen.firstIndex { $0.contains("dropped") && $0.contains("3 of 100 frames") })
        let video = try #require(page.screen.firstIndex { $0.contains("h264") })
        #expect(dropped < video)
    }
}
