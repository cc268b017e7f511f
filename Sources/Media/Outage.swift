import Wire

/// Missing bytes while buffered media is left to play. A value.
struct Outage {
    /// Why reading failed; nil if it did not.
    private(set) var error: MediaError?
    /// The DTS of each stream's last packet before it: packets up to there
    /// that are read again are dropped. nil once the stream is past it.
    private var last: (video: Microseconds?, audio: Microseconds?) = (nil, nil)
    private var pause = Outage.firstPause

    private static let firstPause: Microseconds = 1_000_000
    private static let longestPause: Microseconds = 30_000_000

    /// Reading has failed; returns how long to wait before it is tried again: less if little is left to play.
    mutating func begin(
        _ error: MediaError, last: (video: Microseconds?, audio: Microseconds?), ahead: Microseconds
    ) -> Microseconds {
        self.error = error
        self.last = last
        defer { pause = min(pause * 2, Outage.longestPause) }
        return min(pause, max(Outage.firstPause, ahead / 2))
    }

    /// Nothing is left to play from, and this is the last attempt.
    private(set) var isLast = false

    /// Reading is tried again.
    mutating func retry(isLast: Bool) {
        error = nil
        self.isLast = isLast
    }

    /// Whether a packet came before already.
    ///
    /// - Parameter time: its DTS. Without one it is as new as the packet before it: a PES packet of a transport stream
    ///   has one stamp for several frames of sound.
    mutating func has(_ time: Microseconds?, isVideo: Bool) -> Bool {
        guard let last = isVideo ? last.video : last.audio else { return false }
        guard let time, time > last else { return true }
        if isVideo { self.last.video = nil } else { self.last.audio = nil }
        (isLast, pause) = (false, Outage.firstPause)
        return false
    }
}

/// Everything that was read is played to its end before a failed read is reported; meanwhile reading is retried.
extension ClipDecoder {
    /// Whether anything buffered is left to play, here or at flick.
    var hasStock: Bool {
        guard !isSearching, hasShown || video == nil else { return false }
        if video != nil, output.sentCount > 1 { return true }
        let hasSound = audio.map { wantsSound && $0.queuedCount > 0 } ?? false || !sound.isEmpty
        guard let video, !videoIsThrough, !isSparse else { return hasSound }
        return video.queuedCount > 0 || output.hasWaiting
    }

    /// Keeps the error for later if there is something to play until then.
    func beginOutage(_ error: MediaError) throws(MediaError) {
        guard error.code == .unreadable, hasDecoded, !isSearching, hasShown || video == nil else { throw error }
        bear(error)
    }

    /// Reads on if it is time to, and one last time when nothing is left to play; false if nothing can be
    /// done. After that, pictures and sound that the decoders hold back are played as at the clip's end.
    func bearOutage() -> Bool {
        let isLast = !hasStock
        // Reads of a file are tried again one by one, in `ByteClient`.
        let mayRetry = info.isSeekable && demuxer is PlaylistDemuxer
        if isLast, outage.isLast || !mayRetry {
            video?.pushEnd()
            audio?.pushEnd()
            isRead = true
            return true
        }
        guard mayRetry, isLast || wakeTime.map({ MonotonicTime.now() >= $0 }) ?? false else { return false }
        wakeTime = nil
        outage.retry(isLast: isLast)
        guard demuxer.seek(to: video?.lastStamp ?? audio?.lastStamp ?? 0) else {
            // A newer order waits, or reading cannot be resumed.
            bear(MediaError(.unreadable, demuxer.client.lastError))
            return true
        }
        do throws(MediaError) { try readPacket() } catch { bear(error) }
        return true
    }

    private func bear(_ error: MediaError) {
        let last = (video?.lastStamp, audio?.lastStamp)
        wakeTime = MonotonicTime.now() + outage.begin(error, last: last, ahead: timeAhead)
    }
}
