import Model
import Wire

/// What a decoder sends, none of it trusted.
extension ClipPlayer {
    /// Handles what the decoder has sent so far.
    func readDecoder(now: Duration) {
        guard let handle = decoder.handle else { return }
        handle.flush()
        let received = handle.receive(atMost: DecoderHandle.messagesAtOnce)
        if received.hasMore { resources.wake() }
        if received.activity != decoder.seenActivity || received.isServed {
            decoder.seenActivity = received.activity
            decoder.lastActivity = now
        }
        decoder.isServed = received.isServed
        supply.note(isServed: received.isServed, requests: received.requests, now: now)
        for (index, event) in received.events.enumerated() {
            guard decoder.handle === handle else {
                // The event before was the last that the clip had to do with this decoder.
                return resources.decoders.noteEnd(
                    in: received.events[index...], of: handle, item: item.id, now: now)
            }
            resources.decoders.note(event, of: handle, item: item.id, now: now)
            switch event {
            case .started: break
            case .message(let message): self.handle(message, now: now)
            case .ended(let why, let status, _):
                decoder.hasEnded = true
                guard handle.pid != nil else { return failToStart(why, now: now) }
                recover(
                    from: why == .closed ? .worker : .wire,
                    why: why == .closed ? "the decoder \(ending(status: status))" : "\(why)", now: now)
            }
        }
        if decoder.handle === handle, decoder.unread.isStuck(handle.unread, now: now) {
            reject("it stopped reading messages", now: now)
        }
    }

    private func handle(_ message: FromDecoder, now: Duration) {
        switch message {
        case .opened(let info):
            guard phase == .opening else { return reject("it opened twice", now: now) }
            opened(info, now: now)
        case .seekable:
            guard phase == .ready, let before = info, !before.isSeekable else { return }
            info?.isSeekable = true
            if let info { report(.opened(facts(of: info))) }
        case .picture(let header):
            guard phase == .ready else { return reject("a frame before the clip was open", now: now) }
            decoder.brought += 1
            received(header, now: now)
        case .sound(let serial, let pts, let mediaTime, let samples):
            guard phase == .ready else { return reject("audio before the clip was open", now: now) }
            decoder.brought += 1
            received(samples, serial: serial, pts: pts, mediaTime: mediaTime, now: now)
        case .buffered(let serial, let until):
            if phase == .opening { decoder.waitReportedAt = now }
            // A message about the previous place may arrive after the order to leave it.
            guard serial == seeks.serial else { return }
            supply.bufferedUntil = max(until, 0)
            report(.buffered(until: .microseconds(supply.bufferedUntil)))
        case .begins(let serial, let time): seeks.noteBeginning(of: serial, at: time)
        case .through(let serial):
            guard serial == seeks.serial else { return }
            showSpare(now: now)
            pictures.areThrough = true
        case .ended(let serial):
            if serial == seeks.serial { showSpare(now: now) }
            guard seeks.noteEnd(of: serial) else { return }
            // The seek target is beyond the last picture: the picture in view stays.
            if let pending = seeks.pending {
                arrived(at: pending.target, mediaTime: pending.target, now: now)
            }
        case .failed(let code, let why, let advice, let detail):
            failed(code, why: clean(why), advice: clean(advice), detail: clean(detail), now: now)
        case .variant(let index, let why): chose(variant: Int(index), why: why)
        case .cue(let serial, let start, let end, let text):
            guard phase == .ready else { return reject("text before the clip was open", now: now) }
            if serial == seeks.serial { tracks.cues.add(start: start, end: end, text: text) }
        case .loudness(let report): sound.loudness = ClipLoudness(report)
        case .still, .noStill: reject("it sent an unrequested still", now: now)
        case .hello, .openURL, .read, .closeURL, .expect, .muxed: break
        }
    }

    /// Kills a decoder that violates the protocol.
    private func reject(_ why: String, now: Duration) {
        decoder.handle?.kill()
        recover(from: .wire, why: "the decoder violated the protocol: \(why)", now: now)
    }

    /// The decoder read the text from a hostile file. Text beyond the limit is ignored.
    private func clean(_ text: String) -> String {
        let clean = text.unicodeScalars.prefix(200).map { scalar in
            scalar.properties.generalCategory == .control ? "\u{FFFD}" : Character(scalar)
        }
        return String(clean)
    }

