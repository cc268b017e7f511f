import Captions
import Model
import Testing

/// A cue as it is written in these tests.
func cue(_ start: Double, _ end: Double, _ text: String) -> Cue {
    func time(_ seconds: Double) -> Duration { .milliseconds(Int((seconds * 1_000).rounded())) }
    return Cue(start: time(start), end: time(end), text: text)
}

@Suite struct WebVTTTests {
    private func read(_ text: String) -> [Cue] { cues(ofText: text.utf8) }

    @Test func cuesHaveTimesAndLines() {
        let text = """
            WEBVTT - a film
            Kind: captions

            NOTE
            a remark

            STYLE
            ::cue { color: red }

            REGION
            id:bottom

            intro
            00:01.000 --> 00:02.500 align:start position:0%
            Hello
            there

            1:00:00.250 --> 100:00:01.000
            Late
            """
        #expect(read(text) == [cue(1, 2.5, "Hello\nthere"), cue(3_600.25, 360_001, "Late")])
    }

    @Test func tagsGoAndEntitiesAreLetters() {
        let text = """
            WEBVTT

            00:01.000 --> 00:02.000
            <v.loud Mira>a <i>b</i> <c.yellow.bg>c</c><00:00:01.500><ruby>漢<rt>kan</rt></ruby>

            00:02.000 --> 00:03.000
            <v Mira>1 &lt; 2 &amp;&nbsp;3 &gt; 2 &#x41;&#66; &bogus; & I <3 you

            00:03.000 --> 00:04.000
            <v Omar>me
            <v Mira>too
            """
        #expect(
            read(text) == [
                cue(1, 2, "Mira: a b c漢kan"), cue(2, 3, "1 < 2 & 3 > 2 AB &bogus; & I <3 you"),
                cue(3, 4, "Omar: me\nMira: too"),
            ])
    }

    /// YouTube's automatic captions begin with a line of one blank, which ends no cue.
    @Test func blankFilledLineDoesNotEndACue() {
        #expect(
            read("WEBVTT\n\n00:00:00.160 --> 00:00:02.389\n \nhello<00:00:00.480><c> world</c>\n\nno cue")
                == [cue(0.16, 2.389, "hello world")])
    }

    @Test func carriageReturnsEndLinesAndMissingBlankLinesCostNothing() {
        #expect(
            read("WEBVTT\r\r00:01.000 --> 00:02.000\ra\r00:02.000-->00:03.000\rb") == [cue(1, 2, "a"), cue(2, 3, "b")])
    }

    @Test func cuesComeInOrderOfTheirStarts() {
        let text = "WEBVTT\n\n00:05.000 --> 00:06.000\nc\n\n00:01.000 --> 00:06.000\na\n\n00:01.000 --> 00:02.000\nb"
        #expect(read(text).map(\.text) == ["a", "b", "c"])
    }

    @Test func cueThatEndsBeforeItStartsIsSkipped() {
        #expect(
            read("WEBVTT\n\n00:05.000 --> 00:04.000\nc\n\n00:05.000 --> 00:61.000\nd\n\n00:05.000 --> 00:05.000\ne")
                == [cue(5, 5, "e")])
    }

    @Test func segmentHeaderSetsTheOffset() {
        let text = "WEBVTT\nX-TIMESTAMP-MAP=LOCAL:00:00:01.000,MPEGTS:900000\n\n00:01.000 --> 00:02.000\na"
        #expect(transportOffset(ofText: text.utf8) == .seconds(9))
        #expect(read(text) == [cue(1, 2, "a")])
        #expect(
            transportOffset(ofText: "WEBVTT\n\n00:01.000 --> 00:02.000\nX-TIMESTAMP-MAP=LOCAL:00:00,MPEGTS:9".utf8)
                == nil)
        #expect(transportOffset(ofText: "WEBVTT\nX-TIMESTAMP-MAP=LOCAL:00:00,MPEGTS:-9".utf8) == nil)
        #expect(transportOffset(ofText: "WEBVTT\nX-TIMESTAMP-MAP=LOCAL:00:00,MPEGTS:99999999999999999999".utf8) == nil)
    }
}

@Suite struct SubRipTests {
    private func read(_ text: String) -> [Cue] { cues(ofText: text.utf8) }

