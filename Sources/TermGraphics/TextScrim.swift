import Model
import Platform

/// How much the picture is darkened in each cell: by the overlay's
/// shades, and behind letters as much as legibility requires.
///
/// What letters need is remembered from one picture to the next and decreases
/// slowly, so that the ground of a text does not flicker with the picture below it.
struct TextScrim: ~Copyable {
    private let size: GridSize
    /// The darkness that each letter needs, 0 in cells without one.
    private let needs: Plane<UInt8>
    /// What letters and the cells around them are darkened by.
    private let halo: Plane<UInt8>
    private var hasHalo = false
    /// The overlay's shade and the halo together.
    private let depth: Plane<UInt8>
    /// Whether anything is darkened in a row.
    private var isDark: [Bool]

    /// How much less a halo is one column and one row further: a ramp without steps that could be seen, so that letters
    /// stand on a soft ground, not in boxes.
    private static let fall = (across: UInt8(6), down: UInt8(12))
    /// A cell's mean darkness, where it changes gradually, is three quarters of its own and an eighth of that of
    /// the cells at both sides, across and down. This is the loss to neighbours that are less dark by `fall`.
    private static let smoothLoss = (fall.across + fall.down + 3) / 4
    /// By how much what a letter needs may decrease from one picture to the next.
    private static let decrease: UInt8 = 6
    /// Needs are rounded up to multiples of this, so that small changes of a picture do not change the text's ground.
    private static let step: UInt32 = 8

    /// What letters are darkened by beyond what they need.
    private let margin: UInt8

    /// - Parameter isSmooth: the darkness changes gradually within cells, so that a letter's is less
    ///   towards the cells around it. There it is increased by what the mean of its cell loses to them.
    init(size: GridSize, isSmooth: Bool) {
        self.size = size
        margin = isSmooth ? Self.smoothLoss : 0
        needs = Plane(count: size.cells, filledWith: 0)
        halo = Plane(count: size.cells, filledWith: 0)
        depth = Plane(count: size.cells, filledWith: 0)
        isDark = Array(repeating: false, count: size.rows)
    }

    /// The darkness of all cells of a row, 0 none … 255 black; nil if nothing in it or the rows beside it is darkened.
    func row(_ row: Int) -> UnsafePointer<UInt8>? {
        let near = max(row - 1, 0)...min(row + 1, size.rows - 1)
        return near.contains { isDark[$0] } ? UnsafePointer(depth.base + row * size.columns) : nil
    }

    /// Updates the scrim.
    ///
    /// - Parameters:
    ///   - isNew: whether the overlay is another one than before.
    ///   - remembers: false where other pictures or other places of the text must not be darkened by earlier needs.
    ///   - ground: the mean colour of the picture in a letter's cell.
    mutating func update(
        for overlay: borrowing OverlayIndex, isNew: Bool, remembers: Bool, ground: (OverlayIndex.Letter) -> UInt32
    ) {
        if isNew { keepNeeds(of: overlay.letters) }
        if hasHalo { halo.base.update(repeating: 0, count: halo.count) }
        let hadHalo = hasHalo
        hasHalo = false
        for letter in overlay.letters {
            let before = remembers ? needs[letter.index] : 0
            let shade = Contrast.shade(
                of: shaded(ground(letter), by: letter.shade), under: letter.color, contrast: letter.contrast)
            let need = max(Self.rounded(shade), before > Self.decrease ? before - Self.decrease : 0)
            needs[letter.index] = need
            guard need > 0 else { continue }
            halo[letter.index] = need + min(margin, 255 - need)
            hasHalo = true
        }
        if hasHalo { spread() }
        guard isNew || hadHalo || hasHalo else { return }
        for row in 0..<size.rows {
            let start = row * size.columns
            isDark[row] = Self.join(
                overlay.shades.base + start, halo.base + start, into: depth.base + start, count: size.columns)
        }
    }

    /// Forgets the needs of cells that no longer have a letter.
    private func keepNeeds(of letters: [OverlayIndex.Letter]) {
        let kept = letters.map { needs[$0.index] }
        needs.base.update(repeating: 0, count: needs.count)
        for (letter, need) in zip(letters, kept) { needs[letter.index] = need }
    }

    private static func rounded(_ need: UInt8) -> UInt8 {
        need == 0 ? 0 : UInt8(min((UInt32(need) + step - 1) / step * step, 255))
    }

    // MARK: Rows of cells, sixteen at a time

