import Wire

/// The variants of a master playlist, their playlists as far as they have been loaded, and the choice between them.
final class VariantSources {
    private let master: MasterPlaylist
    private let client: ByteClient
    private let playlists: any PlaylistFinder
    private var choice: VariantChoice
    private var loaded: [Int: PlaylistSource] = [:]
    private var sounds: [String: PlaylistSource] = [:]
    /// Sounds that could not be had, and when they are asked for again.
    private var missingSounds: [String: Microseconds] = [:]
    private static let soundRetryInterval: Microseconds = 10_000_000
    private var chosen: VariantChoice.Decision?

    init(
        _ master: MasterPlaylist, of playlists: any PlaylistFinder, client: ByteClient, surface: SurfaceRequest?,
        link: Int64
    ) {
        self.master = master
        self.client = client
        self.playlists = playlists
        choice = VariantChoice(master.variants, usable: master.places.map { $0.url != nil })
        adapt(surface: surface, link: link)
    }

    func adapt(surface: SurfaceRequest?, link: Int64) {
        choice.surface = surface
        choice.link = link
    }

    /// What is reported to flick.
    var offered: [MediaInfo.Variant] {
        var variants = master.variants
        if let chosen {
            variants[chosen.index].isChosen = true
            variants[chosen.index].why = chosen.why
        }
        return variants
    }

    /// The playlist to begin with; where one cannot be had, the next best. Blocks.
    func start(isCold: Bool) throws(MediaError) -> PlaylistSource {
        while true {
            let decision = choice.start(isCold: isCold)
            // The sound's is asked for at once with it.
            if let sound = master.places[decision.index].soundURL { playlists.expect(sound) }
            do throws(MediaError) {
                let source = try load(decision.index)
                chosen = decision
                client.report(.variant(index: UInt32(decision.index), why: decision.why))
                return source
            } catch {
                guard !client.isInterrupted, choice.refuse(decision.index) else { throw error }
            }
        }
    }

    /// What to go on with where a segment of `source` ends, if it is another. Blocks.
    func next(after source: PlaylistSource, buffered: Microseconds, isWatched: Bool) -> PlaylistSource? {
        let now = MonotonicTime.now()
        guard let before = source.variant,
            let decision = choice.next(buffered: buffered, isWatched: isWatched, now: now)
        else { return nil }
        do throws(MediaError) {
            let next = try load(decision.index)
            client.report(.variant(index: UInt32(decision.index), why: decision.why))
            return next
        } catch {
            // It goes on with what it has; the other is not asked for again, unless this was only broken off.
            if !client.isInterrupted { _ = choice.refuse(decision.index) }
            choice.goBack(to: before)
            return nil
        }
    }

    /// The playlist of the sound that belongs to a variant's; nil if that is in its own segments. Blocks; one that could not be had is asked for again
    /// after a rest, and until then refused at once.
    func sound(beside source: PlaylistSource) throws(MediaError) -> PlaylistSource? {
        guard let variant = source.variant, let url = master.places[variant].soundURL else { return nil }
        if let known = sounds[url] { return known }
        if let time = missingSounds[url], MonotonicTime.now() < time {
            throw MediaError(.unreadable, "the playlist of its sound could not be had")
        }
        let playlist: MediaPlaylist
        do throws(MediaError) { playlist = try playlists.playlist(at: url) } catch {
            if !client.isInterrupted { missingSounds[url] = MonotonicTime.now() + VariantSources.soundRetryInterval }
            throw error
        }
        let made = PlaylistSource(playlist, url: url)
        made.align(with: source)
        sounds[url] = made
        return made
    }

    private func load(_ index: Int) throws(MediaError) -> PlaylistSource {
        // One that goes on has gone on meanwhile.
        if let known = loaded[index], !known.isLive { return known }
        guard let url = master.places[index].url else {
            throw MediaError(.notMedia, "its playlist names a place that cannot be")
        }
        let made = PlaylistSource(try playlists.playlist(at: url), url: url, variant: index)
        loaded[index] = made
        return made
    }
}
