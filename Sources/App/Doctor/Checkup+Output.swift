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
            case .manyColors: "for 256 colours or more"
            case .fewColors: "for 16 colours or none"
            }
        let pictures =
            switch terminal.pictureMode {
            case .half: "half blocks"
            case .ascii: "ASCII"
            }
        var checkup = Checkup(
            subject: "output", verdict: .good, found: "\(terminal.output.rawValue), \(why); pictures of \(pictures), ",
            advice: nil)
        switch terminal.pictureModeReason {
        case .asked: checkup.found += "as configured"
        case .unicode: checkup.found += "as the terminal shows Unicode"
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
}
