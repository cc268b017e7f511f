import Wire

/// Chooses which of the pictures sent by a decoder is shown: the
/// newest that is due. The decoder gets the slots of all others back.
///
/// Times are the timeline's, in microseconds. Each slot is returned for release exactly once. While
/// enough pictures wait, slots are returned several at a time: each release wakes the decoder up.
struct Presentation {
    /// The visible picture, and how many pictures came before it in all.
    private(set) var current: (header: PictureHeader, number: Int)?
    private(set) var waiting: [PictureHeader] = []
    private(set) var dropped = 0
    /// The decoder has sent all pictures up to the clip's end.
    var areThrough = false
    /// A damaged picture that was not shown, in case there is no better one.
    private(set) var spare: PictureHeader?
    private var count = 0
    /// Slots of pictures that were shown or passed over, and that the decoder has not got back yet.
    private var passed: [UInt32] = []

    /// With fewer pictures waiting, a slot is returned at once.
    private static let enough = 4

    /// Until when pictures are there to be shown.
    var end: Microseconds? { (waiting.last ?? current?.header).map { $0.pts + $0.duration } }

    func owns(slot: UInt32) -> Bool {
        current?.header.slot == slot || spare?.slot == slot || waiting.contains { $0.slot == slot }
            || passed.contains(slot)
    }

    /// Adds a picture, and returns the slots that it makes useless: those of an
    /// older size for the same moment or a later one.
    mutating func add(_ header: PictureHeader) -> [UInt32] {
        areThrough = false
        var useless = dropSpare()
        waiting.removeAll { old in
            let replaced =
                old.serial != header.serial || (old.generation != header.generation && old.pts >= header.pts)
            if replaced { useless.append(old.slot) }
            return replaced
        }
        waiting.append(header)
        return useless
    }

    /// Sets a damaged picture aside, and returns the slot of the previous one.
    mutating func keep(_ header: PictureHeader) -> [UInt32] {
        defer { spare = header }
        return dropSpare()
    }

    /// The picture that was set aside for `add`, or nil.
    mutating func takeSpare() -> PictureHeader? {
        defer { spare = nil }
        return spare
    }

    private mutating func dropSpare() -> [UInt32] { takeSpare().map { [$0.slot] } ?? [] }

    /// Moves to the newest picture due at `position`; returns the slots that the decoder is to have now.
    mutating func advance(to position: Microseconds) -> [UInt32] {
        guard let due = waiting.lastIndex(where: { $0.pts <= position }) else { return [] }
        dropped += due
        show(through: due)
        return waiting.count < Presentation.enough || passed.count >= waiting.count ? freePassed() : []
    }

    /// All slots that the decoder can have. To be called when no picture will be due for some time.
    mutating func freePassed() -> [UInt32] {
        defer { passed = [] }
        return passed
    }

    /// Gives the current picture a new number, so that it is drawn again.
    mutating func showAgain() {
        guard let header = current?.header else { return }
        count += 1
        current = (header, count)
    }

    /// Moves to the next picture, due or not.
    mutating func showNext() -> [UInt32] {
        guard !waiting.isEmpty else { return [] }
        show(through: 0)
        return freePassed()
    }

    private mutating func show(through index: Int) {
        if let current { passed.append(current.header.slot) }
        passed += waiting[..<index].map(\.slot)
        count += 1
        current = (waiting[index], count)
        waiting.removeSubrange(...index)
    }

    /// Before a seek: drops all waiting pictures; the visible one stays.
    mutating func forgetWaiting() -> [UInt32] {
        areThrough = false
        defer { waiting = [] }
        return freePassed() + waiting.map(\.slot) + dropSpare()
    }

    /// The decoder has ended, and the memory behind all pictures goes with it.
    mutating func reset() {
        waiting = []
        passed = []
        spare = nil
        current = nil
        areThrough = false
    }
}
