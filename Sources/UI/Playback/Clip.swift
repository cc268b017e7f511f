import Model

/// What is known of a page's clip, from the reports of its player. A value.
public struct Clip: Sendable, Equatable {
    static let levelCount = 96

    /// The page that shows the clip. If two pages show the same item: the one nearer to the current page.
    var page: Int
    public var facts: ClipFacts?
    /// Whether it is open, so that it can be played without starting a decoder.
    var isOpen = false
    /// Some picture can be shown, moving or still.
    public var hasStill = false
    /// The size of its frames, in pixels of the surface; nil before the first.
    public var picture: PixelSize?
    /// Moving pictures are shown.
    public var isRendering = false
    public var isPlaying = false
    /// Something other than the user paused it: another player began to play, or its decoder ended.
    public var wasStopped = false
    public var isStalled = false
    /// What it waits for; nil while it does not wait, and in the first moment.
    public var wait: Wait?
    public var hasEnded = false
    /// Why it cannot be played at all.
    public var failure: Failure?
    public var duration: Duration?
    public var buffered: Duration?
    /// The cached parts of the clip, in order, as fractions of it.
    public var cached: [ClosedRange<Double>] = []
    /// Whether the user keeps it offline.
    public var offline = OfflineState.no
    /// The radio's current title; empty without one, and for other clips.
    var title = ""
    public var diagnostics: Diagnostics?
    public internal(set) var rates = RateHistory()
    /// The sound's recent levels, newest last.
    public var levels: [Float] = []
    /// The chapters that the item has, or leads to; those of the file are in `facts`.
    var linkedChapters: [Chapter] = []
    /// What the chosen text of the file or the stream says around the position.
    var streamCues = CueList([])
    /// The position last reported, and when.
    var reported = Duration.zero
    var reportedAt = Duration.zero

    public init(page: Int = 0) { self.page = page }

    /// There is sound, and there will never be a picture.
    public var isSoundOnly: Bool { facts.map { !$0.hasVideo && $0.hasAudio } ?? false }

    /// What plays, if the clip says it: the radio's current title, or the file's tags where the feed names no sound.
    func playing(of item: Item) -> [String] {
        if !title.isEmpty { return [title] }
        guard item.sound == nil, let tags = facts?.tags else { return [] }
        return (namingTags == nil ? [tags.title, tags.artist, tags.album] : [tags.album]).filter { !$0.isEmpty }
    }

    /// The file's tags, if the page's title and artist are those; nil if the item has a better title.
    var namingTags: ClipFacts.Tags? { facts.flatMap { $0.tags.nameItem && !$0.tags.title.isEmpty ? $0.tags : nil } }

    /// The position at `now`: it moves on between reports, but never far.
    public func position(now: Duration, speed: Double) -> Duration {
        guard isPlaying, !isStalled, now > reportedAt else { return reported }
        let moved = min(now - reportedAt, .milliseconds(500)) * speed
        return duration.map { min(reported + moved, max($0, reported)) } ?? reported + moved
    }

    /// Whether it plays and can be perceived, or never will.
    var isSettled: Bool { failure != nil || isPlaying && (isRendering || isSoundOnly) }

    // MARK: What its player reports

    mutating func report(position: Duration, duration: Duration?, now: Duration) {
        reported = max(position, .zero)
        reportedAt = now
        if let duration, duration > .zero { self.duration = duration }
    }

    /// The position stays where it is now, until it is reported again.
    mutating func hold(speed: Double, now: Duration) {
        report(position: position(now: now, speed: speed), duration: nil, now: now)
    }

    /// Stops where it is, instead of at the next report.
    mutating func freeze(speed: Double, now: Duration) {
        hold(speed: speed, now: now)
        isPlaying = false
    }

    /// - Parameter isUnasked: whether a pause would be the doing of something else than the user and the page.
    mutating func note(_ report: PlayerReport, isUnasked: Bool, speed: Double, now: Duration) {
        switch report {
        case .opened(let facts):
            (self.facts, isOpen, failure) = (facts, true, nil)
            if let duration = facts.duration, duration > .zero { self.duration = duration }
        case .closed: isOpen = false
        case .firstFrame: (isRendering, hasStill) = (true, true)
        case .picture(let size): (picture, hasStill) = (size, true)
        case .position(let position, let duration): self.report(position: position, duration: duration, now: now)
        case .buffered(let until): buffered = until
        case .cached(let ranges): cached = ranges
        case .offline(let state): offline = state
        case .title(let title): self.title = CleanText.line(title ?? "", limit: 240)
        case .level(let level):
            levels.append(min(max(level.isFinite ? level : 0, 0), 1))
            if levels.count > Self.levelCount { levels.removeFirst() }
        case .playing:
            reportedAt = now
            (isPlaying, wasStopped, hasEnded) = (true, false, false)
        case .paused:
            freeze(speed: speed, now: now)
            wasStopped = isUnasked
        case .stalled(let stalled):
            hold(speed: speed, now: now)
            isStalled = stalled
        case .waits(let wait): self.wait = wait.map(Wait.init)
        case .ended:
            (isPlaying, hasEnded) = (false, true)
            if let duration { self.report(position: duration, duration: nil, now: now) }
        case .sought(let position): self.report(position: position, duration: nil, now: now)
        case .diagnostics(let figures):
            diagnostics = figures
            rates.note(figures)
        case .soundTrack(let track): facts?.soundTrack = track
        case .cues(let cues): streamCues = CueList(cues)
        case .failed(let why, let advice, let detail):
            (isPlaying, isRendering, wait) = (false, false, nil)
            failure = Failure(why, advice: advice, detail: detail)
        }
    }
}

