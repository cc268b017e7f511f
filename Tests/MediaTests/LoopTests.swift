import Testing
import Wire

@testable import Media

@Suite struct LoopTests {
    /// In a Matroska file with a delay of AAC's encoder the first picture comes 23 ms after the clip's beginning.
    @Test(arguments: ["mkv", "mp4", "webm", "ts"])
    func afterASeekTheNextRoundBeginsWithTheFirstPicture(container: String) throws {
        let vp9 = ["-c:v", "libvpx-vp9", "-deadline", "realtime", "-cpu-used", "8", "-c:a", "libopus"]
        let late = try Clips.make(
            "late-picture.\(container)",
            list: ["-f", "lavfi", "-i", "sine=duration=12", "-f", "lavfi", "-itsoffset", "0.023"]
                + ["-i", "testsrc2=size=160x90:rate=25:duration=12", "-g", "25"]
                + (container == "webm" ? vp9 : ["-c:v", "libx264", "-bf", "0", "-c:a", "aac"]))
        let harness = try DecoderHarness.open(late, loop: true)
        try harness.run { $0.pictures.count > 3 }
        try harness.channel.send(.seek(serial: 7, time: 10_000_000, mode: .exact))
        try harness.run { $0.pictures.count { $0.header.serial == 7 } > 80 }
        let times = harness.pictures.filter { $0.header.serial == 7 }.map(\.header.mediaTime)
        let turn = try #require(times.indices.dropFirst().first { times[$0] < times[$0 - 1] })
        #expect(times[turn] < 100_000 && times[turn - 1] > 11_800_000, "\(times[turn - 1]) \(times[turn])")
        #expect(times[turn...].count > 10)
    }

    /// Each loop sends its cues again, however short and many the loops are.
    @Test func everyLoopSendsItsCuesAgain() throws {
        let text = try Clips.write("short.srt", Array("1\n00:00:00,100 --> 00:00:00,400\nwords\n".utf8))
        let path = try Clips.make(
            "short-text.mkv", "-f", "lavfi", "-i", "testsrc2=size=160x90:rate=25:duration=0.5", "-i", text, "-c:v",
            "libx264", "-c:s", "srt")
        let harness = try DecoderHarness.open(path, loop: true)
        try harness.run { $0.info != nil }
        try harness.channel.send(.textTrack(0))
        try harness.run { $0.cues.count > 2 * CueDensity.most }
        #expect(harness.cues.allSatisfy { $0.text == "words" })
    }
}
