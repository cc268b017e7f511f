import TestSupport
import Testing

@testable import Engagement

@Suite struct SimulatedSessionTests {
    /// Ten thousand sessions in all.
    @Test(arguments: 0..<4)
    func everyCountAndSumIsThatOfAnotherReckoning(_ part: Int) {
        var (deeds, events): ([String: Int], [String: Int]) = ([:], [:])
        for seed in (part * 2_500)..<((part + 1) * 2_500) {
            let session = SimulatedSession(seed: UInt64(seed))
            session.run()
            for (deed, count) in session.deeds { deeds[deed, default: 0] += count }
            for event in session.found { events[event.name, default: 0] += 1 }
            guard session.found != session.expected else { continue }
            let first = zip(session.found, session.expected).first { $0 != $1 }
            Issue.record(
                """
                session \(seed): \(session.found.count) events, not \(session.expected.count); found, expected: \
                \(first.map { "\($0)\n\($1)" } ?? "one has more")
                \(session.story.joined(separator: "\n"))
                """)
            return
        }
        // A case that never happens proves nothing.
        let wanted = [
            "pause", "play", "play again", "seek", "speed", "stall", "suspend", "jump", "recover", "hide", "end",
            "arrive clip", "arrive loop", "arrive live", "arrive still", "arrive failed",
        ]
        for deed in wanted { #expect(deeds[deed, default: 0] > 50, "\(deed)") }
        for name in ["impression", "start", "view", "milestone", "skip", "summary"] {
            #expect(events[name, default: 0] > 500, "\(name)")
        }
    }
}
