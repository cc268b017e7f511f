import Model
import Wire

/// What a clip has to play from: how far the decoder has read, what is
/// cached, and what the clip waits for. The caller passes the time.
struct ByteSupply {
    /// Whether the clip comes over a network. For a file on this machine nothing here holds the clock up.
    let isRemote: Bool
    var buffering = Buffering()
    /// The clock could run but for bytes that are still to come. The trace has
    /// no event for it before the clock has run once.
    var isWaiting = false
    /// Up to where the decoder has read the clip.
    var bufferedUntil: Microseconds = 0
    /// The clip failed because bytes could not be read.
    var lacksBytes = false
    /// They may come later: the network or the server was not there.
    var mayComeLater = false
    /// The parts of the clip that are cached, as fractions of it.
    private(set) var cached: [ClosedRange<Double>] = []
    private var offline = OfflineState.no
    /// What its radio plays.
    private var title: String?
    /// What the clip waits for, as last reported to the page.
    private(set) var wait: ClipWait?

    /// When the decoder last requested bytes or waited for them, and the number of its requests.
    private var lastRequest: (at: Duration, count: Int) = (.zero, 0)
    private var lookedUpCacheAt: Duration?
    /// When the state of the wait is looked up next; nil while the clip does not wait.
    private var looksUpWaitAt: Duration?
    /// The share of the needed data that had arrived at the last look, and when it last changed.
    private var change: (at: Duration, share: Double)?
    /// The throughput last sent to the decoder, in bits per second.
    private var sentThroughput: Int64 = 0

    /// How long a wait lasts before the page is informed, and the interval of its progress reports.
    private static let firstWord: Duration = .milliseconds(250)
    /// When nothing has arrived for this long, the throughput counts as zero, whatever was measured before.
    private static let dry: Duration = .seconds(2)

    init(isRemote: Bool) { self.isRemote = isRemote }

    /// A new decoder opens the clip at `start`.
    mutating func restart(at start: Microseconds, now: Duration) {
        bufferedUntil = start
        (lacksBytes, mayComeLater) = (false, false)
        lastRequest = (now, 0)
        sentThroughput = 0
    }

    /// The throughput to send to the decoder: nil unless it has changed by a tenth since it was last sent.
    mutating func throughputToSend(_ bitsPerSecond: Int64?) -> Int64? {
        let bits = max(bitsPerSecond ?? 0, 0)
        let change = abs(Double(bits) - Double(sentThroughput))
        guard bits != sentThroughput, change >= Double(sentThroughput) / 10 else { return nil }
        sentThroughput = bits
        return bits
    }

    /// Notes whether the decoder waits for bytes, and the number of its requests.
    mutating func note(isServed: Bool, requests: Int, now: Duration) {
        if isServed || requests != lastRequest.count { lastRequest = (now, requests) }
    }

    private static let lookUpInterval = Duration.milliseconds(250)

    /// Whether it is time to look up the cached ranges.
    mutating func looksUpCache(now: Duration) -> Bool {
        guard isRemote, lookedUpCacheAt.map({ now - $0 >= Self.lookUpInterval }) ?? true else { return false }
        lookedUpCacheAt = now
        return true
    }

    /// Notes the cached ranges; true if they have changed.
    mutating func note(cached ranges: [ClosedRange<Double>]) -> Bool {
        defer { cached = ranges }
        return cached != ranges
    }

    /// Whether it is being downloaded whole.
    var isFetchedWhole: Bool { if case .fetching = offline { true } else { false } }

    /// When the cached ranges are to be looked up next; nil if only playing requires that.
    func nextLookUp(after now: Duration) -> Duration? {
        guard isRemote, isFetchedWhole else { return nil }
        return max(now, (lookedUpCacheAt ?? now) + Self.lookUpInterval)
    }

    /// Notes the clip's offline state; true if that has changed.
    mutating func note(offline state: OfflineState) -> Bool {
        defer { offline = state }
        return offline != state
    }

    /// Notes what its radio plays; true if that has changed.
    mutating func note(title: String?) -> Bool {
        defer { self.title = title }
        return title != self.title
    }

    /// The clip does not wait, or no longer does; returns true if the page has to be informed.
    mutating func endWait() -> Bool {
        defer { wait = nil }
        looksUpWaitAt = nil
        change = nil
        return wait != nil
    }

    /// The clip waits to play. Whether it is time to look up for what: once it
    /// has waited for a moment, then four times a second.
    mutating func looksUpWait(now: Duration) -> Bool {
        guard let due = looksUpWaitAt else {
            looksUpWaitAt = now + Self.firstWord
            return false
        }
        guard now >= due else { return false }
        looksUpWaitAt = now + Self.firstWord
        return true
    }

    /// Notes what the clip waits for; returns true if the page has to be informed.
    mutating func note(_ wait: ClipWait, now: Duration) -> Bool {
        var wait = wait
        if let share = wait.share {
            // Less than before: something else is needed now, as after a seek.
            if share != change?.share { change = (now, share) }
            if let change, now - change.at >= Self.dry { wait.speed = 0 }
        }
        defer { self.wait = wait }
        return wait != self.wait
    }

    /// What there is to play from `position` on.
    ///
    /// - Parameter duration: the clip's; nil or not positive if unknown.
    /// - Parameter patience: a decoder that has requested nothing for this long has buffered all that it can.
    func ahead(
        of position: Microseconds, duration: Microseconds?, hasReceivedAll: Bool, patience: Duration, speed: Double,
        now: Duration
    ) -> Buffering.Supply {
        var until = max(bufferedUntil, position)
        var isAll = hasReceivedAll
        if let duration, duration > 0, duration < WireLimit.time {
            let (here, there) = (Double(position) / Double(duration), Double(until) / Double(duration))
            // What the decoder has not read yet may be cached all the same.
            for range in cached where range.lowerBound <= here && range.upperBound > there {
                until = Microseconds(min(range.upperBound, 1) * Double(duration))
            }
            isAll = isAll || until >= duration - 100_000
        }
        return Buffering.Supply(
            now: now, ahead: .microseconds(until - position), isAll: isAll, isFilling: now - lastRequest.at < patience,
            pace: speed)
    }
}

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
