import Model
import Screen

extension Checkup {
    /// Who writes the screen, what pictures are drawn with, and why.
    @MainActor
    static func output(of terminal: Terminal) -> Checkup {
        let why =
            switch terminal.outputReason {
            case .asked: "as configured"
            case .notECMA48: "as the terminal does not speak ECMA-48"
            case .colorsBeyondTerminfo: "as terminfo has no way to the configured colours"
            case .characters: "for pictures of characters"
            case .pixels: "for pictures of pixels"
            case .newCharacters: "for characters that ncurses may not know"
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
            subject: "output", verdict: .good, found: "\(terminal.output.rawValue), \(why); pictures of \(pictures), ",
            advice: nil)
        switch terminal.pictureModeReason {
        case .asked: checkup.found += "as configured"
        case .unicode: checkup.found += "as the terminal shows Unicode, and is not known to draw finer blocks"
        case .known(let terminal): checkup.found += "as \(terminal) draws them"
        case .multiplexed: checkup.found += "as the terminal around tmux or screen may draw no finer ones"
        case .noWayForPixels:
            checkup.found += "as pixels do not get to the terminal"
            checkup.verdict = .limited
            checkup.advice = "pixels need a terminal like xterm, without tmux or screen in between"
        case .terminalWithoutUnicode:
            checkup.found += "as the terminal has no Unicode"
            checkup.verdict = .limited
        case .localeWithoutUnicode:
            checkup.found += "as the locale is not UTF-8"
            checkup.verdict = .limited
            checkup.advice = "if the terminal shows Unicode, set LC_ALL=C.UTF-8, or pass --surface half"
        }
        return checkup
    }

    /// Which pixels the terminal shows, as far as it says, and how to get them where they are not taken.
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
                subject: "pixels", verdict: .limited, found: "not asked for: tmux or screen is in between", advice: nil)
        }
        guard !ways.isEmpty else {
            return Checkup(
                subject: "pixels", verdict: .limited,
                found: "none: the terminal answers neither to kitty's protocol nor that it has sixel", advice: nil)
        }
        var checkup = Checkup(
            subject: "pixels", verdict: .good, found: ways.joined(separator: "; "), advice: nil)
        guard !terminal.pictureMode.hasPixels, terminal.pictureModeReason != .asked else { return checkup }
        let name = capabilities.hasKittyGraphics == true ? PictureMode.kitty : .sixel
        if capabilities.isRemote {
            checkup.found += "; blocks take a twentieth of their bytes on the way from this machine to the terminal"
        }
        checkup.advice = "--surface \(name.rawValue) shows pictures with them"
        return checkup
    }
}
