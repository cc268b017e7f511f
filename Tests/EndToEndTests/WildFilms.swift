import Foundation
import Synchronization
import TestSupport

/// The films of `WildFilmTests`.
enum WildFilms {
    enum Kind: String, CaseIterable, Sendable {
        case slides, lateStart, jump, joinedSongs, outage, brokenVariant, liveEdge, unknownLength, changingValidator
        case oldServer
    }

    static let all: [WildFilm] =
        slides + lateStarts + jumps + joinedSongs + outages + brokenVariants + liveStreams + unknownLengths
        + changingValidators + oldServers

    // MARK: Pictures that last

    /// Ten seconds a picture.
    private static func slides(_ ending: String, _ seconds: [Int], _ steps: [WildFilm.Step]) -> WildFilm {
        WildFilm(
            name: "slides.\(ending), \(seconds)", kind: .slides,
            coded: CodedFilm(seconds: seconds, hue: { $0 / 10 }), steps: steps
        ) {
            try $0.ffmpeg(
                "slides.\(ending)",
                ["-f", "lavfi", "-i", "color=black:s=160x120:r=1/10:d=30,\(SecondCode.paint("N"))"]
                    + Workshop.sound(30) + Workshop.coding
                    // Otherwise a picture is written far behind its sound.
                    + ["-tune", "zerolatency", "-g", "1", "-t", "30"])
        }
    }

    /// One picture under a minute of sound.
    private static func still(_ ending: String, _ seconds: [Int], _ steps: [WildFilm.Step]) -> WildFilm {
        WildFilm(
            name: "still.\(ending), \(seconds)", kind: .slides, coded: CodedFilm(seconds: seconds, hue: { _ in 3 }),
            steps: steps
        ) {
            try $0.ffmpeg(
                "still.\(ending)", Workshop.picture(1, first: 3, rate: "1") + Workshop.sound(60) + Workshop.coding)
        }
    }

    private static let slides = [
        slides("mp4", [0, 1, 2, 7, 8, 9, 10, 11], [.press("Right", at: 2)]),
        slides("mkv", [0, 1, 15, 16, 17, 18, 13, 14, 15], [.press("5", at: 1), .press("Left", at: 18)]),
        slides("ts", [0, 1, 2, 7, 8, 9, 10, 11], [.press("Right", at: 2)]),
        still("mp4", [0, 1, 42, 43, 44, 39, 40, 41], [.press("7", at: 1), .press("Left", at: 44)]),
    ]

    // MARK: Streams that begin late

    private static func latePicture(_ ending: String, _ seconds: [Int], _ steps: [WildFilm.Step]) -> WildFilm {
        WildFilm(
            name: "late-picture.\(ending), \(seconds)", kind: .lateStart,
            coded: CodedFilm(seconds: seconds, hue: { max($0, 2) % SecondCode.count }), steps: steps
        ) {
            try $0.ffmpeg(
                "late-picture.\(ending)",
                ["-itsoffset", "2"] + Workshop.picture(10, first: 2) + Workshop.sound(12) + Workshop.coding)
        }
    }

    private static func lateSound(_ ending: String, _ seconds: [Int], _ steps: [WildFilm.Step]) -> WildFilm {
        WildFilm(
            name: "late-sound.\(ending), \(seconds)", kind: .lateStart,
            coded: CodedFilm(seconds: seconds, tone: { $0 < 2 ? nil : $0 % SecondCode.count }), steps: steps
        ) {
            try $0.ffmpeg(
                "late-sound.\(ending)",
                Workshop.picture(12) + ["-itsoffset", "2"] + Workshop.sound(10, first: 2) + Workshop.coding)
        }
    }

