import Platform

/// Turns HDR (ITU-R BT.2100) and the colours of BT.2020 into those of BT.709, as terminals show them: highlights are
/// rolled off as in ITU-R BT.2390-8, 5.4. Pure.
///
/// Tables hold all curves: a picture is small by the time it comes here.
struct ToneMap {
    /// How the values of a picture stand for light.
    enum Transfer: Equatable {
        /// SMPTE ST 2084; `peak` is the light of its brightest pixel, in cd/m².
        case pq(peak: Double)
        case hlg
        /// ITU-R BT.1886, with BT.2020's colours.
        case wide
    }

    /// The luminance of white in an ordinary picture beside HDR, in cd/m² (ITU-R BT.2408, 2.1).
    static let white = 203.0
    /// The display for which HLG is mixed, in cd/m².
    private static let hlgPeak = 1_000.0
    /// One less than the entries of the tables.
    private static let last = 4_095

    let transfer: Transfer
    /// Light of a value, in parts of `peak`; of HLG in parts of the scene's.
    private let light: [Float]
    /// By which a pixel's light is multiplied, for the light of its brightest
    /// colour. Includes the step from `peak` to `white`.
    private let gain: [Float]
    /// The value, 0…255, for the square root of light.
    private let value: [UInt8]

    init(_ transfer: Transfer) {
        self.transfer = transfer
        let peak: Double
        switch transfer {
        case .pq(let given): peak = min(max(given, ToneMap.white), 10_000)
        case .hlg: peak = ToneMap.hlgPeak
        case .wide: peak = ToneMap.white
        }
        let steps = (0...ToneMap.last).map { Double($0) / Double(ToneMap.last) }
        light = steps.map { step in
            switch transfer {
            case .pq: Float(min(ToneMap.pqLight(step) / peak, 1))
            case .hlg: Float(ToneMap.hlgLight(step))
            case .wide: Float(pow(step, 2.4))
            }
        }
        gain = steps.map { step in
            step > 0
                ? Float(ToneMap.shown(step * peak, peak: peak) / step / ToneMap.white) : Float(peak / ToneMap.white)
        }
        value = steps.map { UInt8((pow($0 * $0, 1 / 2.4) * 255).rounded()) }
    }

    /// Converts a row. `source`: red, green, blue and alpha of 16 bits each. `target`: blue, green, red, nothing.
    func convert(_ source: UnsafePointer<UInt16>, to target: UnsafeMutablePointer<UInt32>, count: Int) {
        let last = Float(ToneMap.last)
        let isHLG = transfer == .hlg
        light.withUnsafeBufferPointer { light in
            gain.withUnsafeBufferPointer { gain in
                value.withUnsafeBufferPointer { value in
                    for index in 0..<count {
                        let pixel = source + index * 4
                        var red = light[Int(pixel[0] >> 4)]
                        var green = light[Int(pixel[1] >> 4)]
                        var blue = light[Int(pixel[2] >> 4)]
                        if isHLG {
                            // The display's gamma of 1.2 works on the
                            // brightness, not on each colour (BT.2100, table 5).
                            let bright = 0.2627 * red + 0.678 * green + 0.0593 * blue
                            let factor = pow(bright, 0.2)
                            (red, green, blue) = (min(red * factor, 1), min(green * factor, 1), min(blue * factor, 1))
                        }
                        let factor = gain[Int(max(red, green, blue) * last)]
                        (red, green, blue) = (red * factor, green * factor, blue * factor)
                        // BT.2087-0, 4: from BT.2020's primaries to BT.709's.
                        let r = 1.6605 * red - 0.5876 * green - 0.0728 * blue
                        let g = -0.1246 * red + 1.1329 * green - 0.0083 * blue
                        let b = -0.0182 * red - 0.1006 * green + 1.1187 * blue
                        func byte(_ light: Float) -> UInt32 {
                            UInt32(value[Int(min(max(light, 0), 1).squareRoot() * last)])
                        }
                        target[index] = byte(r) << 16 | byte(g) << 8 | byte(b)
                    }
                }
            }
        }
    }

    // MARK: Curves

    /// The light of a value of PQ, 0…1, in cd/m² (ST 2084, 5.1).
    static func pqLight(_ value: Double) -> Double {
        let root = pow(value, 1 / 78.84375)
        return 10_000 * pow(max(root - 0.8359375, 0) / (18.8515625 - 18.6875 * root), 1 / 0.1593017578125)
    }

    /// The value of PQ for a light in cd/m².
    static func pqValue(_ light: Double) -> Double {
        let power = pow(light / 10_000, 0.1593017578125)
        return pow((0.8359375 + 18.8515625 * power) / (1 + 18.6875 * power), 78.84375)
    }

    /// The scene's light, 0…1, of a value of HLG (BT.2100, table 5).
    static func hlgLight(_ value: Double) -> Double {
        value <= 0.5 ? value * value / 3 : (exp((value - 0.55991073) / 0.17883277) + 0.28466892) / 12
    }

    /// How a light is shown on a display that ends at `white`, if the picture goes up to `peak`; all in cd/m²
    /// (BT.2390-8, 5.4.1).
    static func shown(_ light: Double, peak: Double) -> Double {
        guard peak > white else { return light }
        let whole = pqValue(peak)
        let (most, value) = (pqValue(white) / whole, pqValue(light) / whole)
        let knee = 1.5 * most - 0.5
        guard value > knee else { return light }
        let t = (value - knee) / (1 - knee)
        let curve = (2 * t * t * t - 3 * t * t + 1) * knee + (t * t * t - 2 * t * t + t) * (1 - knee)
        return pqLight((curve + (3 * t * t - 2 * t * t * t) * most) * whole)
    }
}
