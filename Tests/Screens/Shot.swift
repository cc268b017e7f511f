import Model

/// One picture of the contact sheet: what flick shows, on which terminal, and what is done to it first.
struct Shot {
    enum Step {
        /// One key, as the terminal sends it; flick has read it when the next step begins.
        case key(String)
        /// Bytes of the terminal that are no key: the mouse.
        case mouse(MouseAction, column: Int, row: Int)
        /// Two clicks at once: sent one by one through kitty's remote control, they would come too far apart.
        case doubleClick(column: Int, row: Int)
        case wait(Duration)
        /// Until the trace has the event `times` times, at most 8 s.
        case event(String, times: Int)
    }

    enum MouseAction: Int {
        case press = 0
        case drag = 32
    }

    var group: String
    var scene: String
    var size: GridSize
    var surface = "half"
    var color = "truecolor"
    var source: Footage.Source
    var arguments: [String] = []
    /// Whether the terminal's ground is white.
    var isLight = false
    /// Whether the first picture is waited for, and the page seen at rest for a second.
    var plays = true
    var steps: [Step] = []
    /// Whether it is taken in the middle of a slide.
    var isInMotion = false

    /// Speaks: `page-9x16-200x60-half-truecolor`.
    var name: String { "\(group)-\(scene)-\(size.columns)x\(size.rows)-\(surface)-\(color)" }

    /// Whether it consists of characters that no installed font has.
    var needsPartsFont: Bool { surface == "sextant" || surface == "octant" }

    /// In points: small screens are shown larger, so that they can be read in the picture.
    var fontSize: Int { size.columns <= 40 ? 18 : size.columns <= 80 ? 12 : 10 }
}

extension Shot.Step {
    /// A press or a motion with the button held, as mode 1006 sends them.
    static func bytes(_ action: Shot.MouseAction, _ column: Int, _ row: Int) -> String {
        "\u{1B}[<\(action.rawValue);\(column);\(row)M"
    }

    /// Two presses of the left button, each with its release, which ends in a small letter.
    static func doubleClick(_ column: Int, _ row: Int) -> String {
        let press = bytes(.press, column, row)
        return String(repeating: "\(press)\(press.dropLast())m", count: 2)
    }

    /// The keys that type `text`.
    static func typing(_ text: String) -> [Shot.Step] { text.map { .key(String($0)) } }
}
