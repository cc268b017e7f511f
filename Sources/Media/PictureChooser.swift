import Wire

/// Chooses which of the pictures after a seek is sent first. Pure, except that pictures own their frames.
struct PictureChooser {
    let target: Microseconds
    let mode: SeekMode
    private(set) var hasBegun = false
    /// No picture has come yet.
    var isEmpty: Bool { !hasBegun && candidates.isEmpty }
    /// The last pictures before the target, oldest first; at most two.
    private var candidates: [DecodedPicture] = []
    /// How far to go back if reading began too late.
    static let stepBack: Microseconds = 2_000_000
    /// Where sound begins on the timeline; nil until the first picture is known.
    var soundStart: Microseconds?

    init(target: Microseconds, mode: SeekMode) {
        self.target = target
        self.mode = mode
        if mode == .exact { soundStart = target }
    }

    /// Where to start reading again if `picture` shows that reading began too
    /// late, at `place`, to find the right picture.
    func earlierPlace(than place: Microseconds, seeing picture: DecodedPicture) -> Microseconds? {
        guard !hasBegun, place > 0, picture.mediaTime > target, mode != .after else { return nil }
        guard let first = candidates.first else { return max(0, place - PictureChooser.stepBack) }
        // Demuxers seek by DTS, which is earlier than the picture's time.
        let isFirst = mode == .before && candidates.count == 1 && first.mediaTime > 0
        return isFirst ? max(0, min(place, first.mediaTime) - 500_000) : nil
    }

    /// Returns the pictures to send, now that this one has come.
    mutating func add(_ picture: DecodedPicture) -> [DecodedPicture] {
        if hasBegun { return [picture] }
        switch mode {
        case .key: return begin([picture])
        case .exact:
            if picture.mediaTime == target { return begin([picture]) }
            if picture.mediaTime > target { return begin(candidates.suffix(1) + [picture]) }
            candidates = [picture]
        case .before:
            if picture.mediaTime > target { return begin(candidates + [picture]) }
            candidates = candidates.suffix(1) + [picture]
        case .after:
            if picture.mediaTime > target { return begin([picture]) }
            candidates = [picture]
        }
        return []
    }

    /// Returns the pictures to send if no more come.
    mutating func finish() -> [DecodedPicture] {
        guard !hasBegun, !candidates.isEmpty else { return [] }
        return begin(candidates)
    }

    private mutating func begin(_ pictures: [DecodedPicture]) -> [DecodedPicture] {
        hasBegun = true
        candidates = []
        if soundStart == nil { soundStart = pictures.first?.pts }
        return pictures
    }
}
