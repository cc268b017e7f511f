/// What was watched, in figures. A value.
public struct Statistics: Sendable, Equatable {
    /// What was watched of one creator's clips, or of those with one topic. A value.
    public struct Group: Sendable, Equatable {
        public var name: String
        /// In seconds of real time.
        public var watched: Double
        public var visits: Int
        /// The mean share of a clip's distinct time that a visit played, 0 … 1.
        public var completion: Double
    }

    public struct Day: Sendable, Equatable {
        /// In the user's time zone: "2026-11-22".
        public var date: String
        /// In seconds of real time.
        public var watched: Double
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
    /// How many pages were left after so many tenths of their clip were played: of the eight tenths in which that counts as a skip.
    public var skips: [Int]

    /// Nothing was watched.
    public static let nothing = Statistics(
        all: Group(name: "", watched: 0, visits: 0, completion: 0), clips: 0, days: [], creators: [], topics: [],
        skips: Array(repeating: 0, count: skipTenths))

    /// The tenths of a clip in which leaving it is a skip.
    public static let skipTenths = 8
}
