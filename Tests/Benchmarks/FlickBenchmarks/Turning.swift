import Foundation
import Model
import TestSupport

/// A thousand page turns over clips of all codecs, with pages that slide and
/// with pages that change at once, and mpv's beside them.
func turns(_ report: inout Report, _ programs: Programs, _ clips: Clips) throws {
    report.section("Page turns: 1,000, 0.3 s apart, twelve clips up to 1080p: H.264, HEVC, VP9, AV1, MPEG")
    let folder = try clips.mixed()
    let sliding = try Turns(programs.flick, folder, count: 1_000, options: [])
    report.note("pages turned", "\(sliding.pages)")
    report.figure("key to the first byte of the new picture, p50", sliding.firstBytes.quantile(0.5), "ms", atMost: 1)
    report.figure("key to the first byte of the new picture, p99", sliding.firstBytes.quantile(0.99), "ms", atMost: 8)
    report.figure("first real picture within 50 ms", sliding.shareWithin(50), "", atLeast: 0.97)
    report.figure("turns without a picture of the new page at once", Double(sliding.blank), "", atMost: 0)

    let cutting = try Turns(programs.flick, folder, count: 200, options: ["--reduced-motion"])
    report.figure("reduced motion: key to the whole new picture, p50", cutting.wholes.quantile(0.5), "ms", atMost: 3)
    report.figure("reduced motion: key to the whole new picture, p99", cutting.wholes.quantile(0.99), "ms", atMost: 16)
    let size = Int(cutting.bytes.median)
    let bare = try (0..<20).map { _ in try millisecondsToTheTerminal(size) }
    report.note("of these the terminal takes, for \(size) bytes at once", bare.median, "ms")
    guard programs.has("mpv", for: "mpv / flick, p50", &report) else { return }
    let mpv = try mpvTimes(
        of: "mp.command(\"playlist-next force\")", pause: .milliseconds(300), count: 60,
        ["--vo=tct", "--prefetch-playlist=yes", "--loop-playlist=inf", folder])
    report.note("mpv, playlist-next to the picture, p50", mpv.median, "ms")
    report.figure("mpv / flick, p50", mpv.median / cutting.wholes.median, "", atLeast: 10)
}

/// Page turns of one session, measured by its trace. Times are in milliseconds.
private struct Turns {
    private(set) var pages = 0
    /// From the key to the first and to the last byte of the first update with a picture of the new page.
    private(set) var firstBytes: [Double] = []
    private(set) var wholes: [Double] = []
    /// Of that update.
    private(set) var bytes: [Double] = []
    /// From the turn to the first real picture.
    private(set) var realPictures: [Double] = []
    /// Turns whose first update had no picture of the new page.
    private(set) var blank = 0

    init(_ flick: String, _ folder: String, count: Int, options: [String]) throws {
        let session = try Session(flick, [folder], ["--no-audio"] + options)
        session.run(.seconds(2))
        for turn in 0..<count {
            session.program.type(turn / 11 % 2 == 0 ? "j" : "k")
            session.run(.milliseconds(300))
        }
        let trace = try session.finish()
        for (index, line) in trace.lines.enumerated() where line.event == "page" {
            guard let key = trace.lines[..<index].last(where: { $0.event == "key" }) else { continue }
            pages += 1
            let item = line.text("item")
            // What comes until the next key.
            let after = trace.lines[index...].dropFirst().prefix { $0.event != "key" }
            let pictures = after.filter { $0.event == "picture" }
            guard let own = pictures.first(where: { $0.text("item") == item }) else {
                blank += 1
                continue
            }
            // `ms` is the time from the drawing to the last byte; events of one update have the same.
            let drawn = Self.drawn(own)
            firstBytes.append((drawn - key.time) * 1_000)
            wholes.append((own.time - key.time) * 1_000)
            // One that was drawn before the key may still be on its way to the terminal; it knows nothing of the turn.
            let first = pictures.map(Self.drawn).first { $0 >= key.time } ?? drawn
            if drawn - first > 0.004 { blank += 1 }
            bytes.append(own.number("bytes") ?? 0)
            if let real = after.first(where: { $0.event == "first_frame" && $0.text("item") == item }) {
                realPictures.append(real.number("since_page_ms") ?? .nan)
            }
        }
        guard pages >= count * 9 / 10 else { throw NotMeasured("\(pages) of \(count) keys turned a page") }
    }

