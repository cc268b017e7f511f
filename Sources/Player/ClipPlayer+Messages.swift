import Model
import Wire

/// What a decoder sends, none of it trusted.
extension ClipPlayer {
    /// Handles what the decoder has sent so far.
    func readDecoder(now: Duration) {
        guard let handle = decoder.handle else { return }
        handle.flush()
        let received = handle.receive()
        if received.activity != decoder.seenActivity || received.isServed {
            decoder.seenActivity = received.activity
            decoder.lastActivity = now
        }
        supply.note(isServed: received.isServed, requests: received.requests, now: now)
        for event in received.events {
            // An event may have ended the decoder: then the others mean nothing.
            guard decoder.handle === handle else { return }
            switch event {
            case .message(let message): self.handle(message, now: now)
            case .ended(let why, let status, let wasKilled):
                decoder.hasEnded = true
                trace(handle.traceOfEnd(status: status, wasKilled: wasKilled, item: item.id))
                recover(
                    from: .worker,
                    why: why == .closed ? "the decoder ended (\(describe(status: status)))" : "\(why)", now: now)
            }
        }
    }

    private func handle(_ message: FromDecoder, now: Duration) {
        switch message {
        case .hello:
            guard let pid = decoder.handle?.pid else { return }
            trace(.worker(item: nil, pid: Int(pid), state: .ready, status: nil))
        case .opened(let info):
            guard phase == .opening else { return reject("it opened twice", now: now) }
            opened(info, now: now)
        case .picture(let header):
            received(header, now: now)
        case .sound(let serial, let pts, let mediaTime, let samples):
            received(samples, serial: serial, pts: pts, mediaTime: mediaTime, now: now)
        case .buffered(let serial, let until):
            // What is said of the place before may come after the order to leave it.
            guard serial == seeks.serial else { return }
            supply.bufferedUntil = min(max(until, 0), WireLimit.time)
            report(.buffered(until: .microseconds(supply.bufferedUntil)))
        case .ended(let serial):
            guard seeks.noteEnd(of: serial) else { return }
            // Sought beyond the last picture: what is there stays.
            if let pending = seeks.pending {
                arrived(pts: clock.position(at: now), mediaTime: pending.target, now: now)
            }
        case .failed(let code, let why, let detail):
            failed(code, why: clean(why), detail: clean(detail), now: now)
        case .variant(let index, let why): chose(variant: Int(index), why: why)
        case .openURL, .read, .closeURL, .expect: break
        }
    }

    /// A decoder that sends what no honest one does is killed.
    private func reject(_ why: String, now: Duration) {
        decoder.handle?.kill()
        recover(from: .wire, why: "the decoder misbehaved: \(why)", now: now)
    }

    /// The decoder read the text from a hostile file.
    private func clean(_ text: String) -> String {
        let clean = text.unicodeScalars.map { scalar in
            scalar.properties.generalCategory == .control ? "\u{FFFD}" : Character(scalar)
        }
        return String(String(clean).prefix(200))
    }

    private func failed(_ code: FailureCode, why: String, detail: String, now: Duration) {
        supply.lacksBytes = code == .unreadable
        if code == .other {
            recover(from: .failed, why: why, now: now)
        } else if supply.lacksBytes, decoder.handle?.fileHasChanged == true {
            // What was cached of the old file has been dropped, and the new one can be opened.
            recover(from: .changed, why: why, now: now)
        } else {
            // It may be an error page that a server sent instead of the clip.
            if code == .notMedia { resources.provider.distrust(asset) }
            // flick knows more of its own errors than the decoder, which only hands back their text.
            if supply.lacksBytes, let error = decoder.handle?.lastFailure, why.contains(clean(error.why)) {
                fail(error.onPage, detail: why, now: now)
            } else {
                fail(why, detail: detail, now: now)
            }
        }
    }

