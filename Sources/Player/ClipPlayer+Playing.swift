import Audio
import Model
import Wire

extension ClipPlayer {
    func play(now: Duration) {
        playback.isHeld = false
        guard phase != .failed else { return }
        if phase == .closed { open(at: lastPicture?.place ?? start, now: now) }
        seeks.endScrub()
        comeBack(now: now)
        if playback.hasEnded { startOver(now: now) }
        guard phase != .failed else { return }
        if !playback.isWanted || silentUntil != nil { watchdog.begin(now: now) }
        silentUntil = nil
        playback.isWanted = true
        playback.hasBegun = true
        decoder.lastActivity = now
        if info?.hasAudio == true { sound.openDevice() }
        allowSound()
        report(.playing)
        if shown.last == identity { reportFirstFrame(now: now) }
    }

    /// Starts over. A clip that is not seekable is reopened.
    func startOver(now: Duration) {
        if isSeekable {
            seek(to: 0, now: now)
        } else {
            closeDecoder(keepsPictureOf: now)
            lastPicture?.place = 0
            open(at: 0, now: now)
        }
    }

    func pause(now: Duration) {
        seeks.endScrub()
        silentUntil = nil
        playback.isHeld = true
        guard playback.isWanted else { return }
        playback.isWanted = false
        watchdog.end()
        clock.stop(now: now)
        release(pictures.freePassed())
        silence(keepsUnheard: true)
        endStall(now: now)
        endWait()
        reportPosition(now: now)
    }

    /// Another player is to play.
    func interrupt(now: Duration) {
        pause(now: now)
        report(.paused)
    }

    /// Takes this player's sound out of the device.
    func silence(keepsUnheard: Bool) {
        guard sound.silence(keepsUnheard: keepsUnheard) else { return }
        trace(.audio(owner: item.id, state: .silent, drift: nil))
    }

    /// The audio device is gone. A clip without video continues by the clock, and shows its levels.
    func loseSoundDevice() {
        sound.loseDevice()
        guard hasVideo else { return }
        decoder.handle?.send(.sound(false))
        sound.clear()
    }

    /// Sound can be heard again. It comes from where the decoder is, a few pictures ahead.
    func findSoundDevice() {
        sound.findDevice()
        guard hasVideo else { return }
        decoder.handle?.send(.sound(true))
        allowSound()
    }

    /// Lets the decoder send more sound, if there is room for it.
    func allowSound() {
        guard usesSound, let frames = sound.newCredit(isPlaying: playback.isWanted) else { return }
        decoder.handle?.send(.credit(frames: frames))
    }

    /// Reads the decoder, and runs the clock, the pictures and the sound up to `now`.
    func advance(now: Duration) {
        startDecoderIfDue(now: now)
        sendWatched(now: now)
        readDecoder(now: now)
        seeks.advance(to: now)
        if let silentUntil, now >= silentUntil { pause(now: now) }
        if phase == .ready, playback.isWanted, seeks.pending == nil, !playback.hasEnded, !seeks.isScrubbing {
            if !clock.isRunning { startIfReady(now: now) }
            if clock.isRunning { followSound(now: now) }
            if clock.isRunning, !repeatPart(now: now) {
                release(pictures.advance(to: clock.position(at: now) + MediaClock.correction))
                playSound(now: now)
                allowSound()
                checkSupply(now: now)
                reportProgress(now: now)
            }
            lookUpCache(now: now)
            reportFigures(now: now)
            reachHeldError(now: now)
        }
        if supply.isFetchedWhole { lookUpCache(now: now) }
        if tracks.cues.hasChanged { report(.cues(tracks.cues.take())) }
        reportPictureSize()
        lookUpWait(now: now)
        checkDecoder(now: now)
        decoder.handle?.announcesAll(!hasStock)
    }

    /// Whether the clip plays and has enough buffered: whatever else
    /// the decoder sends can wait until the next picture is due.
    private var hasStock: Bool {
        guard clock.isRunning, seeks.pending == nil else { return false }
        return (!hasVideo || pictures.waiting.count >= 2) && (!isAudible || sound.queue.frames >= AudioSink.enough)
    }

    func startIfReady(now: Duration) {
        let isReady: Bool
        if playback.stalledSince != nil {
            // A decoder whose reads fail reports it only once all that it has sent is played.
            let requestsNothing = supply.isRemote && !ahead(now: now).isFilling
            isReady =
                pictures.waiting.count >= (isCamera || requestsNothing ? 1 : 3)
                || sound.queue.frames >= (requestsNothing ? 1 : 9_600) || seeks.hasReceivedAll || heldError != nil
        } else {
            isReady = hasVideo ? pictures.current?.header.serial == seeks.serial : sound.queue.frames > 0
        }
        guard isReady else { return }
        guard !supply.isRemote || supply.buffering.isEnough(ahead(now: now)) else { return waitForBytes() }
        supply.buffering.end()
        if !hasVideo, let start = sound.queue.start, abs(start - clock.position(at: now)) > 1_000_000 {
            clock.set(to: start, now: now)
        }
        clock.run(now: now)
        endStall(now: now)
    }

