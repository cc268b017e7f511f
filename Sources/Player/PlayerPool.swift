import Audio
import Bytes
import Model
import Wire

/// All players: the one that plays, those opened ahead of need, and the decoders that wait for a clip.
///
/// Belongs to the main thread, which calls `advance` when it was woken and when `nextWake` is due. No call waits for a decoder, a disk or the sound device.
/// Every `now` is the time since the process began. Every call returns what happened in it, in order: whoever calls hands that on.
@MainActor
public final class PlayerPool {
    /// What a pool is made with. A value.
    public struct Options: Sendable {
        /// The program that decodes; an absolute path.
        public var decoderPath: String
        /// Whether clips begin again when they end.
        public var loop: Bool
        /// Whether there is to be sound (`--no-audio`).
        public var audio: Bool
        /// Decoders that are started ahead of need, and wait for a clip.
        public var idleDecoders: Int
        /// How long what is fetched for the items is kept.
        public var retention: Asset.Retention
        /// How a decoder is started; nil starts `decoderPath`. Called on the main thread: a decoder dies with the thread that started it.
        public var spawn: (@Sendable () throws -> DecoderProcess)?

        public init(
            decoderPath: String, loop: Bool = true, audio: Bool = true, idleDecoders: Int = 1,
            retention: Asset.Retention = .lasting, spawn: (@Sendable () throws -> DecoderProcess)? = nil
        ) {
            self.decoderPath = decoderPath
            self.loop = loop
            self.audio = audio
            self.idleDecoders = idleDecoders
            self.retention = retention
            self.spawn = spawn
        }
    }

    private let options: Options
    private let resources: PlayerResources
    private var settings: PlayerSettings
    private var players: [Item.ID: ClipPlayer] = [:]
    /// The item of the page in view.
    private var current: Item.ID?
    /// What is to be opened ahead, the most needed first.
    private var wanted: [Item] = []
    /// Counts the sizes of pictures that were asked for.
    private var generation: UInt32 = 0
    private var soundCheck = SoundCheck()
    /// When the decoders were last told what the network carries.
    private var throughputSentAt: Duration?
    /// What happened in the call that is under way.
    private var events: [PlayerEvent] = []

    /// - Parameter audio: nil where there is no sound device.
    /// - Parameter wake: called on any thread when `advance` has something to do.
    public init(
        options: Options, provider: any ByteProvider, audio: (any SoundOutput)?, wake: @escaping @Sendable () -> Void
    ) {
        self.options = options
        settings = PlayerSettings(loop: options.loop)
        resources = PlayerResources(
            decoders: DecoderPool(options: options, provider: provider, wake: wake), provider: provider,
            output: options.audio ? audio : nil, wake: wake)
    }

    // MARK: What happened

    /// Adds what a player did to what happened.
    private func collect(_ player: ClipPlayer) { events += player.drainEvents() }

    /// All that happened in a call, at its end.
    private func happened() -> [PlayerEvent] {
        for player in players.values { collect(player) }
        events += resources.decoders.drainEvents()
        guard !events.isEmpty else { return [] }
        defer { events = [] }
        return events
    }

    // MARK: What is wanted

    /// Starts the idle decoders. The sooner, the better: each needs some 30 ms until it can open anything.
    public func startDecodersAhead() -> [PlayerEvent] {
        resources.decoders.startAhead()
        return happened()
    }

    /// The pictures wanted from now on. The generation in `request` is overwritten.
    public func setSurface(_ request: SurfaceRequest, now: Duration) -> [PlayerEvent] {
        generation += 1
        var request = request
        request.generation = generation
        settings.surface = request
        return settingsChanged(now: now)
    }

    /// 0.25 … 4.
    public func setSpeed(_ speed: Double, now: Duration) -> [PlayerEvent] {
        settings.speed = min(max(speed, 0.25), 4)
        return settingsChanged(now: now)
    }

    /// 0 … 1.
    public func setVolume(_ volume: Double, now: Duration) -> [PlayerEvent] {
        settings.volume = min(max(volume, 0), 1)
        return settingsChanged(now: now)
    }

    public func setLoop(_ loop: Bool, now: Duration) -> [PlayerEvent] {
        settings.loop = loop
        return settingsChanged(now: now)
    }

