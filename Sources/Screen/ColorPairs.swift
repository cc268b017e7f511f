internal import CNcurses
import Model

/// The numbers that ncurses knows pairs of colours by: given out as they are met, all taken back when there are no more.
///
/// Not `alloc_pair`, which searches for each cell, and which makes room for one pair by looking through the whole screen.
struct ColorPairs {
    private let color: ColorMode
    /// How many colours the terminal has.
    private let colors: UInt32
    private let limit: Int32
    private var next: Int32 = 1
    /// Where a foreground's and a background's eight bits lead; 0: to no number yet.
    private var ofPalette: [Int32]
    private var ofColors: [UInt64: Int32] = [:]
    /// A pair was asked for, and there was none left.
    private(set) var areExhausted = false

    /// - Parameter colors: how many ncurses says there are.
    init(_ color: ColorMode, colors: Int) {
        self.color = colors > 0 ? color : .mono
        self.colors = UInt32(max(colors, 0))
        limit = flick_screen_pairs()
        ofPalette = Array(repeating: 0, count: color == .palette256 || color == .palette16 ? 65_536 : 0)
    }

    /// No pair has a number any more.
    mutating func removeAll() {
        for index in ofPalette.indices { ofPalette[index] = 0 }
        ofColors.removeAll(keepingCapacity: true)
        next = 1
        areExhausted = false
    }

    /// A pair's number, 0 if there is none for it, and whether a bright foreground is to be had by bold alone (eight colours).
    mutating func number(foreground: UInt32, background: UInt32) -> (pair: Int32, isBright: Bool) {
        switch color {
        case .mono: return (0, false)
        case .truecolor:
            let (foreground, background) = (Self.direct(foreground), Self.direct(background))
            let key = UInt64(foreground) << 32 | UInt64(background)
            if let known = ofColors[key] { return (known, false) }
            let made = make(foreground, background)
            if made != 0 { ofColors[key] = made }
            return (made, false)
        case .palette256, .palette16:
            var (fore, back) = (foreground & 0xFF, background & 0xFF)
            let isBright = colors < 16 && fore >= 8
            if colors < 16 {
                fore &= 7
                back = back == 8 ? 0 : back & 7
            }
            let index = Int(fore << 8 | back)
            if ofPalette[index] == 0 { ofPalette[index] = make(fore, back) }
            return (ofPalette[index], isBright)
        }
    }

    private mutating func make(_ foreground: UInt32, _ background: UInt32) -> Int32 {
        guard next < limit, flick_screen_set_pair(next, Int32(foreground), Int32(background)) == 0 else {
            areExhausted = true
            return 0
        }
        next += 1
        return next - 1
    }

    /// Direct-colour descriptions keep the lowest numbers for the user's palette: 1 would be red. The darkest blue beyond them is as good as black.
    private static func direct(_ rgb: UInt32) -> UInt32 { max(rgb, 8) }
}
