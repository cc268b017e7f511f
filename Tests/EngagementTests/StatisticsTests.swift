import Foundation
import Model
import TestSupport
import Testing

@testable import Engagement

@Suite struct StatisticsTests {
    private let store: Store
    private let folder = TemporaryFolder()

    init() throws { store = try Store(path: folder.path + "/flick.db") }

    private func item(_ id: String, creator: String?, tags: [String], source: String) -> LibraryItem {
        let creator = creator.map { #","creator":{"name":"\#($0)"}"# } ?? ""
        let tags = tags.isEmpty ? "" : #","tags":["\#(tags.joined(separator: #"",""#))"]"#
        return LibraryItem(
            key: ItemKey(scope: "", id: id), url: "file:///clips/\(id).mp4",
            json: #"{"id":"\#(id)"\#(creator)\#(tags)}"#,
            source: source)
    }

    private func log(_ item: LibraryItem, _ what: String, _ detail: String, at: Double) throws {
        let event = LoggedEvent(id: UUID().uuidString, session: "s", at: at, what: what, detail: detail)
        try store.apply([.event(item, event)])
    }

    @Test func aFeedCanBeLeftOut() throws {
        for source in ["/clips", "/demo"] {
            let clip = item(source, creator: "of \(source)", tags: [], source: source)
            try log(clip, "summary", #"{"watch_time":2,"completion":0.5}"#, at: 1)
            try log(clip, "skip", #"{"completion":0.5}"#, at: 1)
        }
        let statistics = try store.statistics(without: "/demo", limit: 9)
        #expect(statistics.all.visits == 1 && statistics.skips.reduce(0, +) == 1)
        #expect(statistics.creators.map(\.name) == ["of /clips"])
        #expect(try store.statistics(limit: 9).all.visits == 2)
        #expect(try store.statistics(of: "/demo", without: "/demo", limit: 9).all.visits == 0)
    }

    /// Sums of what is drawn at random, reckoned here in memory.
    @Test func theyAgreeWithAReckoningOfTheirOwn() throws {
        var random = SeededRandom(state: 11)
        let creators = [nil, "Mira", "Ana", "Ben"]
        let topics = [[], ["rain"], ["rain", "food"], ["food"]]
        struct Sum { var watched = 0.0, visits = 0, completion = 0.0 }
        var (all, byCreator, byTopic) = (Sum(), [String: Sum](), [String: Sum]())
        var (days, clips, skips) = ([String: Double](), Set<String>(), [Int](repeating: 0, count: 8))
        for _ in 0..<400 {
            let number = Int.random(in: 0..<16, using: &random)
            let clip = item("i\(number)", creator: creators[number % 4], tags: topics[number / 4], source: "/clips")
            let at = 1_780_000_000 + Double(Int.random(in: 0..<(20 * 86_400), using: &random))
            let (watched, tenth) = (
                Double(Int.random(in: 0..<300, using: &random)), Int.random(in: 0..<10, using: &random)
            )
            let completion = (Double(tenth) + 0.5) / 10
            try log(clip, "view", #"{"watched":2}"#, at: at)
            try log(clip, "summary", #"{"watch_time":\#(watched),"completion":\#(completion)}"#, at: at)
            if tenth < 8 {
                try log(clip, "skip", #"{"completion":\#(completion)}"#, at: at)
                skips[tenth] += 1
            }
            guard watched >= 2 || completion >= 0.95 else { continue }
            func add(_ sum: inout Sum) {
                sum = Sum(
                    watched: sum.watched + watched, visits: sum.visits + 1, completion: sum.completion + completion)
            }
            add(&all)
            if let creator = creators[number % 4] { add(&byCreator[creator, default: Sum()]) }
            for topic in topics[number / 4] { add(&byTopic[topic, default: Sum()]) }
            let formatter = DateFormatter()
            formatter.dateFormat = "yyyy-MM-dd"
            days[formatter.string(from: Date(timeIntervalSince1970: at)), default: 0] += watched
            clips.insert(clip.key.id)
        }
        let found = try store.statistics(limit: 10)
        func same(_ group: Statistics.Group, _ sum: Sum?) -> Bool {
            guard let sum else { return false }
            return group.watched == sum.watched && group.visits == sum.visits
                && abs(group.completion - sum.completion / Double(sum.visits)) < 1e-9
        }
        #expect(same(found.all, all) && found.clips == clips.count && found.skips == skips)
        #expect(found.creators.count == 3 && found.creators.allSatisfy { same($0, byCreator[$0.name]) })
        #expect(found.creators.map(\.watched) == found.creators.map(\.watched).sorted(by: >))
        #expect(found.topics.count == 2 && found.topics.allSatisfy { same($0, byTopic[$0.name]) })
        #expect(found.days == days.sorted { $0.key < $1.key }.map { .init(date: $0.key, watched: $0.value) })
        #expect(try store.statistics(limit: 1).creators == [found.creators[0]])
    }

    /// Another program can write anything into the file.
    @Test func daysOmitInvalidTimes() throws {
        let clip = item("a", creator: nil, tags: [], source: "/a")
        try log(clip, "summary", #"{"watch_time":10,"completion":1}"#, at: 1e300)
        let found = try store.statistics(limit: 10)
        #expect(found.days.isEmpty && found.all.visits == 1 && found.all.watched == 10)
    }

    @Test func aFeedAndATimeNarrowThemDown() throws {
        let (here, there) = (
            item("a", creator: nil, tags: [], source: "/a"), item("b", creator: nil, tags: [], source: "/b")
        )
        for (clip, at) in [(here, 100.0), (here, 200), (there, 300)] {
            try log(clip, "summary", #"{"watch_time":10,"completion":1}"#, at: at)
            try log(clip, "skip", #"{"completion":0.35}"#, at: at)
        }
        let narrow = try store.statistics(of: "/a", since: 150, limit: 10)
        #expect(narrow.all.visits == 1 && narrow.all.watched == 10 && narrow.skips == [0, 0, 0, 1, 0, 0, 0, 0])
        #expect(try store.statistics(of: "/c", limit: 10) == .nothing)
    }

    /// Details that another program wrote into the file.
    @Test func invalidDetailsDoNotCount() throws {
        let clip = item("a", creator: nil, tags: [], source: "/a")
        for detail in ["{}", #"{"watch_time":null,"completion":"x"}"#] { try log(clip, "summary", detail, at: 1) }
        for detail in ["{}", #"{"completion":-3}"#, #"{"completion":9e99}"#] { try log(clip, "skip", detail, at: 1) }
        let found = try store.statistics(limit: 10)
        #expect(found.all.visits == 0 && found.all.watched == 0 && found.skips.allSatisfy { $0 == 0 })
    }

    /// A clip of less than two seconds counts once it has ended.
    @Test(arguments: [(0, 0, 0), (1.9, 0.5, 0), (2, 0.1, 1), (1.2, 1, 1), (1.2, 0.94, 0)])
    func visitCountsFromTwoSecondsOrAtItsEnd(watched: Double, completion: Double, visits: Int) throws {
        let clip = item("a", creator: "C", tags: ["t"], source: "/a")
        try log(clip, "summary", #"{"watch_time":\#(watched),"completion":\#(completion)}"#, at: 1)
        let found = try store.statistics(limit: 10)
        #expect(found.all.visits == visits && found.clips == visits && found.days.count == visits)
        #expect(found.creators.count == visits && found.topics.count == visits)
    }
}