    private func failed(_ code: FailureCode, why: String, advice: String, detail: String, now: Duration) {
        if code == .unreadable, decoder.handle?.fileHasChanged != true, hasUnplayed {
            heldError = HeldError(why: why, advice: advice, detail: detail)
            return
        }
        supply.lacksBytes = code == .unreadable
        if code == .other {
            recover(from: .failed, why: why, now: now)
        } else if supply.lacksBytes, decoder.handle?.fileHasChanged == true {
            // The cached part of the old file has been dropped, and the new one can be opened.
            recover(from: .changed, why: why, now: now)
        } else if code == .undecodable, decoder.brought > 0, recoveries < Recovery.limit {
            // A file that was written over while it played looks so: another decoder reads it as it is now.
            recover(from: .undecodable, why: why, now: now)
        } else {
            // It may be an error page that a server sent instead of the clip.
            if code == .notMedia { resources.network?.revalidate(asset) }
            // flick knows its own errors in more detail than the decoder, which only returns their text.
            if supply.lacksBytes, let failure = decoder.handle?.lastReadError {
                let words = failure.error.onPage
                supply.mayComeLater = failure.mayPass
                fail(words.why, advice: words.advice, detail: why, now: now)
            } else {
                fail(why, advice: advice, detail: detail, now: now)
            }
        }
    }

    /// Pictures or sound wait that were not played yet.
    private var hasUnplayed: Bool {
        phase == .ready && seeks.pending == nil && (!pictures.waiting.isEmpty || sound.queue.frames > 0)
    }

    /// Reports a failed read once everything before it was played.
    func reachHeldError(now: Duration) {
        guard let held = heldError, playback.isWanted, !hasUnplayed else { return }
        guard !clock.isRunning || clock.position(at: now) >= receivedEnd else { return }
        heldError = nil
        failed(.unreadable, why: held.why, advice: held.advice, detail: held.detail, now: now)
    }

    /// Reports the facts once more; nothing before the clip is open.
    func reportFacts() {
        if phase == .ready, let info { report(.opened(facts(of: info))) }
    }

    private func opened(_ info: MediaInfo, now: Duration) {
        self.info = info
        becomeReady()
        delaySound()
        report(.opened(facts(of: info)))
        if let chosen = info.variants.firstIndex(where: \.isChosen) {
            chose(variant: chosen, why: info.variants[chosen].why)
        }
        if supply.isRemote {
            lookUpCache(now: now)
            supply.buffering.begin(isCamera ? Buffering.camera : isPlaylist ? Buffering.playlist : Buffering.file)
        }
        if !info.hasVideo, info.hasAudio, !sound.canBeHeard {
            // It was opened without sound, so the sound up to here was not sent.
            decoder.handle?.send(.sound(true))
            jump(to: clock.position(at: now), mode: .exact, purpose: .refresh, now: now)
        }
        if settings.speed != 1 { applySpeed(now: now) }
        chooseTracksAgain(now: now)
        if decoder.number == 1 { goToStart(now: now) }
        if let target = seeks.open() { jump(to: target, mode: .exact, purpose: .seek, now: now) }
        if playback.isWanted, info.hasAudio { sound.openDevice() }
        if clock.position(at: now) > 0 { reportPosition(now: now) }
    }

    /// What the page shows of the clip.
    private func facts(of info: MediaInfo) -> ClipFacts {
        let video = info.streams.first { $0.kind == .video && $0.isChosen }
        let audio = info.streams.first { $0.kind == .audio && $0.isChosen }
        let size = PixelSize(width: Int(info.displayWidth), height: Int(info.displayHeight))
        var facts = ClipFacts(
            duration: duration, isSeekable: info.isSeekable, hasVideo: info.hasVideo, hasAudio: info.hasAudio,
            isStill: info.isStill, container: clean(info.container), video: video.map { clean($0.codec) },
            audio: audio.map { clean($0.codec) }, displaySize: info.hasVideo ? size : nil)
        func tag(_ text: String) -> String { CleanText.line(text, limit: 120) }
        facts.tags = ClipFacts.Tags(
            title: tag(info.tags.title), artist: tag(info.tags.artist), album: tag(info.tags.album))
        addParts(of: info, in: &facts)
        facts.variants = info.variants.map { ClipVariant($0, why: "") }
        return facts
    }

    private func chose(variant index: Int, why: String) {
        guard let info, info.variants.indices.contains(index) else { return }
        (variant, variantIndex) = (ClipVariant(info.variants[index], why: clean(why)), index)
    }

    /// How many damaged pictures are skipped at the start of a clip or of
    /// a part of it. If more follow, the clip may have no intact ones.
    private static let maxDamaged = 25

