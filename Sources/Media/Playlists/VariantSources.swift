import Wire

/// The variants of a master playlist, their loaded playlists, and the choice between them. On the session's thread.
final class VariantSources {
    private let master: MasterPlaylist
    private let client: ByteClient
    private let playlists: any PlaylistFinder
    private var choice: VariantChoice
    private var loaded: [Int: PlaylistSource] = [:]
    private var sounds: [String: PlaylistSource] = [:]
    /// Sound playlists that could not be loaded, and when to try them again.
    private var missingSounds: [String: Microseconds] = [:]
    private var chosen: VariantChoice.Decision?
    /// A place in `soundTracks`; nil: each variant's usual sound.
    var wantedSound: Int?

    init(
        _ master: MasterPlaylist, of playlists: any PlaylistFinder, client: ByteClient, surface: SurfaceRequest?,
        link: Int64, maxBits: Int64, wishes: TrackWishes
    ) {
        self.master = master
        self.client = client
        self.playlists = playlists
        choice = VariantChoice(master.variants, usable: master.places.map { $0.url != nil })
        choice.maxBits = maxBits
        choice.wish = wishes.variant
        wantedSound = wishes.sound(among: master.soundTracks)
        adapt(surface: surface, link: link)
    }

    func adapt(surface: SurfaceRequest?, link: Int64) {
        choice.surface = surface
        choice.link = link
    }

    /// What the user wants read.
    var wish: VariantWish {
        get { choice.wish }
        set { choice.wish = newValue }
    }

    func noteSeek() { choice.noteSeek() }

    /// The variants as reported to flick.
    var offered: [MediaInfo.Variant] {
        var variants = master.variants
        for index in variants.indices { variants[index].isPlayable = choice.canPlay(index) }
        if let chosen {
            variants[chosen.index].isChosen = true
            variants[chosen.index].why = chosen.why
        }
        return variants
    }

    /// The sounds as reported to flick, once there is a source to play beside them.
    func soundTracks(beside source: PlaylistSource) -> [MediaInfo.Track] {
        var tracks = master.soundTracks
        if let chosen = source.variant.flatMap(track) { tracks[chosen].isChosen = true }
        return tracks
    }

    var textTracks: [MediaInfo.Track] { master.textTracks }
    /// By a place in `textTracks`.
    var textURLs: [String] { master.textURLs }

    /// The sound of a variant; nil if it is not one of the selectable tracks.
    private func track(of variant: Int) -> Int? {
        let place = master.places[variant]
        if let wantedSound, place.sounds[wantedSound] != nil { return wantedSound }
        return place.sounds.keys.sorted().first { place.sounds[$0] == .some(place.soundURL) }
    }

    /// The URL of a variant's sound; nil if it is in the variant's own segments.
    private func soundURL(of variant: Int) -> String? {
        let place = master.places[variant]
        guard let wantedSound, let wanted = place.sounds[wantedSound] else { return place.soundURL }
        return wanted
    }

    /// The bits per second that the server states for the variant of `source`; 0 without a variant.
    func bits(of source: PlaylistSource) -> Int64 { source.variant.map { master.variants[$0].bandwidth } ?? 0 }

    /// The playlist to begin with. Blocks.
    ///
    /// - Parameter fallsBack: whether to try the next best if one cannot be loaded.
    func start(isCold: Bool, fallsBack: Bool = true) throws(MediaError) -> PlaylistSource {
        while true {
            let decision = choice.start(isCold: isCold)
            // Announce the sound's playlist at the same time.
            if let sound = soundURL(of: decision.index) { playlists.expect(sound) }
            do throws(MediaError) {
                let source = try load(decision.index)
                chosen = decision
                client.report(.variant(index: UInt32(decision.index), why: decision.why))
                return source
            } catch {
                guard fallsBack, !client.isInterrupted, choice.exclude(decision.index, now: MonotonicTime.now()) else {
                    throw error
                }
            }
        }
    }

