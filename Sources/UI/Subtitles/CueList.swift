import Model

/// The cues of a track, and which of them are shown when. A value; looking
/// something up costs the logarithm of their number.
struct CueList: Sendable, Equatable {
    /// The most cues that are shown at a time.
    static let maxAtOnce = 3
    /// How many cues before the last started one are looked at: a cue that spans more of them is dropped.
    private static let reach = 64

    /// In order of their starts.
    let cues: [Cue]
    /// For each cue, the latest end of it and of those before.
    private let latestEnds: [Duration]

    init(_ cues: [Cue]) {
        self.cues = cues
        var latest = Duration.zero
        latestEnds = cues.map {
            latest = max(latest, $0.end)
            return latest
        }
    }

    var isEmpty: Bool { cues.isEmpty }

    /// How many cues have begun at `position`.
    private func begun(at position: Duration) -> Int {
        var (low, high) = (0, cues.count)
        while low < high {
            let middle = (low + high) / 2
            if cues[middle].start <= position { low = middle + 1 } else { high = middle }
        }
        return low
    }

    /// The cues that are shown at `position`, in order; one that has just ended is not.
    func shown(at position: Duration) -> [Cue] {
        var (found, place) = ([Cue](), begun(at: position) - 1)
        let last = max(place - Self.reach, -1)
        while place > last, latestEnds[place] > position, found.count < Self.maxAtOnce {
            if cues[place].end > position { found.append(cues[place]) }
            place -= 1
        }
        return found.reversed()
    }

    /// When other cues are shown than at `position`; nil if these are the last.
    func nextChange(after position: Duration) -> Duration? {
        let next = begun(at: position)
        let start = next < cues.count ? cues[next].start : nil
        return (shown(at: position).map(\.end) + [start].compactMap(\.self)).min()
    }
}