    @Test func cuesHaveTimesAndLines() {
        let text =
            "\u{FEFF}1\r\n00:00:01,000 --> 00:00:02,500\r\nHello\r\nthere\r\n\r\n2\r\n00:00:03.000 --> 00:00:04.5\r\nwell\r\n"
        #expect(read(text) == [cue(1, 2.5, "Hello\nthere"), cue(3, 4.5, "well")])
    }

    @Test func numbersMayBeMissingAndBlankLinesToo() {
        #expect(
            read("00:01,0 --> 00:02,0\na\n00:02,0 --> 00:03,0\nb\n3\n00:03,0 --> 00:04,0\nc") == [
                cue(1, 2, "a"), cue(2, 3, "b"), cue(3, 4, "c"),
            ])
    }

    @Test func numbersMayBeTextAndBlankLinesToo() {
        #expect(
            read("1\n00:01,0 --> 00:02,0\n42\n\n2\n00:02,0 --> 00:03,0\na\n\nb\n7") == [
                cue(1, 2, "42"), cue(2, 3, "a\nb\n7"),
            ])
    }

    @Test func tagsAndOverridesGo() {
        #expect(
            read("1\n00:01,0 --> 00:02,0 X1:10\n{\\an8}<font color=\"red\">a</font>\\Nb {c} <b>d</b> < e >") == [
                cue(1, 2, "a\nb {c} d < e >")
            ])
    }
}

@Suite struct TranscriptTests {
    private func read(_ text: String) -> [Cue] { cues(ofText: text.utf8) }

    @Test func segmentsAreCues() {
        let text = """
            {"version": "1.0.0", "segments": [
              {"startTime": 0.5, "endTime": 2, "speaker": "Mira", "body": "Welcome to the show."},
              {"startTime": "2", "endTime": 4, "speaker": "Mira", "body": "Today:"},
              {"startTime": 9, "speaker": "Omar", "body": "Hello"},
              {"startTime": -1, "endTime": 4, "body": "no"}, {"startTime": 1e300, "body": "no"}, {"body": "no"}, 7
            ]}
            """
        #expect(
            read(text) == [
                cue(0.5, 2, "Mira: Welcome to the show."), cue(2, 4, "Today:"), cue(9, 12, "Omar: Hello"),
            ])
    }

    @Test func wordsAreJoinedToPhrases() {
        let words = ["Darth", "Vader", "is", "here.", "Run"].enumerated()
            .map { #"{"startTime": \#($0), "endTime": \#($0).9, "body": "\#($1)"}"# }
        #expect(
            read("{\"segments\": [\(words.joined(separator: ","))]}") == [
                cue(0, 3.9, "Darth Vader is here."), cue(4, 4.9, "Run"),
            ])
    }

    @Test func phraseLastsAsLongAsTheLongestOfItsParts() {
        let segments = """
            {"startTime": 0, "endTime": 3, "body": "Darth"}, {"startTime": 1, "endTime": 2, "body": "Vader"}
            """
        #expect(read("{\"segments\": [\(segments)]}") == [cue(0, 3, "Darth Vader")])
    }

    @Test func cuesBeforeASyntaxErrorAreShown() {
        #expect(read(#"{"segments": [{"startTime": 1, "endTime": 2, "body": "a"}, {"#) == [cue(1, 2, "a")])
        #expect(read("{}").isEmpty)
    }
}

@Suite struct EncodingTests {
    private let text = "1\n00:01,0 --> 00:02,0\nGrüße\n"
    private let cues = [cue(1, 2, "Grüße")]

    @Test func byteOrderMarkSelectsUTF16() {
        let units = Array("\u{FEFF}\(text)".utf16)
        #expect(Captions.cues(ofText: units.flatMap { [UInt8(truncatingIfNeeded: $0), UInt8($0 >> 8)] }) == cues)
        #expect(Captions.cues(ofText: units.flatMap { [UInt8($0 >> 8), UInt8(truncatingIfNeeded: $0)] }) == cues)
    }

    @Test func invalidUTF8IsReadAsLatin() {
        let bytes = text.unicodeScalars.map { UInt8($0.value) }
        #expect(Captions.cues(ofText: bytes) == cues)
    }
}