    /// The playlist to continue with where a segment of `source` ends; nil for the same one. Blocks. `buffered` is how
    /// much of the clip is buffered, of at most `limit`, and `played` how much was played since it came into view.
    func next(
        after source: PlaylistSource, buffered: Microseconds, of limit: Microseconds, played: Microseconds,
        isWatched: Bool
    ) -> PlaylistSource? {
        let now = MonotonicTime.now()
        // A switch that was decided before may have been forgotten.
        if let before = source.variant { choice.goBack(to: before) }
        guard let before = source.variant,
            let decision = choice.next(
                buffered: buffered, of: limit, played: played, isWatched: isWatched, now: now)
        else { return nil }
        do throws(MediaError) {
            let next = try load(decision.index)
            client.report(.variant(index: UInt32(decision.index), why: decision.why))
            return next
        } catch {
            // Continue with the old one, and do not try the other again soon, unless the load was only interrupted.
            if !client.isInterrupted { _ = choice.exclude(decision.index, now: now) }
            choice.goBack(to: before)
            return nil
        }
    }

    /// The playlist to continue with instead of `source`, which cannot be read; nil if there is no other. Blocks.
    func replacement(for source: PlaylistSource) -> PlaylistSource? {
        guard let before = source.variant else { return nil }
        choice.goBack(to: before)
        while let decision = choice.replaceCurrent(now: MonotonicTime.now()) {
            do throws(MediaError) {
                let next = try load(decision.index)
                chosen = decision
                client.report(.variant(index: UInt32(decision.index), why: decision.why))
                return next
            } catch {
                if client.isInterrupted { break }
            }
        }
        choice.goBack(to: before)
        return nil
    }

    /// The sound playlist of a variant, or that of another variant with the same sound if
    /// it cannot be read; nil if the sound is in the variant's own segments. A playlist
    /// that could not be read fails at once for a while before it is retried. Blocks.
    func sound(beside source: PlaylistSource) throws(MediaError) -> PlaylistSource? {
        guard let variant = source.variant, let url = soundURL(of: variant) else { return nil }
        do throws(MediaError) { return try sound(at: url, beside: source) } catch {
            for other in otherSoundURLs(of: variant, than: url) where !client.isInterrupted {
                do throws(MediaError) { return try sound(at: other, beside: source) } catch { continue }
            }
            throw error
        }
    }

    /// The sound playlist to continue with instead of `sound`, which cannot be read; nil if there is no other. Blocks.
    func replacement(forSound sound: PlaylistSource, beside source: PlaylistSource) -> PlaylistSource? {
        missingSounds[sound.url] = MonotonicTime.now() + client.retryInterval
        // `try?`: that there is no other is the answer.
        return try? self.sound(beside: source)
    }

    /// Where other variants have the same sound.
    private func otherSoundURLs(of variant: Int, than url: String) -> [String] {
        guard let track = track(of: variant) else { return [] }
        var urls: [String] = []
        for place in master.places {
            if let other = place.sounds[track] ?? nil, other != url, !urls.contains(other) { urls.append(other) }
        }
        return urls
    }

    private func sound(at url: String, beside source: PlaylistSource) throws(MediaError) -> PlaylistSource {
        if let time = missingSounds[url], MonotonicTime.now() < time {
            throw MediaError(.unreadable, "the audio could not be read")
        }
        if let known = sounds[url] { return known }
        let playlist: MediaPlaylist
        do throws(MediaError) { playlist = try playlists.playlist(at: url) } catch {
            if !client.isInterrupted { missingSounds[url] = MonotonicTime.now() + client.retryInterval }
            throw error
        }
        let made = PlaylistSource(playlist, url: url)
        made.align(with: source)
        sounds[url] = made
        return made
    }

    private func load(_ index: Int) throws(MediaError) -> PlaylistSource {
        // A live playlist has changed in the meantime.
        if let known = loaded[index], !known.isLive { return known }
        guard let url = master.places[index].url else {
            throw MediaError(.notMedia, "its playlist has an invalid byte range")
        }
        let made = PlaylistSource(try playlists.playlist(at: url), url: url, variant: index)
        loaded[index] = made
        return made
    }
}
