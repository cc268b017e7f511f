import Foundation
import Testing

/// `Clips.counted()` as DASH manifests with all forms of addressing, in segments of about half a second.
enum DashFilms {
    static let kinds = [
        "dash-timeline", "dash-template", "dash-list", "dash-files", "dash-index", "dash-file", "dash-periods",
    ]

    /// The path of the manifest.
    static func path(_ kind: String) throws -> String {
        switch kind {
        case "dash-timeline": return try made(kind)
        case "dash-template": return try made(kind, ["-use_timeline", "0"])
        case "dash-list": return try made(kind, ["-single_file", "1"])
        case "dash-files": return try made(kind, ["-use_template", "0"])
        case "dash-index": return try indexed(kind, isIndexed: true)
        case "dash-file": return try indexed(kind, isIndexed: false)
        default: return try periods(kind)
        }
    }

    private static func made(
        _ name: String, _ more: [String] = [], input: [String]? = nil, code: [String] = ["-c", "copy"]
    ) throws -> String {
        let film = try input ?? ["-i", Clips.counted()]
        let names = [
            "-init_seg_name", "\(name)-init-$RepresentationID$.m4s", "-media_seg_name",
            "\(name)-$RepresentationID$-$Number%05d$.m4s",
        ]
        return try Clips.make(
            "\(name).mpd", list: film + code + ["-seg_duration", "0.48"] + names + more + ["-f", "dash"])
    }

    /// Single files: one with a stated index and one without that, or both without any index.
    private static func indexed(_ kind: String, isIndexed: Bool) throws -> String {
        let made = try made(
            "\(kind)-made", ["-single_file", "1"] + (isIndexed ? ["-global_sidx", "1"] : []))
        var text = try String(contentsOfFile: made, encoding: .utf8)
        for number in 0...1 {
            let start = try #require(text.range(of: "<SegmentList"))
            let end = try #require(text.range(of: "</SegmentList>"))
            let file = try Data(contentsOf: URL(fileURLWithPath: "\(Clips.folder)/\(kind)-made-stream\(number).mp4"))
            var base = "<SegmentBase/>"
            if isIndexed, number == 0 {
                let place = try #require(file.range(of: Data("sidx".utf8))).lowerBound - 4
                let size = Int(file[place + 2]) << 8 | Int(file[place + 3])
                base =
                    "<SegmentBase indexRange=\"\(place)-\(place + size - 1)\"><Initialization range=\"0-\(place - 1)\"/></SegmentBase>"
            }
            text.replaceSubrange(start.lowerBound..<end.upperBound, with: isIndexed ? base : "")
        }
        return try Clips.write("\(kind).mpd", Array(text.utf8))
    }

    /// The first 36 pictures and the last 39 as separate periods; the second one has another size and stamps that begin
    /// at five seconds.
    private static func periods(_ kind: String) throws -> String {
        let film = try Clips.counted()
        var parts: [String] = []
        for (part, cut) in [("1", ["-t", "1.44"]), ("2", ["-ss", "1.44"])] {
            var code = ["-c:v", "libx264", "-g", "12", "-qp", "4", "-bf", "0", "-c:a", "aac", "-pix_fmt", "yuv420p"]
            if part == "2" { code += ["-vf", "scale=64:48:flags=neighbor", "-output_ts_offset", "5"] }
            let path = try made("\(kind)-\(part)", input: cut + ["-i", film], code: code)
            var text = try String(contentsOfFile: path, encoding: .utf8)
            let start = try #require(text.range(of: "<Period"))
            let end = try #require(text.range(of: "</Period>"))
            text = String(text[start.lowerBound..<end.upperBound])
            text = text.replacingOccurrences(
                of: "<Period id=\"0\" start=\"PT0.0S\">",
                with: "<Period duration=\"PT1.\(part == "1" ? "44" : "56")S\">")
            if part == "2" {
                for scale in ["12800", "48000"] {
                    text = text.replacingOccurrences(
                        of: "timescale=\"\(scale)\"",
                        with: "timescale=\"\(scale)\" presentationTimeOffset=\"\(scale)\"".replacingOccurrences(
                            of: "Offset=\"\(scale)\"", with: "Offset=\"\(5 * Int(scale)!)\""))
                }
            }
            parts.append(text)
        }
        return try Clips.write("\(kind).mpd", Array("<MPD type=\"static\">\(parts.joined())</MPD>".utf8))
    }
}
