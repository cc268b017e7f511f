import Model

/// Why a clip is shown, in one line. A value.
public enum Reason: Sendable, Equatable, CustomStringConvertible {
    /// Nothing was learned yet.
    case nothingLearned
    /// In Home's order, as nothing speaks for the clip.
    case home
    case finishes(Feature)
    case watches(Feature)
    case explored
    case newSource

    /// What clips have in common. Names are as in the feed, made safe to show.
    public enum Feature: Sendable, Equatable {
        case creator(String)
        case topic(String)
        case word(String)
        case source
        case length(String)

        fileprivate var clips: String {
            switch self {
            case .creator(let name): "clips by \(name)"
            case .topic(let topic): "clips about \(topic)"
            case .word(let word): "clips with “\(word)” in the title"
            case .source: "clips from this source"
            case .length(let length): "clips of \(length)"
            }
        }
    }

    public var description: String {
        switch self {
        case .nothingLearned: "In Home order; For You learns what you like as you watch"
        case .home: "Next on Home"
        case .finishes(let feature): "You finish most \(feature.clips)"
        case .watches(let feature): "You watch \(feature.clips) longer than most"
        case .explored: "Something different, to find out whether you like it"
        case .newSource: "From a source you have rarely watched"
        }
    }
}

extension TasteModel {
    /// What must speak for a clip to be named: as a share of a clip watched.
    private static let leastEffect = 0.02
    /// Fewer clips are no habit.
    private static let leastCount: Float = 1.9
    private static let nameLimit = 60

    /// Why this item was chosen: the feature that speaks for it most.
    ///
    /// - Parameter namesSource: whether its source may be that; of a single source all clips are.
    public func reason(for item: Item, _ way: FeedRanker.Pick.Way, namesSource: Bool = true) -> Reason {
        if isNew { return .nothingLearned }
        switch way {
        case .explored: return .explored
        case .newSource: return .newSource
        case .home, .learned: break
        }
        var best: (feature: Reason.Feature, weight: Weight, effect: Double)?
        for (feature, key, share) in Self.features(of: item) where namesSource || feature != .source {
            let weight = current(key)
            let effect = share * Double(weight.mean)
            guard effect > max(Self.leastEffect, best?.effect ?? 0), weight.count >= Self.leastCount else { continue }
            best = (feature, weight, effect)
        }
        guard let best else { return .home }
        let finishesMost = best.weight.finished > best.weight.count / 2
        return finishesMost ? .finishes(best.feature) : .watches(best.feature)
    }

    /// Those that have a name which the user knows.
    private static func features(of item: Item) -> [(Reason.Feature, key: UInt64, share: Double)] {
        func name(_ text: String) -> String { CleanText.line(text, limit: nameLimit) }
        let candidate = Candidate(item)
        var shares: [UInt64: Double] = [:]
        candidate.forEachNamedFeature { key, share in shares[key] = share }
        var features: [(Reason.Feature, key: UInt64, share: Double)] = []
        if let creator = item.creator, let key = candidate.creator {
            // One that has no name is known by nothing that could be shown.
            let shown = creator.name.map(name) ?? ""
            if !shown.isEmpty { features.append((.creator(shown), key, 1)) }
        }
        for tag in (item.tags.prefix(Candidate.maxTopics) + [item.folder].compactMap(\.self)) {
            guard let key = FeatureKey.topic(tag), let share = shares[key] else { continue }
            features.append((.topic(name(tag)), key, share))
        }
        for word in CleanText.line(item.title ?? "").split(whereSeparator: { !$0.isLetter && !$0.isNumber }) {
            var keys: [UInt64] = []
            FeatureKey.appendWords(of: String(word), scalars: nameLimit, limit: 1, to: &keys)
            guard let key = keys.first, let share = shares[key] else { continue }
            features.append((.word(name(String(word))), key, share))
        }
        features.append((.source, candidate.source, 1))
        if let length = candidate.length.words {
            features.append((.length(length), FeatureKey.key(.length, class: Int(candidate.length.rawValue)), 1))
        }
        return features
    }
}

extension Candidate.Length {
    /// nil if the length is not known.
    fileprivate var words: String? {
        switch self {
        case .unknown: nil
        case .seconds15: "up to 15 seconds"
        case .seconds30: "15 to 30 seconds"
        case .minute: "half a minute to a minute"
        case .minutes3: "one to three minutes"
        case .minutes10: "three to ten minutes"
        case .minutes30: "ten to thirty minutes"
        case .longer: "more than half an hour"
        }
    }
}
