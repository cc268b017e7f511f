import Wire

/// Seeking.
extension ClipDecoder {
    /// Seeks to `time` of the clip and continues with `serial`. Blocks while the index is read.
    func seek(serial: UInt32, to time: Microseconds, mode: SeekMode) throws(MediaError) {
        output.serial = serial
        // Limited, so that sums with it do not overflow.
        let target = min(max(0, time), MediaTime.longest)
        if origin == nil { try findFirst() }
        tries = 0
        earlierPlace = nil
        soundIsLate = false
        chooser = PictureChooser(target: target, mode: video == nil ? .exact : mode)
        let place = max(0, target - (mode == .before ? 2 * max(pictureDuration, 1_000) : 0))
        try search(from: info.duration > 0 ? min(place, max(info.duration, knownEnd)) : place)
    }

    /// Starts reading at the key frame at or before `place`, to find the pictures that `chooser` wants.
    ///
    /// - Parameter bySound: reading starts at the sound there, if that can be found.
    func search(from place: Microseconds, bySound: Bool = false) throws(MediaError) {
        tries += 1
        let target = chooser.target
        // The first picture that is read is far from the one that is wanted.
        let (place, mode) =
            demuxer.countsPictures ? (0, chooser.mode == .key ? .exact : chooser.mode) : (place, chooser.mode)
        // Drops everything old first: while the demuxer waits for bytes, old
        // frames would be sent as if they came from the new place.
        self.place = place
        density = CueDensity()
        isSearching = video != nil
        output.drop()
        video?.flush()
        if mode == .key { video?.givesKeyAtOnce = true } else if place > 0 { video?.decodeBesideEachOther() }
        audio?.flush()
        (lead, earlyTime, lastPictureTime) = (.unknown, nil, nil)
        (firstSound, beginning, lateSound) = (nil, nil, nil)
        outage = Outage()
        converter.reset()
        base = 0
        (videoEnd, isInSilence) = (0, false)
        isRead = false
        wakeTime = nil
        isOver = false
        hasSaidEnded = false
        hasSaidThrough = false
        nextPictureTime = place
        bufferedUntil = place
        lastReportedBuffered = nil
        videoIsThrough = video == nil
        audioIsThrough = audio == nil
        lacksSound = false
        chooser = PictureChooser(target: target, mode: mode)
        beginSound(at: chooser.soundStart, isClipStart: target == 0)
        let stamp = (origin ?? 0) + place
        guard bySound && demuxer.seekSound(to: stamp) || demuxer.seek(to: stamp) else {
            // A newer order waits, or seeking is impossible: continue where the clip is.
            chooser = PictureChooser(target: 0, mode: .key)
            beginSound(at: chooser.soundStart, isClipStart: false)
            return
        }
        if mode == .exact || mode == .after { video?.target = (origin ?? 0) + target }
    }

    /// Some files have a picture long after its sound, as an encoder of pictures holds them back. Then the place of the
    /// key frame is too late for the sound at the target.
    func searchLateSound() throws(MediaError) {
        soundIsLate = false
        try search(from: max(0, chooser.target - ClipDecoder.soundBefore), bySound: true)
    }

    /// Whether the first sound since the seek, at `time`, shows that reading began too late for it.
    func isLate(sound time: Microseconds) -> Bool {
        chooser.mode == .exact && tries == 1 && isSearching && wantsSound && info.isSeekable
            && time > chooser.target + ClipDecoder.latest
    }
    private static let latest: Microseconds = 500_000

    private func findFirst() throws(MediaError) {
        while origin == nil, !isRead, !demuxer.client.isInterrupted { try readPacket() }
    }
}
