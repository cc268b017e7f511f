import Model
import Wire

/// What a decoder says, none of it trusted.
extension ClipPlayer {
    func take(_ message: FromDecoder, now: Duration) {
        switch message {
        case .hello:
            pool.traceReady(worker)
        case .opened(let info):
            guard phase == .opening else { return distrust("it opened twice", now: now) }
            opened(info, now: now)
        case .picture(let header):
            take(header, now: now)
        case .sound(let serial, let pts, let mediaTime, let samples):
            credit -= samples.count / 2
            guard credit >= -WireLimit.soundFrames else { return distrust("it sent more sound than it may", now: now) }
            if serial == self.serial, landing?.kind != .preview {
                sound.append(pts: pts, mediaTime: mediaTime, samples: samples)
            }
            // Without pictures it is the sound that lands.
            if !hasVideo, landing != nil, serial == self.serial { land(pts: pts, mediaTime: mediaTime, now: now) }
            topUpCredit()
        case .buffered(let serial, let until):
            // What is said of the place before may come after the order to leave it.
            guard serial == self.serial else { return }
            bufferedUntil = min(max(until, 0), WireLimit.time)
            report(.buffered(until: .microseconds(bufferedUntil)))
        case .ended(let serial):
            guard serial == self.serial else { return }
            endedSerial = serial
            // Sought beyond the last picture: what is there stays.
            if landing != nil { land(pts: clock.position(at: now), mediaTime: landing?.target ?? 0, now: now) }
        case .failed(let code, let why):
            let reason = shown(why)
            lacksBytes = code == .unreadable
            if code == .other {
                recover(why: reason, check: "failed", now: now)
            } else if lacksBytes, worker?.lostItsFile == true {
                // L3: what was kept of the old file has been dropped, and the new one can be opened.
                recover(why: reason, check: "changed", now: now)
            } else {
                // It may be what a server said in the clip's stead.
                if code == .notMedia { pool.distrust(item) }
                fail(reason)
            }
        case .variant(let index, let why):
            chose(variant: Int(index), why: why)
        case .openURL, .read, .closeURL, .expect:
            break
        }
    }

    /// A decoder that lies is not spoken to any more.
    private func distrust(_ why: String, now: Duration) {
        worker?.kill()
        recover(why: "the decoder misbehaved: \(why)", check: "wire", now: now)
    }

    /// The decoder read it from a hostile file.
    private func shown(_ text: String) -> String {
        let clean = text.unicodeScalars.map { scalar in
            scalar.properties.generalCategory == .control ? "\u{FFFD}" : Character(scalar)
        }
        return String(String(clean).prefix(200))
    }

    private func opened(_ info: MediaInfo, now: Duration) {
        self.info = info
        phase = .ready
        let video = info.streams.first { $0.kind == .video && $0.isChosen }
        let audio = info.streams.first { $0.kind == .audio && $0.isChosen }
        let size = PixelSize(width: Int(info.displayWidth), height: Int(info.displayHeight))
        report(
            .opened(
                ClipFacts(
                    duration: duration, isSeekable: info.isSeekable, hasVideo: info.hasVideo, hasAudio: info.hasAudio,
                    isStill: info.isStill, container: shown(info.container), video: video.map { shown($0.codec) },
                    audio: audio.map { shown($0.codec) }, displaySize: info.hasVideo ? size : nil)))
        if let chosen = info.variants.firstIndex(where: \.isChosen) {
            chose(variant: chosen, why: info.variants[chosen].why)
        }
        if isRemote {
            lookAtHeld(now: now)
            buffering.begin(isPlaylist ? Buffering.playlist : Buffering.file)
        }
        if !info.hasVideo, info.hasAudio, !pool.soundWorks {
            // It was opened without sound, so what it has of it has gone by.
            worker?.send(.sound(true))
            jump(to: clock.position(at: now), mode: .exact, kind: .quiet, now: now)
        }
        if pool.speed != 1 { applySpeed(now: now) }
        if let seekOnceOpen {
            self.seekOnceOpen = nil
            jump(to: seekOnceOpen, mode: .exact, kind: .seek, now: now)
        }
        if wantsToPlay, info.hasAudio { pool.openSound() }
    }

    private func chose(variant index: Int, why: String) {
        guard let info, info.variants.indices.contains(index) else { return }
        let chosen = info.variants[index]
        let size = PixelSize(width: Int(chosen.width), height: Int(chosen.height))
        variant = ClipVariant(
            size: chosen.width > 0 && chosen.height > 0 ? size : nil, bitrate: max(chosen.bandwidth, 0), why: shown(why)
        )
    }

    private func take(_ header: PictureHeader, now: Duration) {
        guard header.slot < PictureRing.slots, !presentation.owns(slot: header.slot),
            header.width > 0, header.height > 0, header.width <= header.stride,
            PictureRing.fits(stride: header.stride, height: header.height), header.mediaTime >= 0, header.duration >= 0,
            header.generation <= pool.surface?.generation ?? 0
        else { return distrust("a picture that cannot be", now: now) }
        guard header.serial == serial else {
            worker?.send(.release(slot: header.slot))
            return
        }
        release(presentation.add(header))
        let seen = presentation.current?.header
        let isFirst = seen == nil || seen?.serial != header.serial
        if isFirst || landing != nil {
            release(presentation.showNext())
            still = nil
            land(pts: header.pts, mediaTime: header.mediaTime, now: now)
        } else if !clock.isRunning, seen?.generation != header.generation, header.pts <= seen?.pts ?? .max {
            // The same picture in the page's new size.
            release(presentation.showNext())
        }
        if !saidStill {
            saidStill = true
            report(.still)
        }
    }

    /// The first of what was sought is there.
    private func land(pts: Microseconds, mediaTime: Microseconds, now: Duration) {
        clock.set(to: pts, now: now)
        watchdog.moved()
        guard let landing else { return }
        self.landing = nil
        switch landing.kind {
        case .preview, .seek, .step: report(.sought(.microseconds(max(mediaTime, 0))))
        case .quiet: break
        }
        if let next = nextPreview {
            nextPreview = nil
            preview(to: next, now: now)
        }
    }
}
