import Audio
import Model
import Wire

extension ClipPlayer {
    /// Frames kept in the device: 150 ms, so that a pause or a seek is heard at once.
    private static let inDevice = 7_200
    /// Frames that a decoder may be ahead: a second while playing, a little while it waits to be played.
    private static let ahead = 48_000
    private static let aheadWhileWarm = 9_600

    func play(now: Duration) {
        guard phase != .failed else { return }
        if phase == .closed { open(at: still == nil ? 0 : stillTime, now: now) }
        scrubUntil = nil
        if hasEnded { startOver(now: now) }
        guard phase != .failed else { return }
        if !wantsToPlay { watchdog.begin(now: now) }
        wantsToPlay = true
        hasPlayed = true
        lastActivity = now
        if info?.hasAudio == true { pool.openSound() }
        topUpCredit()
        report(.playing)
        if lastShown == identity { claimIfShown(now: now) }
    }

    /// From the beginning again; what cannot be sought in is opened anew.
    private func startOver(now: Duration) {
        if info?.isSeekable == true || info?.isStill == true {
            seek(to: 0, now: now)
        } else {
            dropWorker(keepingStill: true)
            stillTime = 0
            open(at: 0, now: now)
        }
    }

    func pause(now: Duration) {
        scrubUntil = nil
        guard wantsToPlay else { return }
        wantsToPlay = false
        watchdog.end()
        clock.stop(now: now)
        silence(keeping: true)
        endStall(now: now)
        report(.position(.microseconds(mediaPosition(at: now)), duration: duration))
    }

    /// Takes this player's sound out of the device; `keeping` what was not heard for later.
    func silence(keeping: Bool) {
        guard isSounding, let audio = pool.audio else { return }
        if keeping { sound.takeBack(audio.queuedFrames) }
        audio.clear()
        isSounding = false
        trace(.audio(owner: item.id, state: .silent, drift: nil))
    }

    func topUpCredit() {
        guard usesSound else { return }
        let target = wantsToPlay ? ClipPlayer.ahead : ClipPlayer.aheadWhileWarm
        let missing = target - max(credit, 0) - sound.frames
        guard missing >= 4_096 else { return }
        credit += missing
        worker?.send(.credit(frames: UInt32(missing)))
    }

    /// Runs the clock, the pictures and the sound.
    func advance(now: Duration) {
        readLetters(now: now)
        if let scrubUntil, now >= scrubUntil { self.scrubUntil = nil }
        if phase == .ready, wantsToPlay, landing == nil, !hasEnded, !isScrubbing {
            if !clock.isRunning { startIfReady(now: now) }
            if clock.isRunning {
                followSound(now: now)
                release(presentation.advance(to: clock.position(at: now)))
                pumpSound(now: now)
                topUpCredit()
                checkSupply(now: now)
                tell(now: now)
            }
            lookAtHeld(now: now)
            tellFigures(now: now)
        }
        lookAtDelay(now: now)
        check(now: now)
    }

    private func startIfReady(now: Duration) {
        let ready: Bool
        if stalledSince != nil {
            ready = presentation.waiting.count >= 3 || sound.frames >= 9_600 || endedSerial == serial
        } else {
            ready = hasVideo ? presentation.current?.header.serial == serial : sound.frames > 0
        }
        guard ready else { return }
        guard !isRemote || buffering.isEnough(supply(now: now)) else { return holdUp() }
        buffering.end()
        if !hasVideo, let start = sound.start, abs(start - clock.position(at: now)) > 1_000_000 {
            clock.set(to: start, now: now)
        }
        clock.run(now: now)
        endStall(now: now)
    }

    private func followSound(now: Duration) {
        guard isSounding, let audio = pool.audio else { return }
        guard audio.state == .ready else {
            isSounding = false
            return
        }
        let queued = audio.queuedFrames
        guard queued > 0, let next = sound.start else { return }
        let ahead = Double(queued + audio.latencyFrames) / Double(WireLimit.sampleRate) * 1_000_000 * sound.rate
        drift = clock.follow(next - Microseconds(ahead), now: now)
    }

