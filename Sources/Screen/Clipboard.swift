#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// The clipboard of the machine that the terminal runs on, which need not be flick's.
enum Clipboard {
    /// OSC 52 (xterm's "Manipulate Selection Data"): sets the clipboard to `text`. Terminals that do not know it, or may not, ignore it.
    /// Tried: kitty, foot, WezTerm, Alacritty take it; tmux does with `set-clipboard on`.
    static func copying(_ text: String) -> [UInt8] {
        Array("\u{1B}]52;c;\(Data(text.utf8).base64EncodedString())\u{1B}\\".utf8)
    }
}
