import Wire

/// The watchdog's checks, and what follows from them.
extension ClipPlayer {
    func checkDecoder(now: Duration) {
        guard let handle = decoder.handle, phase != .failed else { return }
        if decoder.processor.check(used: handle.processorTime, brought: decoder.brought, now: now) {
            return recover(from: .busy, why: RecoveryCause.busy.words, now: now)
        }
        if phase == .ready, !isPlaylist, handle.fileHasChanged {
            // What is buffered belongs to the old file, and what follows would belong to the new one.
            return recover(
                from: .changed, why: handle.lastReadError?.error.description ?? RecoveryCause.changed.words, now: now)
        }
        notePictures(now: now)
        switch watchdog.check(signs(now: now)) {
        case .playAgain(let cause):
            trace(.watchdog(item: item.id, check: cause.rawValue, attempt: 0, why: cause.words))
            startIfReady(now: now)
        case .showPicture(let cause):
            trace(.watchdog(item: item.id, check: cause.rawValue, attempt: 0, why: cause.words))
            pictures.showAgain()
            resources.wake()
        case .replace(let cause):
            trace(.watchdog(item: item.id, check: cause.rawValue, attempt: recoveries, why: cause.words))
            recover(from: cause, why: cause.words, now: now)
        case nil: break
        }
    }

    /// Notes since when the clock has been beyond the last picture, although the clip has more.
    private func notePictures(now: Duration) {
        let isLate =
            clock.isRunning && hasVideo && info?.isStill != true && seeks.pending == nil && pictures.waiting.isEmpty
            && !pictures.areThrough && clock.position(at: now) > pictures.end ?? .max
            // A decoder that waits for bytes from the network is not to blame.
            && !(supply.isRemote && decoder.isServed)
        decoder.picturesLateSince = isLate ? decoder.picturesLateSince ?? now : nil
    }

    /// Whether the clip is a live stream without a segment yet, and the decoder
    /// still waits for one. It reports that every second.
    private func awaitsStream(now: Duration) -> Bool {
        phase == .opening && decoder.waitReportedAt.map { now - $0 < .seconds(2) } ?? false
    }

    private func signs(now: Duration) -> Watchdog.Observation {
        let plays = playback.isWanted && !playback.hasEnded && !seeks.isScrubbing && info?.isStill != true
        let lacksAll =
            pictures.waiting.isEmpty && sound.queue.frames == 0 && !seeks.hasReceivedAll && heldError == nil
        let isOwing = phase == .opening || seeks.pending != nil || (plays && lacksAll)
        let isRunnable =
            plays && phase == .ready && seeks.pending == nil && playback.stalledSince == nil && !supply.isWaiting
        return Watchdog.Observation(
            now: now, position: clock.position(at: now),
            canRun: isRunnable && (hasVideo ? pictures.current != nil : sound.queue.frames > 0),
            hasVideo: hasVideo, hasPicture: pictures.current != nil, isShown: shown.claim == nil,
            soundRuns: sound.isHeard(now: now), isServed: decoder.isServed || awaitsStream(now: now),
            picturesLateSince: decoder.picturesLateSince, isOwing: isOwing || decoder.handle?.isBlocked == true,
            patience: isLive ? Watchdog.patienceWithLive : Watchdog.patience, lastActivity: decoder.lastActivity)
    }
}
