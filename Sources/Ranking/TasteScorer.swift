import Model
import Platform

/// Predicts what of candidates will be watched: once as the model's best guess, and once as it might be, drawn from
/// what the model does not know (Thompson sampling). Features with few classes are looked up once. A value.
struct TasteScorer {
    struct Score {
        var mean: Double
        /// One draw for each feature and ranking, so that all clips of an unknown creator are tried or none.
        var draw: Double
    }

    private let model: TasteModel
    private let seed: UInt64
    private let moment: Moment
    private var base = Score(mean: 0, draw: 0)
    private var lengths: [Score] = []
    private var kinds: [Score] = []
    private var ages: [Score] = []

    init(_ model: TasteModel, seed: UInt64, at moment: Moment) {
        (self.model, self.seed, self.moment) = (model, seed, moment)
        base = score(FeatureKey.base, 1)
        // The part of the day is the same for all of a length.
        lengths = Candidate.Length.allCases.map { length in
            let number = Int(length.rawValue)
            let dayPart = moment.dayPart * Candidate.Length.allCases.count + number
            return score(FeatureKey.key(.length, class: number), 1)
                + score(FeatureKey.key(.dayPart, class: dayPart), 1)
        }
        kinds = Candidate.Kind.allCases.map { score(FeatureKey.key(.kind, class: Int($0.rawValue)), 1) }
        ages = (0..<Moment.ageClasses).map { score(FeatureKey.key(.age, class: $0), 1) }
    }

    func score(_ candidate: Candidate) -> Score {
        var sum =
            base + lengths[Int(candidate.length.rawValue)] + kinds[Int(candidate.kind.rawValue)]
            + ages[moment.ageClass(of: candidate.published)]
        candidate.forEachNamedFeature { key, share in sum = sum + score(key, share) }
        return sum
    }

    @inline(__always)
    private func score(_ key: UInt64, _ share: Double) -> Score {
        let weight = model.current(key)
        let mean = share * Double(weight.mean)
        return Score(
            mean: mean, draw: mean + share * Double(weight.variance).squareRoot() * Self.normal(seed ^ key))
    }

    /// A number of nearly normal distribution: the sum of four of uniform distribution (Irwin and Hall). The same for
    /// the same seed on every system, which those of the C library are not.
    @inline(__always)
    static func normal(_ seed: UInt64) -> Double {
        var random = SplitMix64(state: seed)
        let bits = random.next()
        let sum = (bits & 0xFFFF) + (bits >> 16 & 0xFFFF) + (bits >> 32 & 0xFFFF) + bits >> 48
        return (Double(sum) / 65_535 - 2) * 1.732_050_807_568_877_2
    }
}

private func + (left: TasteScorer.Score, right: TasteScorer.Score) -> TasteScorer.Score {
    TasteScorer.Score(mean: left.mean + right.mean, draw: left.draw + right.draw)
}
