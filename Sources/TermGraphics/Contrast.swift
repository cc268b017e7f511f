import Platform

/// The contrast of two colours as WCAG 2.2 defines it (https://www.w3.org/TR/WCAG22/#dfn-contrast-ratio): 1 … 21.
enum Contrast {
    /// What text needs to be readable (WCAG's level AA).
    static let readable: Float = 4.5

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

    /// The least shade of `ground` on which light `text` is readable; 0 if it
    /// is already, 255 if nothing but black helps.
    static func shade(of ground: UInt32, under text: UInt32) -> UInt8 {
        let most = (luminance(text) + 0.05) / readable - 0.05
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