    private static let lateStarts = [
        latePicture("mp4", [0, 1, 2, 3, 4, 0, 1, 2, 3], [.press("0", at: 4)]), latePicture("ts", [0, 1, 2, 3, 4], []),
        latePicture("mkv", [0, 1, 2, 3, 4], []),
        lateSound("mp4", [0, 1, 2, 3, 4], []), lateSound("ts", [0, 1, 2, 3, 4], []),
        lateSound("mkv", [0, 1, 2, 3, 4, 0, 1, 2, 3], [.press("0", at: 4)]),
        WildFilm(
            name: "chapters.mkv", kind: .lateStart, coded: CodedFilm(seconds: [0, 1, 4, 5, 8, 9, 10, 8, 9]),
            steps: [.press("}", at: 1), .press("}", at: 5), .press("{", at: 10)]
        ) { workshop in
            let chapters = [0, 41, 81].map { "[CHAPTER]\nTIMEBASE=1/10\nSTART=\($0)\nEND=\($0 + 40)\ntitle=C\($0)\n" }
            try workshop.folder.write("chapters", (";FFMETADATA1\n" + chapters.joined()).utf8)
            return try workshop.ffmpeg(
                "chapters.mkv",
                Workshop.picture(12) + Workshop.sound(12)
                    + ["-i", "chapters", "-map", "0:v", "-map", "1:a", "-map_metadata", "2"] + Workshop.coding)
        },
    ]

    // MARK: Timestamps that jump

    /// Three films of four seconds one after the other.
    private static func joined(
        _ name: String, seconds: [Int] = Array(0..<12), steps: [WildFilm.Step] = [],
        part: @escaping @Sendable (Int) -> (more: [String], size: String) = { _ in ([], "160x120") }
    ) -> WildFilm {
        WildFilm(name: name, kind: .jump, coded: CodedFilm(seconds: seconds), steps: steps) { workshop in
            let parts = try (0..<3).map { number in
                let (more, size) = part(number)
                return try workshop.film("part-\(number).ts", seconds: 4, first: 4 * number, size: size, more)
            }
            return try workshop.joined("joined.ts", parts)
        }
    }

    private static let jumps = [
        joined("cat a.ts b.ts c.ts"),
        joined(
            "cat, then a seek back", seconds: [0, 1, 2, 3, 4, 5, 6, 1, 2, 3, 4, 5], steps: [.press("Left", at: 6)]),
        joined("cat of other sizes") { ([], $0 == 1 ? "192x144" : "160x120") },
        joined("an hour forwards in ts") { (["-output_ts_offset", "\(3_600 * $0)"], "160x120") },
        joined("a hundred seconds back in ts") { (["-output_ts_offset", "\(100 * (2 - $0))"], "160x120") },
        WildFilm(name: "an hour forwards in mkv", kind: .jump, coded: CodedFilm(seconds: Array(0..<10))) {
            let jump = "PTS+gte(T,4)*3600/TB"
            return try $0.film(
                "hour.mkv", seconds: 12, audio: "pcm_s16le",
                ["-vf", "setpts='\(jump)'", "-af", "asetpts='\(jump)'", "-fps_mode", "passthrough", "-bf", "0"])
        },
        WildFilm(
            name: "loop.mp4", kind: .jump, coded: CodedFilm(seconds: [0, 1, 2, 3, 0, 1, 2, 3, 0]), arguments: []
        ) { try $0.film("loop.mp4", seconds: 4) },
        WildFilm(
            name: "loop.ts", kind: .jump, coded: CodedFilm(seconds: [0, 1, 2, 3, 0, 1, 2, 3, 0]), arguments: []
        ) { try $0.film("loop.ts", seconds: 4) },
    ]

    /// Three songs of four seconds in one Ogg file.
    private static func songs(
        _ codec: String, _ rates: [Int] = [48_000, 48_000, 48_000], seconds: [Int] = Array(0..<12),
        arguments: [String] = ["--no-loop"]
    ) -> WildFilm {
        WildFilm(
            name: "cat of \(codec), \(rates)", kind: .joinedSongs,
            coded: CodedFilm(seconds: seconds, hue: { _ in nil }), arguments: arguments
        ) { workshop in
            let songs = try rates.enumerated().map { number, rate in
                try workshop.ffmpeg(
                    "song-\(number).ogg", Workshop.sound(4, first: 4 * number, rate: rate) + ["-c:a", codec])
            }
            return try workshop.joined("radio.ogg", songs)
        }
    }