    /// Lets what letters need fade into the cells around them: along the rows in both directions, then from row to row.
    private func spread() {
        let columns = size.columns
        for row in 0..<size.rows {
            let line = halo.base + row * columns
            var (left, right, any): (UInt8, UInt8, UInt8) = (0, 0, 0)
            for column in 0..<columns {
                left = max(line[column], left - min(left, Self.fall.across))
                line[column] = left
                any |= left
            }
            guard any > 0 else { continue }
            for column in stride(from: columns - 1, through: 0, by: -1) {
                right = max(line[column], right - min(right, Self.fall.across))
                line[column] = right
            }
        }
        for row in 1..<max(size.rows, 1) {
            Self.fade(halo.base + (row - 1) * columns, into: halo.base + row * columns, count: columns)
        }
        for row in stride(from: size.rows - 2, through: 0, by: -1) {
            Self.fade(halo.base + (row + 1) * columns, into: halo.base + row * columns, count: columns)
        }
    }

    private static func fade(_ source: UnsafePointer<UInt8>, into target: UnsafeMutablePointer<UInt8>, count: Int) {
        let fall = SIMD16<UInt8>(repeating: fall.down)
        var column = 0
        while column + 16 <= count {
            let from = UnsafeRawPointer(source + column).loadUnaligned(as: SIMD16<UInt8>.self)
            let own = UnsafeRawPointer(target + column).loadUnaligned(as: SIMD16<UInt8>.self)
            UnsafeMutableRawPointer(target + column).storeBytes(
                of: pointwiseMax(own, from &- pointwiseMin(from, fall)), as: SIMD16<UInt8>.self)
            column += 16
        }
        while column < count {
            target[column] = max(target[column], source[column] - min(source[column], Self.fall.down))
            column += 1
        }
    }

    /// The darkness of one shade over another; returns whether there is any.
    private static func join(
        _ first: UnsafePointer<UInt8>, _ second: UnsafePointer<UInt8>, into target: UnsafeMutablePointer<UInt8>,
        count: Int
    ) -> Bool {
        var any = SIMD16<UInt8>()
        var column = 0
        while column + 16 <= count {
            let one = UnsafeRawPointer(first + column).loadUnaligned(as: SIMD16<UInt8>.self)
            let other = UnsafeRawPointer(second + column).loadUnaligned(as: SIMD16<UInt8>.self)
            let joined = Self.joined(SIMD16(truncatingIfNeeded: one), SIMD16(truncatingIfNeeded: other))
            UnsafeMutableRawPointer(target + column).storeBytes(of: joined, as: SIMD16<UInt8>.self)
            any |= joined
            column += 16
        }
        while column < count {
            let joined = Self.joined(
                SIMD16(repeating: UInt16(first[column])), SIMD16(repeating: UInt16(second[column])))
            target[column] = joined[0]
            any |= joined
            column += 1
        }
        return any.max() > 0
    }

    @inline(__always)
    private static func joined(_ one: SIMD16<UInt16>, _ other: SIMD16<UInt16>) -> SIMD16<UInt8> {
        let light = (255 &- one) &* (255 &- other) &+ 127
        // Divided by 255, rounded: exact for products of two bytes.
        let rest = (light &+ 1 &+ (light &>> 8)) &>> 8
        return SIMD16<UInt8>(truncatingIfNeeded: 255 &- rest)
    }
}

/// The contrast of two colours as WCAG 2.2 defines it (https://www.w3.org/TR/WCAG22/#dfn-contrast-ratio): 1 … 21.
enum Contrast {
    /// What text needs to be readable (WCAG's level AA).
    static let readable: Float = 4.5
    /// What the parts of a shape need to be seen (WCAG's 1.4.11).
    static let visible: Float = 3

    /// What a readable glyph of this style needs.
    static func needed(by style: CellStyle) -> Float { style.contains(.shape) ? visible : readable }

    /// The relative luminance of a colour, 0 … 1.
    @inline(__always)
    static func luminance(_ rgb: UInt32) -> Float {
        linear.withUnsafeBufferPointer { linear in
            0.2126 * linear[Int(rgb >> 16 & 0xFF)] + 0.7152 * linear[Int(rgb >> 8 & 0xFF)]
                + 0.0722 * linear[Int(rgb & 0xFF)]
        }
    }

    static func ratio(_ first: UInt32, _ second: UInt32) -> Float {
        let (first, second) = (luminance(first), luminance(second))
        return (max(first, second) + 0.05) / (min(first, second) + 0.05)
    }

    /// The least shade of `ground` on which light `text` has this contrast; 0 if it
    /// has already, 255 if nothing but black helps.
    static func shade(of ground: UInt32, under text: UInt32, contrast: Float = readable) -> UInt8 {
        let most = (luminance(text) + 0.05) / contrast - 0.05
        guard luminance(ground) > most else { return 0 }
        var (low, high) = (0, 255)
        while low + 1 < high {
            let middle = (low + high) / 2
            if luminance(shaded(ground, by: UInt8(middle))) > most { low = middle } else { high = middle }
        }
        return UInt8(high)
    }

    /// sRGB's transfer function for each value of a channel (IEC 61966-2-1).
    private static let linear: [Float] = (0..<256).map { value in
        let share = Float(value) / 255
        return share <= 0.04045 ? share / 12.92 : powf((share + 0.055) / 1.055, 2.4)
    }
}
