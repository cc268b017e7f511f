import Model
import TermGraphics

/// The queries that are sent once, in one write, when the terminal is taken over. Nothing waits for the answers.
enum TerminalQueries {
    /// A terminal on this machine answers within this time, if not always on a busy one.
    static let nearTime: Duration = .milliseconds(50)

    /// The numbers that identify the answers to the questions about pictures.
    static let graphicsID = 31
    static let memoryID = 32

    /// OSC 11: the background's colour.
    private static let backgroundQuestion = "\u{1B}]11;?\u{1B}\\"
    /// The query to a terminal whose colours have changed; DA1 is the last question again.
    static let colorQuestions = Array((backgroundQuestion + deviceAttributes).utf8)
    /// DA1.
    fileprivate static let deviceAttributes = "\u{1B}[c"

    /// The questions to a terminal that has reported sixels (XTSMGRAPHICS).
    ///
    /// - Parameter wanted: the number of colours to set, if the terminal can; nil leaves it unchanged.
    fileprivate static func sixelQuestions(wanted: Int?) -> String {
        let set = wanted.map { "\u{1B}[?1;3;\($0)S" } ?? ""
        return set + "\u{1B}[?1;1;0S\u{1B}[?2;1;0S"
    }

    /// An octant in a separate row, and the position of the cursor after it (CPR): a terminal
    /// that does not know the character's width, such as tmux 3.3a, leaves the cursor where
    /// it was. The row is not the first, as `CSI 1 ; 2 R` is a key too; it is cleared again.
    private static let octantQuestion = "\u{1B}7\u{1B}[\(octantRow);1H\u{1CD00}\u{1B}[6n\r\u{1B}[K\u{1B}8"
    static let octantRow = 3

    /// The bytes to send; empty where a terminal would print them. DA1 is last: every terminal since the VT100 answers
    /// it, and in order.
    ///
    /// - Parameter memory: the name of an object of three bytes in shared memory, for the terminal to find.
    static func questions(environment: TerminalEnvironment, memory: String? = nil) -> [UInt8] {
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
        if environment.hasUnicode { text += octantQuestion }
        // The background's colour.
        text += backgroundQuestion
        if environment.passesStrings {
            // A pixel of kitty's graphics protocol, which the terminal
            // does not store: once inline, once in shared memory.
            text += "\u{1B}_Gi=\(graphicsID),s=1,v=1,a=q,t=d,f=24;AAAA\u{1B}\\"
            if let memory { text += memoryQuestion(memory) }
        }
        return Array((text + deviceAttributes).utf8)
    }

    /// - Parameter memory: as for `questions`.
    fileprivate static func memoryQuestion(_ memory: String) -> String {
        var name = ByteBuffer(capacity: 64)
        name.appendBase64(memory)
        let base64 = name.withUnsafeBytes { String(decoding: $0, as: UTF8.self) }
        return "\u{1B}_Gi=\(memoryID),s=1,v=1,a=q,t=s,f=24,S=3;\(base64)\u{1B}\\"
    }
}

/// The questions that follow from the terminal's answers, each asked once. A value.
struct FurtherQuestions {
    private var hasAskedForSixels = false
    /// And for enough colours to show pictures with.
    private var hasAskedForSixelColors = false
    private var hasAskedForMemory = false

    /// The bytes to send, with DA1 as the last question again; empty if there is nothing to ask.
    ///
    /// - Parameters:
    ///   - hasSixel: the terminal has said that it has sixels.
    ///   - wantsColors: pictures are to be shown with them. The number of colours stays: at the end, the answer to
    ///     another request would come to the shell.
    ///   - memory: makes another object, if the terminal looked for the first one after it was removed: one that has
    ///     just begun may be slow. Returns its name.
    mutating func next(hasSixel: Bool, wantsColors: Bool, memory: (() -> String?)?) -> [UInt8] {
        var text = ""
        if !hasAskedForMemory, let name = memory?() {
            hasAskedForMemory = true
            text += TerminalQueries.memoryQuestion(name)
        }
        if hasSixel, !hasAskedForSixels || wantsColors && !hasAskedForSixelColors {
            (hasAskedForSixels, hasAskedForSixelColors) = (true, wantsColors)
            text += TerminalQueries.sixelQuestions(wanted: wantsColors ? 256 : nil)
        }
        return text.isEmpty ? [] : Array((text + TerminalQueries.deviceAttributes).utf8)
    }
}

/// The questions for the terminal's status (DSR, ECMA-48 8.3.35) that were sent
/// with updates, and their answers. A value.
struct StatusReports {
    /// "Device status, please"; the answer is `CSI 0 n`.
    static let bytes = Array("\u{1B}[5n".utf8)

    /// How many answers have come.
    private(set) var answers = 0
    /// How many answers may still come.
    private(set) var open = 0
    private var lastAsked = ContinuousClock.now

    mutating func asked(now: ContinuousClock.Instant) {
        open += 1
        lastAsked = now
    }

    mutating func answered() {
        answers += 1
        open = max(open - 1, 0)
    }

    /// Earlier questions will not be answered any more, or their answers are useless.
    mutating func forget() { open = 0 }

    /// When the last question that may still be answered was sent; nil without one.
    var lastOpen: ContinuousClock.Instant? { open > 0 ? lastAsked : nil }
}
