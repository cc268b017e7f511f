import Model
import TerminalInput
import Testing

@testable import UI

/// The sheet "Quality": variants of a clip, and data saver.
@Suite struct QualityTests {
    private func variant(_ width: Int, _ height: Int, _ bitrate: Int64, isPlayable: Bool = true) -> ClipVariant {
        var variant = ClipVariant(
            size: width > 0 ? PixelSize(width: width, height: height) : nil, bitrate: bitrate, why: "")
        variant.isPlayable = isPlayable
        return variant
    }

    private func page(
        _ variants: [ClipVariant]? = nil, columns: Int = 80, rows: Int = 24, change: (inout Options) -> Void = { _ in }
    ) -> Page {
        var options = Options()
        change(&options)
        let page = Page(columns: columns, rows: rows, options: options)
        page.play()
        page.state.clip.facts?.variants =
            variants ?? [
                variant(640, 360, 700_000), variant(1_280, 720, 2_500_000), variant(0, 0, 64_000, isPlayable: false),
                variant(1_280, 720, 2_500_000), variant(1_920, 1_080, 5_100_000),
            ]
        return page
    }

    private func lines(_ page: Page) -> [String] {
        page.state.qualityEntries.compactMap { entry in
            switch entry {
            case .choice(let text, let key): key.isEmpty ? text : "\(text), \(key)"
            case .text(let text): text
            default: nil
            }
        }
    }

    private func toast(_ page: Page) -> String? { page.state.toasts.current?.text.text }

    private func tuning(_ variant: Int?) -> ClipTuning {
        var tuning = ClipTuning()
        tuning.variant = variant
        return tuning
    }

