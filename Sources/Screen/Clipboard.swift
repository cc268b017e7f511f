#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// The clipboard of the machine that the terminal runs on, which need not be flick's.
public enum Clipboard {
    /// The result of copying a text.
    public enum Outcome: Sendable, Equatable {
        /// The terminal says that it takes such texts.
        case taken
        /// It was sent, but the terminal does not say what it does with it.
        case sent
        /// The terminal would print it, so it was not sent.
        case refused
    }

    /// The attribute of DA1 by which a terminal says that OSC 52 writes to its clipboard, and that the user allows it
    /// (contour-terminal/vt-extensions, clipboard-extension.md; Contour, ghostty, Windows Terminal and others send it).
    static let attribute = 52

    /// OSC 52 (xterm's "Manipulate Selection Data"): sets the clipboard to `text`. Terminals that do not know it, or
    /// may not, ignore it. Tried: kitty, foot, WezTerm, Alacritty take it; tmux does with `set-clipboard on`.
    static func copying(_ text: String) -> [UInt8] {
        Array("\u{1B}]52;c;\(Data(text.utf8).base64EncodedString())\u{1B}\\".utf8)
    }
}

extension Terminal {
    /// Puts text on the clipboard of the machine that the terminal runs on.
    /// Sends nothing to terminals that would print it.
    public func copy(_ text: String) -> Clipboard.Outcome {
        guard modes.terminfo.isXtermLike else { return .refused }
        write(Clipboard.copying(text))
        return capabilities.attributes.contains(Clipboard.attribute) ? .taken : .sent
    }
}
