import Model

/// Where the open text field lies: in a frame above the scrubber, which grows
/// with the text. Drawing and clicks use it. A value.
struct BarLayout {
    static let widest = 100

    var title: String
    var frame: GridRect
    var body: GridRect
    var window: TextField.Window
    /// The word that sends, on the frame.
    var send: GridRect
    var sendText: GlyphLine
    /// What else can be done, as far as there is room, on the frame before the word that sends.
    var hints: GlyphLine
    /// How much more can be written; empty until little is left.
    var room: String

    /// Without an open field nothing is in it.
    init(_ state: State) {
        let columns = max(min(state.size.columns - 4, state.filter == nil ? Self.widest : SheetLayout.widestList), 12)
        let typing = state.typing ?? Typing(purpose: .filter, field: TextField(keepsLines: false))
        let isFilter = typing.item == nil
        title = isFilter ? "Find" : state.messageTitle
        window = typing.field.window(width: columns - 4, most: typing.maxLines)
        let rows = window.lines.count + 2
        frame = GridRect(
            column: (state.size.columns - columns) / 2, row: max(state.size.rows - 1 - rows, 0), columns: columns,
            rows: rows)
        body = GridRect(column: frame.column + 2, row: frame.row + 1, columns: columns - 4, rows: rows - 2)
        sendText = GlyphLine(isFilter ? " Enter go there " : " Enter send ")
        let last = frame.row + frame.rows - 1
        send = GridRect(
            column: frame.column + columns - 2 - sendText.columns, row: last, columns: sendText.columns, rows: 1)
        var hints = ""
        let words = isFilter ? ["Esc close"] : ["Esc close", "Alt-Enter new line"]
        for word in words where GlyphLine(hints + word).columns + 5 < send.column - frame.column {
            hints += (hints.isEmpty ? " " : "   ") + word
        }
        self.hints = GlyphLine(hints.isEmpty ? "" : hints + " ")
        room = typing.field.room < 200 ? "\(typing.field.room) left" : ""
    }

    /// The rows from the frame to the scrubber that a sheet has to leave free.
    static func rows(_ state: State) -> Int { state.typing == nil ? 0 : BarLayout(state).frame.rows }
}
