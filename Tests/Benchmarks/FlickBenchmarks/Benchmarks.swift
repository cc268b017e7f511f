import Foundation
import Model
import Platform
import TestSupport

/// The program behind `make bench`: measures every figure that flick promises,
/// and other programs where they are installed.
///
/// Usage: flick-bench FLICK [SECTION …]. Exits with 0 if all figures are met, 1 if one is missed, 2 for wrong usage,
/// and 3 if one was not measured.
@main
struct Benchmarks {
    typealias Section = (name: String, run: (inout Report, Programs, Clips) throws -> Void)

    static var sections: [Section] {
        [
            ("preview", preview), ("moving", moving), ("pictures", pictures), ("start", start), ("turns", turns),
            ("held", held),
            ("window", window),
            ("recovery", recovery), ("play", play), ("links", links),
            ("processor", processor),
            ("seeks", seeks), ("rest", rest), ("decoders", decoders), ("many", many),
            ("loader", loader), ("cache", cache), ("stream", stream), ("hls", hls), ("network", networkFeed),
            ("kill", kill), ("soak", soak), ("serve", serve), ("library", library), ("feeds", feeds),
            ("ranking", ranking), ("places", places), ("hiding", hiding), ("loudness", loudness),
        ]
    }
    static var onlyByName: [Section] {
        [("long-soak", longSoak), ("mutants", mutants), ("starts", starts), ("commands", commands)]
    }

    static func main() throws {
        var arguments = CommandLine.arguments.dropFirst()
        let names = (sections + onlyByName).map(\.name)
        let usage = "usage: flick-bench FLICK [\(names.joined(separator: "|")) …]"
        if arguments.contains("--help") || arguments.contains("-h") {
            print(usage)
            exit(0)
        }
        let flick = arguments.popFirst()
        guard let flick, !flick.hasPrefix("-"), arguments.allSatisfy(names.contains) else {
            StandardError.print(usage)
            exit(2)
        }
        let clips = try Clips(folder: "\(FileManager.default.currentDirectoryPath)/.build/bench-clips")
        let programs = Programs(flick: flick)
        do {
            try programs.checkFlick()
        } catch {
            StandardError.print("flick-bench: cannot measure \(flick): \(error)")
            exit(3)
        }
        var report = Report()
        print("Medians; peers found: \(programs.peers.sorted().joined(separator: ", "))")
        let chosen = arguments.isEmpty ? sections : (sections + onlyByName).filter { arguments.contains($0.name) }
        for section in chosen {
            do {
                try section.run(&report, programs, clips)
            } catch {
                report.omit("the rest of \(section.name)", "\(error)")
            }
            // All streams, so that each section appears when it is done, also in a log.
            fflush(nil)
        }
        for (title, lines) in [("Not met", report.misses), ("Not measured", report.unmeasured)] where !lines.isEmpty {
            print("\n\(title):\n  " + lines.joined(separator: "\n  "))
        }
        if report.exitStatus == 0 { print("\nAll figures are met.") }
        exit(report.exitStatus)
    }
}

/// Decodes and draws everything as fast as possible: processor time and bytes, compared with similar programs.
func preview(_ report: inout Report, _ programs: Programs, _ clips: Clips) throws {
    report.section("Preview: all pictures of a 40 s 720p clip at 200x60, half blocks, 24-bit colour")
    let clip = try clips.long()
    let runs: [(String, [String])] = [
        (
            "flick",
            [
                programs.flick, "preview", "--video", "--untimed", "--surface", "half", "--color", "truecolor",
                "--size",
                "200x60", "--fill", clip,
            ]
        ),
        (
            "ffmpeg",
            ["ffmpeg", "-v", "error", "-i", clip, "-vf", "scale=200:120", "-f", "rawvideo", "-pix_fmt", "rgb24", "-"]
        ),
        ("timg", ["timg", "-p", "half", "-g200x61", "--upscale=i", clip]),
        (
            "mpv",
            [
                "mpv", "--no-config", "--vo=tct", "--vo-tct-width=200", "--vo-tct-height=60", "--untimed", "--no-audio",
                "--really-quiet", clip,
            ]
        ),
    ].filter { $0.0 == "flick" || programs.peers.contains($0.0) }
    for (name, arguments) in runs where name != "ffmpeg" { try programs.checkPicture(arguments) }
    var results: [String: [Run]] = [:]
    // In turn, so that a slow moment of the machine affects all of them.
    for _ in 0..<5 {
        for (name, arguments) in runs { results[name, default: []].append(try programs.run(arguments)) }
    }
    func processor(_ name: String) -> Double? { results[name].map { $0.map(\.processor).median } }
    guard let own = processor("flick") else { return }
    report.note("flick, processor of both processes", own, "s")
    for (name, bound) in [("ffmpeg", 1.5), ("timg", 1.2), ("mpv", 1.0)] {
        guard let peer = processor(name) else {
            report.omit("processor, flick / \(name)", "\(name) is not installed")
            continue
        }
        report.note("\(name), processor", peer, "s")
        report.figure("processor, flick / \(name)", own / peer, "", atMost: bound)
    }
    guard programs.has("timg", for: "bytes, exact flick / timg", &report) else { return }
    let small = try clips.small()
    let bytes = try programs.run([
        programs.flick, "preview", "--video", "--untimed", "--exact", "--surface", "half", "--color", "truecolor",
        "--size",
        "200x60", small,
    ]).bytes
    let timg = try programs.run(["timg", "-p", "half", "-g200x60", small]).bytes
    report.note("the same 200x120 pixels: exact flick, bytes", "\(bytes)")
    report.note("the same 200x120 pixels: timg, bytes", "\(timg)")
    report.figure("bytes, exact flick / timg", Double(bytes) / Double(timg), "", atMost: 1)
}

/// From the start to the first real picture.
func start(_ report: inout Report, _ programs: Programs, _ clips: Clips) throws {
    report.section("Start: to the first picture in a terminal of 200x60")
    var ratios: (mpv: [Double], timg: [Double]) = ([], [])
    // The last is of 1080p, with pictures that refer to later ones.
    for clip in [try clips.long(), "\(try clips.ten())/clip3.mp4", "\(try clips.mixed())/15-h264-hd.mp4"] {
        let name = (clip as NSString).lastPathComponent
        var times: [String: [Double]] = [:]
        for _ in 0..<7 {
            times["flick", default: []].append(try programs.firstPicture([programs.flick, clip]))
            if programs.peers.contains("mpv") {
                times["mpv", default: []].append(
                    try programs.firstPicture(["mpv", "--no-config", "--vo=tct", "--ao=null", "--really-quiet", clip]))
            }
            if programs.peers.contains("timg") {
                times["timg", default: []].append(try programs.firstPicture(["timg", "-p", "half", clip]))
            }
        }
        let own = times["flick", default: []].median
        report.note("\(name): flick", own, "ms")
        for peer in ["mpv", "timg"] {
            guard let median = times[peer]?.median else { continue }
            report.note("\(name): \(peer)", median, "ms")
            if peer == "mpv" { ratios.mpv.append(own / median) } else { ratios.timg.append(own / median) }
        }
    }
    if programs.has("mpv", for: "first picture, flick / mpv", &report) {
        report.figure("first picture, flick / mpv", ratios.mpv.max() ?? .nan, "", atMost: 0.7)
    }
    if programs.has("timg", for: "first picture, flick / timg", &report) {
        report.figure("first picture, flick / timg", ratios.timg.max() ?? .nan, "", atMost: 1)
    }
}
