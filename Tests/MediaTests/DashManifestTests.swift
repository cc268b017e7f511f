import Testing
import Wire

@testable import Media

@Suite struct DashManifestTests {
    private func manifest(_ text: String) throws -> DashManifest {
        try DashManifest(Array(text.utf8), base: "http://a/b/film.mpd?q")
    }

    /// The segments of a manifest whose only track has this addressing.
    private func segments(_ addressing: String, length: String = "PT10S") throws -> DashSegments {
        let manifest = try manifest(
            """
            <MPD mediaPresentationDuration="\(length)"><Period><AdaptationSet contentType="video">
            <Representation id="v&amp;" bandwidth="77">\(addressing)</Representation></AdaptationSet></Period></MPD>
            """)
        let period = manifest.periods[0]
        return try DashSegments(period.pictures[0], period: period.duration, index: nil)
    }

    @Test(
        arguments: [
            ("PT3.5S", 3_500_000), ("PT1H2M3S", 3_723_000_000), ("P1DT.5S", nil), ("P1D", 86_400_000_000),
            ("PT0.0000019S", 1),
            ("P0Y0M0DT0H0M1.0S", 1_000_000), ("PT99999999999999999999S", nil),
            ("PT9999999999999999S", 70_368_744_000_000),
            ("", nil), ("P", nil),
            ("PT", nil), ("3S", nil), ("PT1", nil), ("PTS", nil), ("P1S", nil), ("PT1T1S", nil), ("-PT1S", nil),
            ("P999999999999W", 1 << 46),
        ] as [(String, Int64?)])
    func durationsAreParsed(text: String, time: Int64?) {
        #expect(DashTime.duration(text) == time)
    }

    @Test(arguments: [
        ("$RepresentationID$/$Number%05d$-$Time$.m4s", "v/00007-900.m4s"), ("$$$Bandwidth$$$", "$77$"),
        ("$Number", "$Number"),
        ("a$Other$b", "a$Other$b"), ("$Number%x$", "$Number%x$"), ("$Time%012d$", "000000000900"), ("", ""), ("$", "$"),
        ("$Number%099999999999d$", String(repeating: "0", count: 31) + "7"),
    ])
    func templatesAreFilledIn(text: String, address: String) {
        #expect(DashTemplate(text, id: "v", bandwidth: 77).address(number: 7, time: 900) == address)
    }

    @Test func timelinesRepeatUntilTheNextTimeOrTheEnd() throws {
        let segments = try segments(
            """
            <SegmentTemplate timescale="10" presentationTimeOffset="100" media="$RepresentationID$-$Number$-$Time$" startNumber="5"
              initialization="$RepresentationID$/i"><SegmentTimeline><S t="100" d="20" r="1"/><S d="10" r="-1"/><S t="165" d="30"/>
              <S d="10" r="-1"/></SegmentTimeline></SegmentTemplate>
            """)
        #expect(segments.list.map(\.time) == [100, 120, 140, 150, 160, 165, 195])
        #expect(segments.list[2].reference == "v&-7-140")
        #expect(segments.header?.reference == "v&/i" && segments.origin == 100)
    }

    @Test func repeatedSegmentsThatFillTheTimeArePlayed() throws {
        let segments = try segments(
            """
            <SegmentTemplate timescale="10" media="$Number$"><SegmentTimeline><S t="0" d="10" r="-1"/><S t="30" d="10" r="-1"/>
              </SegmentTimeline></SegmentTemplate>
            """, length: "PT5S")
        #expect(segments.list.map(\.time) == [0, 10, 20, 30, 40])
    }

    @Test func equalSegmentsFillThePeriod() throws {
        let segments = try segments("<SegmentTemplate duration='4' media='$Number$'/>")
        #expect(segments.list.map(\.time) == [0, 4, 8] && segments.list.map(\.duration) == [4, 4, 2])
        let ended = try self.segments("<SegmentTemplate duration='4' media='$Number$' startNumber='3' endNumber='4'/>")
        #expect(ended.list.map(\.reference) == ["3", "4"])
    }

