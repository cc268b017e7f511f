import Testing
import Wire

@testable import App

/// What `flick probe` prints.
@Suite struct ProbeReportTests {
    private let video = MediaInfo.Stream(
        index: 0, kind: .video, codec: "h264", profile: "High", bitrate: 900_000, width: 640, height: 360,
        format: "yuv420p", rate: 29_970, isChosen: true)
    private let audio = MediaInfo.Stream(
        index: 1, kind: .audio, codec: "aac", language: "de", rate: 48_000, channels: 1, isChosen: true)
    private let text = MediaInfo.Stream(index: 2, kind: .subtitle, codec: "webvtt")

    private var info: MediaInfo {
        var info = MediaInfo(
            container: "mov,mp4", duration: 1_500_000, isSeekable: true, streams: [video, audio, text], rotation: 90,
            displayWidth: 361, displayHeight: 642, sampleAspectNumerator: 4, sampleAspectDenominator: 3)
        info.tags = MediaInfo.Tags(title: "Rain", comment: "wet", date: "2024")
        info.soundTracks = [
            MediaInfo.Track(language: "de", isChosen: true), MediaInfo.Track(language: "en", title: "Comments"),
        ]
        info.textTracks = [MediaInfo.Track(title: "Signs")]
        info.chapters = [.init(start: 0, title: "One"), .init(start: 61_500_000, title: "Two")]
        info.variants = [
            .init(bandwidth: 900_000, width: 640, height: 360, codecs: "avc1", isChosen: true, why: "it fits"),
            .init(bandwidth: 300_000),
        ]
        return info
    }

    @Test func objectHasAllFacts() {
        let wanted = [
            #"{"url":"u","container":"mov,mp4","duration":1.5,"seekable":true,"still":false,"#,
            #""display_width":361,"display_height":642,"rotation":90,"sample_aspect":"4:3","#,
            #""tags":{"title":"Rain","comment":"wet","date":"2024"},"#,
            #""streams":[{"index":0,"kind":"video","codec":"h264","profile":"High","bitrate":900000,"#,
            #""format":"yuv420p","width":640,"height":360,"fps":29.97,"chosen":true},"#,
            #"{"index":1,"kind":"audio","codec":"aac","language":"de","sample_rate":48000,"channels":1,"#,
            #""chosen":true},"#,
            #"{"index":2,"kind":"subtitle","codec":"webvtt","chosen":false}],"#,
            #""sound_tracks":[{"language":"de","chosen":true},"#,
            #"{"language":"en","title":"Comments","chosen":false}],"#,
            #""text_tracks":[{"title":"Signs","chosen":false}],"#,
            #""chapters":[{"start":0,"title":"One"},{"start":61.5,"title":"Two"}],"#,
            #""variants":[{"bandwidth":900000,"width":640,"height":360,"codecs":"avc1","#,
            #""chosen":true,"why":"it fits"},"#,
            #"{"bandwidth":300000,"chosen":false}],"why":"plays with video and audio"}"#,
        ].joined()
        #expect(ProbeReport.json(info, name: "u") == wanted + "\n")
    }

    @Test func textHasALineForEachPart() {
        #expect(
            ProbeReport.text(info, name: "u") == """
                u
                  container  mov,mp4, length 1.5 s
                  shown      361×642, rotated by 90°
                  title      Rain
                  comment    wet
                  date       2024
                  ▸ 0 video  h264 High, 640×360, 29.97 fps
                  ▸ 1 audio  aac, 48000 Hz, 1 channel
                    2 subtitle  webvtt
                  ▸ variant  640×360, 900 kbit/s: it fits
                    variant  size unknown, 300 kbit/s
                  audio      Deutsch; English, Comments
                  subtitles  Signs
                  chapters   2
                  plays with video and audio

                """)
    }

    @Test func broadcastHasNoLength() {
        let info = MediaInfo(container: "mpegts", duration: -1, isSeekable: false, streams: [audio])
        #expect(
            ProbeReport.text(info, name: "u") == """
                u
                  container  mpegts, length unknown, not seekable
                  ▸ 1 audio  aac, 48000 Hz, 1 channel
                  audio only

                """)
        let json = ProbeReport.json(info, name: "u")
        #expect(json.contains(#""duration":null,"seekable":false"#) && !json.contains("display_width"))
    }

    @Test func reasonIsWhatPlays() {
        func reason(_ streams: [MediaInfo.Stream], isStill: Bool = false) -> String? {
            let info = MediaInfo(
                container: "c", duration: 0, isSeekable: true, isStill: isStill, streams: streams)
            return ProbeReport.text(info, name: "u").split(separator: "\n").last.map { String($0.dropFirst(2)) }
        }
        #expect(reason([video]) == "plays without audio" && reason([video], isStill: true) == "a still image")
        #expect(reason([text]) == "nothing playable")
        var other = video
        other.isChosen = false
        #expect(reason([other, audio]) == "audio only")
    }
}
