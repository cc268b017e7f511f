import Foundation
import Testing
import Wire

@testable import Media

/// DASH manifests as clips: what `SegmentedFilmTests` do not cover.
@Suite struct DashTests {
    /// Three representations of the pictures, two of the sound, and a set of key frames for winding.
    private func offered() throws -> String {
        var list: [String] = []
        var code = ["-c:v", "libx264", "-c:a", "aac", "-pix_fmt", "yuv420p", "-g", "10", "-t", "0.8"]
        for (index, (width, height)) in [(640, 360), (160, 90), (320, 180)].enumerated() {
            list += ["-f", "lavfi", "-i", "testsrc2=s=\(width)x\(height):r=25:d=0.8"]
            code += ["-map", "\(index):v", "-b:v:\(index)", "\(width)k"]
        }
        list += ["-f", "lavfi", "-i", "sine=r=48000:d=0.8"]
        code += ["-map", "3:a", "-b:a:0", "64k", "-map", "3:a", "-b:a:1", "256k"]
        let names = [
            "-init_seg_name", "offered-$RepresentationID$.m4s", "-media_seg_name",
            "offered-$RepresentationID$-$Number$.m4s",
        ]
        let path = try Clips.make(
            "offered-made.mpd",
            list: list + code + names
                + ["-seg_duration", "0.4", "-adaptation_sets", "id=0,streams=v id=1,streams=a", "-f", "dash"])
        let trick = """
            <AdaptationSet contentType="video"><EssentialProperty schemeIdUri="http://dashif.org/guidelines/trickmode" value="0"/>\
            <Representation id="trick" bandwidth="1" width="200" height="120"><BaseURL>trick.mp4</BaseURL></Representation></AdaptationSet>
            """
        let text = try String(contentsOfFile: path, encoding: .utf8)
            .replacingOccurrences(of: "<AdaptationSet id=\"0\"", with: trick + "<AdaptationSet id=\"0\"")
        return try Clips.write("offered.mpd", Array(text.utf8))
    }

    @Test func theFittingVariantIsChosenAndNoOtherOpened() throws {
        let harness = try DecoderHarness.open(try offered(), width: 200, height: 120)
        try harness.runToEnd()
        #expect(harness.failure == nil)
        #expect(harness.info?.container == "dash")
        #expect(harness.info?.variants.map(\.width) == [640, 160, 320])
        #expect(harness.info?.variants.map(\.isChosen) == [false, false, true])
        #expect(harness.variants.map(\.index) == [2])
        #expect(harness.pictures.count == 20 && !harness.sounds.isEmpty)
        let names = harness.opened.dropFirst().map { $0.split(separator: "/").last.map(String.init) ?? "" }
        #expect(names.allSatisfy { $0.hasPrefix("offered-2") || $0.hasPrefix("offered-3") })
        #expect(Set(names).count == names.count)
        #expect(harness.wants.dropFirst().allSatisfy { $0.role == .segment })
        #expect(harness.expected.allSatisfy { $0.role == .segment } && !harness.expected.isEmpty)
    }

    @Test func aManifestBehindALongCommentPlays() throws {
        let text = try String(contentsOfFile: try offered(), encoding: .utf8)
        let comment = "<!-- " + String(repeating: "nothing ", count: 20_000) + "-->"
        let end = try #require(text.range(of: "?>")).upperBound
        let path = try Clips.write("commented.mpd", Array((text[..<end] + comment + text[end...]).utf8))
        let harness = try DecoderHarness.open(path, width: 200, height: 120)
        try harness.runToEnd()
        #expect(harness.failure == nil && harness.info?.container == "dash" && harness.pictures.count == 20)
    }

    @Test func webMPlays() throws {
        let path = try Clips.make(
            "web.mpd", "-i", try Clips.counted(), "-map", "0:v", "-c:v", "libvpx-vp9", "-lossless", "1", "-g", "12",
            "-seg_duration", "0.48", "-dash_segment_type", "webm", "-init_seg_name", "web.webm", "-media_seg_name",
            "web-$Number$.webm", "-f", "dash")
        let harness = try DecoderHarness.open(path)
        try harness.run { $0.pictures.count > 3 }
        try harness.channel.send(.seek(serial: 1, time: 1_620_000, mode: .exact))
        try harness.run { $0.ended.contains(1) }
        let after = harness.pictures.filter { $0.header.serial == 1 }
        #expect(after.map { SeekingTests.number($0.pixels) } == Array(40..<75))
        #expect(harness.failure == nil)
    }

    @Test func openedInTheMiddleTheBeginningIsNotRead() throws {
        let harness = try DecoderHarness.open(try DashFilms.path("dash-index"), start: 2_100_000)
        try harness.runToEnd()
        #expect(harness.pictures.map { SeekingTests.number($0.pixels) } == Array(52..<75))
        let segments = harness.wants.filter { $0.role == .segment && $0.to > 0 }
        #expect(!segments.isEmpty && segments.allSatisfy { $0.from > 1_700_000 && $0.end > $0.offset })
    }