    @Test func aShortManifestCannotDescribeTooManySegments() {
        let media = String(repeating: "$RepresentationID$x", count: 100) + "$Number$"
        let why = #expect(throws: MediaError.self) {
            try segments("<SegmentTemplate media='\(media)' duration='1'/>", length: "PT99999S")
        }
        #expect(why?.code == .limits)
    }

    @Test func listsHavePartsOfFiles() throws {
        let segments = try segments(
            """
            <SegmentList duration="5"><Initialization range="0-9"/><SegmentURL mediaRange="10-19"/><SegmentURL media="x"/></SegmentList>
            """)
        #expect(segments.list.map(\.reference) == ["", "x"])
        #expect(segments.list.map(\.range) == [.init(offset: 10, length: 10), nil])
        #expect(segments.header == .init(reference: "", range: .init(offset: 0, length: 10)))
    }

    @Test(arguments: [
        "<SegmentTemplate media='x' duration='1' timescale='4294967296'/>",
        "<SegmentTemplate media='x'><SegmentTimeline><S d='1' r='9223372036854775807'/></SegmentTimeline></SegmentTemplate>",
        "<SegmentTemplate media='x'><SegmentTimeline><S t='9223372036854775807' d='9223372036854775807'/></SegmentTimeline></SegmentTemplate>",
        "<SegmentTemplate media='$Time$' duration='9223372036854775807'/>", "<SegmentTemplate duration='1'/>",
        "<SegmentList duration='1'><SegmentURL mediaRange='9-1'/></SegmentList>",
        "<SegmentList duration='9223372036854775807'><SegmentURL/><SegmentURL/></SegmentList>",
    ])
    func invalidAddressingIsRefused(addressing: String) throws {
        #expect(throws: MediaError.self) { try segments(addressing) }
    }

    @Test(arguments: [
        "<SegmentTemplate media='$Number$' duration='2' startNumber='9223372036854775807' endNumber='0'/>",
        "<SegmentTemplate media='$Time$' duration='9' timescale='0' presentationTimeOffset='9223372036854775807'/>",
        "<SegmentTemplate media='$Number$' duration='4' endNumber='9223372036854775807' startNumber='0'/>",
        "<SegmentTemplate media='x'><SegmentTimeline><S d='0'/><S/><S t='-4' d='5' r='-7'/></SegmentTimeline></SegmentTemplate>",
        "<SegmentBase indexRange='1-9223372036854775807' timescale='99999999999999'/>", "",
    ])
    func extremeNumbersDoNotTrap(addressing: String) throws {
        _ = try segments(addressing)
    }

    @Test func writtenPlaylistsReadBackTheSame() throws {
        var writer = PlaylistWriter(base: "http://a/b/c")
        try writer.addMap(.init(url: "http://a/i", offset: 3, length: 4))
        try writer.addSegment("x,y", of: "http://a/b/c", offset: 5, length: 6, duration: 1_000_001)
        try writer.addSegment("\n#EXT-X-ENDLIST\n", of: "http://a/b/c", duration: 86_399_999_999)
        try writer.addMap(nil)
        writer.addDiscontinuity()
        try writer.addSegment("#EXTINF", of: "http://a/b/c", duration: 0)
        try writer.addSegment("", of: "http://z/d", duration: 20)
        let list = try writer.playlist()
        #expect(list.segments.map(\.duration) == [1_000_001, 86_399_999_999, 0, 20])
        #expect(list.segments.map(\.domain) == [0, 0, 1, 1] && list.isFinished)
        #expect(
            list.segments.map { list.piece(of: $0) } == [
                .init(url: "http://a/b/x,y", offset: 5, length: 6), .init(url: "http://a/b/%0A"),
                .init(url: "http://a/b/c"), .init(url: "http://z/d"),
            ])
        let map = MediaPlaylist.Piece(url: "http://a/i", offset: 3, length: 4)
        #expect(try list.segments.map { try list.map(of: $0) } == [map, map, nil, nil])
        #expect(throws: MediaError.self) { try writer.addMap(.init(url: "http://a/\"\n#")) }
    }

    @Test func periodsFollowEachOther() throws {
        let set = "<AdaptationSet mimeType='video/mp4'><Representation/></AdaptationSet>"
        let manifest = try manifest(
            """
            <MPD mediaPresentationDuration="PT30S"><BaseURL>c/</BaseURL><BaseURL>other/</BaseURL>
            <Period duration="PT5S"><BaseURL>d/</BaseURL>\(set)</Period><Period>\(set)</Period><Period start="PT12S">\(set)</Period></MPD>
            """)
        #expect(manifest.periods.map(\.start) == [0, 5_000_000, 12_000_000])
        #expect(manifest.periods.map(\.duration) == [5_000_000, 7_000_000, 18_000_000])
        #expect(manifest.periods.map { $0.pictures[0].base } == ["http://a/b/c/d/", "http://a/b/c/", "http://a/b/c/"])
    }

    @Test(arguments: [
        ("<MPD type='dynamic'/>", "live DASH streams are not supported"),
        ("<MPD><Period/></MPD>", "its manifest lists nothing playable"),
        (
            "<MPD>" + String(repeating: "<Period/>", count: 1_001) + "</MPD>", "its manifest has more than 1000 periods"
        ),
        ("<MPD><Period>", "its manifest is truncated or not XML"),
        (
            "<MPD><Period><AdaptationSet mimeType='video/mp4'><ContentProtection value='cenc'/><Representation/></AdaptationSet></Period></MPD>",
            "encrypted (cenc); only its own player has the key"
        ),
        (
            "<MPD><Period><AdaptationSet mimeType='audio/mp4'><Representation><ContentProtection value='\u{1B}]'/></Representation></AdaptationSet></Period></MPD>",
            "encrypted (DASH); only its own player has the key"
        ),
    ])
    func unsupportedManifestsFailInOneLine(text: String, why: String) {
        do {
            _ = try manifest(text)
            Issue.record("it was taken")
        } catch { #expect((error as? MediaError)?.why == why) }
    }

    @Test func rootElementIsFoundAfterAnyProlog() {
        func root(_ text: String) -> DashManifest.Root { DashManifest.root(of: Array(text.utf8)[...]) }
        let long = "<!-- " + String(repeating: "<MP -", count: 20_000) + " -->"
        for before in ["", "\u{FEFF}", " \r\n\t", "<?xml version='1.0'?>\n<!--a--><!-- -- --><?b c?>\n", long] {
            #expect(root(before + "<MPD>") == .manifest)
            #expect(root(before + "<m:MPD xmlns:m='x'/>") == .manifest)
            #expect(root(before + "<MPDs>") == .other && root(before + "<svg><MPD/></svg>") == .other)
            #expect(root(before + "text<MPD>") == .other)
            #expect(
                root(before + "<MP") == .unfinished && root(before + "<!-") == .unfinished
                    && root(before) == .unfinished)
        }
        #expect(root("<!DOCTYPE MPD><MPD>") == .other)
        #expect(root(String(long.dropLast(3))) == .unfinished)
        #expect(root("\u{0}\u{0}\u{0}\u{18}ftyp") == .other && root("<" + String(repeating: "a", count: 100)) == .other)
    }
}
