import Model
import Testing

@testable import Bytes
@testable import Cache

@Suite struct SegmentTimesTests {
    let segments = SegmentTimes()
    let clip = Asset(url: "https://h/a.m3u8")

    /// One of a thousand segments of a second each.
    private func note(_ number: Int) {
        segments.note(
            ByteRequest(
                url: "https://h/\(number).ts", asset: clip, role: .segment,
                clipTimes: .seconds(number)..<Duration.seconds(number + 1)))
    }

    private func available(_ isAvailable: (AssetKey) -> Bool) -> [ClosedRange<Double>] {
        segments.available(of: clip.url, duration: .seconds(1_000)) { key, _ in isAvailable(key) }
    }

    @Test func onlyTheNewestSegmentsAreChecked() {
        for number in 0..<1_000 { note(number) }
        var asked: [String] = []
        for _ in 0..<4 {
            #expect(
                available { key in
                    asked.append(key.text)
                    return false
                }.isEmpty)
        }
        #expect(asked.count <= 4 * 64 && asked.contains("https://h/999.ts") && !asked.contains("https://h/0.ts"))
        // A segment that is requested again is among the newest.
        note(0)
        #expect(available { $0.text == "https://h/0.ts" } == [0...0.001])
    }

    /// Audio comes in shorter segments than video.
    @Test func segmentWithinALongerOneShortensNothing() {
        for (url, times) in [("https://h/video.ts", 0..<10), ("https://h/audio.ts", 2..<4)] {
            segments.note(
                ByteRequest(
                    url: url, asset: clip, role: .segment,
                    clipTimes: .seconds(times.lowerBound)..<Duration.seconds(times.upperBound)))
        }
        #expect(available { _ in true } == [0...0.01])
    }

    @Test func completeSegmentsAreNotCheckedAgainButOlderOnesAre() {
        for number in 0..<200 { note(number) }
        for _ in 0..<4 { _ = available { _ in true } }
        #expect(available { _ in false } == [0...0.2])
        note(500)
        #expect(available { _ in true } == [0...0.2, 0.5...0.501])
        segments.forget(clip.url)
        #expect(available { _ in true }.isEmpty)
    }
}
