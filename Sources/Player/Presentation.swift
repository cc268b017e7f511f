import Wire

/// Which of the pictures that a decoder has sent is to be seen: the newest that is due. The decoder gets the slots of all others back.
///
/// Times are the timeline's, in microseconds. Each slot is returned for release exactly once.
struct Presentation {
    /// What is to be seen, and how many pictures came before it in all.
    private(set) var current: (header: PictureHeader, number: Int)?
    private(set) var waiting: [PictureHeader] = []
    private(set) var dropped = 0
    private var count = 0

    /// Until when pictures are there to be shown.
    var end: Microseconds? { (waiting.last ?? current?.header).map { $0.pts + $0.duration } }

    func owns(slot: UInt32) -> Bool {
        current?.header.slot == slot || waiting.contains { $0.slot == slot }
    }

    /// Adds a picture, and returns the slots that it makes useless: those of an older size for the same moment or a later one.
    mutating func add(_ header: PictureHeader) -> [UInt32] {
        var useless: [UInt32] = []
        waiting.removeAll { old in
            let replaced =
                old.serial != header.serial || (old.generation != header.generation && old.pts >= header.pts)
            if replaced { useless.append(old.slot) }
            return replaced
        }
        waiting.append(header)
        return useless
    }

    /// Moves to the newest picture due at `position`; returns the slots that are free now.
    mutating func advance(to position: Microseconds) -> [UInt32] {
        guard let due = waiting.lastIndex(where: { $0.pts <= position }) else { return [] }
        dropped += due
        return show(through: due)
    }

    /// Makes the current picture another one by its number, so that it is drawn once more.
    mutating func showAgain() {
        guard let header = current?.header else { return }
        count += 1
        current = (header, count)
    }

    /// Moves to the next picture, due or not.
    mutating func showNext() -> [UInt32] {
        waiting.isEmpty ? [] : show(through: 0)
    }

    private mutating func show(through index: Int) -> [UInt32] {
        var free = waiting[..<index].map(\.slot)
        if let current { free.append(current.header.slot) }
        count += 1
        current = (waiting[index], count)
        waiting.removeSubrange(...index)
        return free
    }

    /// Before a seek: nothing that waits is wanted, what is seen stays.
    mutating func forgetWaiting() -> [UInt32] {
        defer { waiting = [] }
        return waiting.map(\.slot)
    }

    /// The decoder has ended, and the memory behind all pictures goes with it.
    mutating func reset() {
        waiting = []
        current = nil
    }
}
