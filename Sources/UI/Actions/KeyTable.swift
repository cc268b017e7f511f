import Model
import TerminalInput

/// The default keys and the words that describe them. The help sheet, docs/user/guide.md, docs/user/keys.md and the man
/// page are generated from this table.
public enum KeyTable {
    /// Actions that are described in one line, such as "slower, faster".
    public struct Row: Sendable {
        public var actions: [Action]
        /// The names of keys that cannot be rebound: those of text fields.
        var fixed: String
        /// The mouse gestures that do the same, such as "wheel down, drag up"; empty without one.
        public var gestures: String
        /// What they do, in the section about the mouse; empty if `words` say it.
        var mouseWords: String
        public var words: String
        /// Whether docs/user/guide.md lists the row: it has room for the most important ones only.
        public var isShort: Bool

        public func words(isASCII: Bool) -> String { Self.text(words, isASCII: isASCII) }

        func mouseWords(isASCII: Bool) -> String {
            Self.text(mouseWords.isEmpty ? words : mouseWords, isASCII: isASCII)
        }

        private static func text(_ words: String, isASCII: Bool) -> String {
            isASCII ? words.replacing("…", with: "...") : words
        }
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
            .autoAdvance: [.character("A")], .nextPlace: [.tab], .previousPlace: [Key(.tab, .shift)],
            .places: [.character("p")], .addSource: [.character("a")], .removeSource: [.character("d")],
            .moreOfSource: [.character("+"), .character("=")], .lessOfSource: [.character("-")],
            .pause: [.character(" ")], .seekBack: [.left], .seekForward: [.right], .seekBackShort: [.shiftLeft],
            .seekForwardShort: [.shiftRight], .seekBackLong: [.altLeft], .seekForwardLong: [.altRight],
            .chapterBack: [.character("{")], .chapterForward: [.character("}")], .soundTrack: [.character("b")],
            .quality: [.character("Q")], .subtitlesEarlier: [.character("(")], .subtitlesLater: [.character(")")],
            .audioEarlier: [.character("<")], .audioLater: [.character(">")],
            .frameBack: [.character(",")], .frameForward: [.character(".")], .slower: [.character("[")],
            .faster: [.character("]")], .normalSpeed: [.backspace], .mute: [.character("m")],
            .quieter: [.character("-")], .louder: [.character("="), .character("+")], .fit: [.character("z")],
            .subtitles: [.character("v")], .hideOverlay: [.character("x")], .saveFrame: [.character("S")],
            .saveClip: [.character("W")], .repeatPart: [.character("L")], .sleepTimer: [.character("t")],
            .like: [.character("l")], .dislike: [.character("d")], .save: [.character("s")],
            .follow: [.character("f")], .notInterested: [.character("X")], .undo: [.character("U")],
            .copyLink: [.character("y")], .open: [.character("o")],
            .keepOffline: [.character("D")], .deleteItem: [.delete],
            .caption: [.character("e")], .comments: [.character("c")],
            .message: [.character(":")], .reply: [.character("r")], .deleteComment: [.character("d")],
            .likeComment: [.character("l")], .reportComment: [.character("!")],
            .nextLink: [.tab],
            .previousLink: [Key(.tab, .shift)], .trust: [.character("T")],
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
                row([.next], "next page", mouse: "wheel down, drag up", isShort: true),
                row([.previous], "previous page", mouse: "wheel up, drag down", isShort: true),
                row([.pause], "play or pause", mouse: "click", isShort: true),
                row([.seekBack, .seekForward], "seek 5 s back, forward", isShort: true),
                row(
                    [.like], "like or unlike; a double click only likes", mouse: "double click", does: "like",
                    isShort: true),
                row([.mute, .fit], "mute or unmute; fit mode: auto, fill, fit", isShort: true),
                row([.help], "all keys", isShort: true),
                row([.quit], "quit; q first closes an open sheet or grid", isShort: true),
            ]),
        Section(
            title: "Reactions",
            rows: [
                row([.dislike, .save, .follow], "dislike, save, follow the creator", isShort: true),
                row(
                    [.notInterested, .undo], "not interested: hide a clip, creator, topic, source or words; undo that",
                    isShort: true),
                row([.copyLink], "share: copy the link"),
                row([.open], "open in another program"),
                row([.keepOffline], "download the clip, or remove the download"),
                row([.deleteItem], "delete your own clip from its server"),
            ]),
        Section(
            title: "Details",
            rows: [
                row([.caption], "show or close the whole caption", mouse: "click the caption"),
                row([.comments, .message], "show comments, add a comment", mouse: "click Comment", isShort: true),
                row([.trust], "about this trust score"),
                row(
                    [.creator, .topics], "the creator's clips, clips with a topic; Esc goes back",
                    mouse: "click a name, a topic", does: "show the creator's clips, clips with the topic"),
                row(
                    [.menu], "menu; holding Enter opens it too", mouse: "right click, long click",
                    does: "open the menu; a click in the top right corner does too", isShort: true),
                row([.diagnostics], "diagnostics; why For You has the clip"),
            ]),
        Section(
            title: "The clip",
            rows: [
                row([.seekBackShort, .seekForwardShort], "seek 1 s back, forward"),
                row([.seekBackLong, .seekForwardLong], "seek 30 s back, forward"),
                row([], "preview and seek", mouse: "click, drag the scrubber", does: "seek; a drag previews"),
                row(Action.tenths, "seek to 0 … 90 %"),
                row([.frameBack, .frameForward], "pause; one frame back, forward"),
                row(
                    [.chapterBack, .chapterForward], "previous chapter, next chapter"),
                row([.slower, .faster, .normalSpeed], "slower, faster, normal speed (0.25 to 4)"),
                row([.quieter, .louder], "quieter, louder"),
                row([.soundTrack], "next audio track"),
                row([.quality], "quality, data saver"),
                row([.subtitles], "next subtitles, or off"),
                row([.subtitlesEarlier, .subtitlesLater], "subtitles 0.1 s earlier, later"),
                row([.audioEarlier, .audioLater], "audio 0.1 s earlier, later"),
                row([.hideOverlay], "hide or show the overlay"),
                row([.saveFrame], "save the frame as a PNG file"),
                row([.saveClip], "save the clip as a file, or cancel that"),
                row([.repeatPart], "repeat a part: mark its start, its end; clear both"),
                row([.sleepTimer], "sleep timer: 15, 30, 60 min, after this clip, off"),
            ]),
        Section(
            title: "The feed",
            rows: [
                row(
                    [.nextPlace, .previousPlace], "next, previous place: Home, For You, Liked …",
                    mouse: "click a place", does: "go to that place"),
                row([.places], "all places, with counts of new clips; sources of Home", isShort: true),
                row([.first, .last], "first, last page; in a sheet: first, last line"),
                row([.filter], "find a loaded clip; in Keys: filter the keys", isShort: true),
                row([.refresh], "refresh the feed", mouse: "drag the first page down"),
                row([.retry], "retry on an error page; show a sensitive clip"),
                row([.autoAdvance], "auto-advance on or off"),
            ]),
        Section(
            title: "Sheets and grids",
            rows: [
                row(
                    [.scrollUp, .scrollDown], "one line up, down", mouse: "wheel in a sheet",
                    does: "scroll the sheet"),
                row([.scrollPageUp, .scrollPageDown], "one page up, down"),
                row(
                    [.choose], "choose a menu entry; open a link; add a comment; else close",
                    mouse: "click an entry, a link", does: "choose the entry, open the link"),
                row([.nextLink, .previousLink], "next, previous link in a caption"),
                row([.addSource], "in Places: add a source"),
                row([.removeSource], "in Places: remove a source, turn For You off"),
                row([.moreOfSource, .lessOfSource], "in Places: more, less of a source"),
                row([.reply], "reply to the selected comment"),
                row([.likeComment], "like the selected comment", mouse: "click a heart", does: "like the comment"),
                row([.reportComment, .deleteComment], "report the selected comment, delete your own"),
                row([.gridLeft, .gridRight], "in a grid: left, right"),
            ]),
        Section(
            title: "While typing",
            rows: [
                row(fixed: "Enter", "send; in Find: go to the selected clip"),
                row(fixed: "Alt-Enter Ctrl-J", "new line"), row(fixed: "Esc", "close and keep the draft"),
                row(fixed: "Alt-B Ctrl-← / Alt-F Ctrl-→", "one word back, forward"),
                row(fixed: "Ctrl-A Home / Ctrl-E End", "start, end of the line"),
                row(fixed: "Ctrl-W / Alt-D", "cut the word before, after the cursor"),
                row(fixed: "Ctrl-U / Ctrl-K", "cut to the start, to the end of the line"),
                row(fixed: "Ctrl-Y", "paste the cut text"), row(fixed: "Ctrl-_ / Alt-_", "undo, redo"),
            ]),
        Section(
            title: "flick",
            rows: [
                row(
                    [.close], "close the topmost sheet, grid or caption", mouse: "click outside",
                    does: "close the sheet"),
                row([.redraw], "redraw the screen"), row([.suspend], "suspend"),
            ]),
    ]

    private static func row(
        _ actions: [Action], _ words: String, mouse gestures: String = "", does mouseWords: String = "",
        isShort: Bool = false
    ) -> Row {
        Row(
            actions: actions, fixed: "", gestures: gestures, mouseWords: mouseWords, words: words, isShort: isShort)
    }

    private static func row(fixed: String, _ words: String) -> Row {
        Row(actions: [], fixed: fixed, gestures: "", mouseWords: "", words: words, isShort: false)
    }
}

