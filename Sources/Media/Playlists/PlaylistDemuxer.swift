internal import CFFmpeg
import Wire

/// Plays an HLS playlist (RFC 8216), or a manifest that was turned into playlists, as one clip: the segments of the
/// best variant, with its separate sound if there is one.
final class PlaylistDemuxer: Demuxer {
    /// How far to read ahead while the clip is not visible; in view, `ReadAheadGrowth` decides.
    private static let warm = ReadAheadLimit(time: 2_000_000, bytes: 8 << 20, packets: 8_000)

    let client: ByteClient
    let video: StreamFormat?
    let audio: StreamFormat?
    private(set) var info = MediaInfo(container: "hls", duration: -1, isSeekable: false, streams: [])
    let pictureDuration: Microseconds
    let orientation: Orientation
    let soundEnd: Microseconds? = nil

    private let failsOnGaps: Bool
    private let main: Rendition
    private var sound: Rendition?
    /// The sound to switch to once its playlist has been loaded, and where.
    private var wantedSound: (track: Int, place: Microseconds)?
    /// The text that is read; nil without one.
    private var text: TextRendition?
    private var ended = (main: false, sound: false)
    /// When to look for sound again that could not be read, in `MonotonicTime`; nil if it can.
    private var soundRetryTime: Microseconds?
    /// How long the pictures wait for sound whose segments are not there yet.
    private static let longestSoundWait: Microseconds = 5_000_000
    /// Whether the missing sound was reported to the decoder.
    private var hasReportedSilence = false
    /// Sound may end this much before the pictures.
    private static let shortestSilence: Microseconds = 500_000
    private var timeline = Timeline()
    private let variants: VariantSources?
    /// The name of the kind in `info`.
    private let kind: String

    /// Reads the playlist in `source`, and opens the segment at `start`. Blocks.
    ///
    /// - Parameters:
    ///   - maxBits: the most bits a second of the variant that it begins with, if a surface waits.
    ///   - failsOnGaps: whether missing segments, and missing sound, are an error; else they are left out.
    init(
        _ source: ResourceReader, url: String, client: ByteClient, surface: SurfaceRequest?, link: Int64,
        maxBits: Int64, start: Microseconds, wishes: TrackWishes, failsOnGaps: Bool = false
    ) throws(MediaError) {
        (self.client, self.failsOnGaps) = (client, failsOnGaps)
        let bytes = try source.whole(limit: PlaylistText.maxBytes, what: "its playlist")
        let first: PlaylistSource
        let listed: (MasterPlaylist, any PlaylistFinder)?
        if DashManifest.root(of: bytes[...]) == .manifest {
            kind = "dash"
            let playlists = DashPlaylists(try DashManifest(bytes, base: source.url), url: url, client: client)
            listed = (playlists.master, playlists)
        } else {
            kind = "hls"
            listed = MasterPlaylist(bytes, base: source.url).map { ($0, ServedPlaylists(client: client)) }
        }
        if let (master, playlists) = listed {
            let sources = VariantSources(
                master, of: playlists, client: client, surface: surface, link: link, maxBits: maxBits,
                wishes: wishes)
            variants = sources
            first = try sources.start(isCold: surface != nil, fallsBack: !failsOnGaps)
        } else {
            variants = nil
            first = PlaylistSource(try MediaPlaylist(bytes, base: source.url), url: url)
        }
        if failsOnGaps, !first.playlist.isFinished { throw MediaError(.other, "it is a live stream") }
        if first.isLive { first.beginLive() }
        let begin = first.isLive ? 0 : start
        var beside: PlaylistSource?
        // Without its sound a clip still has its pictures.
        do throws(MediaError) { beside = try variants?.sound(beside: first) } catch {
            if client.isInterrupted || failsOnGaps { throw error }
        }
        main = Rendition(
            first, at: begin, client: client, wants: (video: true, audio: beside == nil), failsOnGaps: failsOnGaps)
        if let variants { main.findReplacement = { [unowned variants] in variants.replacement(for: $0) } }
        try main.begin()
        if let beside, let variants {
            let next = Rendition(
                beside, at: begin, client: client, wants: (video: false, audio: true), failsOnGaps: failsOnGaps)
            PlaylistDemuxer.follow(next, beside: main, of: variants)
            do throws(MediaError) {
                try next.begin(within: PlaylistDemuxer.longestSoundWait)
                sound = next
            } catch {
                if client.isInterrupted || failsOnGaps { throw error }
                // Its segments may have sound too.
                main.readSound(true)
                try main.begin()
            }
        }
        // `begin` has set both.
        let run = main.run!
        video = run.formats.video
        audio = sound?.run?.formats.audio ?? run.formats.audio
        pictureDuration = run.container.pictureDuration
        orientation = run.container.orientation
        info = describe(run, main.source)
        shareStock(with: main)
        if let sound { shareStock(with: sound) }
        guard let variants else { return }
        info.textTracks = variants.textTracks
        chooseText(wishes.text)
        main.findSwitch = { [unowned self, unowned variants] in
            let next = variants.next(
                after: main.source, buffered: packetUse().ahead, of: limit.time, played: growth.played,
                isWatched: isWatched)
            if next != nil { rate = ReadRate() }
            return next
        }
    }

