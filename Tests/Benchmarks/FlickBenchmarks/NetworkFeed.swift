import Foundation
import TestSupport

/// A feed on a server that is not near, and a person who looks at each clip for three seconds.
func networkFeed(_ report: inout Report, _ programs: Programs, _ clips: Clips) throws {
    let turns = 48
    report.section(
        "Network: \(turns) page turns, 3 s apart, HLS and MP4 of 700 kbit/s by turns, 8 Mbit/s and 50 ms")
    let served = try clips.served()
    let server = try FaultyServer()
    server.link = FaultyServer.Link(rate: 1_000_000, latency: .milliseconds(50))
    let names = served.serve(on: server, count: turns + 8)
    let folder = TemporaryFolder()
    let session = try Session(
        programs.flick, [server.url("/feed.json")], ["--no-audio", "--reduced-motion", "--cache-dir", folder.path])
    // The first page comes from nothing: `hls` measures that.
    session.run(.seconds(6))
    for _ in 0..<turns {
        session.program.type("j")
        session.run(.seconds(3))
    }
    let requests = server.requests
    let trace = try session.finish()

    var waits: [(item: String, milliseconds: Double)] = []
    for page in trace.events("page") {
        guard let item = page.text("item") else { continue }
        let frame = trace.lines.first { $0.event == "first_frame" && $0.text("item") == item && $0.time >= page.time }
        waits.append((item, ((frame?.time ?? .infinity) - page.time) * 1_000))
    }
    report.note("pages turned", "\(waits.count)")
    report.note("to the first real picture, p50", waits.map(\.milliseconds).median, "ms")
    report.note("to the first real picture, p95", waits.map(\.milliseconds).quantile(0.95), "ms")
    let soon = Double(waits.count { $0.milliseconds <= 100 }) / Double(max(1, waits.count))
    report.figure("first real picture within 100 ms", soon, "", atLeast: 0.95)
    for wait in waits where wait.milliseconds > 100 { report.note("  \(wait.item)", wait.milliseconds, "ms") }
    report.note("stalls", "\(trace.events("stall").count)")

    var all = (wanted: 0.0, fetched: 0.0)
    for (kind, prefix) in [("HLS", "hls-"), ("MP4", "mp4-")] {
        // What was in view of each clip, and what the window behind the last
        // page needs to begin: its first two seconds.
        let pages = names.prefix(turns + 1).enumerated().filter { $0.element.hasPrefix(prefix) }
        let watched = pages.reduce(0.0) { $0 + ($1.offset == 0 ? 6 : 3) }
        let window = names.dropFirst(turns + 1).prefix(6).count { $0.hasPrefix(prefix) }
        let wanted = Double(served.rate) * (watched + 2 * Double(window))
        let fetched = Double(requests.reduce(0) { $0 + ($1.path.hasPrefix("/\(prefix)") ? $1.bodyBytes : 0) })
        report.note("\(kind): watched, and the window's beginnings", wanted / 1e6, "MB")
        report.note("\(kind): fetched", fetched / 1e6, "MB")
        report.note("\(kind): fetched / watched and beginnings", fetched / wanted, "")
        all = (all.wanted + wanted, all.fetched + fetched)
    }
    report.figure("fetched / watched and beginnings", all.fetched / all.wanted, "", atMost: 1.5)
}

/// One clip as MP4 and as HLS, to be served as many.
private struct ServedClip {
    var folder: String
    /// Bytes a second.
    var rate: Int
    var segments: Int

    /// Serves a feed of `count` clips; returns their ids.
    func serve(on server: FaultyServer, count: Int) -> [String] {
        var items: [String] = []
        let names = (0..<count).map { "\($0 % 2 == 0 ? "hls" : "mp4")-\($0)" }
        for (index, name) in names.enumerated() {
            // Each at a separate path, so that one fetch does not cache another.
            if index % 2 == 0 {
                for segment in 0..<segments {
                    server.serve(
                        "/\(name)/\(segment).ts", Resource(.file("\(folder)/\(segment).ts"), type: "video/mp2t"))
                }
                server.serve(
                    "/\(name)/list.m3u8",
                    Resource(.file("\(folder)/list.m3u8"), type: "application/vnd.apple.mpegurl"))
                items.append("{\"id\": \"\(name)\", \"url\": \"\(name)/list.m3u8\"}")
            } else {
                server.serve("/\(name).mp4", Resource(.file("\(folder)/clip.mp4")))
                items.append("{\"id\": \"\(name)\", \"url\": \"\(name).mp4\"}")
            }
        }
        server.serve(
            "/feed.json", .text("{\"items\": [\(items.joined(separator: ", "))]}", type: "application/json"))
        return names
    }
}

extension Clips {
    /// 24 s of 360p, 700 kbit/s with its sound: `clip.mp4`, and `list.m3u8` with segments of 2 s.
    fileprivate func served() throws -> ServedClip {
        let segments = 12
        let rate = 700_000 / 8
        let served = ServedClip(folder: "\(folder)/served", rate: rate, segments: segments)
        if FileManager.default.fileExists(atPath: served.folder) { return served }
        let unfinished = "\(folder)/served.part"
        try FileManager.default.createDirectory(atPath: unfinished, withIntermediateDirectories: true)
        let coding = [
            "-f", "lavfi", "-i", "mandelbrot=size=640x360:rate=30:end_scale=0.01", "-f", "lavfi", "-i",
            "sine=330:48000", "-t", "24", "-c:v", "libx264", "-preset", "veryfast", "-pix_fmt", "yuv420p", "-g", "60",
            "-sc_threshold", "0", "-b:v", "620k", "-minrate", "620k", "-maxrate", "620k", "-bufsize", "620k",
            "-x264-params", "nal-hrd=cbr", "-c:a", "aac", "-b:a", "64k", "-movflags", "+faststart", "clip.mp4",
        ]
        let list = [
            "-i", "clip.mp4", "-c", "copy", "-f", "hls", "-hls_time", "2", "-hls_playlist_type", "vod",
            "-hls_segment_filename", "%d.ts", "list.m3u8",
        ]
        for arguments in [coding, list] {
            let result = try Command.run(
                ["sh", "-c", "cd \"$0\" && exec \"$@\"", unfinished, "ffmpeg", "-v", "error", "-nostdin", "-y"]
                    + arguments)
            guard result.status == 0 else {
                throw PTYProcess.Error(description: "ffmpeg did not make the served clip: \(result.errors)")
            }
        }
        try FileManager.default.moveItem(atPath: unfinished, toPath: served.folder)
        return served
    }
}
