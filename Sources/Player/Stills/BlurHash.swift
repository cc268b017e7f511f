import Model
import Platform

/// A blurred picture in 6 to 166 characters: the lowest terms of its cosine transform, in linear light. A value.
///
/// Source: <https://github.com/woltapp/blurhash/blob/master/Algorithm.md>
struct BlurHash: Sendable, Equatable {
    /// Linear light, 0 … 1 and, but for the first term, less than 0 too.
    struct Term: Sendable, Equatable {
        var red: Double
        var green: Double
        var blue: Double
    }

    /// 1 … 9 each.
    let columns: Int
    let rows: Int
    /// `columns * rows`, row by row; the first is the mean.
    let terms: [Term]

    private static let digits: [UInt8: Int] = {
        let text = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz#$%*+,-.:;=?@[]^_{|}~"
        return Dictionary(uniqueKeysWithValues: text.utf8.enumerated().map { ($0.element, $0.offset) })
    }()

    /// nil if the text is no blurhash.
    init?(_ text: String) {
        let values = text.utf8.prefix(167).map { Self.digits[$0] ?? -1 }
        guard values.count >= 6, !values.contains(-1) else { return nil }
        (columns, rows) = (values[0] % 9 + 1, values[0] / 9 + 1)
        guard values.count == 4 + 2 * columns * rows else { return nil }
        func number(_ range: Range<Int>) -> Int { values[range].reduce(0) { $0 * 83 + $1 } }
        let mean = number(2..<6)
        guard mean <= 0xFF_FFFF else { return nil }
        let most = Double(values[1] + 1) / 166
        var terms = [
            Term(
                red: Self.linear(mean >> 16), green: Self.linear(mean >> 8 & 0xFF), blue: Self.linear(mean & 0xFF))
        ]
        for index in 1..<(columns * rows) {
            let value = number(4 + 2 * index..<6 + 2 * index)
            guard value < 19 * 19 * 19 else { return nil }
            func part(_ digit: Int) -> Double {
                let share = Double(digit - 9) / 9
                return share * abs(share) * most
            }
            terms.append(Term(red: part(value / 361), green: part(value / 19 % 19), blue: part(value % 19)))
        }
        self.terms = terms
    }

    /// The picture in any size.
    func picture(_ size: PixelSize) -> Picture {
        func waves(_ count: Int, over length: Int) -> [[Double]] {
            (0..<count).map { wave in
                (0..<length).map { cos(.pi * Double(wave) * (Double($0) + 0.5) / Double(length)) }
            }
        }
        let (across, down) = (waves(columns, over: size.width), waves(rows, over: size.height))
        var pixels: [UInt32] = []
        pixels.reserveCapacity(size.width * size.height)
        for y in 0..<size.height {
            // What all terms of a column are at this height.
            let line = (0..<columns).map { column in
                (0..<rows).reduce(into: Term(red: 0, green: 0, blue: 0)) { sum, row in
                    let (term, weight) = (terms[row * columns + column], down[row][y])
                    sum.red += term.red * weight
                    sum.green += term.green * weight
                    sum.blue += term.blue * weight
                }
            }
            for x in 0..<size.width {
                var (red, green, blue) = (0.0, 0.0, 0.0)
                for column in 0..<columns {
                    let weight = across[column][x]
                    red += line[column].red * weight
                    green += line[column].green * weight
                    blue += line[column].blue * weight
                }
                pixels.append(Self.encoded(red) << 16 | Self.encoded(green) << 8 | Self.encoded(blue))
            }
        }
        return Picture(size: size, pixels: pixels)
    }

    /// sRGB, IEC 61966-2-1.
    private static func linear(_ value: Int) -> Double {
        let share = Double(value) / 255
        return share <= 0.04045 ? share / 12.92 : pow((share + 0.055) / 1.055, 2.4)
    }

    private static func encoded(_ light: Double) -> UInt32 {
        let light = min(max(light, 0), 1)
        let share = light <= 0.0031308 ? light * 12.92 : 1.055 * pow(light, 1 / 2.4) - 0.055
        return UInt32(share * 255 + 0.5)
    }
}
