import Model

/// Which items the user never wants to see: clips, creators, topics, sources, and words in titles. The filter of all
/// feeds, before all ranking. Case and accents make no difference in names, topics and words. A value.
public struct HiddenRules: Sendable, Equatable {
    private var clips: Set<UInt64> = []
    private var creators: Set<UInt64> = []
    private var topics: Set<UInt64> = []
    private var sources: Set<UInt64> = []
    /// By their first words: all words of each phrase.
    private var phrases: [UInt64: [[UInt64]]] = [:]

    /// Words of a rule that are compared.
    private static let maxWords = 16
    /// What is compared of an item: its first topics, and the first words of its title.
    private static let (maxTopics, maxTitleWords, maxTitleScalars) = (16, 64, 1_024)

    public init(_ rules: some Sequence<HideRule> = []) { for rule in rules { add(rule) } }

    public var isEmpty: Bool {
        clips.isEmpty && creators.isEmpty && topics.isEmpty && sources.isEmpty && phrases.isEmpty
    }

    /// A topic or words without letters and digits hide nothing.
    public mutating func add(_ rule: HideRule) {
        let (scope, value) = (rule.id.scope, rule.id.value)
        guard !value.isEmpty else { return }
        switch rule.kind {
        case .clip:
            clips.insert(scope.isEmpty ? FeatureKey.hash(value) : FeatureKey.hash(scope, value))
            if !rule.url.isEmpty { clips.insert(FeatureKey.hash(rule.url)) }
        case .creator:
            let isURL = value.contains("://")
            creators.insert(
                !scope.isEmpty
                    ? FeatureKey.hash(scope, value) : isURL ? FeatureKey.hash(value) : FeatureKey.name(value))
        case .topic: if let topic = FeatureKey.topic(value) { topics.insert(topic) }
        case .source: sources.insert(FeatureKey.hash(value))
        case .words:
            var words: [UInt64] = []
            FeatureKey.appendWords(of: value, scalars: 256, limit: Self.maxWords, to: &words)
            if let first = words.first { phrases[first, default: []].append(words) }
        case .place: break
        }
    }

    /// Takes about a microsecond.
    public func hides(_ item: Item) -> Bool {
        if !clips.isEmpty, hidesClip(item) { return true }
        if !creators.isEmpty, let creator = item.creator, hides(creator, of: item) { return true }
        if !sources.isEmpty, hides(source: item) { return true }
        if !topics.isEmpty, hidesTopic(of: item) { return true }
        guard !phrases.isEmpty, let title = item.title else { return false }
        var words: [UInt64] = []
        FeatureKey.appendWords(of: title, scalars: Self.maxTitleScalars, limit: Self.maxTitleWords, to: &words)
        return words.indices.contains { start in
            phrases[words[start]]?.contains { words[start...].starts(with: $0) } ?? false
        }
    }

    /// Whether all of a source is hidden: then it need not be read.
    ///
    /// - Parameter text: as in the configuration: the absolute path of a folder, or an address.
    public func hides(source text: String) -> Bool {
        guard !sources.isEmpty else { return false }
        let url = text.hasPrefix("/") ? FileURL.url(path: text.utf8) : text
        return sources.contains(FeatureKey.hash(url))
    }

    private func hidesClip(_ item: Item) -> Bool {
        clips.contains(FeatureKey.hash(item.url))
            || item.feed.map { clips.contains(FeatureKey.hash($0, item.id)) } ?? false
    }

    private func hides(_ creator: Item.Creator, of item: Item) -> Bool {
        if let url = creator.url, creators.contains(FeatureKey.hash(url)) { return true }
        if let id = creator.id, creators.contains(FeatureKey.hash(HideRule.origin(of: item), id)) { return true }
        return creator.name.map { creators.contains(FeatureKey.name($0)) } ?? false
    }

    /// A folder has the files of those in it, too.
    private func hides(source item: Item) -> Bool {
        if let feed = item.feed { return sources.contains(FeatureKey.hash(feed)) }
        guard item.isFile else { return sources.contains(FeatureKey.hash(HideRule.origin(of: item))) }
        return HideRule.folders(ofFile: item.url).contains { sources.contains(FeatureKey.hash(String($0))) }
    }

    private func hidesTopic(of item: Item) -> Bool {
        // Local files have no tags, but people sort them into folders.
        let all = item.tags.prefix(Self.maxTopics) + (item.folder.map { [$0] } ?? [])
        return all.contains { FeatureKey.topic($0).map(topics.contains) ?? false }
    }
}
