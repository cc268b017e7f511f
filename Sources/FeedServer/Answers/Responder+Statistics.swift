import Model

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// The statistics of all viewers, for the server's owner.
extension Responder {
    /// The number of creators and topics without a limit in the request, and the highest limit.
    private static let usual = 100
    private static let most = 10_000

    func statistics(_ query: AddressQuery) async throws -> Answer {
        let limit = try query.number("limit", in: 0...Self.most) ?? Self.usual
        var since = 0.0
        if let text = query["since"] {
            guard text.utf8.count <= 64, let date = RFC3339.date(from: text) else {
                throw RequestError(.badRequest, "since: it is not an RFC 3339 date")
            }
            since = date.timeIntervalSince1970
        }
        // One at a time, so that it cannot take all threads and connections that read.
        guard !isReckoning.exchange(true, ordering: .relaxed) else {
            throw RequestError(
                .serviceUnavailable, "statistics are being computed for another request; try again soon",
                headers: [.retryAfter: "2"])
        }
        defer { isReckoning.store(false, ordering: .relaxed) }
        let (keeper, beginning) = (keeper, since)
        let statistics = try await queue.read { store in
            try store.watched(since: beginning).statistics(of: keeper.index, limit: limit)
        }
        return .text(statistics.json)
    }
}