    /// Lets a rendition retry a missing segment while there is something to play.
    private func shareStock(with rendition: Rendition) {
        rendition.stock = { [unowned self] in packetUse().stock }
    }

    /// The sound changes its playlist where the pictures do, or when it cannot be read.
    private static func follow(_ sound: Rendition, beside main: Rendition, of variants: VariantSources) {
        sound.findSwitch = { [unowned main, unowned sound, unowned variants] in
            // `try?`: a missing sound playlist is no error here; the sound continues with its old playlist.
            let beside = try? variants.sound(beside: main.source)
            return beside.flatMap { $0 === sound.source ? nil : $0 }
        }
        sound.findReplacement = { [unowned main, unowned variants] in
            variants.replacement(forSound: $0, beside: main.source)
        }
    }

    func chooseSound(_ track: Int, from place: Microseconds) throws(MediaError) {
        guard variants != nil, info.soundTracks.indices.contains(track) else { return }
        wantedSound = (track, place)
    }

    /// Goes over to the sound that was chosen, once its playlist is there; false if a newer order interrupts that.
    /// Without the playlist the current sound continues. Blocks.
    private func goOverToSound() -> Bool {
        guard let variants, let wanted = wantedSound else { return true }
        let before = variants.wantedSound
        variants.wantedSound = wanted.track
        let beside: PlaylistSource?
        do throws(MediaError) { beside = try variants.sound(beside: main.source) } catch {
            variants.wantedSound = before
            guard !client.isInterrupted else { return false }
            wantedSound = nil
            return true
        }
        wantedSound = nil
        // Without seeking, pictures cannot be read again.
        guard info.isSeekable || (beside == nil) == (sound == nil) else {
            variants.wantedSound = before
            return true
        }
        main.readSound(beside == nil)
        guard beside !== sound?.source else { return true }
        sound = beside.map { source in
            let next = Rendition(source, at: wanted.place, client: client, wants: (video: false, audio: true))
            next.wantsAudio = wantsAudio
            shareStock(with: next)
            PlaylistDemuxer.follow(next, beside: main, of: variants)
            return next
        }
        (ended.sound, soundRetryTime) = (false, nil)
        return true
    }

    func chooseText(_ track: Int?) {
        guard let track, let urls = variants?.textURLs, urls.indices.contains(track) else { return text = nil }
        text = TextRendition(url: urls[track], client: client)
        text?.seek(to: main.position)
    }

    /// Segments have no tags.
    var taggedLoudness: Double? { nil }

    private func describe(_ run: SegmentRun, _ source: PlaylistSource) -> MediaInfo {
        let isFinished = source.playlist.isFinished
        var info = run.container.info(
            duration: isFinished ? source.playlist.duration : -1, isSeekable: isFinished || source.playlist.isEvent)
        info.container = kind
        if let beside = sound?.run?.container.info(duration: -1, isSeekable: false) {
            for index in info.streams.indices where info.streams[index].kind == .audio {
                info.streams[index].isChosen = false
            }
            for var stream in beside.streams where info.streams.count < WireLimit.streams {
                stream.index += UInt32(run.container.format.pointee.nb_streams)
                info.streams.append(stream)
            }
        }
        info.variants = variants?.offered ?? []
        info.soundTracks = variants?.soundTracks(beside: source) ?? []
        return info
    }

    // MARK: Conditions

    var packetUse: () -> PacketUse = { PacketUse() }
    private var isWatched = false
    private var limit = PlaylistDemuxer.warm
    private var growth = ReadAheadGrowth()
    private var rate = ReadRate()
    /// The network's recently measured speed in bits a second; 0 while unknown.
    private var link: Int64 = 0

