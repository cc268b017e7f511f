import Model

/// What the ranking knows about an item: hashes of its creator, source, topics and title words, and classes
/// of its length, kind and age. Made once per item, in about a microsecond. A value.
public struct Candidate: Sendable, Equatable {
    /// How long a clip is, in classes in which tastes differ.
    enum Length: UInt8, CaseIterable, Sendable {
        case unknown, seconds15, seconds30, minute, minutes3, minutes10, minutes30, longer

        init(_ duration: Duration?) {
            switch duration?.seconds ?? 0 {
            case ...0: self = .unknown
            case ...15: self = .seconds15
            case ...30: self = .seconds30
            case ...60: self = .minute
            case ...180: self = .minutes3
            case ...600: self = .minutes10
            case ...1_800: self = .minutes30
            default: self = .longer
            }
        }
    }

    /// What a clip is, as its URL says.
    enum Kind: UInt8, CaseIterable, Sendable { case video, photo, audio }

    /// nil if the feed names no creator.
    let creator: UInt64?
    /// The same for clips of the same creator.
    public var creatorKey: UInt64? { creator }
    let source: UInt64
    /// The same for clips of the same source.
    public var sourceKey: UInt64 { source }
    /// Topics, then all words of the title in order.
    private let terms: [UInt64]
    private let topicCount: Int
    /// How much each topic, and each word, counts: all of a clip share one vote.
    private let topicShare: Double
    private let wordShare: Double
    let length: Length
    let kind: Kind
    /// In seconds since 1970; nil if it is not known or not a number.
    let published: Double?
    /// Whether it was watched before: such items come last, in Home's order.
    public var isSeen: Bool

    /// Tags after that many are ignored, and so are words of a title that long.
    static let maxTopics = 16
    private static let maxWords = 64
    private static let maxScalars = 1_024
    /// Further words of a title are no features.
    private static let maxFeatureWords = 12

    public init(_ item: Item, isSeen: Bool = false) {
        creator = item.creator.flatMap { FeatureKey.creator($0, of: item) }
        source = FeatureKey.source(of: item)
        var terms: [UInt64] = []
        terms.reserveCapacity(item.tags.count + 10)
        for tag in item.tags.prefix(Self.maxTopics) {
            if let topic = FeatureKey.topic(tag), !terms.contains(topic) { terms.append(topic) }
        }
        // Local files have no tags, but people sort them into folders.
        if let topic = item.folder.flatMap(FeatureKey.topic), !terms.contains(topic) { terms.append(topic) }
        topicCount = terms.count
        if let title = item.title {
            FeatureKey.appendWords(of: title, scalars: Self.maxScalars, limit: Self.maxWords, to: &terms)
        }
        self.terms = terms
        topicShare = 1 / Double(max(topicCount, 1)).squareRoot()
        let wordCount = terms[topicCount...].count { FeatureKey.isFeature(word: $0) }
        wordShare = 1 / Double(min(max(wordCount, 1), Self.maxFeatureWords)).squareRoot()
        length = Length(item.duration)
        kind = Kind(url: item.url)
        published = item.published.map(\.timeIntervalSince1970).flatMap { $0.isFinite ? $0 : nil }
        self.isSeen = isSeen
    }

    var topics: ArraySlice<UInt64> { terms[..<topicCount] }
    var words: ArraySlice<UInt64> { terms[topicCount...] }

    /// Features whose values are without number, with their shares in what is predicted.
    @inline(__always)
    func forEachNamedFeature(_ body: (_ key: UInt64, _ share: Double) -> Void) {
        if let creator { body(creator, 1) }
        body(source, 1)
        terms.withUnsafeBufferPointer { terms in
            for index in 0..<topicCount { body(terms[index], topicShare) }
            var left = Self.maxFeatureWords
            for index in topicCount..<terms.count where FeatureKey.isFeature(word: terms[index]) && left > 0 {
                left -= 1
                body(terms[index], wordShare)
            }
        }
    }
}

extension Candidate.Kind {
    private static let photos: Set = ["jpg", "jpeg", "png", "webp", "gif", "avif", "heic", "jxl", "bmp"]
    private static let sounds: Set = ["mp3", "m4a", "aac", "ogg", "oga", "opus", "flac", "wav"]

    /// By the ending of the path; anything else is a video.
    init(url: String) {
        let path = url.utf8.prefix { $0 != UInt8(ascii: "?") && $0 != UInt8(ascii: "#") }
        guard let dot = path.suffix(5).lastIndex(of: UInt8(ascii: ".")) else {
            self = .video
            return
        }
        let ending = String(decoding: path[path.index(after: dot)...], as: UTF8.self).lowercased()
        self = Self.photos.contains(ending) ? .photo : Self.sounds.contains(ending) ? .audio : .video
    }
}

/// When something is ranked or was watched. A value.
public struct Moment: Sendable, Equatable {
    /// Seconds since 1970. Anything may come in: what is not a finite number has no age.
    public var seconds: Double
    /// The local hour, 0 … 23.
    public var hour: Int

    public init(seconds: Double, hour: Int) { (self.seconds, self.hour) = (seconds, hour) }

    /// Night, morning, afternoon, evening.
    static let dayParts = 4
    var dayPart: Int { (hour % 24 + 24) % 24 / 6 }

    static let ageClasses = 8

    /// Of something published then, 0 … 7: unknown, then from hours to years. From tomorrow is as new as can be.
    func ageClass(of published: Double?) -> Int {
        guard let published, seconds.isFinite else { return 0 }
        switch (seconds - published) / 3_600 {
        case ..<6: return 1
        case ..<24: return 2
        case ..<72: return 3
        case ..<168: return 4
        case ..<720: return 5
        case ..<8_760: return 6
        default: return 7
        }
    }
}
