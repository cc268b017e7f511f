import Model
import Wire

extension ClipPlayer {
    /// A pointer that holds still for longer has left.
    private static let longestHold = Duration.seconds(5)

    func seek(to time: Microseconds, now: Duration) {
        nextPreview = nil
        scrubUntil = nil
        if phase == .opening {
            seekOnceOpen = max(time, 0)
        } else {
            jump(to: time, mode: .exact, kind: .seek, now: now)
        }
    }

    /// Shows the key picture near `time`. At most one is under way: of those asked for meanwhile the newest wins.
    func preview(to time: Microseconds, now: Duration) {
        if phase == .ready { scrubUntil = now + ClipPlayer.longestHold }
        if landing?.kind == .preview {
            nextPreview = time
        } else {
            jump(to: time, mode: .key, kind: .preview, now: now)
        }
    }

    /// One picture on or back.
    func step(by count: Int, now: Duration) {
        guard !wantsToPlay, landing == nil, count != 0, phase == .ready else { return }
        if count > 0, !presentation.waiting.isEmpty {
            release(presentation.showNext())
            if let header = presentation.current?.header {
                clock.set(to: header.pts, now: now)
                report(.sought(.microseconds(header.mediaTime)))
            }
        } else if let header = presentation.current?.header {
            jump(to: header.mediaTime, mode: count > 0 ? .after : .before, kind: .step, now: now)
        }
    }

    /// Speed changes come with a seek, as what was stretched otherwise must go.
    func applySpeed(now: Duration) {
        // Without a seek, sound of both speeds would be heard in a row: what cannot be sought in keeps its own speed.
        if phase == .ready, info?.isSeekable != true { return }
        clock.setRate(pool.speed, now: now)
        guard phase == .ready else { return }
        worker?.send(.rate(thousandths: UInt32((pool.speed * 1_000).rounded())))
        jump(to: mediaPosition(at: now), mode: .exact, kind: .quiet, now: now)
        sound.rate = pool.speed
    }

    /// The picture in the page's new size. Playing ones come by themselves.
    func surfaceChanged(_ surface: SurfaceRequest, now: Duration) {
        worker?.send(.surface(surface))
        guard phase == .ready, !clock.isRunning, landing == nil, let header = presentation.current?.header else {
            return
        }
        jump(to: header.mediaTime, mode: .exact, kind: .quiet, now: now)
    }

    func jump(to time: Microseconds, mode: SeekMode, kind: Landing.Kind, now: Duration) {
        guard phase == .ready, let worker, info?.isSeekable == true || info?.isStill == true else { return }
        silence(keeping: false)
        sound.clear()
        release(presentation.forgetWaiting())
        clock.stop(now: now)
        serial &+= 1
        endedSerial = nil
        hasEnded = false
        let limit = info.map { $0.duration > 0 ? $0.duration : .max } ?? .max
        let target = min(max(time, 0), limit)
        landing = Landing(kind: kind, target: target)
        lastActivity = now
        bufferedUntil = target
        if isRemote, kind == .seek { buffering.begin(Buffering.again) }
        worker.send(.seek(serial: serial, time: target, mode: mode))
        topUpCredit()
    }
}
