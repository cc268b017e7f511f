import Model

/// Keeping a clip offline.
extension State {
    /// Keeps the current clip offline, or lets it go.
    mutating func keepOffline(now: Duration) -> [Effect] {
        guard let item = content?.item else { return [] }
        guard RemoteURL(item.url) != nil else {
            toasts.show("Already on this machine", about: .clip, now: now)
            return []
        }
        // It is many files, in several qualities; what was watched of it is in the cache.
        guard !["hls", "dash"].contains(clip.facts?.container) else {
            toasts.show("Streams cannot be downloaded", about: .clip, now: now)
            return []
        }
        let isKept = !clip.isKeptOffline
        clip.offline = isKept ? .fetching(nil) : .no
        if !isKept { toasts.show("Download removed", about: .clip, now: now) }
        if isKept, options.isPlain { toasts.show("Downloading", about: .clip, now: now) }
        return [.keepOffline(item.id, isKept)]
    }

    /// The player of the clip in view reports its progress.
    mutating func reportDownload(_ state: OfflineState, now: Duration) {
        let before = clip.offline
        switch (before, state) {
        case (.fetching, .whole): toasts.show("Downloaded", about: .clip, now: now)
        case (_, .failed(let why)) where before != state:
            toasts.show("Couldn't download: \(CleanText.line(why, limit: 200))", as: .failure, about: .clip, now: now)
        default: break
        }
    }

    /// What the top row says of it; nil if there is nothing to say.
    var offlineBadge: String? {
        switch clip.offline {
        case .no, .failed: nil
        case .fetching(nil): "downloading ..."
        case .fetching(let part?): "downloading \(Int((min(max(part, 0), 1) * 100).rounded(.down))) %"
        case .whole: "downloaded"
        }
    }
}

extension Clip {
    /// Whether it is kept offline, whole or on the way there.
    var isKeptOffline: Bool {
        switch offline {
        case .fetching, .whole: true
        case .no, .failed: false
        }
    }
}
