import Testing

@testable import Media

/// HDR on a terminal.
@Suite struct ToneMapTests {
    private func shown(_ transfer: ToneMap.Transfer, _ red: Double, _ green: Double, _ blue: Double) -> [Int] {
        var target: UInt32 = 0
        let source = [red, green, blue, 1].map { UInt16(($0 * 65_535).rounded()) }
        ToneMap(transfer).convert(source, to: &target, count: 1)
        return [Int(target >> 16 & 255), Int(target >> 8 & 255), Int(target & 255)]
    }

    private func grey(_ transfer: ToneMap.Transfer, _ value: Double) -> Int {
        let colours = shown(transfer, value, value, value)
        #expect(colours.max()! - colours.min()! <= 1, "\(colours)")
        return colours[1]
    }

    /// Values that ST 2084 tabulates: 0, 100 and 10,000 cd/m².
    @Test func lightAndValueOfPQBelongTogether() {
        #expect(ToneMap.pqLight(0) == 0)
        #expect(abs(ToneMap.pqLight(0.508078) - 100) < 0.01)
        #expect(abs(ToneMap.pqLight(1) - 10_000) < 0.01)
        for light in [0.01, 1, 48, 203, 1_000, 4_000] {
            #expect(abs(ToneMap.pqLight(ToneMap.pqValue(light)) - light) < light * 1e-6)
        }
        #expect(abs(ToneMap.hlgLight(0.5) - 1 / 12) < 1e-9 && abs(ToneMap.hlgLight(1) - 1) < 1e-6)
    }

    @Test(arguments: [ToneMap.Transfer.pq(peak: 1_000), .pq(peak: 4_000), .pq(peak: 100), .hlg, .wide])
    func brighterIsNeverDarkerAndBlackAndWhiteStay(transfer: ToneMap.Transfer) {
        let values = (0...200).map { grey(transfer, Double($0) / 200) }
        #expect(values == values.sorted())
        #expect(values.first == 0 && values.last! >= 254)
    }

    /// What an ordinary picture can show keeps its light; brighter values remain distinguishable.
    @Test func highlightsAreRolledOffAndTheRestStays() {
        #expect(ToneMap.shown(50, peak: 1_000) == 50)
        let bright = [203.0, 400, 700, 1_000].map { ToneMap.shown($0, peak: 1_000) }
        #expect(bright == bright.sorted() && Set(bright).count == 4)
        #expect(bright[0] > 120 && bright[0] < 203 && abs(bright[3] - 203) < 0.01)
        // 26 cd/m² are an eighth of white: (1/8)^(1/2.4) of 255.
        #expect(abs(grey(.pq(peak: 1_000), ToneMap.pqValue(203 / 8)) - 107) <= 2)
    }

    @Test func coloursOfBT2020AreThoseOfBT709() {
        // BT.709's red in BT.2020: 0.6274, 0.0691, 0.0164 of its light.
        func value(_ light: Double) -> Double { ToneMap.pqValue(light * 80) }
        let red = shown(.pq(peak: 1_000), value(0.6274), value(0.0691), value(0.0164))
        #expect(red[0] > 120 && red[1] < 12 && red[2] < 12, "\(red)")
        #expect((127...128).contains(grey(.wide, 0.5)))
    }
}
