import Foundation
import Model
import Ranking
import TestSupport

/// For You: what synthetic viewers gain, and how long a ranking and an update take.
func ranking(_ report: inout Report, _ programs: Programs, _ clips: Clips) throws {
    let viewers = 200
    report.section("Ranking: \(viewers) synthetic viewers over 20,000 items, half of them without a taste")
    let trials = ViewerTrials(viewers: viewers, items: 20_000, seed: 7)
    report.figure(
        "gain of the first 100 clips over Home, with a taste", ViewerTrials.medianGain(trials.withTaste, 0..<100), "",
        atLeast: 1.5)
    report.figure(
        "the same without a taste", ViewerTrials.medianGain(trials.withoutTaste, 0..<100), "", atLeast: 0.97)
    let change = ViewerTrials.change
    report.figure(
        "gain of clips 41 to 60 after a change of tastes",
        ViewerTrials.medianGain(trials.withTaste, change + 40..<change + 60), "", atLeast: 1.2)
    let mild = ViewerTrials(viewers: viewers / 2, items: 20_000, taste: .mild, seed: 9)
    report.note("gain of the first 100 with a mild taste", ViewerTrials.medianGain(mild.withTaste, 0..<100), "")
    let all = trials.withTaste + trials.withoutTaste
    report.figure("creators in the first 20, fewest", Double(all.map(\.creators).min() ?? 0), "", atLeast: 8)
    report.figure("clips of a creator within five, most", Double(all.map(\.closest).max() ?? 0), "", atMost: 1)

    let items = SyntheticFeed(count: 20_000, seed: 8).clips.map(\.item)
    let moment = Moment(seconds: SyntheticFeed.fetched, hour: 20)
    var candidates: [Candidate] = []
    let preparing = milliseconds { candidates = items.map { Candidate($0) } }
    report.note("20,000 candidates made of items, once", preparing, "ms")
    var model = TasteModel()
    var updates: [Double] = []
    for candidate in candidates.prefix(2_000) {
        let outcome = Viewing.Outcome(completion: candidate.isSeen ? 0 : 0.7, watchTime: .seconds(9))
        updates.append(milliseconds { model.learn(from: Viewing(candidate, outcome, at: moment)) })
    }
    report.figure("update after a clip, p99", updates.quantile(0.99), "ms", atMost: 1)
    let ranker = FeedRanker(model)
    let rankings = (0..<21).map { seed in
        milliseconds { _ = ranker.next(of: candidates, limit: 200, at: moment, seed: UInt64(seed)) }
    }
    report.figure("ranking of 20,000 candidates, 200 chosen", rankings.median, "ms", atMost: 20)
    report.note(
        "the same, all in order",
        milliseconds {
            _ = ranker.next(of: candidates, limit: candidates.count, at: moment, seed: 1)
        }, "ms")
}

private func milliseconds(_ body: () -> Void) -> Double { ContinuousClock().measure(body) / .milliseconds(1) }
