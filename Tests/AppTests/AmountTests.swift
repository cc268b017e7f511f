import Testing

@testable import App

@Suite struct Amounts {
    @Test(arguments: [
        ("0", 0), ("512", 512), ("1B", 1), ("1KB", 1_024), ("512KB", 524_288), ("512 kb", 524_288), ("512k", 524_288),
        ("1KiB", 1_024), ("500MB", 524_288_000), ("1.5MB", 1_572_864), ("2GB", 2_147_483_648),
        ("1TB", 1_099_511_627_776),
    ])
    func sizesUsePowersOfTwo(text: String, bytes: Int64) {
        #expect(Amount.bytes(text) == bytes)
    }

    @Test(arguments: ["", "MB", "-1MB", "1 MB x", "1e9", "1,5MB", "99999999999999999TB", "1.2.3", "١MB", "∞"])
    func otherTextsAreNotSizes(text: String) {
        #expect(Amount.bytes(text) == nil)
    }

    @Test(arguments: [
        ("90d", Duration.seconds(7_776_000)), ("2h", .seconds(7_200)), ("30s", .seconds(30)), ("1.5m", .seconds(90)),
        ("250ms", .milliseconds(250)), ("10", .seconds(10)), ("2 w", .seconds(1_209_600)), ("5min", .seconds(300)),
    ])
    func durationsHaveUnits(text: String, duration: Duration) {
        #expect(Amount.duration(text) == duration)
    }

    @Test(arguments: ["", "d", "-1s", "2 months", "1h30m", "999999999999999999w"])
    func otherTextsAreNotDurations(text: String) {
        #expect(Amount.duration(text) == nil)
    }

    @Test(arguments: [
        ("750k", 750_000), ("1.5M", 1_500_000), ("1Mbit", 1_000_000), ("64 kbit/s", 64_000), ("9600", 9_600),
        ("2Mbps", 2_000_000),
    ])
    func bitratesUsePowersOfTen(text: String, bits: Int64) {
        #expect(Amount.bitsPerSecond(text) == bits)
    }

    @Test(
        arguments: [
            (0, "0 bytes"), (1, "1 byte"), (1_023, "1023 bytes"), (1_024, "1.0 KB"), (10_239, "10 KB"),
            (1_023_000, "999 KB"), (1_023_500, "1.0 MB"), (524_288_000, "500 MB"), (1_610_612_736, "1.5 GB"),
            (.max, "8388608 TB"),
        ] as [(Int64, String)])
    func sizesAreShownInFewDigits(bytes: Int64, text: String) {
        #expect(Amount.text(bytes: bytes) == text)
    }

    @Test(
        arguments: [
            (-5, "just now"), (59, "just now"), (60, "1 min ago"), (3_599, "59 min ago"), (3_600, "1 h ago"),
            (172_799, "47 h ago"), (172_800, "2 d ago"), (.infinity, "long ago"), (.nan, "just now"),
        ] as [(Double, String)])
    func agesAreShownInTheLargestUnit(seconds: Double, text: String) {
        #expect(Amount.text(ago: seconds) == text)
    }
}