extension Clip {
    /// Its chapters: the file's own, else those that the item has; those at the clip's end or
    /// behind it are left out, since they cannot be reached.
    public var chapters: [Chapter] {
        let own = facts?.chapters ?? []
        let all = own.isEmpty ? linkedChapters : own
        guard let duration, all.contains(where: { $0.start >= duration }) else { return all }
        return all.filter { $0.start < duration }
    }

    /// Seeking to a chapter may land up to this much before it, and still counts as in it.
    private static let chapterTolerance = Duration.milliseconds(500)

    /// The place of the chapter that is played at `position`; nil before the first.
    func chapter(at position: Duration) -> Int? {
        chapters.lastIndex { $0.start <= position + Self.chapterTolerance }
    }

    /// "chapter 3 of 12: Title".
    func words(ofChapter place: Int) -> String {
        let title = chapters[place].title
        return "chapter \(place + 1) of \(chapters.count)" + (title.isEmpty ? "" : ": \(title)")
    }

    /// "Deutsch (2 of 3)"; nil if nothing can be chosen.
    var soundWords: String? {
        guard let facts, facts.soundTracks.count > 1, let track = facts.soundTrack,
            facts.soundTracks.indices.contains(track)
        else { return nil }
        return "\(facts.soundTracks[track].name(number: track + 1)) (\(track + 1) of \(facts.soundTracks.count))"
    }
}

extension Clip {
    /// What is waited for, as it is shown. A value.
    public struct Wait: Sendable, Equatable {
        /// From the longest line to the shortest, each of parts with a separator between them.
        private let lines: [[String]]
        /// The same in words alone, which do not change from moment to moment.
        let words: String

        init(_ wait: ClipWait) {
            let place = CleanText.line(wait.place, limit: 80)
            words =
                wait.isRemote
                ? wait.trouble.map { "\(place): \(CleanText.line($0, limit: 200))" } ?? "waiting for \(place)"
                : "reading \(place)"
            if !wait.isRemote {
                lines = [["reading \(place)"]]
            } else if let trouble = wait.trouble {
                lines = [[place, CleanText.line(trouble, limit: 200)]]
            } else {
                // The share of what playing needs to begin, not of the clip, as on the scrubber.
                let share = wait.share.map { "buffering \(Int((min(max($0, 0), 1) * 100).rounded(.down))) %" }
                let speed = wait.speed.flatMap { $0 > 0 ? Label.speed($0) : nil }
                let figures = [share, speed].compactMap(\.self)
                let waiting = ["waiting for \(place)"]
                lines = figures.isEmpty ? [waiting] : [waiting + figures, waiting + [figures[0]], waiting, figures]
            }
        }

        /// The longest line that fits; the shortest cut, if none does.
        func line(columns: Int, separator: String, ellipsis: Glyph) -> GlyphLine {
            let lines = lines.map { GlyphLine($0.joined(separator: separator)) }
            return (lines.first { $0.columns <= columns } ?? lines.last ?? GlyphLine())
                .truncated(to: columns, ellipsis: ellipsis)
        }
    }

    /// Why a clip cannot be played, as it is shown. A value.
    public struct Failure: Sendable, Equatable {
        /// What is wrong, and what can be done about it, which may be empty.
        public var words: GlyphLine
        public var advice: GlyphLine
        /// What the diagnostics say of it.
        public var detail: String

        init(_ why: String, advice: String, detail: String) {
            words = GlyphLine(Failure.sentence(why.isEmpty ? "cannot be played" : why))
            self.advice = GlyphLine(Failure.sentence(advice))
            self.detail = CleanText.line(detail.isEmpty ? why : detail, limit: 400)
        }

        private static func sentence(_ text: String) -> String {
            CleanText.sentence(CleanText.line(text, limit: 400))
        }
    }
}

/// How fast pictures and bytes came in the last half minute, one figure a
/// second: for the graphs of diagnostics. A value.
public struct RateHistory: Sendable, Equatable {
    static let length = 30

    /// Pictures a second, the newest last.
    public private(set) var pictures: [Double] = []
    /// The link's bits a second, the newest last; empty for files.
    public private(set) var link: [Double] = []

    /// - Parameter figures: what a player reports once a second.
    mutating func note(_ figures: Diagnostics) {
        Self.add(figures.picturesPerSecond, to: &pictures)
        if let throughput = figures.throughput { Self.add(Double(throughput), to: &link) }
    }

    private static func add(_ figure: Double, to figures: inout [Double]) {
        figures.append(figure.isFinite ? max(figure, 0) : 0)
        if figures.count > length { figures.removeFirst() }
    }
}
