import Model
import TestSupport
import Testing

@testable import TerminalInput

@Suite struct InputParserTests {
    private func parse(_ text: String, keys: [[UInt8]: Key] = [:]) -> [Input] {
        var parser = InputParser(keys: keys)
        return parser.feed(Array(text.utf8), now: .zero)
    }

    @Test(arguments: [
        ("q", Key.character("q")), ("é", .character("é")), ("界", .character("界")), ("🎬", .character("🎬")),
        ("\r", .enter), ("\n", Key(.enter, .control)), ("\t", .tab), ("\u{7F}", .backspace), ("\u{8}", .backspace),
        ("\u{3}", .control("c")), ("\u{1A}", .control("z")), ("\u{C}", .control("l")),
        ("\u{1B}[A", .up), ("\u{1B}OB", .down), ("\u{1B}[C", .right), ("\u{1B}[1;2D", .shiftLeft),
        ("\u{1B}[1;3C", .altRight), ("\u{1B}\u{1B}[D", .altLeft), ("\u{1B}[1;129D", .left), ("\u{1B}[5~", .pageUp),
        ("\u{1B}[6~", .pageDown), ("\u{1B}[H", .home), ("\u{1B}OF", .end), ("\u{1B}[7~", .home), ("\u{1B}[3~", .delete),
        ("\u{1B}OM", .enter), ("\u{1B}[27u", .escape), ("\u{1B}[99;5u", .control("c")),
        ("\u{1B}[97;2u", .character("A")),
        ("\u{1B}[27;5;108~", .control("l")), ("\u{1B}[57420u", .down), ("\u{1B}[1;1:2B", .down),
        ("\u{1B}OP", .function(1)), ("\u{1B}[1;2S", Key(.function(4), .shift)), ("\u{1B}[15~", .function(5)),
        ("\u{1B}[24;3~", Key(.function(12), .alt)), ("\u{1B}[Z", Key(.tab, .shift)), ("\u{1B}[2~", .insert),
        ("\u{1B}[1;5A", Key(.up, .control)), ("\u{1B}[6;2~", Key(.pageDown, .shift)),
        ("\u{1B}b", Key(.character("b"), .alt)), ("\u{1B}\r", Key(.enter, .alt)),
        ("\u{1B}\u{7F}", Key(.backspace, .alt)), ("\u{1B}[98;3u", Key(.character("b"), .alt)),
        ("\u{1B}[13;5u", Key(.enter, .control)), ("\u{1B}[1;5C", Key(.right, .control)), ("\u{1F}", .control("_")),
    ])
    func keysAreUnderstoodAsTerminalsSpellThem(_ text: String, _ key: Key) {
        #expect(parse(text) == [.key(key)])
    }

    @Test(arguments: [
        "\u{1B}[1;1:3B", "\u{1B}[1I", "\u{1B}[?O", "\u{1B}[16~", "\u{1B}[R", "\u{1B}[[A", "\u{1B}[>1;10;0c",
        "\u{1B}[12;40;1R",
        "\u{1B}[?1u", "\u{1B}[M !!", "\u{1B}[M\u{1B}[A", "\u{1B}_Xi=31;OK\u{1B}\\", "\u{1B}P1$r0m\u{1B}\\",
        "\u{1B}]4;1;rgb:0/0/0\u{7}",
        "\u{1B}]52;c;cXVpdA==\u{1B}\\", "\u{1B}[<3;10;10M", "\u{1B}[<0;0;0M", "\u{80}\u{9B}",
        "\u{1B}[99999999999999999999;1u",
    ])
    func unknownSequencesAreDroppedWhole(_ text: String) {
        #expect(parse(text + "j") == [.key(.character("j"))])
    }

