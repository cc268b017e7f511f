import Bytes
import Model
import Testing

@testable import Feeds

@Suite struct YTDLPChoiceTests {
    private func choice(_ formats: String, more: String = "", height: Int = 720) throws -> ResolvedMedia {
        let text = #"{"id": "1", "extractor_key": "Tube", \#(more) "formats": [\#(formats)]}"#
        let info = try #require(try YTDLPInfo(Array(text.utf8)))
        return try YTDLPChoice.media(of: info, need: MediaNeed(height: height))
    }

    private func why(_ formats: String, more: String = "") throws -> String? {
        do {
            _ = try choice(formats, more: more)
            return nil
        } catch let error as YTDLPChoice.ChoiceError {
            return error.why
        }
    }

    private func file(_ name: String, _ height: Int?, _ fields: String = "") -> String {
        let height = height.map { #""height": \#($0),"# } ?? ""
        return
            #"{"format_id": "\#(name)", \#(height) \#(fields) "url": "https://h.example.org/\#(name)", "protocol": "https"}"#
    }

    private func hls(_ name: String, _ height: Int, _ fields: String = "") -> String {
        #"{"format_id": "\#(name)", "height": \#(height), \#(fields) "url": "https://h.example.org/\#(name).m3u8", "protocol": "m3u8_native"}"#
    }

    private let master = #""manifest_url": "https://h.example.org/master.m3u8","#

    @Test func theSmallestThatCoversTheSurfaceIsTaken() throws {
        let all = [file("a", 360), file("b", 720), file("c", 1_080), hls("d", 720), hls("e", 1_080)]
        for formats in [all, all.reversed()] {
            let formats = formats.joined(separator: ",")
            #expect(try choice(formats).url == "https://h.example.org/b")
            #expect(try choice(formats, height: 200).url == "https://h.example.org/a")
            #expect(try choice(formats, height: 1_000).url == "https://h.example.org/c")
            #expect(try choice(formats, height: 2_000).url == "https://h.example.org/c")
        }
        #expect(try choice(file("a", 360) + "," + hls("d", 800)).url == "https://h.example.org/d.m3u8")
        let equal = [
            file("vp9", 720, #""vcodec": "vp9","#), file("avc", 720, #""vcodec": "avc1.4","#),
            file("av1", 720, #""vcodec": "av01","#),
        ]
        #expect(try choice(equal.joined(separator: ",")).url == "https://h.example.org/avc")
    }

    @Test func playlistIsPreferredToATooSmallFile() throws {
        let separate = hls("v", 1_080, master + #""acodec": "none","#) + "," + hls("a", 0, #""vcodec": "none","#)
        let media = try choice(file("s", 360) + "," + separate)
        #expect(media.url == "https://h.example.org/master.m3u8" && media.cacheName == nil)
        #expect(try choice(separate).url == "https://h.example.org/master.m3u8")
        let dash =
            #"{"format_id": "d", "vcodec": "vp9", "acodec": "none", "protocol": "http_dash_segments", "url": "https://h.example.org/x", "manifest_url": "https://h.example.org/m.mpd"}"#
        let sound = file("a", nil, #""vcodec": "none","#)
        #expect(try choice(dash + "," + sound).url == "https://h.example.org/m.mpd")
        #expect(try why(dash + "," + sound, more: #""live_status": "is_live","#)?.contains("are separate") == true)
    }

    @Test func onlyFilesThatEndHaveANameOfTheirOwn() throws {
        #expect(try choice(file("22", 720)).cacheName == "tube:1:22")
        #expect(try choice(hls("22", 720)).cacheName == nil)
        #expect(try choice(file("22", 720), more: #""is_live": true,"#).cacheName == nil)
        #expect(try choice(file("", 720)).cacheName == nil)
    }

    @Test func audioIsChosenOnlyWithoutVideo() throws {
        let (sound, pictures) = (file("a", nil, #""vcodec": "none","#), file("v", 720, #""acodec": "none","#))
        #expect(try choice(sound).url == "https://h.example.org/a")
        #expect(try choice(pictures).url == "https://h.example.org/v")
        #expect(
            try why(sound + "," + pictures) == "its video and audio are separate, which is not supported")
        #expect(try choice(sound + "," + pictures + "," + file("x", nil)).url == "https://h.example.org/x")
    }

    @Test func unplayableClipNamesTheReason() throws {
        #expect(try why(file("a", 720, #""has_drm": true,"#))?.contains("DRM") == true)
        #expect(try choice(file("a", 720, #""has_drm": "maybe","#)).url == "https://h.example.org/a")
        #expect(try why("", more: #""live_status": "is_upcoming","#) == "it has not started yet")
        #expect(try why("") == "no playable format")
        for odd in [
            #"{"format_id": "a", "url": "rtmp://h/x", "protocol": "rtmp"}"#,
            #"{"format_id": "a", "url": "file:///etc/passwd"}"#,
            #"{"format_id": "a"}"#, #"{"url": "https://h/", "vcodec": "none", "acodec": "none"}"#, "1", "null",
        ] {
            #expect(try why(odd) == "no playable format", "\(odd)")
        }
    }

    /// A clip with only one form may have it at the top level.
    @Test func aClipCanBeItsOwnForm() throws {
        let text =
            #"{"id": "1", "extractor_key": "Generic", "url": "https://h.example.org/a.mp4", "format_id": "0", "protocol": "https"}"#
        let info = try #require(try YTDLPInfo(Array(text.utf8)))
        #expect(try YTDLPChoice.media(of: info, need: MediaNeed()).url == "https://h.example.org/a.mp4")
    }

    @Test func forbiddenHeadersAreDropped() throws {
        let headers =
            #""http_headers": {"User-Agent": "Mozilla/5.0", "Host": "evil", "Accept-Encoding": "br", "X": "a\r\nb"},"#
        #expect(try choice(file("a", 720, headers)).headers == ["User-Agent": "Mozilla/5.0"])
    }
}