    private func opened(_ info: MediaInfo, now: Duration) {
        self.info = info
        becomeReady()
        let video = info.streams.first { $0.kind == .video && $0.isChosen }
        let audio = info.streams.first { $0.kind == .audio && $0.isChosen }
        let size = PixelSize(width: Int(info.displayWidth), height: Int(info.displayHeight))
        report(
            .opened(
                ClipFacts(
                    duration: duration, isSeekable: info.isSeekable, hasVideo: info.hasVideo, hasAudio: info.hasAudio,
                    isStill: info.isStill, container: clean(info.container), video: video.map { clean($0.codec) },
                    audio: audio.map { clean($0.codec) }, displaySize: info.hasVideo ? size : nil)))
        if let chosen = info.variants.firstIndex(where: \.isChosen) {
            chose(variant: chosen, why: info.variants[chosen].why)
        }
        if supply.isRemote {
            lookUpCache(now: now)
            supply.buffering.begin(isPlaylist ? Buffering.playlist : Buffering.file)
        }
        if !info.hasVideo, info.hasAudio, !sound.canBeHeard {
            // It was opened without sound, so the sound up to here was not sent.
            decoder.handle?.send(.sound(true))
            jump(to: clock.position(at: now), mode: .exact, purpose: .refresh, now: now)
        }
        if settings.speed != 1 { applySpeed(now: now) }
        if let target = seeks.open() { jump(to: target, mode: .exact, purpose: .seek, now: now) }
        if playback.isWanted, info.hasAudio { sound.openDevice() }
    }

    private func chose(variant index: Int, why: String) {
        guard let info, info.variants.indices.contains(index) else { return }
        let chosen = info.variants[index]
        let size = PixelSize(width: Int(chosen.width), height: Int(chosen.height))
        variant = ClipVariant(
            size: chosen.width > 0 && chosen.height > 0 ? size : nil, bitrate: max(chosen.bandwidth, 0), why: clean(why)
        )
    }

    private func received(_ header: PictureHeader, now: Duration) {
        guard header.slot < PictureRing.slots, !pictures.owns(slot: header.slot),
            header.width > 0, header.height > 0, header.width <= header.stride,
            PictureRing.fits(stride: header.stride, height: header.height), header.mediaTime >= 0, header.duration >= 0,
            header.generation <= settings.surface?.generation ?? 0
        else { return reject("a picture that cannot be", now: now) }
        guard header.serial == seeks.serial else {
            return release([header.slot])
        }
        release(pictures.add(header))
        let seen = pictures.current?.header
        let isFirst = seen == nil || seen?.serial != header.serial
        if isFirst || seeks.pending != nil {
            release(pictures.showNext())
            lastPicture = nil
            arrived(pts: header.pts, mediaTime: header.mediaTime, now: now)
        } else if !clock.isRunning, seen?.generation != header.generation, header.pts <= seen?.pts ?? .max {
            // The same picture in the page's new size.
            release(pictures.showNext())
        }
    }

    private func received(
        _ samples: [Int16], serial: UInt32, pts: Microseconds, mediaTime: Microseconds, now: Duration
    ) {
        guard sound.count(samples) else { return reject("it sent more sound than it may", now: now) }
        if serial == seeks.serial {
            if seeks.pending?.purpose != .preview { sound.append(pts: pts, mediaTime: mediaTime, samples: samples) }
            // Without pictures it is the first sound that ends a seek.
            if !hasVideo, seeks.pending != nil { arrived(pts: pts, mediaTime: mediaTime, now: now) }
        }
        allowSound()
    }

    /// The first of what follows a seek, or a start, has come.
    private func arrived(pts: Microseconds, mediaTime: Microseconds, now: Duration) {
        clock.set(to: pts, now: now)
        watchdog.moved()
        guard let (seek, nextPreview) = seeks.arrive() else { return }
        if seek.purpose != .refresh { report(.sought(.microseconds(max(mediaTime, 0)))) }
        if let nextPreview { preview(to: nextPreview, now: now) }
        step(by: seeks.nextSteps(), now: now)
    }
}
