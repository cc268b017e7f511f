import Foundation
import TestSupport

/// From the key to a picture of another place, with local files: of places that were shown before, and of others.
func places(_ report: inout Report, _ programs: Programs, _ clips: Clips) throws {
    let (visits, starts) = (12, 8)
    report.section("Places: Home, For You, Following and the library by Tab, \(visits) rounds; \(starts) starts")
    let folder = TemporaryFolder()
    let feeds = try [clips.ten(), clips.mixed()].map { try manifest(of: $0, in: folder) }
    let sources = feeds.map { "\"\($0)\"" }.joined(separator: ", ")
    let config = try folder.write("config.toml", "[home]\nsources = [\(sources)]\n".utf8)
    let options = ["--config", config, "--no-audio", "--reduced-motion", "--state-dir", folder.path + "/state"]
    // What is liked, saved and followed makes the places.
    let viewer = try Session(programs.flick, [], options)
    viewer.run(.seconds(2))
    for number in 0..<8 {
        // f on a further clip of a creator would end that.
        viewer.program.type(number < 2 ? "lsf" : "ls")
        viewer.run(.milliseconds(600))
        viewer.program.type("j")
        viewer.run(.milliseconds(600))
    }
    _ = try viewer.finish()

    var (new, known): ([PlaceVisit], [PlaceVisit]) = ([], [])
    for start in 0..<starts {
        let session = try Session(programs.flick, [], options)
        session.run(.seconds(2))
        for _ in 0..<(start == 0 ? visits : 1) * PlaceVisit.places {
            session.program.type("\t")
            session.run(.milliseconds(700))
        }
        let all = PlaceVisit.all(in: try session.finish())
        new += all.prefix(PlaceVisit.places - 1)
        known += all.dropFirst(PlaceVisit.places - 1)
    }
    // Offline and Hidden have no clips here. A clip that is in view in both places continues: nothing new is drawn.
    func milliseconds(_ visits: [PlaceVisit]) -> [Double] {
        visits.filter { $0.items > 0 && !$0.hasSameClip }.map(\.milliseconds)
    }
    let (first, again) = (milliseconds(new), milliseconds(known))
    guard first.count >= starts * 2, again.count >= visits * 2 else {
        throw NotMeasured("\(first.count) new places and \(again.count) known ones showed another clip")
    }
    report.note("visits of places that were shown before", "\(again.count)")
    report.note("key to the whole picture, p50", again.median, "ms")
    report.figure("key to the whole picture, p95", again.quantile(0.95), "ms", atMost: 50)
    report.note("visits of places that were not", "\(first.count)")
    report.note("the same of these, p50", first.median, "ms")
    report.figure("the same of these, p95", first.quantile(0.95), "ms", atMost: 300)
    for (source, visits) in Dictionary(grouping: known.filter { $0.items > 0 }, by: \.source).sorted(by: {
        $0.key < $1.key
    }) {
        report.note("  \(source), p95", visits.map(\.milliseconds).quantile(0.95), "ms")
    }
}

/// A manifest of the clips in a folder, by five creators.
private func manifest(of clips: String, in folder: TemporaryFolder) throws -> String {
    let name = (clips as NSString).lastPathComponent
    let names = try FileManager.default.contentsOfDirectory(atPath: clips).filter {
        $0.hasPrefix("clip") || $0.contains("-")
    }
    let items = names.sorted().enumerated().map { number, file in
        """
        {"id": "\(name)-\(number)", "url": "\(clips)/\(file)", "title": "\(file)",
        "creator": {"name": "\(name) \(number % 5)"}}
        """
    }
    return try folder.write("\(name).json", "{\"items\": [\(items.joined(separator: ","))]}".utf8)
}

/// A place that a key led to, as the trace has it.
private struct PlaceVisit {
    /// Home, For You, Following, Liked, Saved, History, Offline, Hidden.
    static let places = 8

    var source: String
    var items: Int
    /// Whether the clip in view is the one of the place before.
    var hasSameClip: Bool
    /// From the key to the last byte of the first update with a picture of the place; infinite if none came.
    var milliseconds: Double

    static func all(in trace: TraceReader) -> [PlaceVisit] {
        let keys = trace.lines.indices.filter { trace.lines[$0].event == "key" && trace.lines[$0].text("key") == "tab" }
        return keys.enumerated().compactMap { number, key in
            let end = number + 1 < keys.count ? keys[number + 1] : trace.lines.endIndex
            let after = trace.lines[key..<end]
            guard let shown = after.first(where: { $0.event == "feed" }) else { return nil }
            // One that was drawn before knows nothing of the place.
            let picture = after.first { line in
                line.event == "picture" && line.time - (line.number("ms") ?? 0) / 1_000 >= shown.time
            }
            let before = trace.lines[..<key].last { $0.event == "picture" }
            let time = ((picture?.time ?? .infinity) - trace.lines[key].time) * 1_000
            let source = shown.text("source") ?? ""
            return PlaceVisit(
                source: source.contains("/") ? "Home" : source, items: Int(shown.number("items") ?? 0),
                hasSameClip: picture != nil && picture?.text("item") == before?.text("item"), milliseconds: time)
        }
    }
}
