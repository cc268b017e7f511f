/// The statistics of watching. A value.
public struct Statistics: Sendable, Equatable {
    /// The statistics of one creator's clips, or of those with one topic. A value.
    public struct Group: Sendable, Equatable {
        public var name: String
        /// In seconds of real time.
        public var watched: Double
        public var visits: Int
        /// The mean share of a clip's distinct time that a visit played, 0 … 1.
        public var completion: Double

        public init(name: String, watched: Double, visits: Int, completion: Double) {
            (self.name, self.watched, self.visits, self.completion) = (name, watched, visits, completion)
        }
    }

    public struct Day: Sendable, Equatable {
        /// In the user's time zone, or in UTC if a server reckons: "2026-11-22".
        public var date: String
        /// In seconds of real time.
        public var watched: Double

        public init(date: String, watched: Double) { (self.date, self.watched) = (date, watched) }
    }

    /// All visits together; its name is empty.
    public var all: Group
    /// How many clips that were.
    public var clips: Int
    /// Days on which something was watched, the oldest first.
    public var days: [Day]
    /// The most watched ones first.
    public var creators: [Group]
    public var topics: [Group]
    /// How many pages were left after each tenth of their clip was played: for the
    /// first eight tenths, where leaving counts as a skip.
    public var skips: [Int]

    public init(all: Group, clips: Int, days: [Day], creators: [Group], topics: [Group], skips: [Int]) {
        (self.all, self.clips, self.days) = (all, clips, days)
        (self.creators, self.topics, self.skips) = (creators, topics, skips)
    }

    /// Nothing was watched.
    public static let nothing = Statistics(
        all: Group(name: "", watched: 0, visits: 0, completion: 0), clips: 0, days: [], creators: [], topics: [],
        skips: Array(repeating: 0, count: skipTenths))

    /// A visit counts from this many seconds of play on, or if this share of the clip was played, which is its end.
    public static let shortestVisit = 2
    public static let endedShare = 0.95

    /// That rule as a condition of SQL on two of its expressions: seconds of play, and the share that was played.
    public static func counts(seconds: String, share: String) -> String {
        "(\(seconds) >= \(shortestVisit) OR \(share) >= \(endedShare))"
    }

    /// The tenths of a clip in which leaving it is a skip.
    public static let skipTenths = 8
}

extension Statistics {
    /// As `flick stats --json` prints it and `flick serve` answers (docs/internals/service.md).
    public var json: JSONLine {
        var line = Self.object(all, named: nil)
        line.put("clips", .integer(clips))
        line.put(
            "days",
            days.map { day in JSONLine(fields: [("date", .text(day.date)), ("watch_time", .number(day.watched))]) })
        line.put("creators", creators.map { Self.object($0, named: $0.name) })
        line.put("topics", topics.map { Self.object($0, named: $0.name) })
        line.put(
            "skips",
            skips.enumerated().map { tenth, count in
                JSONLine(fields: [("from", .number(Double(tenth) / 10)), ("count", .integer(count))])
            })
        return line
    }

    private static func object(_ group: Group, named name: String?) -> JSONLine {
        var line = JSONLine()
        if let name { line.put("name", .text(name)) }
        line.put("watch_time", .number(group.watched))
        line.put("visits", .integer(group.visits))
        line.put("completion", .number(group.completion))
        return line
    }
}
