import Model

/// Where the open text field lies: in a frame above the scrubber, which grows with the text; a sheet stands on it.
/// Drawing and clicks use it. A value.
struct BarLayout {
    var title: String
    var frame: GridRect
    var body: GridRect
    var window: TextField.Window
    /// The word that sends, on the frame.
    var send: GridRect
    var sendText: GlyphLine
    /// What else can be done, on the frame behind the word that sends: as in all hints, how it is closed is last.
    var hints: GlyphLine
    /// How much more can be written; empty until little is left.
    var room: String

    /// Without an open field nothing is in it.
    init(_ state: State) {
        let place = SheetPlace(state.size)
        let columns = max(place.columns(), 12)
        let typing = state.typing ?? Typing(.filter)
        let words = typing.purpose.words
        title = words.title ?? state.messageTitle
        window = typing.field.window(width: columns - 4, most: typing.maxLines)
        let rows = window.lines.count + 2
        frame = place.frame(columns: columns, rows: rows)
        body = GridRect(column: frame.column + 2, row: frame.row + 1, columns: columns - 4, rows: rows - 2)
        let isKept = typing.item != nil && state.keepsComments
        sendText = GlyphLine(" Enter \(isKept ? "save" : words.send) ")
        let last = frame.row + frame.rows - 1
        send = GridRect(column: frame.column + 2, row: last, columns: sendText.columns, rows: 1)
        let free = columns - 4 - sendText.columns
        var hints = words.hints
        func line() -> GlyphLine { GlyphLine("  " + hints.joined(separator: "   ") + " ") }
        while hints.count > 1, line().columns > free { hints.remove(at: hints.count - 2) }
        self.hints = line().columns > free ? GlyphLine() : line()
        room = typing.field.room < 200 ? "\(typing.field.room) left" : ""
    }

    /// The rows from the frame to the scrubber that a sheet has to leave free.
    static func rows(_ state: State) -> Int { state.typing == nil ? 0 : BarLayout(state).frame.rows }
}

extension Typing.Purpose {
    /// What stands on the field's frame and in the empty field: its title, if it is always the same, what Enter does,
    /// what else can be done, and what can be typed.
    var words: (title: String?, send: String, hints: [String], placeholder: String) {
        switch self {
        case .message: (nil, "send", ["Alt-Enter new line", "Esc close"], "")
        case .filter: ("Find", "go there", ["Esc close"], "title, creator or topic")
        case .hidden: ("Hide titles with", "hide", ["Esc close"], "words")
        case .report: ("Report to the server's operator", "report", ["Esc close"], "reason")
        case .source: ("Add a source", "add", ["Esc close"], "address, folder or file")
        case .keys: ("Filter", "done", ["Esc close"], "key or action")
        }
    }
}