    func readAheadLimit(isWatched: Bool) -> ReadAheadLimit {
        self.isWatched = isWatched
        limit = PlaylistDemuxer.warm
        let use = packetUse()
        growth.note(isWatched: isWatched, taken: use.taken)
        guard isWatched else {
            announce(within: 0)
            return limit
        }
        // The server's figure may be too low, and the part read so far may have needed less than what follows.
        let bits = Double(max(variants?.bits(of: main.source) ?? 0, rate.bits)) * use.pace
        // Unread segments of a live stream leave its playlist.
        let speed = main.source.isLive ? 0 : link
        limit.time = growth.time(link: speed, bits: Int64(min(bits, 1e15)), segment: main.segmentDuration)
        announce(within: max(0, limit.time - use.ahead))
        return limit
    }

    /// Announces the segments that begin within `horizon` after what has been read.
    private func announce(within horizon: Microseconds) {
        main.horizon = horizon
        sound?.horizon = horizon
    }

    func adapt(surface: SurfaceRequest?, link: Int64) {
        self.link = link
        variants?.adapt(surface: surface, link: link)
    }

    func chooseVariant(_ wish: VariantWish) {
        guard let variants, variants.wish != wish else { return }
        variants.wish = wish
        main.lookAgain()
    }

    var wantsAudio = true {
        didSet {
            guard wantsAudio != oldValue else { return }
            main.wantsAudio = wantsAudio
            if wantsAudio {
                sound?.seek(to: main.position)
                (ended.sound, soundRetryTime, hasReportedSilence) = (false, nil, false)
            }
        }
    }

    // MARK: Reading

    /// The stamps are times of the clip already.
    let knownOrigin: Microseconds? = 0
    let countsPictures = false
    func origin(first: Microseconds) -> Microseconds { 0 }

    func next() throws(MediaError) -> Demuxed {
        if wantedSound != nil, !goOverToSound() { return .interrupted }
        if let cues = text?.next(upTo: main.position, beside: main.source, timeline), !cues.isEmpty {
            return .text(cues)
        }
        tryMissingSound()
        if isSilent, !hasReportedSilence {
            hasReportedSilence = true
            return .noSound
        }
        var soonest: Microseconds?
        for (rendition, isMain) in order {
            let before = main.position
            let step: Rendition.Step
            do throws(MediaError) { step = try rendition.next(&timeline) } catch {
                guard !isMain, !failsOnGaps else { throw error }
                // The pictures continue alone.
                soundRetryTime = MonotonicTime.now() + client.retryInterval
                ended.sound = true
                return try next()
            }
            switch step {
            case .packet(let packet, let format):
                if !isMain { hasReportedSilence = false }
                rate.read(bytes: Int(packet.pointee.size), time: main.position - before)
                return .packet(packet, format)
            case .later(let time): soonest = min(soonest ?? time, time)
            case .interrupted: return .interrupted
            case .end: if isMain { ended.main = true } else { ended.sound = true }
            }
        }
        return soonest.map { .later($0) } ?? .end
    }

    /// Whether there are pictures and no sound to them: it could not be read, or is shorter.
    private var isSilent: Bool {
        guard let sound, wantsAudio, ended.sound, !ended.main else { return false }
        return soundRetryTime != nil || main.position - sound.position > PlaylistDemuxer.shortestSilence
    }

    /// Sound that could not be read may be there again.
    private func tryMissingSound() {
        guard let time = soundRetryTime, !ended.main, MonotonicTime.now() >= time else { return }
        soundRetryTime = nil
        sound?.seek(to: main.position)
        ended.sound = false
    }

    /// The renditions to read, the one that is behind first.
    private var order: [(Rendition, isMain: Bool)] {
        var order: [(Rendition, isMain: Bool)] = ended.main ? [] : [(main, true)]
        guard let sound, wantsAudio, !ended.sound else { return order }
        // The pictures determine where the stamps of a domain begin.
        let isKnown = sound.domain.map(timeline.knows) ?? true
        let isBehind = sound.position < main.position && isKnown
        order.insert((sound, false), at: isBehind ? 0 : order.count)
        return order
    }

    /// A segment has the sound of its pictures.
    func seekSound(to time: Microseconds) -> Bool { false }

    func seek(to time: Microseconds) -> Bool {
        guard info.isSeekable else { return false }
        main.seek(to: max(0, time))
        sound?.seek(to: max(0, time))
        text?.seek(to: max(0, time))
        wantedSound?.place = max(0, time)
        variants?.noteSeek()
        // The first read there announces the following segments.
        _ = readAheadLimit(isWatched: isWatched)
        ended = (false, false)
        (soundRetryTime, hasReportedSilence) = (nil, false)
        return true
    }
}