    private static let joinedSongs = [
        songs("libvorbis"), songs("libopus"), songs("flac"), songs("libvorbis", [48_000, 32_000, 44_100]),
        songs("libvorbis", [44_100, 16_000, 44_100]),
        songs("libvorbis", seconds: Array(0..<12) + [0, 1, 2], arguments: []),
    ]

    // MARK: Servers that lack something

    /// HLS of ten segments of a second.
    private static func playlist(
        _ workshop: Workshop, _ server: FaultyServer, _ name: String, seconds: Int = 10, kind: String = "mpegts",
        audio: [String] = [], faults: @escaping (Int) -> [Fault] = { _ in [] }
    ) throws {
        try workshop.film(
            "\(name).m3u8", seconds: seconds,
            audio + [
                "-hls_time", "1", "-hls_playlist_type", "vod", "-hls_segment_type", kind, "-hls_fmp4_init_filename",
                "\(name)-init.mp4", "-hls_segment_filename", "\(name)-%d.\(kind == "fmp4" ? "m4s" : "ts")",
            ])
        try serve(workshop, server, name, faults: faults)
    }

    /// Serves the files of a playlist.
    private static func serve(
        _ workshop: Workshop, _ server: FaultyServer, _ name: String, faults: (Int) -> [Fault] = { _ in [] }
    ) throws {
        for file in try FileManager.default.contentsOfDirectory(atPath: workshop.folder.path)
        where file.hasPrefix("\(name).") || file.hasPrefix("\(name)-") {
            let number = file.dropFirst(name.count + 1).prefix { $0 != "." }
            let type = file.hasSuffix("m3u8") ? "application/vnd.apple.mpegurl" : "application/octet-stream"
            server.serve(
                "/\(file)",
                Resource(
                    .bytes(try workshop.bytes("\(workshop.folder.path)/\(file)")), type: type,
                    faults: Int(number).map(faults) ?? []))
        }
    }

    /// Whether a time has passed since the first call.
    private static func elapsed(_ time: Duration) -> @Sendable () -> Bool {
        let began = Mutex<ContinuousClock.Instant?>(nil)
        return {
            began.withLock { began in
                let now = ContinuousClock.now
                if began == nil { began = now }
                return began.map { now - $0 >= time } ?? false
            }
        }
    }

    /// Segments 3 to 6 are missing for `time`.
    private static func missingSegments(_ kind: String, for time: Duration, mayPause: Bool) -> WildFilm {
        WildFilm(
            name: "\(kind) segments 3–6 missing for \(time)", kind: .outage,
            coded: CodedFilm(seconds: Array(0..<10), mayPause: mayPause)
        ) { workshop in
            let server = try workshop.server()
            let isBack = elapsed(time)
            try playlist(workshop, server, "film", kind: kind) { number in
                (3...6).contains(number) ? [.status(404).when { _ in !isBack() }] : []
            }
            return server.url("/film.m3u8")
        }
    }

    /// A server that refuses all segments from the ninth on, for `time` after the first of these requests.
    private static func unavailableSegments(_ status: Int, for time: Duration) -> WildFilm {
        WildFilm(
            name: "\(status) from segment 8 on for \(time)", kind: .outage, coded: CodedFilm(seconds: Array(0..<12))
        ) { workshop in
            let server = try workshop.server()
            let isBack = elapsed(time)
            try playlist(workshop, server, "segments", seconds: 12) { number in
                number >= 8 ? [.status(status).when { _ in !isBack() }] : []
            }
            // A clip that needs more than any network brings is read as far ahead as possible from the beginning.
            let list = """
                #EXTM3U
                #EXT-X-STREAM-INF:BANDWIDTH=2000000000
                segments.m3u8

                """
            server.serve("/film.m3u8", .text(list, type: "application/vnd.apple.mpegurl"))
            return server.url("/film.m3u8")
        }
    }

