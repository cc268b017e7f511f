internal import CFFmpeg
import Wire

/// The clip's end and the next round of a loop.
extension ClipDecoder {
    /// Both streams have reached the end of the clip.
    func endRound() throws(MediaError) {
        guard hasDecoded else {
            throw hasPackets
                ? MediaError(.undecodable, "neither its video nor its audio can be decoded") : MediaError.nothingInIt
        }
        // Sound must have no gap, so it decides when the next round begins. By now it is as long as the pictures.
        if wantsSound { level?.end() }
        let end = hasSound ? max(sound.end, base) : max(base + videoEnd, beginning ?? 0)
        guard loops, !isRead, end - base > 1_000 else {
            roundEnd = end
            isOver = true
            sound.finish()
            return
        }
        beginRound(at: end)
    }

    /// The clip begins again, at `time` on the timeline.
    private func beginRound(at time: Microseconds) {
        base = time
        // The search of the last seek is over: a first picture later than the
        // clip's beginning is no reason to go on with it.
        (place, tries, earlierPlace) = (0, 0, nil)
        sound.beginRound(at: base)
        nextPictureTime = 0
        (lead, earlyTime, lastPictureTime) = (.other, nil, nil)
        (videoEnd, isInSilence) = (0, false)
        hasSaidThrough = false
        chooser = PictureChooser(target: 0, mode: .exact)
        chooser.soundStart = base
        video?.target = .min
        videoIsThrough = video == nil
        audioIsThrough = audio == nil
    }

    /// Whether the clip loops. If it has ended already, setting this starts it again.
    func setLoops(_ on: Bool) {
        loops = on
        guard on, !info.isStill else { return }
        if isRead { isRead = !readsFromBeginning() }
        guard isOver, !isRead, roundEnd - base > 1_000 else { return }
        isOver = false
        hasSaidEnded = false
        beginRound(at: roundEnd)
    }
}
