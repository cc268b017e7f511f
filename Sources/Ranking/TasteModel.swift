import Model

/// What one person watches, learned on this machine: a weight for each feature of clips, whose sum predicts how much of
/// a clip will be watched.
///
/// It is a Bayesian linear regression that is updated after each clip: each weight has a mean and a variance, and the
/// difference between what was predicted and what was watched is shared out among the clip's features, the most to the
/// least certain ones. Weights lose certainty with each use, so that tastes that change are followed, and slowly return
/// to zero while they are not used. docs/internals/ranking.md explains the choice and the constants. A value.
public struct TasteModel: Sendable, Equatable {
    /// How much of a clip is watched varies that much among clips that are all alike.
    private static let noise = 0.3
    /// The same where the user said what they think.
    private static let explicitNoise = 0.15
    /// A share of the prior variance that a weight gets back with each use.
    private static let drift = 0.06
    /// After that many clips without a feature, half of what was learned about it is forgotten.
    private static let memory = 2_000.0
    /// What of a clip is watched by someone of whom nothing is known.
    private static let expected = 0.4
    /// Counts are of about the last ten clips.
    private static let countKept: Float = 0.9

    private(set) var weights = WeightTable()
    /// How many clips were watched.
    public private(set) var clips: UInt32 = 0

    public init() {}

    /// Learns from clips that were watched, the oldest first.
    public init(replaying viewings: some Sequence<Viewing>) {
        self.init()
        for viewing in viewings { learn(from: viewing) }
    }

    /// Nothing was learned yet: the order is Home's.
    public var isNew: Bool { clips == 0 }

    // MARK: Learning

    /// Learns from a clip that was watched or skipped.
    public mutating func learn(from viewing: Viewing) {
        var features: [(key: UInt64, share: Double, weight: Weight)] = []
        features.reserveCapacity(32)
        viewing.candidate.forEachFeature(at: viewing.at) { key, share in
            features.append((key, share, current(key)))
        }
        let noise = viewing.outcome.isExplicit ? Self.explicitNoise : Self.noise
        var (predicted, variance) = (Self.expected, noise * noise)
        for (_, share, weight) in features {
            predicted += share * Double(weight.mean)
            variance += share * share * Double(weight.variance)
        }
        let error = viewing.outcome.worth - predicted
        clips &+= clips == .max ? 0 : 1
        for (key, share, weight) in features {
            let gain = share * Double(weight.variance) / variance
            let prior = Self.prior(of: key)
            var new = weight
            new.mean = Float(min(max(Double(weight.mean) + gain * error, -1), 1))
            new.variance = Float(
                min(prior, Double(weight.variance) * (1 - gain * share) + Self.drift * prior * share * share))
            new.at = clips
            new.count = weight.count * Self.countKept + 1
            new.finished = weight.finished * Self.countKept + (viewing.outcome.isFinished ? 1 : 0)
            weights.set(key, new, now: clips)
        }
    }

    /// By the upper four bits of a key.
    private static let priors = (0..<16).map { kind in
        let deviation = FeatureKey.Kind(rawValue: UInt64(kind))?.deviation ?? 0
        return deviation * deviation
    }

    @inline(__always)
    private static func prior(of key: UInt64) -> Double { priors[Int(key >> 60)] }

    /// The weight as it is now, when what was learned long ago is partly forgotten.
    @inline(__always)
    func current(_ key: UInt64) -> Weight {
        let prior = Float(Self.prior(of: key))
        guard var weight = weights[key] else { return Weight(variance: prior, at: clips) }
        let kept = Float(Self.memory / (Self.memory + Double(clips &- min(clips, weight.at))))
        weight.mean *= kept
        weight.variance = prior - (prior - weight.variance) * kept
        return weight
    }
}

extension Candidate {
    /// All features, with their shares in what is predicted: several topics or words share one vote.
    func forEachFeature(at moment: Moment, _ body: (_ key: UInt64, _ share: Double) -> Void) {
        body(FeatureKey.base, 1)
        forEachNamedFeature(body)
        body(FeatureKey.key(.length, class: Int(length.rawValue)), 1)
        body(FeatureKey.key(.kind, class: Int(kind.rawValue)), 1)
        body(FeatureKey.key(.age, class: moment.ageClass(of: published)), 1)
        body(FeatureKey.key(.dayPart, class: dayPartClass(moment.dayPart)), 1)
    }

    /// Long clips may be for the evening.
    func dayPartClass(_ dayPart: Int) -> Int { dayPart * Length.allCases.count + Int(length.rawValue) }
}
