import Model

/// The default keys and the words that describe them. The help sheet, docs/keys.md, the README's table and the man page
/// are made from this table.
public enum KeyTable {
    /// Actions that are described in one line, such as "slower, faster".
    public struct Row: Sendable {
        public var actions: [Action]
        /// The names of keys that cannot be bound anew: those of text fields.
        var fixed: String
        /// The mouse gestures that do the same: "wheel down, swipe up"; empty if there are none.
        public var gestures: String
        public var words: String
        /// Whether the README lists the row: it has room for the most important ones only.
        public var isShort: Bool

        public func words(isASCII: Bool) -> String { isASCII ? words.replacing("…", with: "...") : words }
    }

    public struct Section: Sendable {
        public var title: String
        public var rows: [Row]
    }

    /// The default keys of an action.
    public static func keys(of action: Action) -> [Key] { bindings[action] ?? [] }

    private static let bindings: [Action: [Key]] = {
        var bindings: [Action: [Key]] = [
            .next: [.down, .character("j"), .pageDown], .previous: [.up, .character("k"), .pageUp],
            .first: [.character("g"), .home], .last: [.character("G"), .end], .filter: [.character("/")],
            .refresh: [.character("r")],
            .autoAdvance: [.character("A")],
            .pause: [.character(" ")], .seekBack: [.left], .seekForward: [.right], .seekBackShort: [.shiftLeft],
            .seekForwardShort: [.shiftRight], .seekBackLong: [.altLeft], .seekForwardLong: [.altRight],
            .chapterBack: [.character("{")], .chapterForward: [.character("}")], .soundTrack: [.character("b")],
            .frameBack: [.character(",")], .frameForward: [.character(".")], .slower: [.character("[")],
            .faster: [.character("]")], .normalSpeed: [.backspace], .mute: [.character("m")],
            .quieter: [.character("-")], .louder: [.character("="), .character("+")], .fit: [.character("z")],
            .subtitles: [.character("v")],
            .like: [.character("l")], .dislike: [.character("d")], .save: [.character("s")],
            .follow: [.character("f")], .copyLink: [.character("y")], .open: [.character("o")],
            .keepOffline: [.character("D")],
            .caption: [.character("e")], .comments: [.character("c")],
            .message: [.character(":")], .reply: [.character("r")], .trust: [.character("T")],
            .creator: [.character("u")], .topics: [.character("#")],
            .diagnostics: [.character("I")], .menu: [.character("M")], .help: [.character("?")],
            .close: [.escape], .redraw: [.control("l")], .suspend: [.control("z")],
            .quit: [.character("q"), .control("c")], .retry: [.enter],
            .scrollUp: [.up, .character("k")], .scrollDown: [.down, .character("j")], .scrollPageUp: [.pageUp],
            .scrollPageDown: [.pageDown], .choose: [.enter], .gridLeft: [.left, .character("h")],
            .gridRight: [.right, .character("l")],
        ]
        for (tenth, action) in Action.tenths.enumerated() { bindings[action] = [.character(Character("\(tenth)"))] }
        return bindings
    }()

