import Model
import Wire

extension ClipPlayer {
    func seek(to time: Microseconds, now: Duration) {
        seeks.forgetPreview()
        seeks.endScrub()
        if phase == .opening {
            seeks.wait(for: time)
        } else {
            jump(to: time, mode: .exact, purpose: .seek, now: now)
        }
    }

    /// Shows the key picture near `time`, which is looked at and not played before a `seek` or a `play`.
    func preview(to time: Microseconds, now: Duration) {
        if phase == .ready { seeks.scrub(now: now) }
        guard seeks.beginsPreview(of: time) else { return }
        jump(to: time, mode: .key, purpose: .preview, now: now)
    }

    /// One picture on or back.
    func step(by count: Int, now: Duration) {
        guard !playback.isWanted, seeks.pending == nil, count != 0, phase == .ready else { return }
        if count > 0, !pictures.waiting.isEmpty {
            release(pictures.showNext())
            if let header = pictures.current?.header {
                clock.set(to: header.pts, now: now)
                report(.sought(.microseconds(header.mediaTime)))
            }
        } else if let header = pictures.current?.header {
            jump(to: header.mediaTime, mode: count > 0 ? .after : .before, purpose: .step, now: now)
        }
    }

    /// Takes over what holds for all players, and does what the changes ask for.
    func apply(_ settings: PlayerSettings, now: Duration) {
        let old = self.settings
        self.settings = settings
        if settings.loop != old.loop { decoder.handle?.send(.loop(settings.loop)) }
        if settings.volume != old.volume { sound.setVolume(settings.volume) }
        if settings.speed != old.speed { applySpeed(now: now) }
        if settings.surface != old.surface { applySurface(now: now) }
    }

    /// Speed changes come with a seek, as what was stretched otherwise must go.
    func applySpeed(now: Duration) {
        // Without a seek, sound of both speeds would be heard in a row: what cannot be sought in keeps its own speed.
        if phase == .ready, info?.isSeekable != true { return }
        clock.setRate(settings.speed, now: now)
        guard phase == .ready else { return }
        decoder.handle?.send(.rate(thousandths: UInt32((settings.speed * 1_000).rounded())))
        jump(to: mediaPosition(at: now), mode: .exact, purpose: .refresh, now: now)
        sound.setRate(settings.speed)
    }

    /// The picture in view in another size. The pictures of a clip that plays come in it by themselves.
    private func applySurface(now: Duration) {
        guard let surface = settings.surface else { return }
        // The decoder makes the pictures of all slots that it has not got back again.
        release(pictures.freePassed())
        decoder.handle?.send(.surface(surface))
        guard phase == .ready, !clock.isRunning, seeks.pending == nil, let header = pictures.current?.header else {
            return
        }
        jump(to: header.mediaTime, mode: .exact, purpose: .refresh, now: now)
    }

    /// Has the decoder go to `time`. What came before is dropped; the picture in view stays until the first of the new place is there.
    func jump(to time: Microseconds, mode: SeekMode, purpose: SeekState.Purpose, now: Duration) {
        guard phase == .ready, let handle = decoder.handle, isSeekable else { return }
        silence(keepsUnheard: false)
        sound.clear()
        release(pictures.forgetWaiting())
        clock.stop(now: now)
        playback.hasEnded = false
        let limit = info.map { $0.duration > 0 ? $0.duration : .max } ?? .max
        let target = min(max(time, 0), limit)
        let serial = seeks.begin(purpose, to: target)
        decoder.lastActivity = now
        supply.bufferedUntil = target
        if supply.isRemote, purpose == .seek { supply.buffering.begin(Buffering.again) }
        // A picture of the new place is waited for from now on, and not only from the next `advance`.
        handle.announcesAll(true)
        handle.send(.seek(serial: serial, time: target, mode: mode))
        allowSound()
    }
}
