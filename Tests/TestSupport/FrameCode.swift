/// The number that a test clip's picture carries, so that a test can identify the picture on the screen.
///
/// Layout, in fractions of the picture's width and height (docs/CONTRIBUTING.md draws it): ten blocks side by side from
/// x = 0.35 to 0.65 and y from 0.4 to 0.6, in the middle so that no crop cuts them. From the left: white, then the
/// frame number modulo 256 as a Gray code of eight bits with the highest first, then even parity of those eight. White
/// is 1, black 0. At 80 columns a block of a landscape picture is 2.4 cells wide.
public enum FrameCode {
    public static let left = 0.35
    public static let top = 0.4
    public static let width = 0.3
    public static let height = 0.2
    public static let blocks = 10

    /// The number in a picture; nil if there is no code, or if it is damaged.
    ///
    /// `luma` returns the brightness, 0…255, at a place of the picture, each coordinate 0…1.
    public static func decode(luma: (_ x: Double, _ y: Double) -> Double) -> Int? {
        let levels = (0..<blocks).map { block in
            let x = left + (Double(block) + 0.5) * width / Double(blocks)
            return (luma(x, top + height * 0.4) + luma(x, top + height / 2) + luma(x, top + height * 0.6)) / 3
        }
        guard levels.allSatisfy({ $0 < 90 || $0 > 165 }) else { return nil }
        let bits = levels.map { $0 > 127 ? 1 : 0 }
        guard bits[0] == 1, bits[1...].reduce(0, +) % 2 == 0 else { return nil }
        var number = 0
        var previous = 0
        for bit in bits[1...8] {
            previous ^= bit
            number = number << 1 | previous
        }
        return number
    }

    /// The bits of a number from left to right, as `decode` expects them.
    public static func bits(of number: Int) -> [Int] {
        let gray = (number & 255) ^ (number & 255) >> 1
        let bits = (0..<8).reversed().map { gray >> $0 & 1 }
        return [1] + bits + [bits.reduce(0, +) % 2]
    }

    /// An ffmpeg filter that paints the code of every picture for its number `n`, counted from 0.
    public static var filter: String {
        (0..<blocks).flatMap { block -> [String] in
            let x = left + Double(block) * width / Double(blocks)
            let place = "x=iw*\(x):y=ih*\(top):w=iw*\(width / Double(blocks)):h=ih*\(height):t=fill"
            let dark = "drawbox=\(place):c=black"
            let light = "drawbox=\(place):c=white"
            switch block {
            case 0: return [light]
            case 9:
                // The parity of a Gray code is the lowest bit of the number.
                return [dark, "\(light):enable='mod(n\\,2)'"]
            default:
                // Bit b of the Gray code is 1 in the middle half of every
                // 2^(b+2) numbers; the highest in the upper half.
                let bit = 8 - block
                let half = 1 << (bit + 1)
                let number = bit == 7 ? "mod(n\\,256)" : "mod(n+\(half / 2)\\,\(half * 2))"
                return [dark, "\(light):enable='gte(\(number)\\,\(bit == 7 ? 128 : half))'"]
            }
        }.joined(separator: ",")
    }
}
