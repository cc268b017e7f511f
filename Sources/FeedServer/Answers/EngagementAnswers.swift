import HTTPTypes
import Model
import Platform

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// The viewers' events, reactions and follows.
extension Responder {
    private static let week = 604_800.0

    func track(_ kind: ServiceEvent.Kind, _ call: Call) async throws -> Answer {
        let fields = try Fields(try await call.body())
        let now = WallClock.now
        let id = try fields.id("event_id")
        let item = try fields.id("video_id")
        let session = try fields.id("session_id")
        let moment = try fields.required("at", try fields.moment(now: now))
        var detail = JSONLine()
        switch kind {
        case .view:
            let watched = try fields.number("watched_ms", in: 0...Self.week * 1_000)
            detail.put("watched_ms", .number(try fields.required("watched_ms", watched)))
        case .engagement:
            let watched = try fields.number("watch_time", in: 0...Self.week)
            detail.put("watch_time", .number(try fields.required("watch_time", watched)))
            let completion = try fields.number("completion", in: 0...1)
            detail.put("completion", .number(try fields.required("completion", completion)))
            detail.put("milestones", integers: try fields.percents("milestones") ?? [])
            detail.put("replay_count", .integer(try fields.integer("replay_count", in: 0...1_000_000) ?? 0))
            detail.put("has_skipped", .flag(try fields.flag("has_skipped") ?? false))
            detail.put("buffer_duration", .number(try fields.number("buffer_duration", in: 0...Self.week) ?? 0))
        case .share: break
        }
        let event = ServiceEvent(
            kind: kind, id: id, item: item, viewer: try call.viewer(), session: session, at: moment.at, received: now,
            isClockOff: moment.isFar, detail: detail.object)
        return try await keep(event)
    }

    func share(_ item: String, _ call: Call) async throws -> Answer {
        let fields = try Fields(try await call.body())
        let now = WallClock.now
        let moment = try fields.moment(now: now)
        let event = ServiceEvent(
            kind: .share, id: try fields.id("event_id"), item: item, viewer: try call.viewer(), session: "",
            at: moment?.at ?? now, received: now, isClockOff: moment?.isFar ?? false, detail: "{}")
        return try await keep(event)
    }

    private func keep(_ event: ServiceEvent) async throws -> Answer {
        _ = try await item(event.item)
        let outcome = try await queue.write(.event(event))
        return Self.kept(isRepeated: outcome == .repeated)
    }

    static func kept(isRepeated: Bool = false) -> Answer {
        .text(JSONLine(fields: [("status", .text(isRepeated ? "known" : "kept"))]))
    }

    func react(_ reaction: ServiceReaction, _ item: String, isOn: Bool, _ call: Call) async throws -> Answer {
        let at = try await orderTime(call)
        let viewer = try call.viewer()
        _ = try await self.item(item)
        _ = try await queue.write(.reaction(reaction, item: item, viewer: viewer, isOn: isOn, at: at))
        return Self.kept()
    }

    /// Deletes an item, or brings it back.
    func keep(_ item: String, isThere: Bool, _ call: Call) async throws -> Answer {
        guard call.isOperator else { throw ItemDeletion.notOperator }
        // It is not needed, but what is wrong with it is a mistake.
        _ = try await orderTime(call)
        let deletion = ItemDeletion(keeper: keeper, queue: queue, pool: files, turns: deletions)
        let isNew = isThere ? try await deletion.restore(item) : try await deletion.delete(item)
        return Self.kept(isRepeated: !isNew)
    }

    func follow(_ creator: String, isOn: Bool, _ call: Call) async throws -> Answer {
        let at = try await orderTime(call)
        let viewer = try call.viewer()
        var index = keeper.index
        if !index.isWhole { index = try await pages.runIfActive { [keeper] in keeper.index(waitingUpTo: .seconds(1)) } }
        guard index.hasCreator(creator) else { throw RequestError(.notFound, "no such creator") }
        _ = try await queue.write(.follow(creator: creator, viewer: viewer, isOn: isOn, at: at))
        return Self.kept()
    }

    /// When a reaction was made: what the body says, unless that is still to come.
    func orderTime(_ call: Call) async throws -> Double {
        try Self.orderTime(try Fields(optional: try await call.body()))
    }

    static func orderTime(_ fields: Fields) throws(RequestError) -> Double {
        let now = WallClock.now
        // It is not needed, as the same order twice has the same effect; but what is no id is a mistake.
        if try fields.optionalText("event_id", limit: 128) != nil { _ = try fields.id("event_id") }
        guard let moment = try fields.moment(now: now), !moment.isAhead else { return now }
        return moment.at
    }
}

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
