import Foundation
import Model
import TestSupport
import Wire

/// Random seeks in every kind of container: the picture that is shown carries
/// its number, and must be that of the time asked for.
func seeks(_ report: inout Report, _ programs: Programs, _ clips: Clips) throws {
    report.section("Seeks: 500 random ones in each container, 720p, 25 pictures a second, key frames 2 s apart")
    let nursery = Nursery(path: "\((programs.flick as NSString).deletingLastPathComponent)/flick-decoder")
    defer {
        nursery.end()
        nursery.waitForEnd()
    }
    var ratios: [Double] = []
    for name in NumberedClips.names {
        let clip = try clips.numbered(name)
        let rig = try SeekRig(nursery: nursery, clip: clip)
        defer { rig.end() }
        var random = SeededRandom(state: 5)
        var times: [Double] = []
        var wrong = 0
        for _ in 0..<500 {
            let index = Int.random(in: 0..<NumberedClips.pictures, using: &random)
            // Containers round stamps to a millisecond.
            let time = Int64(index) * NumberedClips.interval + .random(in: 2_000..<38_000, using: &random)
            let begun = ContinuousClock.now
            let number = try rig.seek(to: time)
            times.append((ContinuousClock.now - begun) / .milliseconds(1))
            if number != index & 255 { wrong += 1 }
        }
        report.figure("\(name): wrong pictures of 500", Double(wrong), "", atMost: 0)
        report.note("\(name): median", times.median, "ms")
        report.figure("\(name): order to picture, p95", times.quantile(0.95), "ms", atMost: 120)
        // mpv goes through playlists by different rules.
        guard programs.peers.contains("mpv"), !["m3u8", "mpd"].contains((name as NSString).pathExtension) else {
            continue
        }
        let place = "math.random(0, \(NumberedClips.pictures - 1)) * 0.04 + 0.02"
        let mpv = try mpvTimes(
            of: "mp.commandv(\"seek\", string.format(\"%.3f\", \(place)), \"absolute+exact\")",
            pause: .milliseconds(20), count: 100, ["--vo=null", "--loop-file=inf", clip])
        report.note("\(name): mpv, median", mpv.median, "ms")
        ratios.append(times.median / mpv.median)
    }
    guard programs.has("mpv", for: "flick / mpv, geometric mean", &report) else { return }
    report.figure("flick / mpv, geometric mean", ratios.geometricMean, "", atMost: 1)
}

private enum NumberedClips {
    static let pictures = 500
    static let interval: Int64 = 40_000
    static let names = [
        "seek.mp4", "seek-fragments.mp4", "seek.mkv", "seek.webm", "seek.ts", "seek.mpg", "seek.avi", "seek.flv",
        "seek.ogv", "seek-ts.m3u8", "seek-fmp4.m3u8",
        "seek.mpd",
    ]

    static func coding(_ name: String) -> [String] {
        let h264 = [
            "-c:v", "libx264", "-preset", "veryfast", "-crf", "23", "-g", "50", "-keyint_min", "50", "-sc_threshold",
            "0", "-bf", "2", "-c:a", "aac",
        ]
        let list = ["-hls_time", "2", "-hls_playlist_type", "vod"]
        return switch name {
        case "seek-fragments.mp4": h264 + ["-movflags", "frag_keyframe+empty_moov"]
        case "seek.webm":
            ["-c:v", "libvpx", "-deadline", "realtime", "-cpu-used", "8", "-b:v", "4M", "-g", "50", "-c:a", "libopus"]
        case "seek.mpg": ["-c:v", "mpeg2video", "-g", "50", "-bf", "2", "-q:v", "4", "-c:a", "mp2"]
        case "seek.avi": ["-c:v", "mpeg4", "-q:v", "4", "-g", "50", "-c:a", "mp2"]
        case "seek.ogv": ["-c:v", "libtheora", "-q:v", "8", "-g", "50", "-c:a", "libvorbis"]
        case "seek-ts.m3u8": h264 + list
        case "seek-fmp4.m3u8": h264 + list + ["-hls_segment_type", "fmp4", "-hls_fmp4_init_filename", "seek-init.mp4"]
        case "seek.mpd":
            h264 + [
                "-seg_duration", "2", "-init_seg_name", "seek-$RepresentationID$.mp4", "-media_seg_name",
                "seek-$RepresentationID$-$Number$.m4s",
            ]
        default: h264
        }
    }
}