    /// A server that refuses everything past 40 %, for `time`.
    ///
    /// - Parameter pause: how long it waits before it sends the last two pictures' bytes.
    private static func refusal(
        _ ending: String, status: Int, for time: Duration?, pause: Duration? = nil, seconds: Int = 10,
        more: [String] = []
    ) -> WildFilm {
        let span = (time.map { "\($0)" } ?? "ever") + (pause.map { ", after a pause of \($0)" } ?? "")
        let coded = CodedFilm(
            seconds: Array(0..<seconds), mayPause: time != nil || pause != nil, isCutShort: time == nil,
            least: seconds * 3 / 10)
        var film = WildFilm(name: "\(ending), \(status) past 40 % for \(span)", kind: .outage, coded: coded) {
            workshop in
            let bytes = try workshop.bytes(try workshop.film("film.\(ending)", seconds: seconds, more))
            let server = try workshop.server()
            var isBack: @Sendable () -> Bool = { false }
            if let time { isBack = elapsed(time) }
            let limit = Int64(bytes.count) * 4 / 10
            var faults = [
                Fault.status(status).when { [isBack] in ($0.rangeStart ?? 0) >= limit && !isBack() },
                Fault.end(at: limit).when { [isBack] _ in !isBack() },
            ]
            if let pause {
                let pictures = Int64(bytes.count / seconds / 25 * 2)
                faults.append(Fault.stall(after: limit - pictures, for: pause).when { $0.rangeStart ?? 0 == 0 })
            }
            server.serve("/film.\(ending)", Resource(.bytes(bytes), faults: faults))
            return server.url("/film.\(ending)")
        }
        if time == nil { film.failure = "Enter retry" }
        return film
    }

    private static let faststart = ["-movflags", "+faststart"]
    private static let briefly = Duration.seconds(2)
    private static let outages = [
        missingSegments("mpegts", for: .milliseconds(800), mayPause: false),
        missingSegments("fmp4", for: .milliseconds(800), mayPause: false),
        // Longer than flick repeats a request by itself, but there are 8 s to play meanwhile.
        unavailableSegments(503, for: .seconds(4)),
        refusal("mp4", status: 503, for: .seconds(6), seconds: 20, more: faststart),
        refusal("mp4", status: 403, for: briefly, more: faststart),
        refusal("ts", status: 500, for: briefly),
        refusal("mp4", status: 503, for: nil, more: faststart),
        refusal("ts", status: 404, for: nil),
        // Two pictures end no stall by themselves, and nothing follows them.
        refusal("mp4", status: 404, for: nil, pause: .seconds(6), more: faststart),
    ]

    // MARK: Playlists with a broken part

    private enum Broken: CustomStringConvertible {
        case status(Int), garbage

        var description: String {
            switch self {
            case .status(let status): "\(status)"
            case .garbage: "garbage"
            }
        }
    }

    /// Two variants, of which the one that suits the terminal is broken from a segment on.
    private static func brokenVariant(_ broken: Broken, from first: Int, kind: String = "mpegts") -> WildFilm {
        WildFilm(
            name: "\(kind) variant with \(broken) from \(first)", kind: .brokenVariant,
            coded: CodedFilm(seconds: Array(0..<10))
        ) { workshop in
            let server = try workshop.server()
            let faults: [Fault] =
                switch broken {
                case .status(let status): [.status(status)]
                case .garbage:
                    [.becomes(Resource(.pattern(length: 40_000, seed: 7), type: "application/octet-stream"))]
                }
            try playlist(workshop, server, "good", kind: kind)
            try playlist(workshop, server, "bad", kind: kind) { $0 >= first ? faults : [] }
            server.serve(
                "/film.m3u8",
                .text(
                    """
                    #EXTM3U
                    #EXT-X-STREAM-INF:BANDWIDTH=300000,RESOLUTION=160x120
                    bad.m3u8
                    #EXT-X-STREAM-INF:BANDWIDTH=200000,RESOLUTION=80x60
                    good.m3u8

                    """, type: "application/vnd.apple.mpegurl"))
            return server.url("/film.m3u8")
        }
    }

