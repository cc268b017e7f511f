import Model
import Testing

@testable import Screen

@Suite struct PictureModeChoiceTests {
    private struct Case {
        var environment: [String: String]
        var version: String?
        var mode: PictureMode
        var reason: PictureModeReason
    }

    private func decision(
        _ environment: [String: String], version: String? = nil, wanted: PictureMode? = nil, isECMA48: Bool = true,
        hasWayForPixels: Bool = false, pixels: PixelAnswers = PixelAnswers()
    ) -> (mode: PictureMode, reason: PictureModeReason) {
        let environment = TerminalEnvironment(environment)
        return PictureModeChoice(
            wanted: wanted, environment: environment, isECMA48: isECMA48,
            isUnicode: isECMA48 && environment.hasUnicode, hasWayForPixels: hasWayForPixels, pixels: pixels,
            version: version
        ).decision
    }

    @Test(arguments: [
        ("XTerm(379)", false), ("mlterm(3.9.3)", false), ("kitty(0.42.1)", true), ("VTE(5202)", true),
        ("unknown 1", true), (nil, true),
    ])
    func terminalsThatDrawWithTheFontHaveNoFullBlocks(_ version: String?, _ areFull: Bool) {
        let choice = PictureModeChoice(
            wanted: nil, environment: TerminalEnvironment(["TERM": "xterm-256color"]), isECMA48: true, isUnicode: true,
            version: version)
        #expect(choice.hasFullBlocks == areFull)
    }

