import Model
import TerminalInput

@testable import UI

/// A scene as text: what a person reads, one line per row.
func rows(of overlay: CellGrid) -> [String] {
    (0..<overlay.size.rows).map { row in
        var line = ""
        for column in 0..<overlay.size.columns {
            let glyph = overlay[column, row].glyph
            if glyph == .continuation { continue }
            line += glyph == .none ? " " : GlyphTable.text(of: glyph)
        }
        return line
    }
}

/// A page with a clock that the test moves on.
final class Page {
    var state: State
    var now = Duration.seconds(10)
    var effects: [Effect] = []

    init(
        _ items: [Item] = Page.feed, columns: Int = 80, rows: Int = 24, options: Options = Options()
    ) {
        state = State(size: GridSize(columns: columns, rows: rows), items: items, options: options)
        state.wallClock = Page.midnight
        effects = begin(&state, now: now)
    }

    /// The effects that `update` returns, without the trace.
    @discardableResult
    func send(_ event: Event) -> [Effect] {
        effects = update(&state, event, now: now)
        return orders
    }

    @discardableResult
    func press(_ key: Key) -> [Effect] { send(.key(key)) }

    @discardableResult
    func type(_ character: Character) -> [Effect] { press(.character(character)) }

    @discardableResult
    func mouse(_ action: Mouse.Action, _ column: Int, _ row: Int) -> [Effect] {
        send(.mouse(Mouse(action, at: GridPoint(column: column, row: row))))
    }

    /// Lets time pass. Sends only the ticks that the page asks for.
    @discardableResult
    func wait(_ time: Duration) -> [Effect] {
        let end = now + time
        var all: [Effect] = []
        while let due = state.nextWake(after: now), due <= end {
            now = due
            send(.tick)
            all += effects
        }
        now = end
        effects = all
        return all.filter { if case .trace = $0 { false } else { true } }
    }

    /// The current clip opens, shows its first picture and plays. Without `picture`, its size is unknown.
    func play(duration: Duration = .seconds(20), position: Duration = .zero, picture: PixelSize? = nil) {
        let id = state.currentID ?? ""
        let facts = ClipFacts(
            duration: duration, isSeekable: true, hasVideo: true, hasAudio: true, container: "mp4", video: "h264",
            audio: "aac", displaySize: PixelSize(width: 720, height: 1280))
        send(.player(id, .opened(facts)))
        if let picture { send(.player(id, .picture(picture))) }
        send(.player(id, .firstFrame))
        send(.player(id, .playing))
        send(.player(id, .position(position, duration: duration)))
    }

    var orders: [Effect] {
        effects.filter { if case .trace = $0 { false } else { true } }
    }

    var traces: [String] {
        effects.compactMap { if case .trace(let event) = $0 { event.encoding.name } else { nil } }
    }

    /// The notice in view.
    var toast: String? { state.toasts.current?.text.text }

    var screen: [String] { rows(of: draw(state, now: now).overlay) }
}
