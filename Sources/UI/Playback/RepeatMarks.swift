import Model

/// The marks A and B of the clip in view: what is between them is repeated. A value.
struct RepeatMarks: Sendable, Equatable {
    /// The shortest part, in the clip's time.
    static let minLength = Duration.milliseconds(500)

    /// What a mark has changed.
    enum Change: Equatable {
        case started
        case repeats(Range<Duration>)
        /// B is nearer to A than `minLength`: A stays.
        case tooShort
        case cleared
    }

    private enum Marks: Sendable, Equatable {
        case none
        case start(Duration)
        case part(Range<Duration>)
    }

    /// In the clip's time.
    private var marks = Marks.none

    /// The first mark; nil without one.
    var start: Duration? {
        switch marks {
        case .none: nil
        case .start(let start): start
        case .part(let part): part.lowerBound
        }
    }

    /// The part that is repeated; nil before both marks are set.
    var part: Range<Duration>? { if case .part(let part) = marks { part } else { nil } }

    /// Sets A, then B, then clears both. B may be set before A.
    mutating func mark(_ position: Duration) -> Change {
        switch marks {
        case .none:
            marks = .start(position)
            return .started
        case .start(let start):
            let range = min(start, position)..<max(start, position)
            guard range.upperBound - range.lowerBound >= Self.minLength else { return .tooShort }
            marks = .part(range)
            return .repeats(range)
        case .part:
            marks = .none
            return .cleared
        }
    }

    /// The cells of A and B on a line of `cells` for a clip of `duration`; nil for a mark that is not set. Two marks
    /// never share a cell of a line that has two.
    func cells(on cells: Int, duration: Duration) -> (start: Int?, end: Int?) {
        guard let start, duration > .zero, cells > 0 else { return (nil, nil) }
        func cell(_ time: Duration) -> Int { Int(min(max(time / duration, 0), 1) * Double(cells - 1)) }
        guard let part else { return (cell(start), nil) }
        let first = min(cell(part.lowerBound), max(cells - 2, 0))
        return (first, max(cell(part.upperBound), min(first + 1, cells - 1)))
    }
}

extension State {
    /// Marks where the clip in view is: A, then B, then no part is repeated any more.
    mutating func markRepeat(now: Duration) -> [Effect] {
        guard !isCovered, let id = currentID, let duration = seekableDuration(now: now) else { return [] }
        let change = seeking.repeats.mark(min(shownPosition(now: now), duration))
        let words: String =
            switch change {
            case .started:
                offering(
                    .repeatPart, "to set its end", after: "Repeat from \(Label.clock(seeking.repeats.start ?? .zero))")
            case .repeats(let part):
                offering(
                    .repeatPart, "to stop",
                    after: "Repeating \(part.words)" + (playback.sleep.stop == .clipEnd ? "; sleep timer off" : ""))
            case .tooShort: "The end must be at least half a second from the start"
            case .cleared: "Repeat off"
            }
        toasts.show(words, as: change == .tooShort ? .failure : .news, about: .clip, now: now)
        switch change {
        case .started, .tooShort: return []
        case .repeats(let part):
            // What repeats has no end at which the sleep timer could stop it.
            guard playback.sleep.stop == .clipEnd else { return [.repeatPart(id, part)] }
            playback.sleep.end()
            return [.repeatPart(id, part), .setLoop(playback.loops(options))]
        case .cleared: return [.repeatPart(id, nil)]
        }
    }

    /// What the menu calls the next mark.
    var nextRepeatWords: String {
        if seeking.repeats.part != nil { return "Stop repeating" }
        return seeking.repeats.start == nil ? "Repeat from here" : "Repeat up to here"
    }
}

extension Range<Duration> {
    /// "0:05 to 0:12".
    var words: String { "\(Label.clock(lowerBound)) to \(Label.clock(upperBound))" }
}