    /// A rendition of sound whose playlist, or everything but it, is missing.
    private static func missingSound(isPlaylist: Bool) -> WildFilm {
        WildFilm(
            name: "missing sound, \(isPlaylist ? "playlist" : "segments")", kind: .brokenVariant,
            coded: CodedFilm(seconds: Array(0..<8), tone: { _ in nil })
        ) { workshop in
            let server = try workshop.server()
            try playlist(workshop, server, "pictures", audio: ["-an"])
            if !isPlaylist { try playlist(workshop, server, "sound", audio: ["-vn"]) { _ in [.status(404)] } }
            server.serve(
                "/film.m3u8",
                .text(
                    """
                    #EXTM3U
                    #EXT-X-MEDIA:TYPE=AUDIO,GROUP-ID="a",NAME="English",DEFAULT=YES,AUTOSELECT=YES,URI="sound.m3u8"
                    #EXT-X-STREAM-INF:BANDWIDTH=300000,RESOLUTION=160x120,AUDIO="a"
                    pictures.m3u8

                    """, type: "application/vnd.apple.mpegurl"))
            return server.url("/film.m3u8")
        }
    }

    private static let brokenVariants = [
        brokenVariant(.status(404), from: 0), brokenVariant(.status(404), from: 4),
        brokenVariant(.status(403), from: 4, kind: "fmp4"), brokenVariant(.status(500), from: 0),
        brokenVariant(.garbage, from: 4), brokenVariant(.garbage, from: 0), missingSound(isPlaylist: true),
        missingSound(isPlaylist: false),
    ]

    // MARK: Live

    /// A live stream of segments of a second, each of which is named `lead` before it is there. At some of its seconds,
    /// its server is away.
    private static func live(_ name: String, lead: Double = 0, away: Range<Double> = 0..<0) -> WildFilm {
        WildFilm(
            name: name, kind: .liveEdge, coded: CodedFilm(seconds: Array(3..<14), hasClock: false, mayPause: true)
        ) { try serveLive($0, lead: lead, away: away) }
    }

    private static let liveStreams = [
        live("new segments are there 0.5 s late", lead: 0.5),
        live("server of a live stream away for 3 s", away: 9..<12),
    ]

    /// Returns the address of its playlist.
    private static func serveLive(_ workshop: Workshop, lead: Double, away: Range<Double>) throws -> String {
        let server = try workshop.server()
        let began = Mutex<ContinuousClock.Instant?>(nil)
        /// Seconds of the stream that are over.
        let now: @Sendable () -> Double = {
            began.withLock { began in
                let start = began ?? .now
                began = start
                return (ContinuousClock.now - start) / .seconds(1) + 6
            }
        }
        try playlist(workshop, server, "film", seconds: 24) { number in
            [
                .status(404).when { _ in now() < Double(number + 1) + lead },
                .status(503).when { _ in away.contains(now()) },
            ]
        }
        server.serve(
            "/live.m3u8",
            Resource(
                .dynamic { _ in
                    let end = min(Int(now()), 24)
                    let segments = (end - 6..<end).map { "#EXTINF:1,\nfilm-\($0).ts\n" }.joined()
                    return Array(
                        "#EXTM3U\n#EXT-X-TARGETDURATION:1\n#EXT-X-MEDIA-SEQUENCE:\(end - 6)\n\(segments)".utf8)
                }, type: "application/vnd.apple.mpegurl", etag: nil,
                faults: [.status(503).when { _ in away.contains(now()) }]))
        return server.url("/live.m3u8")
    }

    // MARK: Lengths and validators

    private static func served(
        _ name: String, _ kind: Kind, _ more: [String] = [], seconds: [Int], steps: [WildFilm.Step] = [],
        mayPause: Bool = false, _ faults: @escaping @Sendable () -> [Fault]
    ) -> WildFilm {
        WildFilm(name: name, kind: kind, coded: CodedFilm(seconds: seconds, mayPause: mayPause), steps: steps) {
            workshop in
            let server = try workshop.server()
            let bytes = try workshop.bytes(try workshop.film("film.mp4", seconds: 12, more))
            server.serve("/film.mp4", Resource(.bytes(bytes), faults: faults()))
            return server.url("/film.mp4")
        }
    }

