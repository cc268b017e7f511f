import Model
import Wire

/// What a player reports while it plays.
extension ClipPlayer {
    func reportPosition(now: Duration) {
        report(.position(.microseconds(mediaPosition(at: now)), duration: duration))
    }

    func reportProgress(now: Duration) {
        if reportTimes.isPositionDue(now: now) { reportPosition(now: now) }
        if !hasVideo, reportTimes.isLevelDue(now: now) { report(.level(sound.level())) }
    }

    /// The figures of the diagnostics sheet, once a second.
    func reportFigures(now: Duration) {
        guard let rate = reportTimes.picturesPerSecond(shown: shown.count, now: now) else { return }
        var figures = Diagnostics()
        figures.shown = shown.count
        figures.dropped = pictures.dropped
        figures.picturesPerSecond = rate
        if let header = pictures.current?.header { figures.picture = header.size }
        figures.drift = .microseconds(sound.drift)
        figures.decoderPID = decoder.handle?.pid ?? 0
        figures.recoveries = recoveries
        figures.lastRecovery = lastRecovery?.words
        figures.variant = variant
        figures.loudness = sound.loudness
        if supply.isRemote {
            figures.throughput = resources.network?.throughput
            figures.ahead = ahead(now: now).ahead
        }
        report(.diagnostics(figures))
        if sound.isHeard(now: now) {
            trace(.audio(owner: item.id, state: .playing, drift: .microseconds(sound.drift)))
        }
    }

    /// Reports the picture's size to the page, which lays out its text around the picture.
    func reportPictureSize() {
        guard let size = pictures.current?.header.size ?? lastPicture?.picture.size, size != reportedPicture else {
            return
        }
        reportedPicture = size
        report(.picture(size))
    }

    /// The picture is on the terminal.
    func pictureShown(_ identity: PictureIdentity, now: Duration) {
        shown.add(identity)
        reportFirstFrame(now: now)
    }

    func reportFirstFrame(now: Duration) {
        guard let (picture, claim) = shown.fulfilClaim(life: decoder.number) else { return }
        note(.started(pts: .microseconds(picture.pts), sincePage: now - claim.at, how: claim.how))
        report(.firstFrame)
    }
}