    private static func drawn(_ picture: TraceReader.Line) -> Double {
        picture.time - (picture.number("ms") ?? 0) / 1_000
    }

    func shareWithin(_ limit: Double) -> Double {
        Double(realPictures.count { $0 <= limit }) / Double(max(1, pages))
    }
}

/// How long a program's one write of `count` bytes is on its way through the pseudo-terminal, when nothing else runs.
private func millisecondsToTheTerminal(_ count: Int) throws -> Double {
    let program = try PTYProcess(
        ["sh", "-c", "stty raw && exec dd if=/dev/zero bs=\(count) count=1 status=none"],
        size: GridSize(columns: 200, rows: 60))
    var (began, ended): (ContinuousClock.Instant?, ContinuousClock.Instant?)
    program.read(for: .seconds(5)) { _ in
        began = began ?? .now
        ended = .now
        return true
    }
    program.finish(within: .seconds(5))
    guard let began, let ended else { return .nan }
    return (ended - began) / .milliseconds(1)
}

/// The key for the next page held down, thirty times a second for ten seconds.
func held(_ report: inout Report, _ programs: Programs, _ clips: Clips) throws {
    report.section("Held-down key: 30 a second for 10 s, over 400 clips of 720p")
    let session = try Session(programs.flick, [try clips.many(400)])
    session.run(.seconds(3))
    var most = 0
    for turn in 0..<300 {
        session.program.type("j")
        session.run(.microseconds(33_333))
        if turn % 6 == 0 { most = max(most, session.decoders.count) }
    }
    session.run(.seconds(2))
    let left = session.decoders.count
    let trace = try session.finish()
    let keys = trace.events("key").filter { $0.text("key") == "j" }
    let pages = trace.events("page")
    report.figure("pages on", Double(pages.last?.number("to") ?? 0), "", atLeast: 300)
    guard let last = pages.last, let key = keys.last else { throw NotMeasured("no key turned a page") }
    let picture = trace.lines.first {
        $0.event == "picture" && $0.text("item") == last.text("item") && $0.time >= last.time
    }
    report.figure(
        "last key to a picture of its page", ((picture?.time ?? .infinity) - key.time) * 1_000, "ms", atMost: 300)
    // The window, the page in view, and an idle one.
    report.figure("most decoders alive", most > 0 ? Double(most) : .nan, "", atMost: 12)
    report.figure("decoders 2 s later", left > 0 ? Double(left) : .nan, "", atMost: 12)
    let voices = trace.events("audio").isEmpty ? .nan : Double(doubleVoices(trace))
    report.figure("two voices at a time", voices, "", atMost: 0)
}

/// How often an item's sound began while another's had not ended.
private func doubleVoices(_ trace: TraceReader) -> Int {
    var (owner, found): (String?, Int) = (nil, 0)
    for line in trace.events("audio") {
        if line.text("state") == "silent" {
            if line.text("owner") == owner { owner = nil }
        } else {
            if let owner, owner != line.text("owner") { found += 1 }
            owner = line.text("owner")
        }
    }
    return found
}

/// Ten clips of 720p open beside each other: memory, and the processor while paused.
func window(_ report: inout Report, _ programs: Programs, _ clips: Clips) throws {
    report.section("Window: ten 720p clips open, paused")
    let session = try Session(programs.flick, ["--start", "5", try clips.ten()])
    let share = session.processorWhilePaused(after: .seconds(4))
    report.figure("processor of all, share of a core", share, "", atMost: 0.02)
    let decoders = session.decoders.map { ProcessFile.memory($0, "Pss:") }
    let own = ProcessFile.memory(session.program.pid, "Pss:")
    guard !decoders.isEmpty else { throw NotMeasured("flick has no decoder") }
    report.note("decoders", "\(decoders.count)")
    report.note("a decoder, proportional, median", decoders.median, "MiB")
    report.figure("all processes, proportional", own + decoders.reduce(0, +), "MiB", atMost: 300)
    let trace = try session.finish()
    report.note("opened ahead", "\(trace.events("warm").count)")
    report.note("to open one, p50", trace.events("warm").compactMap { $0.number("ms") }.median, "ms")
}
