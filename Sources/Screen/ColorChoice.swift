import Model

/// How many colours to use, from what the environment and terminfo say. Wrong
/// guesses are cheap one way only: a terminal that does not know `38;2;…` may print
/// nonsense, one that does shows 256 colours well. So truecolor needs a reason.
enum ColorChoice {
    static func mode(environment: TerminalEnvironment, terminfo: TerminfoFacts) -> ColorMode {
        // no-color.org: any value but the empty one.
        if environment["NO_COLOR"] != nil { return .mono }
        // A description without colours takes precedence over an inherited
        // COLORTERM: vt100 would show the parameters' effect as blinking.
        if terminfo.colors >= 0, terminfo.colors < 8 { return .mono }
        if terminfo.colors < 0, !terminfo.hasDirectColor { return .mono }
        // It takes 24 bits and shows sixteen colours.
        if environment.isLinuxConsole { return .palette16 }
        if let named = environment["COLORTERM"], named == "truecolor" || named == "24bit" { return .truecolor }
        if terminfo.hasDirectColor || environment.term.hasSuffix("-direct") || terminfo.colors >= 1 << 24 {
            return .truecolor
        }
        if !environment.isMultiplexed, isKnownForTruecolor(environment) { return .truecolor }
        return terminfo.colors >= 256 ? .palette256 : .palette16
    }

    /// Inside tmux these are inherited from whatever started its server, so they say nothing there.
    private static func isKnownForTruecolor(_ environment: TerminalEnvironment) -> Bool {
        let terms = ["xterm-kitty", "xterm-ghostty", "foot", "alacritty", "wezterm", "contour", "rio", "mintty"]
        if terms.contains(where: environment.term.hasPrefix) { return true }
        let programs = ["iTerm.app", "WezTerm", "ghostty", "vscode", "mintty", "rio", "WarpTerminal", "Hyper", "Tabby"]
        if let program = environment["TERM_PROGRAM"], programs.contains(program) { return true }
        // VTE since 0.36, which prints its version as 3600.
        if let version = environment["VTE_VERSION"].flatMap({ Int($0) }), version >= 3600 { return true }
        return environment["KONSOLE_VERSION"] != nil || environment["WT_SESSION"] != nil
    }

    /// By the terminal's name for itself (XTVERSION).
    static func isKnownForTruecolor(version: String) -> Bool {
        let names = [
            "kitty", "foot", "WezTerm", "iTerm2", "ghostty", "contour", "mintty", "Konsole", "VTE", "XTerm", "rio",
            "mlterm",
        ]
        return names.contains { version.lowercased().hasPrefix($0.lowercased()) }
    }
}

extension ColorMode {
    /// What suits the terminal that the environment describes, determined without querying the terminal.
    @MainActor
    public static func suiting(_ environment: TerminalEnvironment) -> ColorMode {
        do throws(ScreenError) {
            let terminfo = try Terminfo.load(environment.term, descriptor: 1)
            return ColorChoice.mode(environment: environment, terminfo: terminfo.facts)
        } catch {
            // No terminal, or an unknown one: as little as possible is assumed.
            return .mono
        }
    }
}
