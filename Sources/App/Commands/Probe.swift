import Bytes
import Feeds
import Model
import Platform
import Player
import Wire

/// `flick probe`: prints what a file contains and which streams flick would play. Throws `AppError`.
public func probe(media: String, json: Bool, setup: Setup) throws {
    setup.printWarnings()
    let command = try setup.commandProvider()
    defer { command.close() }
    let clip = try ClipArgument.asset(media, provider: command.provider, options: setup.feedOptions())
    let info = try facts(of: clip, bytes: MediaBytes(network: command.provider))
    let name = SourceName.text(clip.url)
    var output = StandardOutput()
    output.write(json ? ProbeReport.json(info, name: name) : ProbeReport.text(info, name: name))
    try output.finish()
}

/// Opens a clip, reads its facts and closes it.
private func facts(of clip: Asset, bytes: MediaBytes) throws(AppError) -> MediaInfo {
    do {
        let run = try LinearDecode(
            url: clip.url, asset: clip, pictures: nil, start: .zero, decoderPath: try Installation.decoderPath(),
            bytes: bytes)
        while true {
            switch try run.next() {
            case .opened(let info): return info
            case .picture: continue
            case .ended: throw PlaybackError(why: "the decoder exited before the clip was open")
            }
        }
    } catch let error as AppError {
        throw error
    } catch {
        throw AppError.playing(clip.url, error)
    }
}

/// What `flick probe` prints. `name`: the clip's URL without secrets. Pure.
enum ProbeReport {
    /// One JSON object and a newline. Times are in seconds, rates in bits, pictures and samples per second.
    static func json(_ info: MediaInfo, name: String) -> String {
        var streams: [JSONLine] = []
        for stream in info.streams {
            var line = JSONLine()
            line.put("index", .integer(Int(stream.index)))
            line.put("kind", .text("\(stream.kind)"))
            line.put("codec", .text(stream.codec))
            if !stream.profile.isEmpty { line.put("profile", .text(stream.profile)) }
            if !stream.language.isEmpty { line.put("language", .text(stream.language)) }
            if stream.bitrate > 0 { line.put("bitrate", .integer(Int(stream.bitrate))) }
            if !stream.format.isEmpty { line.put("format", .text(stream.format)) }
            switch stream.kind {
            case .video:
                line.put("width", .integer(Int(stream.width)))
                line.put("height", .integer(Int(stream.height)))
                line.put("fps", .number(Double(stream.rate) / 1_000))
            case .audio:
                line.put("sample_rate", .integer(Int(stream.rate)))
                line.put("channels", .integer(Int(stream.channels)))
            case .subtitle, .other: break
            }
            line.put("chosen", .flag(stream.isChosen))
            streams.append(line)
        }
        var line = JSONLine()
        line.put("url", .text(name))
        line.put("container", .text(info.container))
        line.put("duration", info.duration >= 0 ? .number(Double(info.duration) / 1e6) : .null)
        line.put("seekable", .flag(info.isSeekable))
        line.put("still", .flag(info.isStill))
        if info.hasVideo {
            line.put("display_width", .integer(Int(info.displayWidth)))
            line.put("display_height", .integer(Int(info.displayHeight)))
            line.put("rotation", .integer(Int(info.rotation)))
            line.put("sample_aspect", .text("\(info.sampleAspectNumerator):\(info.sampleAspectDenominator)"))
        }
        let tags = tags(info)
        if !tags.isEmpty {
            line.put("tags", tags.reduce(into: JSONLine()) { $0.put($1.name, .text($1.text)) })
        }
        line.put("streams", streams)
        if !info.soundTracks.isEmpty { line.put("sound_tracks", info.soundTracks.map(json)) }
        if !info.textTracks.isEmpty { line.put("text_tracks", info.textTracks.map(json)) }
        if !info.chapters.isEmpty { line.put("chapters", info.chapters.map(json)) }
        line.put("variants", info.variants.map(json))
        line.put("why", .text(reason(info)))
        return line.object + "\n"
    }

    private static func json(_ chapter: MediaInfo.Chapter) -> JSONLine {
        var line = JSONLine()
        line.put("start", .number(Double(chapter.start) / 1e6))
        line.put("title", .text(CleanText.line(chapter.title)))
        return line
    }

