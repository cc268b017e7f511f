import Model

/// The questions that are asked once, in one write, when the terminal is taken over. Nothing waits for the answers.
enum TerminalQueries {
    /// After this long no answer is expected any more; later ones are still understood.
    static let timeLimit: Duration = .milliseconds(100)

    /// The bytes to send; empty where a terminal would print them. DA1 is last: every terminal since the VT100 answers it, and in order.
    static func questions(environment: TerminalEnvironment) -> [UInt8] {
        let deviceAttributes = "\u{1B}[c"
        // The console and real terminals know nothing of the rest and may show it.
        if environment.isDECTerminal { return Array(deviceAttributes.utf8) }
        if environment.isLinuxConsole || ["ansi", "cygwin"].contains(environment.term) { return [] }
        var text = ""
        // DECRQM for mode 2026. Terminal.app and old Konsoles end the sequence at the `$` and print the `p`.
        let printsMode = environment["TERM_PROGRAM"] == "Apple_Terminal" || environment["KONSOLE_VERSION"] != nil
        if !printsMode { text += "\u{1B}[?2026$p" }
        // XTVERSION; Terminal.app prints the `q`.
        if environment["TERM_PROGRAM"] != "Apple_Terminal" { text += "\u{1B}[>q" }
        // The text area and a cell in pixels, the text area in cells (XTWINOPS). tmux answers for itself, wrongly.
        if !environment.isMultiplexed { text += "\u{1B}[14t\u{1B}[16t\u{1B}[18t" }
        // The background's colour.
        text += "\u{1B}]11;?\u{1B}\\"
        return Array((text + deviceAttributes).utf8)
    }
}