    /// The index is at the end.
    private static let unknownLengths = [
        served("chunked", .unknownLength, seconds: [0, 1, 6, 7, 8, 3, 4], steps: seeks) { [.chunked, .noRanges] },
        served("until close", .unknownLength, seconds: [0, 1, 6, 7, 8, 3, 4], steps: seeks) { [.noLength, .noRanges] },
        served("bytes a-b/*", .unknownLength, seconds: [0, 1, 6, 7, 8, 3, 4], steps: seeks) {
            [.contentRange(.unknownTotal), .chunked]
        },
    ]
    private static let seeks: [WildFilm.Step] = [.press("5", at: 1), .press("Left", at: 8)]

    /// Replaces a field in every response by another value.
    private static func changing(_ field: String, _ value: @escaping @Sendable (Int) -> String) -> Fault {
        let count = Mutex(0)
        return .head { head in
            let number = count.withLock { count in
                count += 1
                return count
            }
            let lines = head.components(separatedBy: "\r\n").filter { !$0.hasPrefix("\(field):") }
            return ([lines[0], "\(field): \(value(number))"] + lines.dropFirst()).joined(separator: "\r\n")
        }
    }

    private static let changingValidators = [
        served("an ETag for each response", .changingValidator, faststart, seconds: Array(0..<8)) {
            [changing("ETag") { "\"edition-\($0)\"" }]
        },
        served("an ETag for each response, index at the end", .changingValidator, seconds: Array(0..<8)) {
            [changing("ETag") { "\"edition-\($0)\"" }]
        },
        served("a date for each response", .changingValidator, faststart, seconds: Array(0..<8)) {
            [
                changing("ETag") { _ in "W/\"1\"" },
                changing("Last-Modified") { "Tue, 02 Jan 2024 10:00:\($0 % 60 < 10 ? "0" : "")\($0 % 60) GMT" },
            ]
        },
    ]

    // MARK: Old servers

    private static let oldServers = [
        WildFilm(
            name: "ICY radio", kind: .oldServer,
            coded: CodedFilm(seconds: Array(0..<7), hue: { _ in nil }, hasClock: false)
        ) { workshop in
            let song = try workshop.ffmpeg(
                "song.mp3",
                Workshop.sound(16) + [
                    "-ac", "2", "-c:a", "libmp3lame", "-b:a", "128k", "-write_xing", "0", "-id3v2_version", "0",
                ])
            let radio = try RadioServer(try workshop.bytes(song), interval: 4_000, rate: 16_000, title: "Ann - Song")
            workshop.atEnd { radio.stop() }
            return radio.url()
        },
        WildFilm(
            name: "camera", kind: .oldServer,
            coded: CodedFilm(seconds: Array(0..<6), tone: { _ in nil }, hasClock: false)
        ) { workshop in
            let files = try workshop.ffmpeg("%d.jpg", Workshop.picture(8) + ["-q:v", "3"])
            let pictures = try (1...80).map { try workshop.bytes(files.replacing("%d", with: "\($0)")) }
            // Filled up, so that they come at equal intervals.
            let size = pictures.map(\.count).max() ?? 0
            let parts = pictures.map { picture in
                Array("--picture\r\nContent-Type: image/jpeg\r\nContent-Length: \(size)\r\n\r\n".utf8) + picture
                    + [UInt8](repeating: 0, count: size - picture.count) + [13, 10]
            }
            let length = parts[0].count
            let camera = try RadioServer(
                parts.flatMap(\.self), interval: length, rate: length * 10, status: "HTTP/1.0 200 OK",
                type: "multipart/x-mixed-replace;boundary=picture", burst: 0, isStation: false)
            workshop.atEnd { camera.stop() }
            return camera.url("/camera")
        },
    ]
}