    private static func json(_ track: MediaInfo.Track) -> JSONLine {
        var line = JSONLine()
        if !track.language.isEmpty { line.put("language", .text(CleanText.line(track.language))) }
        if !track.title.isEmpty { line.put("title", .text(CleanText.line(track.title))) }
        line.put("chosen", .flag(track.isChosen))
        return line
    }

    /// What can be chosen or gone to, as one line each.
    private static func parts(_ info: MediaInfo) -> [String] {
        func names(_ tracks: [MediaInfo.Track]) -> String {
            tracks.enumerated().map { place, track in
                let shown = ClipTrack(
                    language: CleanText.line(track.language, limit: 40), title: CleanText.line(track.title, limit: 80))
                return shown.name(number: place + 1)
            }.joined(separator: "; ")
        }
        var lines: [String] = []
        if info.soundTracks.count > 1 { lines.append("  audio      \(names(info.soundTracks))") }
        if !info.textTracks.isEmpty { lines.append("  subtitles  \(names(info.textTracks))") }
        if !info.chapters.isEmpty { lines.append("  chapters   \(info.chapters.count)") }
        return lines
    }

    /// The file's metadata tags, one line each.
    private static func tags(_ info: MediaInfo) -> [(name: String, text: String)] {
        let tags = info.tags
        return [
            ("title", tags.title), ("artist", tags.artist), ("album", tags.album), ("comment", tags.comment),
            ("genre", tags.genre), ("date", tags.date),
        ].map { (name: $0.0, text: CleanText.line($0.1)) }.filter { !$0.text.isEmpty }
    }

    private static func json(_ variant: MediaInfo.Variant) -> JSONLine {
        var line = JSONLine()
        line.put("bandwidth", .integer(Int(variant.bandwidth)))
        if variant.width > 0 {
            line.put("width", .integer(Int(variant.width)))
            line.put("height", .integer(Int(variant.height)))
        }
        if !variant.codecs.isEmpty { line.put("codecs", .text(variant.codecs)) }
        line.put("chosen", .flag(variant.isChosen))
        if variant.isChosen { line.put("why", .text(variant.why)) }
        return line
    }

    /// A few lines for people.
    static func text(_ info: MediaInfo, name: String) -> String {
        var lines = [CleanText.line(name)]
        let length = info.duration >= 0 ? "\(JSONLine.decimal(Double(info.duration) / 1e6)) s" : "unknown"
        lines.append(
            "  container  \(CleanText.line(info.container)), length \(length)\(info.isSeekable ? "" : ", not seekable")"
        )
        if info.hasVideo {
            let turned = info.rotation == 0 ? "" : ", rotated by \(info.rotation)°"
            lines.append("  shown      \(info.displayWidth)×\(info.displayHeight)\(turned)")
        }
        for tag in tags(info) {
            lines.append("  \(tag.name)\(String(repeating: " ", count: 11 - tag.name.count))\(tag.text)")
        }
        for stream in info.streams {
            let mark = stream.isChosen ? "▸" : " "
            let codec = CleanText.line([stream.codec, stream.profile].filter { !$0.isEmpty }.joined(separator: " "))
            let details =
                switch stream.kind {
                case .video:
                    ", \(stream.width)×\(stream.height), \(JSONLine.decimal(Double(stream.rate) / 1_000)) fps"
                case .audio: ", \(stream.rate) Hz, \(stream.channels) channel\(stream.channels == 1 ? "" : "s")"
                case .subtitle, .other: ""
                }
            lines.append("  \(mark) \(stream.index) \(stream.kind)  \(codec)\(details)")
        }
        for variant in info.variants {
            let size = variant.width > 0 ? "\(variant.width)×\(variant.height)" : "size unknown"
            let why = variant.isChosen ? ": \(CleanText.line(variant.why))" : ""
            lines.append(
                "  \(variant.isChosen ? "▸" : " ") variant  \(size), \(variant.bandwidth / 1_000) kbit/s\(why)")
        }
        lines += parts(info)
        lines.append("  \(reason(info))")
        return lines.joined(separator: "\n") + "\n"
    }

    private static func reason(_ info: MediaInfo) -> String {
        switch (info.hasVideo, info.hasAudio) {
        case (true, true): "plays with video and audio"
        case (true, false): info.isStill ? "a still image" : "plays without audio"
        case (false, true): "audio only"
        case (false, false): "nothing playable"
        }
    }
}
