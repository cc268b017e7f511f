import Model
import Screen

extension Checkup {
    /// Who writes the screen, what pictures are drawn with, and why.
    @MainActor
    static func output(of terminal: Terminal) -> Checkup {
        let why =
            switch terminal.outputReason {
            case .asked: "as configured"
            case .notECMA48: "the terminal does not support ECMA-48"
            case .colorsBeyondTerminfo: "terminfo cannot set the configured colours"
            case .characters: "for block graphics"
            case .pixels: "for pixel graphics"
            case .newCharacters: "for characters unknown to ncurses"
            case .manyColors: "for 256 colours or more"
            case .fewColors: "for 16 colours or none"
            }
        let pictures =
            switch terminal.pictureMode {
            case .ascii: "ASCII"
            case .kitty: "pixels (kitty's protocol)"
            case .sixel: "pixels (sixel)"
            case .iterm2: "pixels (iTerm2's files)"
            case .braille: "braille"
            case .half: "half blocks"
            case .quadrant: "quadrants"
            case .sextant: "sextants"
            case .octant: "octants"
            }
        var checkup = Checkup(
            subject: "output", verdict: .good, found: "\(terminal.output.rawValue), \(why); frames in \(pictures), ",
            advice: nil)
        switch terminal.pictureModeReason {
        case .asked: checkup.found += "as configured"
        case .unicode: checkup.found += "the terminal shows Unicode but finer blocks are not known to work"
        case .known(let terminal): checkup.found += "as \(terminal) draws them"
        case .multiplexed: checkup.found += "the outer terminal may not draw finer ones"
        case .noWayForPixels:
            checkup.found += "pixel graphics do not reach the terminal"
            checkup.verdict = .limited
            checkup.advice = "pixel graphics need a terminal such as kitty or xterm, without tmux or screen"
        case .misplacedOctants:
            checkup.found += "octants are not one cell wide here"
            checkup.verdict = .limited
            checkup.advice = "use a terminal that supports Unicode 16, outside old versions of tmux and screen"
        case .terminalWithoutUnicode:
            checkup.found += "the terminal has no Unicode"
            checkup.verdict = .limited
        case .localeWithoutUnicode:
            checkup.found += "the locale is not UTF-8"
            checkup.verdict = .limited
            checkup.advice = "if the terminal shows Unicode, set LC_ALL=C.UTF-8, or pass --surface half"
        }
        return checkup
    }

    /// Which pixel protocols the terminal reports, and how to enable them where it does not.
    @MainActor
    static func pixels(of terminal: Terminal) -> Checkup {
        let capabilities = terminal.capabilities
        var ways: [String] = []
        if capabilities.hasKittyGraphics == true {
            ways.append(
                "kitty's protocol, " + (capabilities.readsSharedMemory == true ? "through shared memory" : "compressed")
            )
        }
        if capabilities.hasSixel {
            let colors = capabilities.sixelColors.map { " of \($0) colours" } ?? ""
            ways.append("sixel" + colors)
        }
        if capabilities.isMultiplexed {
            return Checkup(
                subject: "pixels", verdict: .limited, found: "off inside tmux or screen", advice: nil)
        }
        guard !ways.isEmpty else {
            return Checkup(
                subject: "pixels", verdict: .limited,
                found: "none: the terminal supports neither the kitty protocol nor sixel", advice: nil)
        }
        var checkup = Checkup(
            subject: "pixels", verdict: .good, found: ways.joined(separator: "; "), advice: nil)
        guard !terminal.pictureMode.hasPixels, terminal.pictureModeReason != .asked else { return checkup }
        let name = capabilities.hasKittyGraphics == true ? PictureMode.kitty : .sixel
        if capabilities.isRemote {
            checkup.found += "; blocks need a twentieth of the bandwidth"
        }
        checkup.advice = "--surface \(name.rawValue) uses them"
        return checkup
    }
}