    private func settingsChanged(now: Duration) -> [PlayerEvent] {
        for player in players.values { player.apply(settings, now: now) }
        return happened()
    }

    /// Plays an item, all others falling silent first. `index` is only for the trace.
    public func play(_ item: Item, index: Int? = nil, now: Duration) -> [PlayerEvent] {
        for (id, other) in players where id != item.id && other.playback.isWanted {
            other.interrupt(now: now)
            collect(other)
        }
        let player = players[item.id] ?? newPlayer(of: item)
        if current != item.id || player.phase == .closed {
            if let current { players[current]?.shown.claim = nil }
            current = item.id
            resources.provider.focus(on: player.asset)
            let how: TraceEvent.ClaimKind =
                if player.decoder.handle == nil { .cold } else if player.playback.hasBegun { .resume } else {
                    player.phase == .ready ? .warm : .cold
                }
            player.shown.claim = ShownPictures.Claim(at: now, how: how)
            events.append(.trace(.claim(item: item.id, index: index, how: how)))
        }
        player.play(now: now)
        return happened()
    }

    private func newPlayer(of item: Item) -> ClipPlayer {
        let player = ClipPlayer(item: item, asset: asset(of: item), resources: resources, settings: settings)
        players[item.id] = player
        return player
    }

    private func asset(of item: Item) -> Asset {
        Asset(url: item.url, feed: item.feed, headers: item.headers, retention: options.retention)
    }

    public func pause(_ id: Item.ID, now: Duration) -> [PlayerEvent] {
        players[id]?.pause(now: now)
        return happened()
    }

    /// Names the items that are to be opened ahead, the most needed first, and closes the players of all others but the one that plays.
    public func keepWarm(_ items: [Item], now: Duration) -> [PlayerEvent] {
        wanted = items
        let kept = Set(items.map(\.id))
        for (id, player) in players where id != current && !kept.contains(id) {
            player.closeDecoder(keepsPicture: false)
            collect(player)
            players[id] = nil
        }
        let plays = current.flatMap { players[$0]?.playback.isWanted } ?? false
        if items.isEmpty, !plays { resources.provider.focus(on: nil) }
        return happened()
    }

    /// Clips that may be wanted soon, the likeliest first: of those that come over a network the beginnings are fetched, without a decoder.
    public func prefetch(_ items: [Item]) {
        resources.provider.prefetch(items.filter { $0.id != current }.map(asset).filter(\.isRemote))
    }

    /// Opens what `keepWarm` named, and starts idle decoders: a few milliseconds' work for each process, so call it once the terminal has what it waits for.
    ///
    /// The page in view comes first: nothing is opened ahead before its first picture is on the terminal.
    ///
    /// - Parameter isMoving: pages are moving. Then only idle decoders are used: a new process spends 33 ms of a core on loading libav, which the pages need.
    public func openAhead(now: Duration, isMoving: Bool = false) -> [PlayerEvent] {
        if isMoving, !resources.decoders.hasIdle { return [] }
        if let current, let player = players[current], player.phase != .failed, player.playback.isWanted,
            player.shown.last == nil, player.sound.queue.frames == 0
        {
            return []
        }
        if let item = wanted.first(where: { players[$0.id] == nil }) {
            newPlayer(of: item).open(at: 0, now: now)
            // One a call, so that keys and pictures come in between.
            resources.wake()
        } else if !isMoving {
            resources.decoders.startAhead()
        }
        return happened()
    }

    /// Shows the key picture near `time`, until a `seek` goes to where the user has found it.
    public func preview(_ id: Item.ID, to time: Duration, now: Duration) -> [PlayerEvent] {
        players[id]?.preview(to: time.microseconds, now: now)
        return happened()
    }

    public func seek(_ id: Item.ID, to time: Duration, now: Duration) -> [PlayerEvent] {
        players[id]?.seek(to: time.microseconds, now: now)
        return happened()
    }

    /// One picture on (1) or back (-1), while paused.
    public func step(_ id: Item.ID, by count: Int, now: Duration) -> [PlayerEvent] {
        players[id]?.step(by: count, now: now)
        return happened()
    }

