import Wire

/// Plays what has come each time the decoder is quiet: the pictures, and the sound up to the last of them. Pure.
struct PlaybackWithoutClock {
    /// Whether sound waits for pictures.
    var expectsPictures = false
    private var pictures: ArraySlice<(slot: UInt32, pts: Int64)> = []
    private var sound: ArraySlice<(frames: UInt32, pts: Int64)> = []

    /// A decoder that sends nothing for this long waits for what has been played, in milliseconds.
    private static let quiet: Int32 = 2
    /// After this long, no picture comes before more sound has been played.
    private static let longestWait: Int32 = 100

    /// A picture that is not released is the last for now, so no sound waits for a later one.
    mutating func add(picture: PictureHeader, isReleased: Bool) {
        expectsPictures = isReleased
        if isReleased { pictures.append((picture.slot, picture.pts)) }
    }

    mutating func add(frames: UInt32, at pts: Int64) { sound.append((frames, pts)) }

    /// How long the decoder must be quiet before more is played, in milliseconds; nil if there is nothing to play.
    var wait: Int32? {
        if !pictures.isEmpty || !expectsPictures && !sound.isEmpty { return Self.quiet }
        return sound.isEmpty ? nil : Self.longestWait
    }

    /// The slots to release and the frames to grant.
    mutating func play(oneByOne: Bool) -> (slots: [UInt32], frames: UInt32) {
        let shown = oneByOne ? pictures.prefix(1) : pictures
        pictures.removeFirst(shown.count)
        var frames: UInt32 = 0
        while let next = sound.first, !expectsPictures || shown.isEmpty || next.pts <= shown.last?.pts ?? 0 {
            frames += next.frames
            sound.removeFirst()
        }
        return (shown.map(\.slot), frames)
    }
}
