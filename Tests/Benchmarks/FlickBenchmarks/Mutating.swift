import Foundation
import TestSupport

/// Damaged clips of every container, paged through in one session: flick survives all of them.
func mutants(_ report: inout Report, _ programs: Programs, _ clips: Clips) throws {
    let count = 2_100
    report.section("Damaged clips: \(count) of every container, paged through in one session")
    let feed = try MutantFeed(count: count, seed: 9)
    let walk = try MutantWalk(programs.flick, feed)
    // The first fifth covers one-time costs, and fills the cache of pages that were left. Memory use varies with the
    // clips that are open: medians show growth.
    let fifth = count / 5
    _ = try walk.visit(0..<fifth)
    let before = (memory: try walk.visit(fifth..<2 * fifth).median, descriptors: walk.session.descriptorsBesideDecoders)
    _ = try walk.visit(2 * fifth..<4 * fifth)
    let after = (memory: try walk.visit(4 * fifth..<count).median, descriptors: walk.session.descriptorsBesideDecoders)
    let processes = walk.session.descendants
    let trace = try walk.session.finish()

    for (kind, pages) in walk.pages.sorted(by: { $0.key < $1.key }) { report.note("pages with \(kind)", "\(pages)") }
    report.note("decoders replaced", "\(trace.events("recover").count)")
    report.figure("clips that failed after four decoders", Double(trace.events("gave_up").count), "", atMost: 0)
    report.note("decoders ended by a signal", "\(trace.crashes)")
    report.note("to a picture or an error, p50", walk.waits.map(\.time).median, "s")
    report.figure("to a picture or an error, most", walk.waits.map(\.time).max() ?? .nan, "s", atMost: 3)
    for wait in walk.waits.sorted(by: { $0.time > $1.time }).prefix(5) where wait.time > 0.5 {
        report.note("  \(wait.id)", wait.time, "s")
    }
    report.figure("pages without either in 30 s", Double(walk.hanging), "", atMost: 0)
    report.note("flick's memory, median", "\(Int(before.memory)), then \(Int(after.memory)) MiB")
    report.figure("growth of flick's memory", after.memory - before.memory, "MiB", atMost: 16)
    report.figure("growth of open descriptors", after.descriptors - before.descriptors, "", atMost: 32)
    report.figure("most decoders alive", walk.maxDecoders > 0 ? Double(walk.maxDecoders) : .nan, "", atMost: 16)
    // They end with flick, some milliseconds after it.
    _ = holds(within: .seconds(2)) { !processes.contains { ProcessFile.state($0) != nil } }
    report.figure("processes left behind", Double(processes.count { ProcessFile.state($0) != nil }), "", atMost: 0)
}

extension TraceReader {
    /// Decoders that a signal ended which flick did not send.
    fileprivate var crashes: Int {
        events("worker").count { $0.text("state") == "exit" && $0.text("status")?.hasPrefix("signal") == true }
    }
}

/// A session that goes from one damaged clip to the next once that shows what it has to show.
private final class MutantWalk {
    let session: Session
    /// How long each page took to show it, in seconds.
    private(set) var waits: [(id: String, time: Double)] = []
    /// How many pages showed what.
    private(set) var pages: [String: Int] = [:]
    private(set) var hanging = 0
    private(set) var maxDecoders = 0
    private let feed: MutantFeed
    private let follower: TraceFollower
    /// What each clip has shown, and when (the trace's time).
    private var shown: [String: (kind: String, time: Double)] = [:]
    private var turned: [String: Double] = [:]

    init(_ flick: String, _ feed: MutantFeed) throws {
        self.feed = feed
        session = try Session(flick, [feed.path], ["--reduced-motion"])
        follower = TraceFollower(path: session.trace)
    }

    /// Waits for each of these clips, and turns the page behind it. Returns how
    /// much memory flick uses now and then, in MiB.
    func visit(_ range: Range<Int>) throws -> [Double] {
        var memory: [Double] = []
        for index in range {
            let id = feed.ids[index]
            let result = try wait(for: id)
            pages[result?.kind ?? "nothing", default: 0] += 1
            if let result, let turn = turned[id] {
                // A clip that was opened ahead may have failed before.
                waits.append((id, max(0, result.time - turn)))
            } else {
                hanging += 1
            }
            // Now and then long enough for what is damaged in the middle.
            session.run(.milliseconds(index % 20 == 0 ? 1_000 : 50))
            if index % 10 == 0 { memory.append(ProcessFile.memory(session.program.pid, "Pss:")) }
            if index % 50 == 0 { maxDecoders = max(maxDecoders, session.decoders.count) }
            session.program.type("j")
        }
        return memory
    }

    private func wait(for id: String) throws -> (kind: String, time: Double)? {
        let end = ContinuousClock.now + .seconds(30)
        var heard: ContinuousClock.Instant?
        while ContinuousClock.now < end {
            try note()
            if turned[id] != nil, let result = shown[id] {
                if result.kind == "a picture" || result.kind == "an error" { return result }
                // Something better may follow. A still, or a damaged picture, may stand for a clip that hangs: its
                // decoder is replaced.
                let patience: Duration = result.kind == "sound" ? .milliseconds(300) : .seconds(2)
                if let heard, ContinuousClock.now - heard > patience { return result }
                heard = heard ?? .now
            }
            guard session.program.read(for: .milliseconds(5), { _ in true }) else {
                throw PTYProcess.Error(description: "flick ended at \(id), in \(session.trace)")
            }
        }
        return shown[id]
    }

    private func note() throws {
        for line in try follower.next() {
            // `claim` stands for the first page, which is shown without a page turn.
            guard let item = line.text("item") else { continue }
            switch line.event {
            case "page", "claim": turned[item] = turned[item] ?? line.time
            case "first_frame": shown[item] = ("a picture", line.time)
            case "error" where line.text("what") == "play": shown[item] = ("an error", line.time)
            case "audio" where line.text("state") == "playing" && ![nil, "a still"].contains(shown[item]?.kind): break
            case "audio" where line.text("state") == "playing": shown[item] = ("sound", line.time)
            case "picture" where shown[item] == nil:
                // Or a damaged picture, which is no first frame.
                shown[item] = ("a still", line.time)
            default: break
            }
        }
    }
}
