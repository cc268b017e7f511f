import Model

/// Short notices, one at a time: the newest at once in place of the one before. A value.
public struct Toasts: Sendable {
    public enum Kind: Sendable, Equatable {
        /// What came of something that the user did.
        case news
        /// What could not be done. It stays twice as long.
        case failure
        /// Not an answer to the user: it waits until the first clip has played for a while and no other toast is shown.
        /// It stays as long as a failure, and comes back if an answer took its place before it could be read.
        case remark
        /// How far something is that takes long: shown while there is no other toast, in place of the last one.
        case progress
    }

    /// What a toast is about.
    public enum Subject: Sendable, Equatable {
        /// flick, the feed, or a service.
        case flick
        /// The clip in view: it goes with its page.
        case clip
    }

    public struct Toast: Sendable, Equatable {
        public var text: GlyphLine
        var subject: Subject
        /// The sheet that it is about: it goes when that opens.
        var sheet: State.Sheet?
        /// It is as high as its text needs: that is to be copied by hand.
        var isWhole = false
        var kind: Kind
        var start: Duration
        var until: Duration
    }

    static let slide = Duration.milliseconds(150)
    static let stay = Duration.milliseconds(1_800)
    /// The extra time for each column beyond the first forty: a long text takes longer to read.
    static let stayPerColumn = Duration.milliseconds(30)
    /// The most lines of a toast. A page of twelve rows has room for them above its caption.
    static let lines = 3
    /// How long the first clip plays before remarks are shown.
    static let remarkDelay = Duration.seconds(2)
    /// The most remarks that wait. One more drops the oldest.
    static let remarkLimit = 3

    public private(set) var current: Toast?
    /// How many have been shown.
    private(set) var count = 0
    private var remarks: [(text: GlyphLine, wasShown: Bool)] = []
    /// From when on remarks are shown; nil while nothing has played.
    private var remarksFrom: Duration?

    public init() {}

    /// Shows `text`, which must be clean, with a capital letter at its beginning.
    ///
    /// - Parameter sheet: what was refused or said is about it, and would be out of date in it.
    public mutating func show(
        _ text: String, as kind: Kind = .news, about subject: Subject = .flick, sheet: State.Sheet? = nil,
        isWhole: Bool = false, now: Duration
    ) {
        advance(to: now)
        let line = GlyphLine(CleanText.sentence(text))
        if kind == .remark {
            remarks.append((line, wasShown: false))
            if remarks.count > Self.remarkLimit { remarks.removeFirst() }
            advance(to: now)
        } else if kind == .progress {
            let isFirst = current == nil
            guard isFirst || current?.kind == .progress else { return }
            replace(with: line, as: kind, about: subject, now: now)
            // Plain mode prints the beginning, and what came of it.
            if !isFirst { count -= 1 }
        } else {
            if let text = remarkNotRead(now: now), remarks.count < Self.remarkLimit {
                remarks.insert((text, wasShown: true), at: 0)
            }
            replace(with: line, as: kind, about: subject, now: now)
            current?.isWhole = isWhole
            current?.sheet = sheet
        }
    }

    /// What was said of the clip holds no longer, or would be read as if it were about the next one.
    mutating func dropClip() {
        if current?.subject == .clip { current = nil }
    }

    /// A sheet opens: what was said of it before it was open.
    mutating func drop(about sheet: State.Sheet) {
        if current?.sheet == sheet { current = nil }
    }

    /// The first clip plays, or no clip could: remarks are shown from `time` on.
    public mutating func allowRemarks(from time: Duration) {
        if remarksFrom == nil { remarksFrom = time }
    }

    public mutating func advance(to now: Duration) {
        if let toast = current, now >= toast.until + Self.slide { current = nil }
        guard current == nil, !remarks.isEmpty, let remarksFrom, now >= remarksFrom else { return }
        let remark = remarks.removeFirst()
        replace(with: remark.text, as: .remark, about: .flick, now: now)
        // Plain mode has printed it.
        if remark.wasShown { count -= 1 }
    }

    /// The remark that has been shown for less than half its time, if it is one.
    private func remarkNotRead(now: Duration) -> GlyphLine? {
        guard let toast = current, toast.kind == .remark else { return nil }
        return now < toast.start + Self.slide + Self.stay(of: toast.text) ? toast.text : nil
    }

    /// The new toast is as far slid in as the one before, so that nothing jumps.
    private mutating func replace(with line: GlyphLine, as kind: Kind, about subject: Subject, now: Duration) {
        let time = Self.stay(of: line) * (kind == .failure || kind == .remark ? 2 : 1)
        let start = now - Self.slide * exposure(now: now)
        count += 1
        current = Toast(text: line, subject: subject, kind: kind, start: start, until: start + Self.slide + time)
    }

    private static func stay(of text: GlyphLine) -> Duration { stay + stayPerColumn * max(text.columns - 40, 0) }

    /// How far the current toast has slid in: 0 out, 1 in.
    public func exposure(now: Duration) -> Double {
        guard let toast = current else { return 0 }
        let coming = (now - toast.start) / Self.slide
        let going = (toast.until + Self.slide - now) / Self.slide
        return min(max(min(coming, going), 0), 1)
    }

    /// When the toast's appearance next changes; every `frame` while it slides.
    func nextChange(after now: Duration, frame: Duration) -> Duration? {
        guard let toast = current else { return remarks.isEmpty ? nil : remarksFrom }
        return now < toast.start + Self.slide || now >= toast.until ? now + frame : toast.until
    }
}