    @Test func bestKnownPictureModeIsChosen() {
        let xterm = ["TERM": "xterm-256color"]
        let cases = [
            // By the terminal's own report.
            Case(environment: xterm, version: "kitty(0.42.1)", mode: .octant, reason: .known("kitty 0.42.1")),
            Case(environment: xterm, version: "kitty(0.40.0)", mode: .octant, reason: .known("kitty 0.40.0")),
            Case(environment: xterm, version: "kitty(0.39.1)", mode: .sextant, reason: .known("kitty 0.39.1")),
            Case(environment: xterm, version: "foot(1.20.0)", mode: .octant, reason: .known("foot 1.20.0")),
            Case(environment: xterm, version: "foot(1.16.2)", mode: .sextant, reason: .known("foot 1.16.2")),
            Case(environment: xterm, version: "foot(1.6.4)", mode: .quadrant, reason: .known("foot 1.6.4")),
            Case(environment: xterm, version: "ghostty 1.2.0", mode: .octant, reason: .known("ghostty 1.2.0")),
            Case(environment: xterm, version: "ghostty 1.1.3", mode: .sextant, reason: .known("ghostty 1.1.3")),
            Case(environment: xterm, version: "VTE(7802)", mode: .octant, reason: .known("VTE 7802")),
            Case(environment: xterm, version: "VTE(7600)", mode: .sextant, reason: .known("VTE 7600")),
            Case(environment: xterm, version: "VTE(5202)", mode: .quadrant, reason: .known("VTE 5202")),
            Case(
                environment: xterm, version: "WezTerm 20240203-110809-5046fc22", mode: .sextant,
                reason: .known("WezTerm 20240203")),
            Case(environment: xterm, version: "Konsole 23.08.1", mode: .quadrant, reason: .known("Konsole 23.8.1")),
            Case(environment: xterm, version: "iTerm2 3.5.0", mode: .quadrant, reason: .known("iTerm2 3.5.0")),
            Case(
                environment: xterm, version: "contour 0.3.12.262", mode: .sextant, reason: .known("contour 0.3.12.262")),
            Case(environment: xterm, version: "mintty 3.6.1", mode: .quadrant, reason: .known("mintty 3.6.1")),
            Case(environment: xterm, version: "XTerm(379)", mode: .half, reason: .unicode),
            Case(environment: xterm, version: "mlterm(3.9.3)", mode: .half, reason: .unicode),
            Case(environment: xterm, version: "tmux 3.5a", mode: .half, reason: .unicode),
            Case(environment: xterm, version: "kittycat(9.9)", mode: .half, reason: .unicode),
            Case(environment: xterm, version: "", mode: .half, reason: .unicode),
            Case(environment: xterm, version: "kitty", mode: .sextant, reason: .known("kitty")),
            Case(environment: xterm, version: "kitty(99999999999999999999)", mode: .sextant, reason: .known("kitty")),
            // By the environment, before it has said so.
            Case(environment: xterm, mode: .half, reason: .unicode),
            Case(environment: ["TERM": "xterm-kitty"], mode: .sextant, reason: .known("kitty")),
            Case(environment: ["TERM": "foot"], mode: .quadrant, reason: .known("foot")),
            Case(environment: ["TERM": "foot-extra"], mode: .quadrant, reason: .known("foot")),
            Case(environment: ["TERM": "alacritty"], mode: .quadrant, reason: .known("alacritty")),
            Case(
                environment: ["TERM": "xterm-ghostty", "TERM_PROGRAM": "ghostty", "TERM_PROGRAM_VERSION": "1.2.3"],
                mode: .octant, reason: .known("ghostty 1.2.3")),
            Case(
                environment: [
                    "TERM": "xterm-256color", "TERM_PROGRAM": "WezTerm", "TERM_PROGRAM_VERSION": "20240203-110809",
                ],
                mode: .sextant, reason: .known("WezTerm 20240203")),
            Case(
                environment: ["TERM": "xterm-256color", "TERM_PROGRAM": "iTerm.app", "TERM_PROGRAM_VERSION": "3.5.0"],
                mode: .quadrant, reason: .known("iTerm2 3.5.0")),
            Case(
                environment: ["TERM": "xterm-256color", "TERM_PROGRAM": "Apple_Terminal", "VTE_VERSION": "7802"],
                mode: .half, reason: .unicode),
            Case(environment: xterm.merging(["VTE_VERSION": "7802"]) { $1 }, mode: .octant, reason: .known("VTE 7802")),
            Case(
                environment: xterm.merging(["VTE_VERSION": "6800"]) { $1 }, mode: .sextant, reason: .known("VTE 6800")),
            Case(
                environment: xterm.merging(["KONSOLE_VERSION": "230801"]) { $1 }, mode: .quadrant,
                reason: .known("Konsole 230801")),
            Case(
                environment: xterm.merging(["WT_SESSION": "9d9ffb5e"]) { $1 }, mode: .quadrant,
                reason: .known("Windows Terminal")),
            // A terminal that was started from another one has that one's variables.
            Case(
                environment: ["TERM": "alacritty", "VTE_VERSION": "7802"], mode: .quadrant, reason: .known("alacritty")),
            Case(
                environment: ["TERM": "xterm-kitty", "TERM_PROGRAM": "vscode", "TERM_PROGRAM_VERSION": "1.99"],
                mode: .sextant, reason: .known("kitty")),
            Case(
                environment: xterm.merging(["VTE_VERSION": "7802"]) { $1 }, version: "XTerm(379)", mode: .half,
                reason: .unicode),
            Case(environment: ["TERM": "rxvt", "VTE_VERSION": "7802"], mode: .half, reason: .unicode),
            // What is around a multiplexer is not known.
            Case(environment: ["TERM": "tmux-256color"], version: "tmux 3.3a", mode: .half, reason: .multiplexed),
            Case(
                environment: ["TERM": "xterm-kitty", "TMUX": "/tmp/t"], version: "kitty(0.42.1)", mode: .half,
                reason: .multiplexed),
            Case(environment: ["TERM": "screen", "VTE_VERSION": "7802"], mode: .half, reason: .multiplexed),
            // Without Unicode there are no blocks.
            Case(
                environment: ["TERM": "xterm-kitty", "LC_ALL": "de_DE.ISO-8859-1"], version: "kitty(0.42.1)",
                mode: .ascii,
                reason: .localeWithoutUnicode),
            Case(environment: ["TERM": "vt220"], mode: .ascii, reason: .terminalWithoutUnicode),
        ]
        for each in cases {
            let found = decision(each.environment, version: each.version)
            #expect(
                found.mode == each.mode && found.reason == each.reason,
                "\(each.environment) \(each.version ?? "-"): \(found)")
        }
    }

    private func mode(
        _ version: String, _ pixels: PixelAnswers, way: Bool = true, wanted: PictureMode? = nil
    ) -> PictureMode {
        decision(["TERM": "xterm"], version: version, wanted: wanted, hasWayForPixels: way, pixels: pixels).mode
    }

    @Test func kittysPixelsAreTakenFromThisMachinesMemoryAndElseFromNearBy() {
        let shared = PixelAnswers(hasKittyImages: true, areShared: true)
        let near = PixelAnswers(hasKittyImages: true, isNear: true)
        let far = PixelAnswers(hasKittyImages: true)
        let late = PixelAnswers(hasKittyImages: true, isNear: true, areLate: true)
        #expect(mode("kitty(0.26.5)", shared) == .kitty)
        #expect(mode("kitty(0.26.5)", shared, wanted: .half) == .half)
        #expect(mode("kitty(0.26.5)", shared, way: false) == .sextant)
        #expect(mode("kitty(0.26.5)", near) == .kitty)
        #expect(mode("kitty(0.26.5)", far) == .sextant)
        #expect(mode("kitty(0.26.5)", far, wanted: .kitty) == .kitty)
        #expect(mode("kitty(0.26.5)", late) == .sextant)
        #expect(mode("kitty(0.26.5)", late, wanted: .kitty) == .kitty)
        #expect(mode("kitty(0.26.5)", PixelAnswers(hasKittyImages: true, areShared: true, areLate: true)) == .kitty)
        #expect(mode("kitty(0.26.5)", PixelAnswers(isNear: true)) == .sextant)
        #expect(mode("ghostty 1.2.0", near) == .kitty)
        // These answer as well, but have not been tried.
        #expect(mode("WezTerm 20240203-110809-5046fc22", near) == .sextant)
        #expect(mode("Konsole 23.08.1", shared) == .quadrant)
    }

    @Test func sixelsRequireALocalTestedTerminal() {
        let near = PixelAnswers(sixelColors: 256, isNear: true)
        #expect(mode("XTerm(379)", near) == .sixel)
        #expect(mode("XTerm(366)", near) == .half)
        #expect(mode("foot(1.13.1)", near) == .sextant)
        #expect(mode("WezTerm 20240203-110809-5046fc22", near) == .sextant)
        #expect(mode("kitty(0.26.5)", near) == .sextant)
        #expect(mode("XTerm(379)", PixelAnswers(sixelColors: 256)) == .half)
        #expect(mode("XTerm(379)", PixelAnswers(sixelColors: 16, isNear: true)) == .half)
        #expect(mode("XTerm(379)", PixelAnswers(isNear: true)) == .half)
        #expect(mode("XTerm(379)", PixelAnswers(sixelColors: 256, isNear: true, areLate: true)) == .half)
        #expect(mode("XTerm(379)", near, way: false) == .half)
    }

    /// A terminal with sixteen colours may have more, if it is asked before it is decided.
    @Test func moreColorsAreAskedForWhereSixelsWouldBeTaken() {
        func wants(_ version: String, isNear: Bool = true, wanted: PictureMode? = nil) -> Bool {
            PictureModeChoice(
                wanted: wanted, environment: TerminalEnvironment(["TERM": "xterm"]), isECMA48: true, isUnicode: true,
                hasWayForPixels: true, pixels: PixelAnswers(sixelColors: 16, isNear: isNear), version: version
            ).wantsSixelColors
        }
        #expect(wants("XTerm(379)") && wants("unknown", isNear: false, wanted: .sixel))
        #expect(!wants("XTerm(379)", isNear: false) && !wants("unknown") && !wants("XTerm(379)", wanted: .half))
    }

    @Test(arguments: [PictureMode.kitty, .sixel, .iterm2])
    func pixelsNeedAWayToTheTerminal(mode: PictureMode) {
        let found = decision(["TERM": "xterm"], wanted: mode, hasWayForPixels: true)
        #expect(found.mode == mode && found.reason == .asked)
        let held = decision(["TERM": "tmux", "TMUX": "x"], wanted: mode)
        #expect(held.mode == .half && held.reason == .noWayForPixels)
    }

    @Test func misplacedOctantsAreNeverTaken() {
        func choice(_ wanted: PictureMode?, _ environment: [String: String]) -> PictureModeChoice {
            PictureModeChoice(
                wanted: wanted, environment: TerminalEnvironment(environment), isECMA48: true, isUnicode: true,
                hasOctants: false, version: "kitty(0.42.1)")
        }
        let tmux = choice(.octant, ["TERM": "tmux-256color", "TMUX": "x"]).decision
        #expect(tmux.mode == .half && tmux.reason == .misplacedOctants)
        let kitty = choice(nil, ["TERM": "xterm-kitty"]).decision
        #expect(kitty.mode == .sextant && kitty.reason == .known("kitty 0.42.1"))
        #expect(choice(.sextant, ["TERM": "xterm-kitty"]).decision.mode == .sextant)
    }

    @Test(arguments: PictureMode.ofGlyphs)
    func explicitPictureModeIsUsed(mode: PictureMode) {
        for environment in [
            ["TERM": "xterm"], ["TERM": "tmux", "TMUX": "x"], ["TERM": "xterm", "LC_ALL": "C.latin1"],
        ] {
            let found = decision(environment, version: "kitty(0.42.1)", wanted: mode)
            #expect(found.mode == mode && found.reason == .asked)
        }
        let old = decision(["TERM": "wyse60"], wanted: mode, isECMA48: false)
        #expect(old.mode == .ascii)
        #expect(old.reason == (mode == .ascii ? .asked : .terminalWithoutUnicode))
    }
}