    @Test func sheetListsWhatTheClipOffersTheBestFirst() {
        let page = page()
        page.type("Q")
        #expect(
            lines(page) == [
                "● Auto", "○ 1080p, 5.1 Mbit/s", "○ 720p, 2.5 Mbit/s", "○ 360p, 700 kbit/s", "○ Data saver, all clips",
            ])
        #expect(page.screen.contains { $0.contains("Quality") } && page.screen.contains { $0.contains("○ 1080p") })
        var figures = Diagnostics()
        figures.variant = variant(640, 360, 700_000)
        page.send(.player("v1", .diagnostics(figures)))
        #expect(lines(page).first == "● Auto (360p)")
        page.type("Q")
        #expect(page.state.view.sheet == nil)
    }

    @Test func chosenVariantIsForTheClip() {
        let page = page()
        page.type("Q")
        page.type("j")
        page.type("j")
        #expect(page.press(.enter) == [.tune("v1", tuning(1))])
        #expect(page.state.view.sheet == nil && toast(page) == "Quality: 720p")
        // The sheet opens at it, and says so.
        page.type("Q")
        #expect(page.state.view.line == 2 && lines(page)[2].hasPrefix("● 720p"))
        #expect(page.press(.enter).isEmpty)
        page.press(.down)
        page.play()
        page.type("Q")
        #expect(lines(page)[1].hasPrefix("● Auto"))
        page.type("Q")
        page.press(.up)
        page.type("Q")
        page.type("g")
        #expect(page.press(.enter) == [.tune("v1", tuning(nil))] && toast(page) == "Quality: auto")
    }

    @Test func dataSaverIsForAllClips() {
        let page = page()
        page.type("Q")
        page.type("G")
        let effects = page.press(.enter)
        #expect(effects.first == .setSavesData(true) && effects.count == 2)
        #expect(toast(page) == "Data saver on")
        page.wait(.seconds(5))
        #expect(page.screen[0].contains("data saver"))
        page.send(.player("v1", .diagnostics(Diagnostics())))
        #expect(page.state.diagnosticEntries.contains(.pair("data saver", "on")))
        // A variant of one clip leaves it on for the others.
        page.type("Q")
        #expect(lines(page).last == "● Data saver, all clips")
        page.type("k")
        #expect(page.press(.enter) == [.tune("v1", tuning(0))])
        page.press(.down)
        page.play()
        page.type("Q")
        #expect(page.state.view.line == 1 && lines(page).last == "● Data saver, all clips")
        page.type("g")
        #expect(page.press(.enter).first == .setSavesData(false))
        #expect(toast(page) == "Data saver off" && !page.screen[0].contains("data saver"))
    }

    @Test func dataSaverReplacesTheChosenVariant() {
        let page = page()
        page.type("Q")
        page.type("G")
        page.type("k")
        #expect(page.press(.enter) == [.tune("v1", tuning(0))])
        page.type("Q")
        page.type("G")
        let effects = page.press(.enter)
        #expect(effects.contains(.tune("v1", tuning(nil))) && effects.contains(.setSavesData(true)))
        page.type("Q")
        #expect(lines(page).last == "● Data saver, all clips")
    }

    @Test func configuredDataSaverHoldsFromTheStart() {
        let page = page { $0.savesData = true }
        #expect(page.state.playback.settings(page.state.options).contains(.setSavesData(true)))
        page.type("Q")
        #expect(lines(page).last == "● Data saver, all clips")
        #expect(!self.page().state.playback.settings(Options()).contains(.setSavesData(false)))
    }

    @Test func clipWithOneVariantSaysSo() {
        for variants in [[], [variant(1_280, 720, 1_000_000)]] {
            let page = page(variants)
            page.type("Q")
            #expect(lines(page) == ["This clip has one quality: 720p.", "● Auto", "○ Data saver, all clips"])
            #expect(page.screen.contains { $0.contains("This clip has one quality: 720p.") })
            page.type("j")
            #expect(page.press(.enter).first == .setSavesData(true))
        }
    }

    @Test func variantsWithoutASizeAreNamedByTheirRate() {
        let page = page([variant(0, 0, 300_000), variant(0, 0, 1_200_000)])
        page.type("Q")
        #expect(lines(page) == ["● Auto", "○ 1.2 Mbit/s", "○ 300 kbit/s", "○ Data saver, all clips"])
    }

    @Test func smallestTerminalShowsAllOfIt() {
        let page = page(columns: 40, rows: 12)
        page.type("Q")
        for words in ["● Auto", "1080p", "5.1 Mbit/s", "360p", "Data saver"] {
            #expect(page.screen.contains { $0.contains(words) }, "\(words)")
        }
    }

    @Test func sheetIsReadAloud() {
        let page = page { $0.isPlain = true }
        page.type("Q")
        #expect(page.state.plainEntries.prefix(2) == ["Auto, selected", "1080p, 5.1 Mbit/s"])
    }

    @Test func menuLeadsThere() {
        let page = page()
        #expect(page.state.menu.contains { $0.action == .quality && $0.text == "Quality…" })
    }

    // MARK: Delays

    @Test func audioIsMovedInSteps() {
        let page = page()
        func tuning(_ milliseconds: Int) -> [Effect] {
            var tuning = ClipTuning()
            tuning.audioDelay = .milliseconds(milliseconds)
            return [.tune("v1", tuning)]
        }
        #expect(page.type(">") == tuning(100) && toast(page) == "Audio 0.1 s later")
        #expect(page.type(">") == tuning(200) && toast(page) == "Audio 0.2 s later")
        #expect(page.state.diagnosticEntries.contains(.pair("audio delay", "0.2 s later")))
        page.type("<")
        #expect(page.type("<") == tuning(0) && toast(page) == "Audio in sync")
        #expect(page.type("<") == tuning(-100) && toast(page) == "Audio 0.1 s earlier")
        for _ in 0..<40 { page.type("<") }
        #expect(toast(page) == "Audio 2.0 s earlier" && page.type("<").isEmpty)
        // Another clip has its own.
        page.press(.down)
        page.play()
        #expect(page.type(">") == [.tune(page.state.currentID ?? "", page.state.tuning)])
        #expect(toast(page) == "Audio 0.1 s later")
        page.state.clip.facts?.hasVideo = false
        #expect(page.type(">").isEmpty && toast(page) == "This clip has only audio")
        page.state.clip.facts?.hasAudio = false
        #expect(page.type(">").isEmpty && toast(page) == "No audio")
    }
}