    /// Starts an item from nothing, its failures forgiven. Its last picture stays until there is another.
    public func retry(_ item: Item, now: Duration) -> [PlayerEvent] {
        let old = players[item.id]
        let player = newPlayer(of: item)
        if let old {
            old.closeDecoder(keepsPicture: true)
            collect(old)
            player.inherit(old)
            // Bytes that did not come may come now; bytes that came and could not be played are not to be used again.
            if !old.supply.lacksBytes { resources.provider.distrust(player.asset) }
        }
        if current == item.id { current = nil }
        return play(item, now: now)
    }

    // MARK: Time

    /// Reads what decoders sent, and runs clocks, sound and watchdogs up to `now`.
    public func advance(now: Duration) -> [PlayerEvent] {
        checkSound(now: now)
        sendThroughput(now: now)
        for player in players.values { player.advance(now: now) }
        resources.decoders.advance()
        return happened()
    }

    /// When `advance` is to be called next at the latest; nil: only when woken.
    public func nextWake(now: Duration) -> Duration? {
        players.values.compactMap { $0.nextWake(after: now) }.min()
    }

    /// When the item that plays shows its next picture; nil while that is not known, or nothing plays.
    public var nextPicture: Duration? { current.flatMap { players[$0]?.nextPicture } }

    /// Tells the decoders of clips that come over a network what it carries, once a second at most.
    private func sendThroughput(now: Duration) {
        guard now - (throughputSentAt ?? .seconds(-1)) >= .seconds(1) else { return }
        let remote = players.values.filter { $0.supply.isRemote && $0.decoder.handle != nil }
        guard !remote.isEmpty else { return }
        throughputSentAt = now
        let throughput = resources.provider.throughput
        for player in remote { player.sendThroughput(throughput) }
    }

    /// Sees to a device that is not there, or has gone or come back.
    private func checkSound(now: Duration) {
        guard let output = resources.output else { return }
        let isWanted = players.values.contains { $0.playback.isWanted && $0.info?.hasAudio == true }
        for action in soundCheck.check(output.state, isWanted: isWanted, now: now) {
            switch action {
            case .lose: for player in players.values { player.loseSoundDevice() }
            case .resume: for player in players.values { player.findSoundDevice() }
            case .tell(let fault):
                events += [.notice(fault.words), .trace(.error(what: "sound", why: fault.detail))]
            case .open: output.open()
            }
        }
    }

    // MARK: Pictures

    /// Hands out what is to be seen of an item now: its newest due picture, or the copy of its last one; nil if there is none. The picture is valid during
    /// the call of `body` only.
    public func withPicture<Result>(of id: Item.ID, _ body: (PictureView, PictureIdentity) -> Result) -> Result? {
        players[id]?.withPicture(body)
    }

    /// Which picture `withPicture` would hand out.
    public func pictureIdentity(of id: Item.ID) -> PictureIdentity? { players[id]?.identity }

    /// The picture has been written to the terminal, in `bytes` bytes and `cells` cells.
    ///
    /// - Parameter took: from drawing it to its last byte.
    public func pictureShown(
        of id: Item.ID, _ identity: PictureIdentity, now: Duration, bytes: Int, cells: Int, took: Duration
    ) -> [PlayerEvent] {
        guard let player = players[id] else { return [] }
        events.append(
            .trace(.picture(item: id, pts: .microseconds(identity.pts), bytes: bytes, cells: cells, took: took)))
        player.pictureShown(identity, now: now)
        return happened()
    }

    /// Ends everything: no process, no sound is left. Waits a moment for processes to go, which all die at once.
    public func close() {
        resources.provider.focus(on: nil)
        for player in players.values { player.closeDecoder(keepsPicture: false) }
        players = [:]
        resources.output?.clear()
        resources.decoders.close()
        resources.output?.close()
        events = []
    }

    /// The decoders that have a clip, for tests.
    var decodersInUse: [DecoderHandle] { players.values.compactMap(\.decoder.handle) }
}

extension Asset {
    /// Whether it comes over a network.
    var isRemote: Bool { URLParts(url)?.scheme.map { $0 == "http" || $0 == "https" } ?? false }
}
