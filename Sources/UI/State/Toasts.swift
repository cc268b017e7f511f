import Model

/// Short notices, one at a time: each slides in, stays, and slides out before the next one. A value.
public struct Toasts: Sendable {
    static let slide = Duration.milliseconds(150)
    static let stay = Duration.milliseconds(1_800)
    /// The most lines of a toast. A page of twelve rows has room for them above its caption.
    static let lines = 3
    /// The extra time for each column beyond the first forty: a long text takes longer to read.
    static let stayPerColumn = Duration.milliseconds(30)
    /// The most toasts that wait. One more drops the oldest that waits.
    static let limit = 3

    public struct Toast: Sendable, Equatable {
        /// A newer text replaces an older one of the same kind: "volume 60 %", "volume 65 %".
        public var kind: String
        public var text: GlyphLine
        var start: Duration
        var until: Duration
    }

    public private(set) var current: Toast?
    private var waiting: [(kind: String, text: GlyphLine)] = []

    public init() {}

    /// Shows `text`, which must be clean. A toast without a `kind` waits its turn.
    public mutating func show(_ text: String, kind: String? = nil, now: Duration) {
        advance(to: now)
        let kind = kind ?? text
        let line = GlyphLine(text)
        if current?.kind == kind {
            current?.text = line
            current?.until = now + Self.stay(of: line)
        } else if let index = waiting.firstIndex(where: { $0.kind == kind }) {
            waiting[index].text = line
        } else {
            waiting.append((kind, line))
            if waiting.count > Self.limit { waiting.removeFirst() }
        }
        advance(to: now)
    }

    public mutating func advance(to now: Duration) {
        if let toast = current, now >= toast.until + Self.slide { current = nil }
        guard current == nil, !waiting.isEmpty else { return }
        let next = waiting.removeFirst()
        current = Toast(
            kind: next.kind, text: next.text, start: now, until: now + Self.slide + Self.stay(of: next.text))
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
        guard let toast = current else { return nil }
        return now < toast.start + Self.slide || now >= toast.until ? now + frame : toast.until
    }
}
