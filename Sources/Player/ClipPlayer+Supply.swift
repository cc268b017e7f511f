import Model
import Wire

/// What a clip that comes over a network has to play from.
extension ClipPlayer {
    /// Whether it is a list of segments, as libav names them.
    var isPlaylist: Bool { info.map { ["hls", "dash"].contains($0.container) } ?? false }

    /// A stream that has no end yet.
    var isLive: Bool { supply.isRemote && info.map { $0.duration <= 0 && !$0.isStill } == true }

    /// Sends the network's throughput to the decoder, if it has changed enough.
    func sendThroughput(_ bitsPerSecond: Int64?) {
        guard supply.isRemote, let bits = supply.throughputToSend(bitsPerSecond) else { return }
        decoder.handle?.send(.link(bitsPerSecond: bits))
    }

    /// Looks up what of the clip is cached, and reports changes.
    func lookUpCache(now: Duration) {
        guard let network = resources.network, supply.looksUpCache(now: now) else { return }
        let cached = network.available(of: asset, duration: duration)
        if supply.note(cached: cached) { report(.cached(cached)) }
        let offline = network.offline(asset)
        if supply.note(offline: offline) { report(.offline(offline)) }
        let title = network.title(of: asset)
        if supply.note(title: title) { report(.title(title)) }
    }

    /// The clip is downloaded whole from now on, or no longer. `.offline` reports progress, even while it is paused.
    func noteOffline(_ isKept: Bool) { _ = supply.note(offline: isKept ? .fetching(nil) : .no) }

    /// Whether it should play, but waits for data.
    var standsStill: Bool {
        playback.isWanted && !playback.hasEnded && !clock.isRunning && !seeks.isScrubbing
            && (phase == .opening || phase == .ready)
    }

    /// Reports what the clip waits for, and how far that is.
    func lookUpWait(now: Duration) {
        guard standsStill else { return endWait() }
        guard supply.looksUpWait(now: now), supply.note(wait(now: now), now: now) else { return }
        report(.waits(supply.wait))
    }

    func endWait() { if supply.endWait() { report(.waits(nil)) } }

    private func wait(now: Duration) -> ClipWait {
        guard supply.isRemote else {
            let name = FileURL.path(of: asset.url)?.split(separator: UInt8(ascii: "/")).last ?? []
            return ClipWait(place: String(decoding: name, as: UTF8.self), isRemote: false)
        }
        // Before it is open, what the network carries may all be for other clips.
        let isOpen = phase == .ready
        return ClipWait(
            place: RemoteURL(asset.url)?.origin.host ?? "the server", isRemote: true,
            share: isOpen ? supply.buffering.share(ahead(now: now)) : nil,
            speed: isOpen ? resources.network?.throughput.map { $0 / 8 } : nil,
            trouble: resources.network?.delay(of: asset))
    }

    /// What there is to play from here on.
    func ahead(now: Duration) -> Buffering.Supply {
        supply.ahead(
            of: mediaPosition(at: now), duration: info?.duration, hasReceivedAll: seeks.hasReceivedAll,
            // With a live stream, a decoder that requests nothing may just wait for the next reload of the playlist.
            patience: isLive ? .seconds(3) : .milliseconds(200), speed: settings.speed, now: now)
    }
}
