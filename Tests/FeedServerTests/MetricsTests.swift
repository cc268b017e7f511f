import Testing

@testable import FeedServer

@Suite struct MetricsTests {
    private func lines(_ metrics: Metrics, total: Tally?) -> [Substring] {
        metrics.text(items: 3, total: total, connections: OpenConnections(limit: 1)).split(separator: "\n")
    }

    @Test func requestsAreCountedByRouteStatusAndTime() {
        let metrics = Metrics()
        metrics.note(route: "feed", status: 200, seconds: 0.004, bytes: 10)
        metrics.note(route: "feed", status: 200, seconds: 0.04, bytes: 20)
        metrics.note(route: "feed", status: 404, seconds: 1_000, bytes: 3)
        metrics.note(route: "media", status: 206, seconds: 0.001, bytes: 100)
        let lines = lines(metrics, total: nil)
        let name = "flick_request_duration_seconds"
        for line in [
            "flick_requests_total{route=\"feed\",status=\"200\"} 2",
            "flick_requests_total{route=\"feed\",status=\"404\"} 1",
            "flick_requests_total{route=\"media\",status=\"206\"} 1", "\(name)_bucket{route=\"media\",le=\"0.001\"} 1",
            "\(name)_bucket{route=\"feed\",le=\"0.001\"} 0", "\(name)_bucket{route=\"feed\",le=\"0.005\"} 1",
            "\(name)_bucket{route=\"feed\",le=\"0.01\"} 1", "\(name)_bucket{route=\"feed\",le=\"0.05\"} 2",
            "\(name)_bucket{route=\"feed\",le=\"120.0\"} 2", "\(name)_bucket{route=\"feed\",le=\"+Inf\"} 3",
            "\(name)_count{route=\"feed\"} 3", "\(name)_sum{route=\"feed\"} 1000.044", "flick_sent_bytes_total 133",
            "flick_items 3",
        ] { #expect(lines.contains(line[...]), "\(line)") }
        #expect(!lines.contains { $0.hasPrefix("flick_views") }, "there is no database")
    }

    @Test func viewsAndReactionsAreReported() {
        let total = Tally(likes: 1, dislikes: 2, saves: 3, comments: 4, shares: 5, views: 6)
        let lines = lines(Metrics(), total: total)
        for line in [
            "flick_reactions{kind=\"like\"} 1", "flick_reactions{kind=\"dislike\"} 2",
            "flick_reactions{kind=\"save\"} 3",
            "flick_comments 4", "flick_shares 5", "flick_views 6",
        ] { #expect(lines.contains(line[...]), "\(line)") }
    }
}
