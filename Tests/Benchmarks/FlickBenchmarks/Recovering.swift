import Foundation
import TestSupport

/// The playing decoder killed again and again, and stopped.
func recovery(_ report: inout Report, _ programs: Programs, _ clips: Clips) throws {
    report.section("Recovery: kill -9 of the playing decoder, 500 times, two a page; SIGSTOP, 10 times")
    let session = try Session(programs.flick, [try clips.many(400)], ["--no-audio"])
    session.run(.seconds(3))
    let descriptors = session.descriptorsBesideDecoders
    for _ in 0..<250 {
        for _ in 0..<2 {
            session.run(.milliseconds(250))
            if let pid = session.busiestDecoder(over: .milliseconds(150)) { kill(pid, SIGKILL) }
            session.run(.milliseconds(350))
        }
        session.program.type("j")
    }
    for _ in 0..<10 {
        session.run(.milliseconds(700))
        let pid = session.busiestDecoder(over: .milliseconds(200))
        // A key of no action marks the moment in the trace.
        session.program.type("%")
        if let pid { kill(pid, SIGSTOP) }
        session.run(.milliseconds(3_000))
        session.program.type("j")
    }
    session.run(.seconds(2))
    let after = session.descriptorsBesideDecoders
    let zombies = session.zombies
    let trace = try session.finish()

    var times: [Double] = []
    var jumps: [Double] = []
    for (index, line) in trace.lines.enumerated()
    where line.event == "worker" && (line.text("status") ?? "").hasPrefix("signal 9") && line.text("state") == "exit" {
        guard let item = line.text("item"),
            let last = trace.lines[..<index].last(where: { $0.event == "picture" && $0.text("item") == item }),
            let pts = last.number("pts")
        else { continue }
        let after = trace.lines[index...].prefix { $0.event != "page" }
        guard
            let next = after.first(where: {
                $0.event == "picture" && $0.text("item") == item && ($0.number("pts") ?? 0) > pts
            })
        else { continue }
        times.append((next.time - line.time) * 1_000)
        jumps.append((next.number("pts") ?? .nan) - pts)
    }
    report.note("decoders killed while they played", "\(times.count)")
    guard times.count >= 400 else { throw NotMeasured("only \(times.count) of 500 kills hit a playing decoder") }
    report.figure("killed to playing on, p95", times.quantile(0.95), "ms", atMost: 300)
    report.figure("killed to playing on, most", times.max() ?? .nan, "ms", atMost: 1_000)
    report.figure("apart from the picture before, most", jumps.max() ?? .nan, "s", atMost: 0.1)
    report.figure("clips that failed", Double(trace.events("gave_up").count), "", atMost: 0)
    report.figure("zombies", Double(zombies), "", atMost: 0)
    report.figure("descriptors beside decoders, more than at the beginning", after - descriptors, "", atMost: 8)
    // The busiest decoder may have been one that opened a clip out of view, as
    // eight of five hundred are: then pictures went on.
    let stops = trace.lines.filter { $0.event == "key" && $0.text("key") == "%" }.filter { stop in
        !trace.lines.contains { $0.event == "picture" && (0.7...1.4).contains($0.time - stop.time) }
    }
    report.note("decoders stopped while they played", "\(stops.count)")
    let replaced = stops.map { stop in
        let recover = trace.lines.first {
            $0.event == "recover" && $0.time > stop.time && $0.time < stop.time + 3
        }
        return ((recover?.time ?? .nan) - stop.time) * 1_000
    }
    let isMeasured = stops.count >= 5 && !replaced.contains(where: \.isNaN)
    report.figure(
        "stopped to replaced, most", isMeasured ? replaced.max() ?? .nan : .nan, "ms",
        atMost: 2_200)
}

extension Session {
    /// How many descriptors flick has open beside those of its decoders, which have three each: the channel, the
    /// pictures' memory and the process. How many decoders there are depends on the page and on how quickly pages were
    /// left.
    var descriptorsBesideDecoders: Double { ProcessFile.descriptors(program.pid) - Double(3 * decoders.count) }

    /// Processes below flick that have ended and were not waited for.
    fileprivate var zombies: Int { descendants.count { ProcessFile.state($0) == "Z" } }

    /// The decoder that worked most in this time: of all that are open, the one that plays.
    fileprivate func busiestDecoder(over time: Duration) -> pid_t? {
        let before = Dictionary(uniqueKeysWithValues: decoders.map { ($0, ProcessFile.scheduled($0)) })
        run(time)
        return before.max {
            ProcessFile.scheduled($0.key) - $0.value < ProcessFile.scheduled($1.key) - $1.value
        }?.key
    }
}
