internal import CNcurses
import Model

/// Numbers for pairs of colours, by which ncurses knows them (`init_extended_pair`). A pair gets the next number
/// when it is first used; once all numbers are used up, all pairs are forgotten and the screen is repainted.
///
/// Not `alloc_pair`: see docs/decisions/one-writer.md.
struct ColorPairs {
    private let color: ColorMode
    /// How many colours the terminal has.
    private let colors: UInt32
    private let limit: Int32
    private var next: Int32 = 1
    /// Numbers of palette colours, by eight bits of foreground and eight of background; 0: none yet.
    private var paletteNumbers: [Int32]
    private var rgbNumbers: [UInt64: Int32] = [:]
    /// A pair was requested when no number was left.
    private(set) var areUsedUp = false

    /// - Parameter colors: how many ncurses says there are.
    init(_ color: ColorMode, colors: Int) {
        self.color = colors > 0 ? color : .mono
        self.colors = UInt32(max(colors, 0))
        limit = flick_screen_pairs()
        paletteNumbers = Array(repeating: 0, count: color == .palette256 || color == .palette16 ? 65_536 : 0)
    }

    /// The terminal shows 16 colours by eight and bold.
    var areEight: Bool { color == .palette16 && colors < 16 }

    /// Forgets all pairs.
    mutating func removeAll() {
        for index in paletteNumbers.indices { paletteNumbers[index] = 0 }
        rgbNumbers.removeAll(keepingCapacity: true)
        next = 1
        areUsedUp = false
    }

    /// A pair's number, 0 if none was left, and whether the foreground is bright only if written bold (on terminals of
    /// eight colours).
    mutating func number(foreground: UInt32, background: UInt32) -> (pair: Int32, isBright: Bool) {
        switch color {
        case .mono: return (0, false)
        case .truecolor:
            let (foreground, background) = (Self.direct(foreground), Self.direct(background))
            let key = UInt64(foreground) << 32 | UInt64(background)
            if let known = rgbNumbers[key] { return (known, false) }
            let made = make(foreground, background)
            if made != 0 { rgbNumbers[key] = made }
            return (made, false)
        case .palette256, .palette16:
            var (fore, back) = (foreground & 0xFF, background & 0xFF)
            let isBright = colors < 16 && fore >= 8
            if colors < 16 {
                fore &= 7
                back = back == 8 ? 0 : back & 7
            }
            let index = Int(fore << 8 | back)
            if paletteNumbers[index] == 0 { paletteNumbers[index] = make(fore, back) }
            return (paletteNumbers[index], isBright)
        }
    }

    private mutating func make(_ foreground: UInt32, _ background: UInt32) -> Int32 {
        guard next < limit, flick_screen_set_pair(next, Int32(foreground), Int32(background)) == 0 else {
            areUsedUp = true
            return 0
        }
        next += 1
        return next - 1
    }

    /// Descriptions with direct colours use the numbers 0 to 7 for the palette: 1 would be red. The darkest blue above
    /// them passes for black.
    private static func direct(_ rgb: UInt32) -> UInt32 { max(rgb, 8) }
}
