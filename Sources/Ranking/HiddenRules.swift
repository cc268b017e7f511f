import Model

/// What the user never wants to see again: clips, creators, topics, sources, and words in titles. The filter before all
/// ranking. A value.
public struct HiddenRules: Sendable, Equatable {
    private var items: Set<UInt64> = []
    private var creators: Set<UInt64> = []
    private var topics: Set<UInt64> = []
    private var sources: Set<UInt64> = []
    /// By their first words: all words of each phrase.
    private var phrases: [UInt64: [[UInt64]]] = [:]

    public init() {}

    public var isEmpty: Bool {
        items.isEmpty && creators.isEmpty && topics.isEmpty && sources.isEmpty && phrases.isEmpty
    }

    /// Words of a rule that are compared.
    private static let maxWords = 16

    // MARK: Rules

    public mutating func hide(clip item: Item, _ hides: Bool = true) {
        for name in Candidate(item).names { items.set(name, hides) }
    }

    /// Does nothing if the item's feed names no creator.
    public mutating func hide(creatorOf item: Item, _ hides: Bool = true) {
        if let creator = Candidate(item).creator { creators.set(creator, hides) }
    }

    /// Does nothing for a topic without letters and digits.
    public mutating func hide(topic: String, _ hides: Bool = true) {
        if let topic = FeatureKey.topic(topic) { topics.set(topic, hides) }
    }

    public mutating func hide(sourceOf item: Item, _ hides: Bool = true) {
        sources.set(Candidate(item).source, hides)
    }

    /// Titles with these words one after the other, whatever their case and accents. Does nothing for a text without
    /// letters and digits.
    public mutating func hide(words text: String, _ hides: Bool = true) {
        var words: [UInt64] = []
        FeatureKey.appendWords(of: text, scalars: 256, limit: Self.maxWords, to: &words)
        guard let first = words.first else { return }
        phrases[first, default: []].removeAll { $0 == words }
        if hides { phrases[first, default: []].append(words) }
        if phrases[first]?.isEmpty == true { phrases[first] = nil }
    }

    // MARK: Candidates

    public func hides(_ candidate: Candidate) -> Bool {
        if let creator = candidate.creator, creators.contains(creator) { return true }
        if !sources.isEmpty, sources.contains(candidate.source) { return true }
        if !items.isEmpty, candidate.names.contains(where: items.contains) { return true }
        if !topics.isEmpty, candidate.topics.contains(where: topics.contains) { return true }
        guard !phrases.isEmpty else { return false }
        let words = candidate.words
        return words.indices.contains { start in
            phrases[words[start]]?.contains { words[start...].starts(with: $0) } ?? false
        }
    }
}

extension Set {
    fileprivate mutating func set(_ element: Element, _ contains: Bool) {
        if contains { insert(element) } else { remove(element) }
    }
}
