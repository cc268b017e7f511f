import Synchronization

/// The server's metrics, for Prometheus. Any thread.
final class Metrics: Sendable {
    /// The upper ends of the histogram's buckets, in seconds.
    static let buckets = [0.001, 0.005, 0.01, 0.05, 0.1, 0.5, 1, 5, 30, 120]

    /// The result of a request for a still.
    enum StillResult: String, CaseIterable {
        case made, failed
        /// It was made before.
        case kept
    }

    private struct Key: Hashable {
        var route: String
        var status: Int
    }

    private struct Series {
        var count = 0
        var sum = 0.0
        var inBucket = [Int](repeating: 0, count: Metrics.buckets.count)
    }

    private struct State {
        var requests: [Key: Int] = [:]
        var durations: [String: Series] = [:]
        var bytes = 0
        var stills: [StillResult: Int] = [:]
    }

    private let state = Mutex(State())

    /// - Parameters:
    ///   - route: of the table, or "none": a client's path is no label.
    ///   - seconds: from the request's headers to the end of its answer.
    ///   - bytes: of the body.
    func note(route: String, status: Int, seconds: Double, bytes: Int) {
        state.withLock { state in
            state.requests[Key(route: route, status: status), default: 0] += 1
            var series = state.durations[route] ?? Series()
            series.count += 1
            series.sum += seconds
            if let bucket = Metrics.buckets.firstIndex(where: { seconds <= $0 }) { series.inBucket[bucket] += 1 }
            state.durations[route] = series
            state.bytes += bytes
        }
    }

    func note(still: StillResult) { state.withLock { $0.stills[still, default: 0] += 1 } }

    /// How many stills had this result.
    func count(of still: StillResult) -> Int { state.withLock { $0.stills[still] ?? 0 } }

    /// The text format 0.0.4.
    func text(items: Int, total: Tally?, connections: OpenConnections) -> String {
        let (requests, durations, bytes) = state.withLock { ($0.requests, $0.durations, $0.bytes) }
        let figures = connections.figures
        var lines = ["# TYPE flick_requests_total counter"]
        for (key, count) in requests.sorted(by: { ($0.key.route, $0.key.status) < ($1.key.route, $1.key.status) }) {
            lines.append("flick_requests_total{route=\"\(key.route)\",status=\"\(key.status)\"} \(count)")
        }
        for (status, count) in figures.refused.sorted(by: { $0.key < $1.key }) {
            lines.append("flick_requests_total{route=\"unread\",status=\"\(status)\"} \(count)")
        }
        lines.append("# TYPE flick_request_duration_seconds histogram")
        for (route, series) in durations.sorted(by: { $0.key < $1.key }) {
            var below = 0
            for (end, count) in zip(Metrics.buckets, series.inBucket) {
                below += count
                lines.append("flick_request_duration_seconds_bucket{route=\"\(route)\",le=\"\(end)\"} \(below)")
            }
            lines.append("flick_request_duration_seconds_bucket{route=\"\(route)\",le=\"+Inf\"} \(series.count)")
            lines.append("flick_request_duration_seconds_sum{route=\"\(route)\"} \(series.sum)")
            lines.append("flick_request_duration_seconds_count{route=\"\(route)\"} \(series.count)")
        }
        func put(_ name: String, _ kind: String, _ value: Int) {
            lines += ["# TYPE \(name) \(kind)", "\(name) \(value)"]
        }
        put("flick_sent_bytes_total", "counter", bytes)
        put("flick_connections", "gauge", figures.open)
        lines.append("# TYPE flick_connections_dropped_total counter")
        for excess in ConnectionWatch.Excess.allCases {
            lines.append("flick_connections_dropped_total{why=\"\(excess.rawValue)\"} \(figures.cut[excess] ?? 0)")
        }
        lines.append("flick_connections_dropped_total{why=\"too_many\"} \(figures.tooMany)")
        lines.append("# TYPE flick_stills_total counter")
        for result in StillResult.allCases {
            lines.append("flick_stills_total{result=\"\(result.rawValue)\"} \(count(of: result))")
        }
        put("flick_items", "gauge", items)
        // Without its database the server still reports the rest.
        if let total {
            put("flick_comments", "gauge", total.comments)
            lines.append("# TYPE flick_reactions gauge")
            let reactions = [("like", total.likes), ("dislike", total.dislikes), ("save", total.saves)]
            for (kind, count) in reactions { lines.append("flick_reactions{kind=\"\(kind)\"} \(count)") }
            put("flick_shares", "gauge", total.shares)
            put("flick_views", "gauge", total.views)
        }
        return lines.joined(separator: "\n") + "\n"
    }
}