extension State {
    /// The label of an action's first key; nil if it has none.
    func keyLabel(of action: Action) -> String? {
        options.keys.keys(for: action).first?.label(isASCII: options.isASCII)
    }

    /// "Unfollowed Mira Okafor · f to undo": words, and what an action's key does. Without a key, the words alone.
    public func offering(_ action: Action, _ use: String, after words: String) -> String {
        guard let key = keyLabel(of: action) else { return words }
        return "\(words)\(options.isASCII ? " - " : " · ")\(key) \(use)"
    }

    /// What keys do: "Enter select   Esc close", on a sheet's lower edge and on pages without a clip. Leaves out
    /// actions without keys.
    func footer(_ hints: [(action: Action, word: String)]) -> GlyphLine {
        GlyphLine(
            hints.compactMap { hint in keyLabel(of: hint.action).map { "\($0) \(hint.word)" } }
                .joined(separator: "   "))
    }

    /// The same hints in as many lines as they need.
    func footers(_ hints: [(action: Action, word: String)], columns: Int) -> [GlyphLine] {
        var (lines, line) = ([GlyphLine](), [(action: Action, word: String)]())
        for hint in hints {
            if footer(line + [hint]).columns > columns {
                lines.append(footer(line))
                line = []
            }
            line.append(hint)
        }
        return (lines + [footer(line)]).filter { !$0.isEmpty }
    }
}

extension KeyMap {
    /// The labels of a row's keys and gestures: "↓ j PgDn, wheel down", "d / s / f"; empty if it has none.
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
        // Blanks between the keys of one action, strokes between actions.
        return labels.map { $0.isEmpty ? "(none)" : $0.joined(separator: " ") }.joined(separator: " / ")
    }
}
