import Model

/// A clip that was watched, or left. A value.
public struct Viewing: Sendable {
    /// The result of the visit: as in `EngagementEvent.Summary` of Engagement, with the user's reactions meanwhile.
    public struct Outcome: Sendable, Equatable {
        /// The share of the clip that was played, 0 … 1. 0 if its duration is not known.
        public var completion: Double
        public var watchTime: Duration
        public var replays: Int
        /// The page was left with under 80 % played.
        public var hasSkipped: Bool
        public var reaction: Reaction
        /// The user said "not interested".
        public var isHidden: Bool

        public init(
            completion: Double, watchTime: Duration, replays: Int = 0, hasSkipped: Bool = false,
            reaction: Reaction = Reaction(), isHidden: Bool = false
        ) {
            self.completion = completion
            self.watchTime = watchTime
            self.replays = replays
            self.hasSkipped = hasSkipped
            self.reaction = reaction
            self.isHidden = isHidden
        }
    }

    public var candidate: Candidate
    public var outcome: Outcome
    public var at: Moment

    public init(_ candidate: Candidate, _ outcome: Outcome, at: Moment) {
        (self.candidate, self.outcome, self.at) = (candidate, outcome, at)
    }
}

extension Viewing.Outcome {
    /// So much time spent with a clip is worth half of watching it to its end, whatever its length: two minutes of a
    /// film are no skip.
    private static let halfTime = 90.0
    /// The same where the length is not known: of a live stream, a photo.
    private static let halfTimeOfUnknown = 15.0
    private static let fullWatch = 0.8

    /// What it is worth, 0 … 1: what the model predicts. Watching to the end is 0.8; more takes a replay, a like, a
    /// save or a share. Anything that is no number is worth nothing.
    var worth: Double {
        if reaction.isDisliked || isHidden { return 0 }
        let seconds = max(0, watchTime.seconds)
        let completion = completion.isFinite ? min(max(completion, 0), 1) : 0
        let half = completion > 0 ? Self.halfTime : Self.halfTimeOfUnknown
        let watched = Self.fullWatch * max(completion, seconds / (seconds + half))
        // A clip also loops while its viewer is away: that it was replayed counts, how often does not.
        let more = (replays > 0 ? 0.1 : 0) + (reaction.wasShared ? 0.2 : 0)
        let liked = reaction.isLiked || reaction.isSaved ? max(watched, Self.fullWatch) + 0.2 : watched
        return min(1, liked + more)
    }

    /// Whether the user said what they think.
    var isExplicit: Bool { reaction.isLiked || reaction.isDisliked || reaction.isSaved || isHidden }

    /// Whether it was watched to its end, or nearly.
    var isFinished: Bool { completion.isFinite && completion >= 0.8 }
}
