import Wire

/// Going elsewhere in the clip.
extension ClipDecoder {
    /// Goes to `time` of the clip and goes on with `serial`. Blocks while the index is read.
    func seek(serial: UInt32, to time: Microseconds, mode: SeekMode) throws(MediaError) {
        output.serial = serial
        // Whatever is asked for, sums with it stay numbers.
        let target = min(max(0, time), MediaTime.longest)
        if origin == nil { try findFirst() }
        tries = 0
        earlierPlace = nil
        chooser = PictureChooser(target: target, mode: video == nil ? .exact : mode)
        try look(from: max(0, target - (mode == .before ? 2 * max(pictureDuration, 1_000) : 0)))
    }

    /// Begins to read at the key picture at or before `place`, for the pictures that `chooser` wants.
    func look(from place: Microseconds) throws(MediaError) {
        tries += 1
        let (target, mode) = (chooser.target, chooser.mode)
        // All of the past goes first: while the demuxer waits for bytes, what is left would be sent as if it were of the new place.
        self.place = place
        isLooking = video != nil
        output.drop()
        video?.flush()
        audio?.flush()
        converter.reset()
        base = 0
        videoEnd = 0
        isRead = false
        wakeTime = nil
        isOver = false
        hasSaidEnded = false
        nextPictureTime = place
        bufferedUntil = place
        lastSaidBuffered = nil
        videoIsThrough = video == nil
        audioIsThrough = audio == nil
        chooser = PictureChooser(target: target, mode: mode)
        sound = SoundLine(start: chooser.soundStart, rate: output.rate)
        guard demuxer.seek(to: (origin ?? 0) + place) else {
            // Newer orders wait, or the file cannot be sought in: it goes on where it is.
            chooser = PictureChooser(target: 0, mode: .key)
            sound = SoundLine(start: chooser.soundStart, rate: output.rate)
            return
        }
        video?.skipBefore = mode == .exact || mode == .after ? (origin ?? 0) + target - 500_000 : .min
    }

    private func findFirst() throws(MediaError) {
        while origin == nil, !isRead, !demuxer.client.isInterrupted { try readPacket() }
    }
}