    private func followSound(now: Duration) {
        guard let heard = sound.heardPosition(now: now) else { return }
        sound.drift = clock.follow(heard, now: now)
    }

    private func playSound(now: Duration) {
        let begins = sound.play(
            from: clock.position(at: now), isAudible: isAudible && silentUntil == nil, volume: settings.volume, now: now
        )
        if begins { trace(.audio(owner: item.id, state: .playing, drift: .zero)) }
    }

    /// The end of the received frames and sound on the timeline. After a seek it is at least where the clock began: the
    /// first frame may cover that place for long, and its sound arrive later.
    var receivedEnd: Microseconds {
        max(hasVideo ? pictures.end ?? 0 : 0, usesSound ? sound.end ?? 0 : 0, seeks.beginning ?? 0)
    }

    /// Checks whether the clip has ended, or has run out of data.
    private func checkSupply(now: Duration) {
        guard info?.isStill != true, pictures.waiting.isEmpty, sound.queue.frames == 0 else { return }
        let position = clock.position(at: now)
        let end = receivedEnd
        if seeks.hasReceivedAll {
            guard position >= end, sound.deviceIsEmpty else { return }
            if repeatPart(isOver: true, now: now) { return }
            clock.stop(now: now)
            sound.finish()
            playback.isWanted = false
            playback.hasEnded = true
            watchdog.end()
            reportPosition(now: now)
            report(.ended)
        } else if position > end + 100_000 {
            clock.set(to: end, now: now)
            clock.stop(now: now)
            playback.stalledSince = now
            if supply.isRemote { supply.buffering.begin(isCamera ? Buffering.camera : Buffering.again) }
            report(.stalled(true))
            trace(.stall(item: item.id))
        }
    }

    /// Whether it is the live stream of a camera. There is nothing to buffer: each frame is shown when it arrives.
    var isCamera: Bool { supply.isRemote && info?.container == "mpjpeg" }

    /// The first pictures have arrived, but not the following ones.
    private func waitForBytes() {
        guard !supply.isWaiting, playback.stalledSince == nil else { return }
        supply.isWaiting = true
        report(.stalled(true))
    }

    private func endStall(now: Duration) {
        guard supply.isWaiting || playback.stalledSince != nil else { return }
        supply.isWaiting = false
        report(.stalled(false))
        guard let since = playback.stalledSince else { return }
        playback.stalledSince = nil
        trace(.resume(item: item.id, lasted: now - since))
    }

    /// When the next picture is to be shown; nil while the clock stands, or the decoder has sent none.
    var nextPicture: Duration? { pictures.waiting.first.flatMap { clock.time(of: $0.pts) } }

    /// How long `watched` may be delayed for a decoder that was warm: it has pictures for at least this long.
    static let maxWatchedDelay = Duration.milliseconds(10)

    /// Informs the decoder that its clip is in view. It then makes many
    /// pictures at once, which would delay the first one's way to the terminal.
    func sendWatched(now: Duration) {
        guard decoder.owesWatched, shown.claim.map({ now - $0.at >= Self.maxWatchedDelay }) ?? true else { return }
        decoder.owesWatched = false
        decoder.handle?.send(.watched)
    }

    /// When the next call is due; nil if nothing happens until the user acts.
    func nextWake(after now: Duration) -> Duration? {
        let wake = nextDecoderWake(after: now)
        guard let look = supply.nextLookUp(after: now) else { return wake }
        return wake.map { min($0, look) } ?? look
    }

    private func nextDecoderWake(after now: Duration) -> Duration? {
        if decoder.startsAt != nil { return resources.decoders.due(now: now) }
        guard let handle = decoder.handle else { return nil }
        var look = ProcessorWatch.nextWake(after: now)
        if decoder.owesWatched { look = min(look, shown.claim.map { max(now, $0.at + Self.maxWatchedDelay) } ?? now) }
        return min(nextChange(of: handle, after: now) ?? look, look)
    }

    /// When the next timed change is due; nil if nothing changes until the user acts or the decoder sends something.
    private func nextChange(of handle: DecoderHandle, after now: Duration) -> Duration? {
        if handle.isBlocked { return now + .milliseconds(10) }
        guard playback.isWanted, !playback.hasEnded, !seeks.isScrubbing else {
            let isLookedAt = phase == .opening || seeks.pending != nil || handle.unread != nil
            return isLookedAt ? now + .milliseconds(500) : seeks.scrubsUntil
        }
        guard clock.isRunning else {
            let check = watchdog.nextCheck(after: now)
            return min(check ?? now + .milliseconds(100), now + .milliseconds(100))
        }
        if info?.isStill == true { return watchdog.nextCheck(after: now) }
        // Sound, reports and checks are seen to whenever a picture is shown, if that is often enough. A page that waits
        // for its first picture is watched closely.
        if shown.claim == nil, let nextPicture, nextPicture - now < .milliseconds(60) { return max(nextPicture, now) }
        var next = min(reportTimes.nextPosition, silentUntil ?? .seconds(Int64.max))
        if isAudible || !hasVideo { next = min(next, now + .milliseconds(40)) }
        if let nextPicture { next = min(next, nextPicture) }
        return max(next, now)
    }
}
