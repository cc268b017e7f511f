/// The texts that the cache keeps whole in its index, beside the bytes of assets.
package enum KeptText: Sendable, CaseIterable {
    /// A few kilobytes that stand for a finished playlist, for use without a network.
    case outline
    /// The last good answer for a feed.
    case feed

    /// The prefix of its rows' names. No hash begins like this.
    var prefix: String {
        switch self {
        case .outline: ""
        case .feed: "feed "
        }
    }

    /// The most bytes of one.
    package var limit: Int {
        switch self {
        case .outline: 1 << 20
        case .feed: 8 << 20
        }
    }

    /// The most bytes of all of its kind.
    var limitOfAll: Int {
        switch self {
        case .outline: 20 << 20
        case .feed: 64 << 20
        }
    }

    /// The context that bytes are sealed with: they open only in the same one.
    func seal(_ hash: String) -> String {
        switch self {
        case .outline: "outline " + hash
        case .feed: "feed " + hash
        }
    }

    /// Older ones are dropped.
    func age(_ options: CacheOptions) -> Duration {
        switch self {
        case .outline: options.age
        case .feed: options.feedAge
        }
    }
}
