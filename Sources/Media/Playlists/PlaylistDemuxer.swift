internal import CFFmpeg
import Wire

/// Plays an HLS playlist (RFC 8216), or a manifest that was turned into playlists, as one clip: the segments of the
/// best variant, with its separate sound if there is one.
final class PlaylistDemuxer: Demuxer {
    /// How far to read ahead while the clip is not visible; in view, `ReadAheadGrowth` tells the time.
    private static let warm = ReadAheadLimit(time: 2_000_000, bytes: 8 << 20, packets: 8_000)

    let client: ByteClient
    let video: StreamFormat?
    let audio: StreamFormat?
    private(set) var info = MediaInfo(container: "hls", duration: -1, isSeekable: false, streams: [])
    let pictureDuration: Microseconds
    let orientation: Orientation
    let soundEnd: Microseconds? = nil

    private let main: Rendition
    private let sound: Rendition?
    private var ended = (main: false, sound: false)
    private var timeline = Timeline()
    private let variants: VariantSources?
    /// The name of the kind in `info`.
    private let kind: String

    /// Reads the playlist in `source`, and opens the segment at `start`. Blocks.
    ///
    /// - Parameter mostBits: the most bits a second of the variant that it begins with, if a surface waits.
    init(
        _ source: ResourceReader, url: String, client: ByteClient, surface: SurfaceRequest?, link: Int64,
        mostBits: Int64, start: Microseconds
    ) throws(MediaError) {
        self.client = client
        let bytes = try source.whole(limit: PlaylistText.mostBytes, what: "its playlist")
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
                master, of: playlists, client: client, surface: surface, link: link, mostBits: mostBits)
            variants = sources
            first = try sources.start(isCold: surface != nil)
        } else {
            variants = nil
            first = PlaylistSource(try MediaPlaylist(bytes, base: source.url), url: url)
        }
        if first.isLive { first.beginLive() }
        let begin = first.isLive ? 0 : start
        let beside = try variants?.sound(beside: first)
        main = Rendition(first, at: begin, client: client, wants: (video: true, audio: beside == nil))
        sound = beside.map { Rendition($0, at: begin, client: client, wants: (video: false, audio: true)) }
        try main.begin()
        try sound?.begin()
        // `begin` has set both.
        let run = main.run!
        video = run.formats.video
        audio = sound?.run?.formats.audio ?? run.formats.audio
        pictureDuration = run.container.pictureDuration
        orientation = run.container.orientation
        info = describe(run, first)
        guard let variants else { return }
        main.findSwitch = { [unowned self, unowned variants] in
            let next = variants.next(
                after: main.source, buffered: packetUse().ahead, of: limit.time, played: growth.played,
                isWatched: isWatched)
            if next != nil { rate = ReadRate() }
            return next
        }
        sound?.findSwitch = { [unowned self, unowned variants] in
            // A missing sound playlist is no error here: the sound goes on with its old playlist.
            let beside = try? variants.sound(beside: main.source)
            return beside.flatMap { $0 === sound?.source ? nil : $0 }
        }
    }

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
        // The server may tell too little, and what was read may have been easier than what follows.
        let bits = Double(max(variants?.bits(of: main.source) ?? 0, rate.bits)) * use.pace
        // What is not read of a live stream leaves its playlist.
        let speed = main.source.isLive ? 0 : link
        limit.time = growth.time(link: speed, bits: Int64(min(bits, 1e15)))
        announce(within: max(0, limit.time - use.ahead))
        return limit
    }

    /// Lets the segments that begin so soon after what has been read be announced.
    private func announce(within horizon: Microseconds) {
        main.horizon = horizon
        sound?.horizon = horizon
    }

    func adapt(surface: SurfaceRequest?, link: Int64) {
        self.link = link
        variants?.adapt(surface: surface, link: link)
    }

    var wantsAudio = true {
        didSet {
            guard wantsAudio != oldValue else { return }
            main.wantsAudio = wantsAudio
            if wantsAudio {
                sound?.seek(to: main.position)
                ended.sound = false
            }
        }
    }

    // MARK: Reading

    /// The stamps are times of the clip already.
    let knownOrigin: Microseconds? = 0
    func origin(first: Microseconds) -> Microseconds { 0 }

    func next() throws(MediaError) -> Demuxed {
        var soonest: Microseconds?
        for (rendition, isMain) in order {
            let before = main.position
            switch try rendition.next(&timeline) {
            case .packet(let packet, let format):
                rate.read(bytes: Int(packet.pointee.size), time: main.position - before)
                return .packet(packet, format)
            case .later(let time): soonest = min(soonest ?? time, time)
            case .interrupted: return .interrupted
            case .end: if isMain { ended.main = true } else { ended.sound = true }
            }
        }
        return soonest.map { .later($0) } ?? .end
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

    func seek(to time: Microseconds) -> Bool {
        guard info.isSeekable else { return false }
        main.seek(to: max(0, time))
        sound?.seek(to: max(0, time))
        variants?.noteSeek()
        // What is read first there announces what follows.
        _ = readAheadLimit(isWatched: isWatched)
        ended = (false, false)
        return true
    }
}
