import Wire

/// Which of the pictures that come after a seek is the first to be sent. Pure but for the pictures it holds.
struct PictureChooser {
    let target: Microseconds
    let mode: SeekMode
    private(set) var hasBegun = false
    /// The last pictures before the target's, oldest first; at most two.
    private var held: [HeldPicture] = []
    /// Where sound begins on the timeline; nil until the first picture is known.
    var soundStart: Microseconds?

    init(target: Microseconds, mode: SeekMode) {
        self.target = target
        self.mode = mode
        if mode == .exact { soundStart = target }
    }

    /// Where to look again, if `picture` shows that reading began too late for the right picture to be found; `place` is where that was.
    func earlierPlace(than place: Microseconds, seeing picture: HeldPicture) -> Microseconds? {
        guard !hasBegun, place > 0, picture.mediaTime > target, mode != .after else { return nil }
        guard let first = held.first else { return max(0, place - 2_000_000) }
        return mode == .before && held.count == 1 && first.mediaTime > 0 ? min(place, first.mediaTime) - 1 : nil
    }

    /// The pictures to send now that this one has come.
    mutating func take(_ picture: HeldPicture) -> [HeldPicture] {
        if hasBegun { return [picture] }
        switch mode {
        case .key: return begin([picture])
        case .exact:
            if picture.mediaTime == target { return begin([picture]) }
            if picture.mediaTime > target { return begin(held.suffix(1) + [picture]) }
            held = [picture]
        case .before:
            if picture.mediaTime > target { return begin(held + [picture]) }
            held = held.suffix(1) + [picture]
        case .after:
            if picture.mediaTime > target { return begin([picture]) }
            held = [picture]
        }
        return []
    }

    /// The pictures to send when no more come.
    mutating func finish() -> [HeldPicture] {
        guard !hasBegun, !held.isEmpty else { return [] }
        return begin(held)
    }

    private mutating func begin(_ pictures: [HeldPicture]) -> [HeldPicture] {
        hasBegun = true
        held = []
        if soundStart == nil { soundStart = pictures.first?.pts }
        return pictures
    }
}