    @Test func invalidUTF8IsDroppedAndTheNextKeyCounts() {
        var parser = InputParser()
        #expect(
            parser.feed([0xFF, 0xC3, 0x28, 0xE2, 0x82, 0x71, 0xC0, 0x80, 0xED, 0xA0, 0x80], now: .zero)
                == [.key(.character("(")), .key(.character("q"))])
    }

    @Test func terminfoSpellingsWin() {
        let keys: [[UInt8]: Key] = [
            Array("\u{1B}A".utf8): .up, Array("\u{1B}[d".utf8): .shiftLeft, Array("\u{1B}[7$".utf8): .home,
        ]
        #expect(
            parse("\u{1B}A\u{1B}[d\u{1B}[7$x", keys: keys) == [
                .key(.up), .key(.shiftLeft), .key(.home), .key(.character("x")),
            ])
    }

    // MARK: time

    /// The loop reads at every picture, whether or not something was typed.
    @Test func readingNothingDoesNotHoldUpAnEscape() {
        var parser = InputParser()
        let typed = parser.feed([0x1B], now: .milliseconds(100))
        let soon = parser.feed([], now: .milliseconds(110)) + parser.feed([], now: .milliseconds(120))
        let late = parser.feed([], now: .milliseconds(130))
        #expect(typed.isEmpty && soon.isEmpty)
        #expect(late == [.key(.escape)])
    }

    @Test func aLoneEscapeIsTheKeyAfter25Milliseconds() {
        var parser = InputParser()
        #expect(parser.feed([0x1B], now: .milliseconds(100)) == [])
        #expect(parser.nextWake == .milliseconds(125))
        #expect(parser.expire(now: .milliseconds(124)) == [])
        #expect(parser.expire(now: .milliseconds(125)) == [.key(.escape)])
        #expect(parser.nextWake == nil)
    }

    /// Alt and `[`, or the beginning of a sequence whose rest was lost: nothing
    /// follows, so it is no key, and holds none up.
    @Test(arguments: ["\u{1B}[", "\u{1B}O"])
    func anOpeningThatNothingFollowsIsDroppedAfter25Milliseconds(_ opening: String) {
        var parser = InputParser()
        #expect(parser.feed(Array(opening.utf8), now: .milliseconds(100)) == [])
        #expect(parser.nextWake == .milliseconds(125))
        #expect(parser.expire(now: .milliseconds(124)) == [] && parser.pendingByteCount == 2)
        #expect(parser.expire(now: .milliseconds(125)) == [])
        #expect(parser.nextWake == nil && parser.pendingByteCount == 0)
        #expect(parser.feed(Array("A".utf8), now: .milliseconds(130)) == [.key(.character("A"))])
    }

    @Test func anOpeningThatIsFollowedInTimeIsASequence() {
        var parser = InputParser()
        #expect(parser.feed(Array("\u{1B}[".utf8), now: .milliseconds(100)) == [])
        #expect(parser.feed(Array("A".utf8), now: .milliseconds(124)) == [.key(.up)])
    }

    /// With parameters it is a reply that a slow line cut, whose rest is waited for.
    @Test func aSequenceThatHasBegunIsGivenASecond() {
        var parser = InputParser()
        #expect(parser.feed(Array("\u{1B}[6".utf8), now: .milliseconds(100)) == [])
        #expect(parser.nextWake == .milliseconds(1_100))
        #expect(parser.feed(Array("~".utf8), now: .milliseconds(1_000)) == [.key(.pageDown)])
    }

    /// Alt and a key, or both on a slow line: the page distinguishes them (`Key.afterEscape`).
    @Test func escapeGluedToTheNextKeyLosesNeither() {
        #expect(parse("\u{1B}j") == [.key(Key(.character("j"), .alt))])
        #expect(parse("\u{1B}\u{1B}j") == [.key(.escape), .key(Key(.character("j"), .alt))])
        #expect(parse("\u{1B}é") == [.key(.escape), .key(.character("é"))])
        #expect(parse("\u{1B}\t") == [.key(.escape), .key(.tab)])
    }

    /// flick asks with every picture, so an answer is behind nearly every key.
    @Test(arguments: ["\u{1B}[0n", "\u{1B}[?62;4c", "\u{1B}]11;rgb:0000/0000/0000\u{1B}\\", "\u{1B}[<0;3;4M"])
    func escapeGluedToAnAnswerLosesNeither(_ answer: String) {
        let alone = parse(answer)
        #expect(alone.count == 1)
        #expect(parse("\u{1B}" + answer) == [.key(.escape)] + alone)
    }

    @Test func escapeGluedToAPasteLosesNeither() {
        #expect(parse("\u{1B}\u{1B}[200~text\u{1B}[201~") == [.key(.escape), .paste("text")])
    }

    /// It looks like the beginning of a string, which something would follow.
    @Test func altAndAnUnderscoreIsAKeyAfter25Milliseconds() {
        var parser = InputParser()
        #expect(parser.feed(Array("\u{1B}_".utf8), now: .milliseconds(100)) == [])
        #expect(parser.nextWake == .milliseconds(125))
        #expect(parser.expire(now: .milliseconds(125)) == [.key(Key(.character("_"), .alt))])
        #expect(parser.pendingByteCount == 0)
    }

    /// Nothing of a reply about pictures becomes a key, wherever a slow line cuts it.
    @Test func aCutReplyAboutPicturesIsNeverTyped() {
        let reply = Array("\u{1B}_Gi=31;OK\u{1B}\\".utf8)
        for cut in 1..<reply.count {
            var parser = InputParser()
            parser.awaitsGraphicsReply = true
            var found = parser.feed(reply[..<cut], now: .zero)
            // The first byte alone is ambiguous: after 25 ms it was the Escape key.
            let later = Duration.milliseconds(cut == 1 ? 20 : 600)
            found += parser.feed(reply[cut...], now: later)
            #expect(found == [.reply(.graphics(31, isOK: true))], "cut after \(cut) bytes")
        }
    }

    @Test(arguments: ["", "i=", "i=x;OK", "i=31", "31;OK", ";OK", "I=31;OK"])
    func badRepliesAboutPicturesAreDroppedWhole(_ body: String) {
        #expect(parse("\u{1B}_G\(body)\u{1B}\\k") == [.key(.character("k"))])
    }

    @Test func aReplyCutByASlowLineIsNeverTyped() {
        var parser = InputParser()
        #expect(parser.feed(Array("\u{1B}[?2026".utf8), now: .zero) == [])
        #expect(parser.feed(Array(";2$y".utf8), now: .milliseconds(600)) == [.reply(.mode(2026, state: 2))])
    }

    @Test func unterminatedSequenceIsDropped() {
        var parser = InputParser()
        #expect(parser.feed(Array("\u{1B}]11;rgb:".utf8), now: .zero) == [])
        #expect(parser.feed(Array("q".utf8), now: .seconds(2)) == [.key(.character("q"))])
    }

    // MARK: mouse

    @Test(arguments: [
        ("\u{1B}[<0;3;4M", Mouse(.press(.left), at: GridPoint(column: 2, row: 3))),
        ("\u{1B}[<0;3;4m", Mouse(.release(.left), at: GridPoint(column: 2, row: 3))),
        ("\u{1B}[<2;1;1M", Mouse(.press(.right), at: GridPoint(column: 0, row: 0))),
        ("\u{1B}[<32;300;200M", Mouse(.drag, at: GridPoint(column: 299, row: 199))),
        ("\u{1B}[<35;3;4M", Mouse(.move, at: GridPoint(column: 2, row: 3))),
        ("\u{1B}[<64;5;5M", Mouse(.wheelUp, at: GridPoint(column: 4, row: 4))),
        ("\u{1B}[<69;5;5M", Mouse(.wheelDown, at: GridPoint(column: 4, row: 4))),
        // With Shift, Alt or Ctrl down.
        ("\u{1B}[<4;1;1M", Mouse(.press(.left), at: GridPoint(column: 0, row: 0))),
        ("\u{1B}[<9;1;1M", Mouse(.press(.middle), at: GridPoint(column: 0, row: 0))),
        ("\u{1B}[<16;1;1M", Mouse(.press(.left), at: GridPoint(column: 0, row: 0))),
        ("\u{1B}[<28;1;1m", Mouse(.release(.left), at: GridPoint(column: 0, row: 0))),
    ])
    func mouseReportsBecomeCellsFromZero(_ text: String, _ mouse: Mouse) {
        #expect(parse(text) == [.mouse(mouse)])
    }

    // MARK: replies

    @Test(arguments: [
        ("\u{1B}[?62;4;22c", Reply.deviceAttributes([62, 4, 22])), ("\u{1B}[?2026;1$y", .mode(2026, state: 1)),
        ("\u{1B}P>|foot(1.16.2)\u{1B}\\", .version("foot(1.16.2)")),
        ("\u{1B}P>|a\u{1}b\u{1B}\\", .version("a?b")),
        // BEL ends an OSC and nothing else.
        ("\u{1B}P>|a\u{7}b\u{1B}\\", .version("a?b")),
        ("\u{1B}[3;2R", .cursor(row: 3, column: 2)),
        ("\u{1B}[4;600;800t", .areaPixels(PixelSize(width: 800, height: 600))),
        ("\u{1B}[6;20;10t", .cellPixels(PixelSize(width: 10, height: 20))),
        ("\u{1B}[8;24;80t", .areaCells(GridSize(columns: 80, rows: 24))),
        ("\u{1B}]11;rgb:ffff/8080/0000\u{1B}\\", .background(RGB(255, 128, 0))),
        ("\u{1B}]11;rgb:f/0/8\u{7}", .background(RGB(255, 0, 136))), ("\u{1B}[0n", .status),
        ("\u{1B}_Gi=31;OK\u{1B}\\", .graphics(31, isOK: true)),
        ("\u{1B}_Gi=32,I=4;ENOENT:no such object\u{1B}\\", .graphics(32, isOK: false)),
    ])
    func repliesAreDistinguishedFromKeys(_ text: String, _ reply: Reply) {
        #expect(parse("j" + text + "k") == [.key(.character("j")), .reply(reply), .key(.character("k"))])
    }

    /// Also right behind an Escape.
    @Test func theFocusIsNoKey() {
        #expect(parse("\u{1B}[Ij\u{1B}[O") == [.focus(true), .key(.character("j")), .focus(false)])
        #expect(parse("\u{1B}\u{1B}[O") == [.key(.escape), .focus(false)])
    }

    // MARK: pastes

    /// Keys, replies and nearly its end, in a paste: all of it is text.
    @Test func aPasteIsText() {
        #expect(
            parse("a\u{1B}[200~qqé\u{3}\r\n\u{1B}[B\u{1B}[201\u{1B}[201~b") == [
                .key(.character("a")), .paste("qqé\u{3}\r\n\u{1B}[B\u{1B}[201"), .key(.character("b")),
            ])
        #expect(parse("a\u{1B}[200~\u{1B}[201~b") == [.key(.character("a")), .key(.character("b"))])
    }

    /// The end is found behind what is dropped, and a character that was cut is left out.
    @Test(arguments: [("x", 1), ("é", 2), ("界", 3), ("🎬", 4)]) func aLongPasteIsCut(_ character: String, size: Int) {
        for before in ["", "a", "ab", "abc"] {
            let room = InputParser.longestPaste - before.utf8.count
            let text = before + String(repeating: character, count: room + 100)
            let kept = before + String(repeating: character, count: room / size)
            #expect(parse("\u{1B}[200~\(text)\u{1B}[201~j") == [.paste(kept), .key(.character("j"))])
        }
    }

    @Test func aPasteThatNeverEndsCountsAfterASecondAndHoldsNoKeyUp() {
        var parser = InputParser()
        #expect(parser.feed(Array("\u{1B}[200~some\u{1B}[20".utf8), now: .zero) == [])
        #expect(parser.nextWake == .seconds(1))
        #expect(parser.feed(Array("j".utf8), now: .seconds(1)) == [.paste("some"), .key(.character("j"))])
        #expect(parser.pendingByteCount == 0)
    }

    @Test func bytesThatAreNoTextArePastedAsReplacements() {
        var parser = InputParser()
        let bytes = Array("\u{1B}[200~".utf8) + [0xFF, 0x61, 0xC3] + Array("\u{1B}[201~".utf8)
        #expect(parser.feed(bytes, now: .zero) == [.paste("\u{FFFD}a\u{FFFD}")])
    }

    // MARK: hostile input

    @Test func inputParsesTheSameWhereverItIsSplit() {
        let text =
            "j\u{1B}[1;3C界\u{1B}P>|kitty(0.40)\u{1B}\\\u{1B}[<0;3;4M\u{1B}[?62;4c\u{1B}[200~x\u{1B}[201~\u{1B}OA\u{1B}\u{1B}[Dq"
        let whole = parse(text)
        #expect(whole.count == 10)
        let bytes = Array(text.utf8)
        for cut in 0...bytes.count {
            var parser = InputParser()
            let parts = parser.feed(bytes[..<cut], now: .zero) + parser.feed(bytes[cut...], now: .zero)
            #expect(parts == whole, "cut at \(cut)")
        }
    }

    @Test func anyBytesLeaveAParserThatStillUnderstandsKeys() {
        var random = SeededRandom(state: 0x5EED)
        // Bytes that mean something are likelier than others.
        let spice = Array("\u{1B}\u{1B}[O]P_?<>$;:0123456789MmAu~\\\u{7}\u{18}\u{80}".utf8)
        for round in 0..<3_000 {
            var parser = InputParser(keys: [Array("\u{1B}[7$".utf8): .home])
            let bytes = (0..<Int.random(in: 0..<200, using: &random)).map { _ in
                Int.random(in: 0..<3, using: &random) == 0
                    ? UInt8.random(in: 0...255, using: &random) : spice.randomElement(using: &random)!
            }
            _ = parser.feed(bytes, now: .zero)
            // An unfinished sequence is dropped after a second without a byte.
            let after = parser.feed(Array("\u{1B}[A".utf8), now: .seconds(5))
            #expect(after.last == .key(.up), "round \(round): \(bytes)")
        }
    }

    @Test func anEndlessSequenceDoesNotGrow() {
        var parser = InputParser()
        for start in ["\u{1B}[", "\u{1B}]11;", "\u{1B}P>|", "\u{1B}[200~"] {
            _ = parser.feed(Array(start.utf8), now: .zero)
            for _ in 0..<100 { #expect(parser.feed([UInt8](repeating: 0x31, count: 10_000), now: .zero) == []) }
            let isPaste = start.hasSuffix("200~")
            #expect(
                parser.pendingByteCount <= (isPaste ? InputParser.longestPaste : InputParser.longestSequence + 1))
            #expect(parser.expire(now: .seconds(9)).count == (isPaste ? 1 : 0))
        }
    }
}