    @Test func timesComeFromTheStampsIfSegmentsDiffer() throws {
        // The manifest claims segments of half a second, but they begin at key frames, which lie elsewhere.
        let path = try Clips.make(
            "uneven.mpd", "-i", try Clips.counted(), "-c", "copy", "-seg_duration", "0.5", "-use_timeline", "0",
            "-init_seg_name", "uneven-$RepresentationID$.m4s", "-media_seg_name",
            "uneven-$RepresentationID$-$Number$.m4s", "-f", "dash")
        let harness = try DecoderHarness.open(path, start: 2_100_000)
        try harness.runToEnd()
        #expect(harness.failure == nil && harness.pictures.count > 10)
        for picture in harness.pictures {
            #expect(abs(picture.header.mediaTime - Int64(SeekingTests.number(picture.pixels)) * 40_000) < 2_000)
        }
    }

    @Test func soundAlonePlays() throws {
        let path = try Clips.make(
            "alone.mpd", "-i", try Clips.counted(), "-map", "0:a", "-c", "copy", "-seg_duration", "0.48",
            "-init_seg_name", "alone.m4s", "-media_seg_name", "alone-$Number$.m4s", "-f", "dash")
        let harness = try DecoderHarness.open(path)
        try harness.runToEnd()
        #expect(harness.failure == nil && harness.pictures.isEmpty)
        #expect(abs(harness.sounds.reduce(0) { $0 + $1.samples.count / 2 } - 144_000) < 3_000)
    }

    @Test func hostileReferencesCannotForgeTags() throws {
        let text = """
            <MPD mediaPresentationDuration="PT2S"><Period><AdaptationSet contentType="video"><Representation id="0">
            <SegmentList duration="1"><Initialization sourceURL="i&quot;,BYTERANGE=&#10;#EXT-X-KEY:METHOD=X"/>
            <SegmentURL media="&#10;#EXT-X-ENDLIST&#10;"/><SegmentURL media="#EXTINF"/></SegmentList>
            </Representation></AdaptationSet></Period></MPD>
            """
        let harness = try DecoderHarness.open(try Clips.write("hostile.mpd", Array(text.utf8)))
        try harness.run { !$0.ended.isEmpty }
        #expect(harness.failure?.why == "no such file")
        #expect(harness.opened.count > 1 && harness.opened.allSatisfy { !$0.contains("\n") && !$0.contains("\"") })
        #expect(harness.opened.dropFirst().first?.contains("i%22,BYTERANGE=%0A") == true)
    }

    /// Manifests with bytes changed, doubled and removed must be parsed or refused quickly.
    @Test(arguments: 0..<8) func damagedManifestsAreParsedOrRefused(seed: Int) throws {
        let originals = try DashFilms.kinds.map {
            Array(try Data(contentsOf: URL(fileURLWithPath: DashFilms.path($0))))
        }
        try #require(originals.allSatisfy { !$0.isEmpty })
        let signs = Array("<>/\"'&;=-0129$%#\n\u{0}".utf8)
        var state = UInt64(seed + 1) &* 0x9E37_79B9_7F4A_7C15 | 1
        func next(_ limit: Int) -> Int {
            state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
            return Int(state >> 33) % max(1, limit)
        }
        var taken = 0
        for _ in 0..<400 {
            var bytes = originals[next(originals.count)]
            for _ in 0...next(6) {
                let place = next(bytes.count)
                switch next(4) {
                case 0: bytes[place] = signs[next(signs.count)]
                case 1: bytes.insert(contentsOf: Array(repeating: UInt8(ascii: "9"), count: next(22)), at: place)
                case 2: bytes.removeSubrange(place..<min(bytes.count, place + next(40)))
                default: bytes.insert(contentsOf: bytes[place..<min(bytes.count, place + next(200))], at: place)
                }
                if bytes.isEmpty { break }
            }
            // An error is fine, here and below; the test is that this returns.
            guard let manifest = try? DashManifest(bytes, base: "http://a/b.mpd") else { continue }
            for track in manifest.periods.flatMap({ $0.pictures + $0.sounds }) {
                // As above.
                guard let segments = try? DashSegments(track, period: manifest.periods[0].duration, index: nil)
                else { continue }
                taken += DashSpan.spans(of: segments, part: 0, from: 0, until: nil).count
            }
        }
        #expect(taken > 0)
    }

    @Test(arguments: 0..<4) func damagedIndicesAreParsedOrRefused(seed: Int) throws {
        _ = try DashFilms.path("dash-index")
        let file = try Data(contentsOf: URL(fileURLWithPath: "\(Clips.folder)/dash-index-made-stream0.mp4"))
        let place = try #require(file.range(of: Data("sidx".utf8))).lowerBound - 4
        let whole = Array(file[place..<place + 124])
        #expect(DashIndex(whole, at: Int64(place))?.end == Int64(file.count))
        var state = UInt64(seed + 1) &* 0x9E37_79B9_7F4A_7C15 | 1
        for _ in 0..<2_000 {
            var bytes = whole
            for _ in 0..<3 {
                state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
                bytes[Int(state >> 33) % bytes.count] = state >> 20 & 1 == 0 ? 0xFF : UInt8(state >> 24 & 0xFF)
            }
            guard let index = DashIndex(Array(bytes.prefix(Int(state >> 40) % 125)), at: Int64(place)) else { continue }
            #expect(index.entries.allSatisfy { $0.offset > 0 && $0.length > 0 && $0.time >= 0 })
        }
    }
}