    /// Every action is in exactly one row.
    public static let sections: [Section] = [
        Section(
            title: "Most used",
            rows: [
                row([.next], "next page", mouse: "wheel down, swipe up", isShort: true),
                row([.previous], "previous page", mouse: "wheel up, swipe down", isShort: true),
                row([.pause], "play or pause", mouse: "click", isShort: true),
                row([.seekBack, .seekForward], "5 s back, forward", isShort: true),
                row([.like], "like; a double click only ever likes", mouse: "double click", isShort: true),
                row([.mute], "mute or unmute", isShort: true),
                row([.fit], "the picture: automatic, filling, whole", isShort: true),
                row([.help], "all keys", isShort: true), row([.quit], "quit", isShort: true),
            ]),
        Section(
            title: "What you think of it",
            rows: [
                row([.dislike, .save, .follow], "dislike, save, follow the creator", isShort: true),
                row([.copyLink], "copy the link"),
                row([.open], "open elsewhere"),
                row([.keepOffline], "keep the whole clip offline, or no longer"),
            ]),
        Section(
            title: "More to see",
            rows: [
                row([.caption], "the whole caption, and back", mouse: "click on the caption", isShort: true),
                row([.comments, .message], "comments, write one", mouse: "click on Send message", isShort: true),
                row([.trust], "why this trust score"),
                row(
                    [.creator, .topics], "stills of the creator's clips, clips with a topic; Esc leads back",
                    mouse: "click on a name, a topic"),
                row([.menu], "menu of the clip", mouse: "right click, hold, top right corner", isShort: true),
                row([.diagnostics], "diagnostics"),
            ]),
        Section(
            title: "The clip",
            rows: [
                row([.seekBackShort, .seekForwardShort], "1 s back, forward"),
                row([.seekBackLong, .seekForwardLong], "30 s back, forward"),
                row([], "preview, and go there", mouse: "drag on the scrubber"),
                row(Action.tenths, "go to 0 … 90 %"),
                row([.frameBack, .frameForward], "while paused: a picture back, forward"),
                row(
                    [.chapterBack, .chapterForward], "this chapter's beginning or the chapter before, the next chapter"),
                row([.slower, .faster, .normalSpeed], "slower, faster, normal speed (0.25 to 4)"),
                row([.quieter, .louder], "quieter, louder"),
                row([.soundTrack], "the next sound track: another language"),
                row([.subtitles], "subtitles: the next ones, or none"),
            ]),
        Section(
            title: "The feed",
            rows: [
                row([.first, .last], "first, last page; of a sheet: its first, last line"),
                row([.filter], "find among the loaded clips", isShort: true),
                row([.refresh], "read the feed again", mouse: "pull the first page down"),
                row([.retry], "on an error page: try again; show what is hidden as sensitive"),
                row([.autoAdvance], "auto-advance on or off"),
            ]),
        Section(
            title: "In a sheet, among stills",
            rows: [
                row([.scrollUp, .scrollDown], "a line up, down", mouse: "wheel in a sheet"),
                row([.scrollPageUp, .scrollPageDown], "a page up, down"),
                row(
                    [.choose], "choose from the menu; write a comment; close other sheets",
                    mouse: "click on a menu's line"),
                row([.reply], "answer the chosen comment"),
                row([.gridLeft, .gridRight], "of a creator's clips: the one to the left, right"),
            ]),
        Section(
            title: "While typing",
            rows: [
                row(fixed: "Enter", "send; of the found clips: go to the chosen one"),
                row(fixed: "Alt-Enter Ctrl-J", "another line"), row(fixed: "Esc", "close; what is written is kept"),
                row(fixed: "Alt-B Alt-F Ctrl-← Ctrl-→", "a word back, forward"),
                row(fixed: "Ctrl-A Home / Ctrl-E End", "beginning, end of the line"),
                row(fixed: "Ctrl-W Alt-D", "cut the word before, behind the cursor"),
                row(fixed: "Ctrl-U Ctrl-K", "cut to the beginning, to the end of the line"),
                row(fixed: "Ctrl-Y", "paste what was cut"), row(fixed: "Ctrl-_ Alt-_", "undo, redo"),
            ]),
        Section(
            title: "flick",
            rows: [
                row([.close], "close a sheet or the caption", mouse: "click beside the sheet"),
                row([.redraw], "draw everything again"), row([.suspend], "suspend"),
            ]),
    ]

    private static func row(
        _ actions: [Action], _ words: String, mouse gestures: String = "", isShort: Bool = false
    ) -> Row { Row(actions: actions, fixed: "", gestures: gestures, words: words, isShort: isShort) }

    private static func row(fixed: String, _ words: String) -> Row {
        Row(actions: [], fixed: fixed, gestures: "", words: words, isShort: false)
    }
}

extension State {
    /// The label of an action's first key; nil if it has none.
    func keyLabel(of action: Action) -> String? {
        options.keys.keys(for: action).first?.label(isASCII: options.isASCII)
    }

    /// A row of hints: "r  try again     ↓  go on". Leaves out actions without keys.
    func hints(_ hints: [(action: Action, words: String)]) -> GlyphLine {
        GlyphLine(
            hints.compactMap { hint in keyLabel(of: hint.action).map { "\($0)  \(hint.words)" } }
                .joined(separator: "     "))
    }
}

extension KeyMap {
    /// The labels of a row's keys and gestures: "↓ j PgDn, wheel down"; empty if it has none.
    public func label(of row: KeyTable.Row, isASCII: Bool) -> String {
        [keysLabel(of: row, isASCII: isASCII), row.gestures].filter { !$0.isEmpty }.joined(separator: ", ")
    }

    func keysLabel(of row: KeyTable.Row, isASCII: Bool) -> String {
        guard row.fixed.isEmpty else {
            return isASCII ? row.fixed.replacing("←", with: "Left").replacing("→", with: "Right") : row.fixed
        }
        let actions = row.actions
        let labels = actions.map { keys(for: $0).map { $0.label(isASCII: isASCII) } }
        guard labels.contains(where: { !$0.isEmpty }) else { return "" }
        if labels.count == 10, labels.enumerated().allSatisfy({ $0.element == ["\($0.offset)"] }) {
            return isASCII ? "0 ... 9" : "0 … 9"
        }
        let isPlain = labels.allSatisfy { $0.count == 1 }
        return labels.map { $0.isEmpty ? "-" : $0.joined(separator: " ") }.joined(separator: isPlain ? " " : " / ")
    }
}
