import Model
import TestSupport
import Testing

@testable import Captions

/// Whatever a file of subtitles has in it: no trap, no text that commands a terminal, nothing without end.
@Suite struct HostileTextTests {
    private func check(_ cues: [Cue], sourceLocation: SourceLocation = #_sourceLocation) {
        #expect(cues.count <= maxCues, sourceLocation: sourceLocation)
        #expect(zip(cues, cues.dropFirst()).allSatisfy { $0.start <= $1.start }, sourceLocation: sourceLocation)
        for cue in cues {
            let isClean = cue.text.unicodeScalars.allSatisfy {
                $0 == "\n" || $0.value >= 0x20 && !(0x7F..<0xA0).contains($0.value)
            }
            let lines = cue.text.split(separator: "\n", omittingEmptySubsequences: false)
            guard isClean, cue.start <= cue.end, cue.text.utf8.count <= 1_000, (1...10).contains(lines.count),
                lines.allSatisfy({ !$0.isEmpty })
            else {
                Issue.record("\(cue)", sourceLocation: sourceLocation)
                return
            }
        }
    }

    private let samples = [
        "WEBVTT\nX-TIMESTAMP-MAP=LOCAL:00:00:00.000,MPEGTS:900000\n\nNOTE x\n\na\n00:01.000 --> 00:02.000 line:0\n<v Bob>Hé <i>b</i> &amp; &#65;\n\n00:02.000 --> 00:03.000\n<c.x>東京</c>\n",
        "\u{FEFF}1\r\n00:00:01,000 --> 00:00:02,500\r\n{\\an8}Hello <b>x</b>\r\n\r\n2\r\n00:00:03,000 --> 00:00:04,000\r\n- a\r\n- שלום\r\n",
        #"{"version":"1.0.0","segments":[{"startTime":0.5,"endTime":2,"speaker":"A","body":"Hé\u001b[31m"},{"startTime":2,"body":"b"}]}"#,
    ]

    @Test func damagedTextsYieldOnlyValidCues() {
        var random = SeededRandom(state: 12)
        let splinters = [
            "-->", "<", ">", "&", "{\\", "}", "\n", "\r\n", "\u{1B}[2J", "\0", "<v ", "00:", "\u{2028}", "\"", "[",
        ].map { Array($0.utf8) }
        for round in 0..<3_000 {
            var bytes = Array(samples[round % samples.count].utf8)
            for _ in 0..<Int.random(in: 1...6, using: &random) where !bytes.isEmpty {
                let place = Int.random(in: 0..<bytes.count, using: &random)
                switch Int.random(in: 0..<5, using: &random) {
                case 0: bytes[place] = .random(in: 0...255, using: &random)
                case 1: bytes.removeSubrange(place..<min(place + .random(in: 1...20, using: &random), bytes.count))
                case 2: bytes.insert(contentsOf: splinters.randomElement(using: &random) ?? [], at: place)
                case 3: bytes.insert(contentsOf: bytes.suffix(from: place).prefix(40), at: place)
                default: bytes.removeLast(.random(in: 0...min(bytes.count, 30), using: &random))
                }
            }
            check(cues(ofText: bytes))
            _ = transportOffset(ofText: bytes)
        }
    }

    @Test func controlsAndDirectionsDoNotReachTheTerminal() {
        let text = "WEBVTT\n\n00:01.000 --> 00:02.000\na\u{1B}[31mb\u{202E}c\u{7}&#27;&lrm;d\u{2028}e\u{9B}1m"
        #expect(cues(ofText: text.utf8).map(\.text) == ["a\u{FFFD}bc\u{FFFD}&#27;d\ne\u{FFFD}"])
    }

    @Test func cueLinesAndBytesAreLimited() {
        let lines = (0..<40).map { "line \($0)" }.joined(separator: "\n")
        check(cues(ofText: "1\n00:01,0 --> 00:02,0\n\(lines)".utf8))
        for letter in ["a", "é", "東", "𝄞", "\u{1}"] {
            let long = "xy" + String(repeating: letter, count: 4_000)
            let cues = cues(ofText: "1\n00:01,0 --> 00:02,0\n\(long)".utf8)
            check(cues)
            #expect((997...1_000).contains(cues.first?.text.utf8.count ?? 0))
            #expect(!(cues.first?.text.dropFirst(2).contains { String($0) != letter && $0 != "\u{FFFD}" } ?? true))
        }
    }

    @Test(
        .timeLimit(.minutes(1)),
        arguments: [
            "<", "<a", "{\\", "&", "&#", "<1:", "\n", "\r", "1\n", "-->", "00:01 --> 00:02\n", "<v a>", "[",
            "{\"segments\":[",
        ])
    func repetitionsTakeNoLongTime(piece: String) {
        let body = String(repeating: piece, count: (1 << 18) / piece.utf8.count)
        for start in ["WEBVTT\n\n", "", "1\n00:01,0 --> 00:02,0\n", "WEBVTT\n\n00:01.0 --> 00:02.0\n"] {
            check(cues(ofText: (start + body + ">}").utf8))
        }
    }

    @Test func harmlessBytesNeedNoCleaning() {
        for code in 0x20..<UInt32(0x11_0000) {
            guard let scalar = Unicode.Scalar(code), String(scalar).utf8.allSatisfy(CueLines.isHarmless), code != 0x20
            else { continue }
            if CleanText.block(String(scalar)) != String(scalar) { Issue.record("U+\(String(code, radix: 16))") }
        }
    }

    @Test func cueCountIsLimited() {
        let many = String(repeating: "00:01 --> 00:02\na\n\n", count: maxCues + 10)
        #expect(cues(ofText: many.utf8).count == maxCues)
    }
}
