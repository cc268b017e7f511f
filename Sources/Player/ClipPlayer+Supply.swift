import Model
import Wire

/// What a clip that comes over a network has to play from.
extension ClipPlayer {
    /// A decoder that has asked for nothing for so long has all that it can hold. With a live stream it may just wait for the next look at the playlist.
    private var contentment: Duration { isLive ? .seconds(3) : .milliseconds(200) }

    /// Whether it is a list of segments, as libav names them.
    var isPlaylist: Bool { info.map { ["hls", "dash"].contains($0.container) } ?? false }

    /// A stream that has no end yet.
    var isLive: Bool { isRemote && info.map { $0.duration <= 0 && !$0.isStill } == true }

    /// Tells the decoder what the network carries, if that has changed by a tenth.
    func tellLink(_ bitsPerSecond: Int64?) {
        let bits = max(bitsPerSecond ?? 0, 0)
        guard bits != toldLink, abs(Double(bits) - Double(toldLink)) >= Double(toldLink) / 10 else { return }
        toldLink = bits
        worker?.send(.link(bitsPerSecond: bits))
    }

    /// Asks, four times a second at most, what of the clip needs no network any more.
    func lookAtHeld(now: Duration) {
        guard isRemote, heldSeenAt.map({ now - $0 >= .milliseconds(250) }) ?? true else { return }
        heldSeenAt = now
        let held = pool.held(of: item, duration: duration)
        guard held != self.held else { return }
        self.held = held
        report(.cached(held))
    }

    /// After so long a page is told that it waits for the server, even if nothing has failed so far.
    private static let longWait: Duration = .seconds(4)

    /// Tells the page what it waits for, once that is known or takes long.
    func lookAtDelay(now: Duration) {
        let waits = isRemote && wantsToPlay && !hasEnded && !clock.isRunning && (phase == .opening || phase == .ready)
        waitsSince = waits ? waitsSince ?? now : nil
        let delay = waitsSince.flatMap { since in
            pool.delay(of: item) ?? (now - since >= Self.longWait ? "waiting for the server" : nil)
        }
        guard delay != self.delay else { return }
        self.delay = delay
        report(.delayed(delay))
    }

    func supply(now: Duration) -> Buffering.Supply {
        let position = mediaPosition(at: now)
        var until = max(bufferedUntil, position)
        var isAll = endedSerial == serial
        if let end = info?.duration, end > 0, end < 1 << 52 {
            let (here, there) = (Double(position) / Double(end), Double(until) / Double(end))
            // What the decoder has not read yet may be at hand all the same.
            for range in held where range.lowerBound <= here && range.upperBound > there {
                until = Microseconds(min(range.upperBound, 1) * Double(end))
            }
            isAll = isAll || until >= end - 100_000
        }
        return Buffering.Supply(
            now: now, ahead: .microseconds(until - position), isAll: isAll,
            isFilling: now - lastRequest.at < contentment, pace: pool.speed)
    }
}