    private func pumpSound(now: Duration) {
        guard isAudible, let audio = pool.audio, audio.state == .ready else {
            // Nothing hears it: what has passed goes, so that the sound can begin where the picture is.
            sound.drop(before: clock.position(at: now))
            return
        }
        let queued = audio.queuedFrames
        if isSounding, queued == 0 { isSounding = false }
        if !isSounding {
            let position = clock.position(at: now)
            sound.drop(before: position)
            guard let start = sound.start, sound.frames > 0, start - position < 20_000 else { return }
            isSounding = true
            trace(.audio(owner: item.id, state: .playing, drift: .zero))
        }
        let room = ClipPlayer.inDevice - queued
        guard room > 480, sound.frames > 0 else { return }
        audio.write(scaled(sound.take(room), by: pool.volume))
    }

    /// The volume has changed: what waits in the device is taken back and given out anew.
    func retune() {
        guard isSounding, let audio = pool.audio, audio.state == .ready else { return }
        let queued = audio.queuedFrames
        audio.clear()
        sound.takeBack(queued)
        audio.write(scaled(sound.take(queued), by: pool.volume))
    }

    private func scaled(_ samples: [Int16], by volume: Double) -> [Int16] {
        guard volume < 1 else { return samples }
        // Ears hear loudness as a power: a third of the scale sounds like a third.
        let factor = Int32((volume * volume * volume * 65_536).rounded())
        return samples.map { Int16(truncatingIfNeeded: Int32((Int64($0) * Int64(factor)) >> 16)) }
    }

    /// Has the clip ended, or has what it needs not come?
    private func checkSupply(now: Duration) {
        guard info?.isStill != true, presentation.waiting.isEmpty, sound.frames == 0 else { return }
        let position = clock.position(at: now)
        let end = max(hasVideo ? presentation.end ?? 0 : 0, usesSound ? sound.end ?? 0 : 0)
        if endedSerial == serial {
            guard position >= end, !isSounding || pool.audio?.queuedFrames == 0 else { return }
            clock.stop(now: now)
            isSounding = false
            wantsToPlay = false
            hasEnded = true
            watchdog.end()
            report(.position(.microseconds(mediaPosition(at: now)), duration: duration))
            report(.ended)
        } else if position > end + 100_000 {
            clock.set(to: end, now: now)
            clock.stop(now: now)
            stalledSince = now
            if isRemote { buffering.begin(Buffering.again) }
            report(.stalled(true))
            trace(.stall(item: item.id))
        }
    }

    /// The first pictures are there, and what comes after them is not.
    private func holdUp() {
        guard !isHeldUp, stalledSince == nil else { return }
        isHeldUp = true
        report(.stalled(true))
    }

    private func endStall(now: Duration) {
        guard isHeldUp || stalledSince != nil else { return }
        isHeldUp = false
        report(.stalled(false))
        guard let since = stalledSince else { return }
        stalledSince = nil
        trace(.resume(item: item.id, lasted: now - since))
    }

    private func check(now: Duration) {
        guard worker != nil, phase != .failed else { return }
        let owes =
            phase == .opening || landing != nil
            || (wantsToPlay && !hasEnded && !isScrubbing && endedSerial != serial && info?.isStill != true
                && presentation.waiting.isEmpty && sound.frames == 0)
        let isRunnable =
            wantsToPlay && !hasEnded && !isScrubbing && phase == .ready && landing == nil && stalledSince == nil
            && !isHeldUp && info?.isStill != true
        let signs = Watchdog.Signs(
            now: now, position: clock.position(at: now),
            canRun: isRunnable && (hasVideo ? presentation.current != nil : sound.frames > 0),
            hasVideo: hasVideo, hasPicture: presentation.current != nil, isShown: claim == nil,
            soundRuns: isSounding, isOwing: owes || worker?.isBlocked == true,
            patience: isLive ? Watchdog.patienceWithLive : Watchdog.patience, lastActivity: lastActivity)
        guard let verdict = watchdog.check(signs) else { return }
        switch verdict {
        case .playAgain(let check):
            trace(.watchdog(item: item.id, check: check.rawValue, attempt: 0, why: "the clock stands"))
            startIfReady(now: now)
        case .showPicture(let check):
            trace(.watchdog(item: item.id, check: check.rawValue, attempt: 0, why: "sound without picture"))
            presentation.showAgain()
            pool.wake()
        case .replace(let check):
            trace(
                .watchdog(
                    item: item.id, check: check.rawValue, attempt: recovery.attempts, why: "the decoder is silent"))
            recover(why: "the decoder does not answer", check: check.rawValue, now: now)
        }
    }

