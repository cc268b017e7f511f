import Model

/// Something that counts as engagement with an item. A value.
public struct EngagementEvent: Sendable, Equatable {
    public enum What: Hashable, Sendable {
        /// At least 60 % of its page was visible for 300 ms without a break. Once per item and session.
        case impression
        /// The same of an item that had its impression in this session: no more
        /// is counted, but it is the last that was seen.
        case again
        /// The first real frame of a claim was on the terminal, `after` this time since the page turn. A clip without
        /// pictures has none.
        case start(how: ClaimKind, after: Duration)
        /// It had played for 2 s in one visit; `watched` is how long exactly. Once per item and session.
        case view(watched: Duration)
        /// A percentage that playing has reached in this visit: 25, 50, 75 or 95. Each once a visit.
        case milestone(Int)
        /// Its page was left with under 80 % played.
        case skip(completion: Double)
        /// The last of every visit.
        case summary(Summary)
    }

    /// The result of a visit. A value.
    public struct Summary: Hashable, Sendable {
        /// Real time, at any speed, in which the clip played and did not wait.
        public var watchTime: Duration
        /// The share of the clip's distinct time that was played, 0 … 1. 0 if its duration is not known.
        public var completion: Double
        /// Those that were reached, rising.
        public var milestones: [Int]
        /// How often it restarted after its end, by itself or because the user played it again.
        public var replays: Int
        public var hasSkipped: Bool
        /// Real time in which it was to play and waited for pictures or sound.
        public var stallTime: Duration

        public init(
            watchTime: Duration = .zero, completion: Double = 0, milestones: [Int] = [], replays: Int = 0,
            hasSkipped: Bool = false, stallTime: Duration = .zero
        ) {
            self.watchTime = watchTime
            self.completion = completion
            self.milestones = milestones
            self.replays = replays
            self.hasSkipped = hasSkipped
            self.stallTime = stallTime
        }
    }

    public var item: Item.ID
    /// On the clock that the tracker is given. That of an impression, and of `again`, is when the 300 ms were over; all
    /// others' is the `now` of the signal that brought them.
    public var at: Duration
    public var what: What

    public init(item: Item.ID, at: Duration, what: What) {
        self.item = item
        self.at = at
        self.what = what
    }

    /// As in the trace: the `what` of `engage`.
    public var name: String {
        switch what {
        case .impression: "impression"
        case .again: "again"
        case .start: "start"
        case .view: "view"
        case .milestone: "milestone"
        case .skip: "skip"
        case .summary: "summary"
        }
    }
}