extension Clips {
    /// 20 s of 720p whose pictures carry their numbers.
    fileprivate func numbered(_ name: String) throws -> String {
        let path = "\(folder)/\(name)"
        if FileManager.default.fileExists(atPath: path) { return path }
        let seconds = NumberedClips.pictures / 25
        // In the folder, as lists name their segments relatively; the list itself comes last.
        let result = try Command.run(
            [
                "sh", "-c", "cd \"$0\" && exec \"$@\"", folder, "ffmpeg", "-v", "error", "-nostdin", "-y", "-f",
                "lavfi", "-i", "testsrc2=s=1280x720:r=25:d=\(seconds)",
                "-f", "lavfi", "-i", "sine=440:r=48000:d=\(seconds)", "-vf", FrameCode.filter, "-pix_fmt", "yuv420p",
            ] + NumberedClips.coding(name) + [name])
        guard result.status == 0 else {
            throw PTYProcess.Error(description: "ffmpeg did not make \(name): \(result.errors)")
        }
        return path
    }
}

/// A decoder with a clip open, and flick's side of it. Throws if the decoder is silent for 10 s. Belongs to one thread.
final class SeekRig {
    private let process: DecoderProcess
    private var files: [UInt32: Int32] = [:]
    private var serial: UInt32 = 0
    private static let (width, height) = (200, 112)

    init(nursery: Nursery, clip: String) throws {
        process = try nursery.decoder()
        try process.channel.send(
            .surface(SurfaceRequest(generation: 1, width: UInt32(Self.width), height: UInt32(Self.height), fit: .fit)))
        try process.channel.send(.credit(frames: 48_000))
        try process.channel.send(.open(url: FileURL.url(path: clip.utf8), start: 0, loop: false, sound: true))
        _ = try picture()
    }

    func end() {
        process.kill()
        process.reap()
        for file in files.values { close(file) }
    }

    /// The number of the first picture after a seek.
    func seek(to time: Int64) throws -> Int? {
        serial += 1
        try process.channel.send(.seek(serial: serial, time: time, mode: .exact))
        return try picture()
    }

    private func picture() throws -> Int? {
        while true {
            switch try process.channel.receive(within: .seconds(10)) {
            case .picture(let header):
                let pixels = process.ring.pixels(of: header.slot)
                let number = FrameCode.decode { x, y in
                    let pixel = pixels[
                        Int(y * Double(header.height)) * Int(header.stride) + Int(x * Double(header.width))]
                    return
                        (Double(pixel >> 16 & 255) * 299 + Double(pixel >> 8 & 255) * 587 + Double(pixel & 255) * 114)
                        / 1_000
                }
                try process.channel.send(.release(slots: [header.slot]))
                if header.serial == serial { return number }
            case .sound(_, _, _, let samples): try process.channel.send(.credit(frames: UInt32(samples.count / 2)))
            case .openURL(let id, let want, _): try open(id, want.url)
            case .read(let id, let offset, let count, _): try read(id, offset, count)
            case .closeURL(let id): files.removeValue(forKey: id).map { _ = close($0) }
            case .failed(_, let why, _, _): throw PTYProcess.Error(description: "the decoder failed: \(why)")
            case .ended(serial): return nil
            default: break
            }
        }
    }

    private func open(_ id: UInt32, _ url: String) throws {
        let path = FileURL.path(of: url).map { String(decoding: $0, as: UTF8.self) } ?? ""
        let file = Foundation.open(path, O_RDONLY | O_CLOEXEC)
        guard file >= 0 else {
            return try process.channel.send(
                .source(id: id, url: url, length: -1, seekable: false, error: "no such file"))
        }
        files[id] = file
        try process.channel.send(
            .source(id: id, url: url, length: Int64(lseek(file, 0, SEEK_END)), seekable: true, error: ""))
    }

    private func read(_ id: UInt32, _ offset: Int64, _ count: UInt32) throws {
        guard let file = files[id] else { return }
        let bytes = [UInt8](unsafeUninitializedCapacity: Int(count)) { buffer, filled in
            filled = max(0, pread(file, buffer.baseAddress, buffer.count, off_t(offset)))
        }
        try process.channel.send(.data(id: id, offset: offset, bytes: bytes, error: ""))
    }
}
