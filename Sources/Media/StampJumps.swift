import Wire

/// Makes the times of a file continuous where its stamps jump, as in joined recordings: the part
/// after a jump continues the one before it. Remembers the parts between jumps, for seeking. Pure.
struct StampJumps {
    /// A part of the file whose stamps belong together.
    struct Part {
        /// Where it begins, in continuous time.
        var start: Microseconds
        /// What is added to its stamps.
        var correction: Microseconds
        /// Where it begins in the file; negative if unknown.
        var offset: Int64
    }

    private struct Line {
        var correction: Microseconds
        /// Where the last packet begins, in continuous time.
        var begin: Microseconds?
        /// Where the last packet ends, in continuous time.
        var end: Microseconds?
        /// The same if the packet is no longer than `longestPacket`: before a jump some containers have packets that
        /// last until after it.
        var shortEnd: Microseconds?
    }

    /// Packets come in decoding order. Only careless authors let a stream go back a little.
    private static let farthestBack: Microseconds = 1_000_000
    /// How many packets a picture without a DTS may go back: Matroska stores the PTS only.
    private static let maxReordered: Int64 = 4
    private static let longestPacket: Microseconds = 10_000_000
    /// Stamps of both streams that jump together differ by less.
    private static let together: Microseconds = 3_000_000
    private static let maxParts = 1_000
    /// Pictures without sound may follow each other slowly.
    private static let longestPictureAlone: Microseconds = 600_000_000

    /// A longer gap in all streams is a jump.
    private let longestGap: Microseconds
    private let hasSound: Bool
    private let mayBreak: Bool
    private var readsSound = true
    private var video = Line(correction: 0)
    private var audio = Line(correction: 0)
    private(set) var parts = [Part(start: -WireLimit.time, correction: 0, offset: 0)]
    /// The part in which reading began again; nil once a packet has shown whether it was that or an earlier one.
    private var sought: Int?
    /// Stamps have jumped back, so they do not identify a place in the file.
    private(set) var goesBack = false

    /// - Parameter mayBreak: whether the container's stamps are known to jump where recordings were cut or joined.
    init(mayBreak: Bool, hasSound: Bool) {
        longestGap = mayBreak ? 10_000_000 : 60_000_000
        self.hasSound = hasSound
        self.mayBreak = mayBreak
    }

    /// What is added to the stamps of a stream's next packet.
    ///
    /// - Parameters:
    ///   - stamp: its DTS, or its PTS if it has none.
    ///   - offset: where it is in the file; negative if unknown.
    mutating func correction(
        ofVideo isVideo: Bool, stamp: Microseconds?, duration: Microseconds, offset: Int64
    ) -> Microseconds {
        if let stamp, let sought { settle(stamp, atMost: sought) }
        var line = isVideo ? video : audio
        guard let stamp else { return line.correction }
        let other = isVideo ? audio : video
        if let shortEnd = line.shortEnd, let end = line.end {
            let off = abs(stamp + line.correction - shortEnd)
            let offWithOther = abs(stamp + other.correction - shortEnd)
            // A stream that is no longer read does not count.
            let isBeside = other.shortEnd.map { abs($0 - shortEnd) <= Self.together } ?? false
            if isBeside, other.correction != line.correction, offWithOther <= Self.together,
                offWithOther + Self.farthestBack < off
            {
                // The other stream has jumped at the same place. With the same correction they stay in sync.
                line.correction = other.correction
            } else if isJump(to: stamp + line.correction, after: line, other: other, isVideo: isVideo) {
                goesBack = goesBack || stamp + line.correction < end
                // A stream that was shorter than the other waits for it.
                let otherEnd = other.shortEnd ?? shortEnd
                let start = otherEnd > shortEnd + Self.farthestBack ? otherEnd : shortEnd
                line.correction = start - stamp
                note(Part(start: start, correction: line.correction, offset: offset))
            }
        }
        let time = stamp + line.correction
        line.begin = time
        line.end = time + max(0, isVideo ? duration : min(duration, Self.longestPacket))
        line.shortEnd = time + min(max(0, duration), Self.longestPacket)
        if isVideo { video = line } else { audio = line }
        return line.correction
    }

    /// The correction of pictures, or of sound if there are no pictures.
    var current: Microseconds { video.end == nil ? audio.correction : video.correction }

    /// Whether a packet with this stamp is too far away to follow directly.
    func isElsewhere(_ stamp: Microseconds, isVideo: Bool) -> Bool {
        let line = isVideo ? video : audio
        return line.shortEnd.map { abs(stamp + line.correction - $0) > Self.farthestBack } ?? true
    }

    private func isJump(to time: Microseconds, after line: Line, other: Line, isVideo: Bool) -> Bool {
        guard let begin = line.begin, let end = line.end else { return false }
        // Not before its end: many files give their packets too long a duration.
        if time < begin - max(Self.farthestBack, Self.maxReordered * min(end - begin, 1_000_000)) { return true }
        let gap = time - max(end, other.shortEnd ?? end)
        let isAlone = isVideo && !mayBreak && !(hasSound && readsSound)
        return gap > (isAlone ? Self.longestPictureAlone : longestGap)
    }

    private mutating func note(_ part: Part) {
        guard parts.count < Self.maxParts, !parts.contains(where: { abs($0.start - part.start) < Self.farthestBack })
        else { return }
        parts.append(part)
        parts.sort { $0.start < $1.start }
    }

    /// The index of the known part that has this place.
    func part(at time: Microseconds) -> Int { parts.lastIndex { $0.start <= time } ?? 0 }

    /// Starts or stops reading the sound beside the pictures. Its gap after a while without reading is no jump.
    mutating func readSound(_ isWanted: Bool) {
        readsSound = isWanted
        if isWanted { audio = Line(correction: current) }
    }

    /// Reading begins again in this part, or in an earlier one if there is nothing to begin with in this.
    mutating func restart(inPart index: Int) {
        video = Line(correction: parts[index].correction)
        audio = video
        sought = index
    }

    /// Finds the part of the first packet after a restart.
    private mutating func settle(_ stamp: Microseconds, atMost index: Int) {
        sought = nil
        let found = parts[...index].last { stamp + $0.correction >= $0.start - Self.farthestBack } ?? parts[0]
        video = Line(correction: found.correction)
        audio = video
    }
}
