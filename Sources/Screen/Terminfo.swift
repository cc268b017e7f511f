internal import CNcurses
import Model
import TerminalInput

/// The terminal's description, read through ncurses once and stored as values.
struct Terminfo {
    var facts: TerminfoFacts
    var keys: [[UInt8]: Key]
    /// Leaves the alternate screen (rmcup); nil if the description has no such string.
    var leave: [UInt8]?
    var showCursor: [UInt8]
    /// Keypad and cursor keys no longer send what `keys` says (rmkx).
    var keypadOff: [UInt8]
    var clear: [UInt8]
    var resetStyle: [UInt8]
    /// It speaks xterm's private modes (mouse, paste, synchronised update), as nearly all do.
    var isXtermLike: Bool
    /// Some keys send control characters (Down sends `^J` on a Wyse 60), which
    /// `InputParser` cannot distinguish from typed ones: ncurses reads the keys.
    var hasControlCharacterKeys: Bool
    /// Mouse on and off (`XM`), where the description has it.
    var mouseOn: [UInt8]
    var mouseOff: [UInt8]
    /// Resets the palette (`oc`).
    var resetPalette: [UInt8]

    var isECMA48: Bool { facts.isECMA48 }

    /// ncurses keeps one description for the process: call on the main thread.
    @MainActor
    static func load(_ name: String, descriptor: Int32) throws(ScreenError) -> Terminfo {
        guard !name.isEmpty else { throw .unknownTerminal("") }
        switch flick_terminfo_load(name, descriptor) {
        case 1: break
        case 0: throw .unknownTerminal(name)
        default: throw .noDatabase
        }
        guard let move = string("cup"), !move.isEmpty, name != "dumb" else { throw .dumbTerminal(name) }

        var keys: [[UInt8]: Key] = [:]
        for (capability, key) in spellings {
            if let bytes = string(capability), bytes.count > 1 { keys[bytes] = key }
        }
        let isECMA48 = move.starts(with: Array("\u{1B}[".utf8))
        let arrows = ["kcuu1", "kcud1", "kcub1", "kcuf1"].compactMap { string($0) }
        let facts = TerminfoFacts(
            colors: Int(flick_terminfo_number("colors")),
            hasDirectColor: flick_terminfo_flag("RGB") != 0 || flick_terminfo_flag("Tc") != 0,
            // Other spellings are run-length codes of real terminals, which flick does not write.
            hasRepeat: string("rep")?.last == UInt8(ascii: "b"), isECMA48: isECMA48)
        return Terminfo(
            facts: facts, keys: keys, leave: string("rmcup"), showCursor: string("cnorm") ?? [],
            keypadOff: string("rmkx") ?? [], clear: string("clear") ?? [], resetStyle: string("sgr0") ?? [],
            isXtermLike: isECMA48 && !name.hasPrefix("vt") && !name.hasPrefix("linux") && name != "ansi"
                && name != "cygwin",
            hasControlCharacterKeys: arrows.contains { $0.first != 0x1B }, mouseOn: string("XM", with: 1) ?? [],
            mouseOff: string("XM", with: 0) ?? [], resetPalette: string("oc") ?? [])
    }

    /// What plain mode needs of a description: how keys are spelled. It sends none of the rest. Of a terminal that
    /// nothing is known of, those keys are understood that nearly all spell alike.
    @MainActor
    static func ofKeys(_ name: String, descriptor: Int32) -> Terminfo {
        var plain = Terminfo(
            facts: TerminfoFacts(), keys: [:], leave: nil, showCursor: [], keypadOff: [], clear: [], resetStyle: [],
            isXtermLike: false, hasControlCharacterKeys: false, mouseOn: [], mouseOff: [], resetPalette: [])
        do { plain.keys = try load(name, descriptor: descriptor).keys } catch { plain.keys = [:] }
        return plain
    }

    private static let spellings: [(String, Key)] =
        [
            ("kcuu1", .up), ("kcud1", .down), ("kcub1", .left), ("kcuf1", .right), ("kLFT", .shiftLeft),
            ("kRIT", .shiftRight), ("kLFT3", .altLeft), ("kRIT3", .altRight), ("kpp", .pageUp), ("knp", .pageDown),
            ("khome", .home), ("kend", .end), ("kent", .enter), ("kdch1", .delete), ("kich1", .insert),
            ("kbs", .backspace),
            ("kcbt", Key(.tab, .shift)),
        ] + (1...12).map { ("kf\($0)", .function($0)) }

    @MainActor
    private static func string(_ capability: String) -> [UInt8]? {
        guard let text = flick_terminfo_string(capability) else { return nil }
        // Descriptions are ASCII; a broken one becomes U+FFFD here, and does nothing.
        return withoutPadding(Array(String(cString: text).utf8))
    }

    @MainActor
    private static func string(_ capability: String, with parameter: Int32) -> [UInt8]? {
        flick_terminfo_expand(capability, parameter).map { withoutPadding(Array(String(cString: $0).utf8)) }
    }

    /// terminfo(5): `$<5*/>` asks for a pause that no terminal of today needs.
    static func withoutPadding(_ bytes: [UInt8]) -> [UInt8] {
        var result: [UInt8] = []
        var index = 0
        while index < bytes.count {
            if bytes[index...].starts(with: [0x24, 0x3C]), let end = bytes[index...].firstIndex(of: 0x3E) {
                index = end + 1
            } else {
                result.append(bytes[index])
                index += 1
            }
        }
        return result
    }
}