    private func received(_ header: PictureHeader, now: Duration) {
        guard decoder.limit.allows(header), !pictures.owns(slot: header.slot) else {
            return reject("an invalid frame", now: now)
        }
        guard header.serial == seeks.serial else {
            return release([header.slot])
        }
        // The clip has begun again: there is no better one in it.
        let hasComeRound = pictures.spare.map {
            $0.serial == header.serial && header.pts > $0.pts && header.mediaTime <= $0.mediaTime
        }
        if header.isCorrupt, pictures.current?.header.serial != header.serial, decoder.damaged < Self.maxDamaged,
            hasComeRound != true
        {
            // A still, or an earlier picture, is replaced only by an intact one.
            decoder.damaged += 1
            return release(pictures.keep(header))
        }
        take(header, now: now)
    }

    /// All pictures have come, and only damaged ones: one of them is better than none.
    private func showSpare(now: Duration) {
        guard let spare = pictures.takeSpare() else { return }
        if spare.serial == seeks.serial { take(spare, now: now) } else { release([spare.slot]) }
    }

    private func take(_ header: PictureHeader, now: Duration) {
        lengthen(to: header.mediaTime)
        release(pictures.add(header))
        let seen = pictures.current?.header
        let isFirst = seen == nil || seen?.serial != header.serial
        if isFirst || seeks.pending != nil {
            release(pictures.showNext())
            lastPicture = nil
            let begin = beginning(with: header)
            arrived(at: begin, mediaTime: header.mediaTime + begin - header.pts, now: now)
        } else if !clock.isRunning, seen?.generation != header.generation, header.pts <= seen?.pts ?? .max {
            // The same picture in the page's new size.
            release(pictures.showNext())
        }
    }

    private func received(
        _ samples: [Int16], serial: UInt32, pts: Microseconds, mediaTime: Microseconds, now: Duration
    ) {
        guard sound.count(samples) else { return reject("it sent too much audio", now: now) }
        if serial == seeks.serial {
            lengthen(to: mediaTime)
            if seeks.pending?.purpose != .preview {
                guard sound.append(pts: pts, mediaTime: mediaTime, samples: samples) else {
                    return reject("it sent audio with too many gaps", now: now)
                }
            }
            // Without pictures it is the first sound that ends a seek.
            if !hasVideo, seeks.pending != nil { arrived(at: pts, mediaTime: mediaTime, now: now) }
        }
        allowSound()
    }

    /// Extends the clip's length to `place`, from where something was received. Joined recordings are longer than their
    /// container says, and other lengths are only estimates.
    private func lengthen(to place: Microseconds) {
        guard let said = info?.duration, said > 0, place > said + (isLonger ? 0 : 500_000) else { return }
        isLonger = true
        info?.duration = place
    }

    /// Where the clock begins whose first picture is `header`. That picture may have begun long before, as one of a
    /// slide show, or begin later than the sound.
    private func beginning(with header: PictureHeader) -> Microseconds {
        guard let beginning = seeks.beginning else { return header.pts }
        // Without sound nothing is lost by beginning with the picture.
        return info?.hasAudio == true && usesSound ? beginning : max(beginning, header.pts)
    }

    /// The first picture or sound after a seek or a start has come: the clock starts at `place` of the timeline.
    private func arrived(at place: Microseconds, mediaTime: Microseconds, now: Duration) {
        clock.set(to: place, now: now)
        watchdog.moved()
        guard let (seek, nextPreview) = seeks.arrive() else { return }
        if seek.purpose != .refresh { report(.sought(.microseconds(max(mediaTime, 0)))) }
        if let nextPreview { preview(to: nextPreview, now: now) }
        step(by: seeks.nextSteps(), now: now)
    }
}

extension ClipVariant {
    /// - Parameter why: cleaned.
    fileprivate init(_ variant: MediaInfo.Variant, why: String) {
        let size = PixelSize(width: Int(variant.width), height: Int(variant.height))
        self.init(
            size: variant.width > 0 && variant.height > 0 ? size : nil, bitrate: max(variant.bandwidth, 0), why: why)
        isPlayable = variant.isPlayable
    }
}

extension ClipLoudness {
    /// Bounded to what can be shown, as decoders are not trusted.
    fileprivate init(_ report: SoundLoudness) {
        func bounded(_ hundredths: Int32) -> Double { min(max(Double(hundredths) / 100, -100), 100) }
        self.init(loudness: bounded(report.loudness), gain: bounded(report.gain), origin: report.origin)
    }
}