    private func tell(now: Duration) {
        if now - lastPositionReport >= .milliseconds(100) {
            lastPositionReport = now
            report(.position(.microseconds(mediaPosition(at: now)), duration: duration))
        }
        if !hasVideo, now - lastLevelReport >= .milliseconds(50) {
            lastLevelReport = now
            let inDevice = isSounding ? pool.audio?.queuedFrames ?? 0 : 0
            report(.level(sound.level(count: 2_400, behind: inDevice)))
        }
    }

    /// The figures of the diagnostics sheet.
    private func tellFigures(now: Duration) {
        let passed = now - lastFigures.at
        guard passed >= .seconds(1) else { return }
        var figures = Diagnostics()
        figures.shown = shownCount
        figures.dropped = presentation.dropped
        figures.picturesPerSecond = Double(shownCount - lastFigures.shown) / (passed.milliseconds / 1_000)
        if let header = presentation.current?.header {
            figures.picture = PixelSize(width: Int(header.width), height: Int(header.height))
        }
        figures.drift = .microseconds(drift)
        figures.decoderPID = worker?.pid ?? 0
        figures.recoveries = recovery.attempts
        figures.variant = variant
        if isRemote {
            figures.throughput = pool.throughput
            figures.ahead = supply(now: now).ahead
        }
        lastFigures = (now, shownCount)
        report(.diagnostics(figures))
        if isSounding {
            trace(.audio(owner: item.id, state: .playing, drift: .microseconds(drift)))
        }
    }

    // MARK: The third signal of C8

    func shown(_ identity: PictureIdentity, now: Duration) {
        if identity != lastShown { shownCount += 1 }
        lastShown = identity
        claimIfShown(now: now)
    }

    /// The page's first real picture: decoded, of a usable size, and on the terminal. On a slow one the clock has chosen a newer picture by then.
    private func claimIfShown(now: Duration) {
        guard let claim, let lastShown, lastShown.life == life, !lastShown.isStill, !lastShown.isCorrupt,
            pool.isCurrent(item.id)
        else { return }
        self.claim = nil
        trace(
            .firstFrame(
                item: item.id, pts: .microseconds(lastShown.pts), sincePage: now - claim.at, how: claim.how))
        report(.firstFrame)
    }

    /// When something is to be done next; nil if nothing is until somebody wants or sends something.
    func nextWake(after now: Duration) -> Duration? {
        guard worker != nil else { return nil }
        if worker?.isBlocked == true { return now + .milliseconds(10) }
        guard wantsToPlay, !hasEnded, !isScrubbing else {
            return phase == .opening || landing != nil ? now + .milliseconds(500) : scrubUntil
        }
        guard clock.isRunning else { return min(watchdog.nextCheck(after: now) ?? .max, now + .milliseconds(100)) }
        if info?.isStill == true { return watchdog.nextCheck(after: now) }
        var next = lastPositionReport + .milliseconds(100)
        if isAudible || !hasVideo { next = min(next, now + .milliseconds(40)) }
        if let due = presentation.waiting.first.flatMap({ clock.time(of: $0.pts) }) { next = min(next, due) }
        return max(next, now)
    }
}

extension Duration {
    fileprivate static let max = Duration.seconds(Int64.max)
}
