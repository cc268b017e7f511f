import Audio
import Bytes
import Model
import Wire

/// All players: the one that plays, those opened ahead of need, and the decoders that wait for a clip.
///
/// Belongs to the main thread, which calls `advance` after a wake-up and when `nextWake` is due.
/// No call waits for a decoder, a disk or the audio device. Every `now` is the time since the
/// process began. Every call returns the events that it caused, in order; the caller handles them.
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
        /// How long downloads for the items are cached.
        public var retention: Asset.Retention
        /// The preloading limits.
        public var prefetch = Prefetch()
        /// A longer clip resumes where it was left; a shorter one restarts.
        public var resumesOver = Duration.seconds(60)
        /// The languages that sound is wanted in, the best first, as tags.
        public var soundLanguages: [String] = []
        /// The loudness that all clips play at, in LUFS; nil: as loud as they are.
        public var soundLevel: Double?
        /// How a decoder is started; nil: by the nursery of `decoderPath`. Called on the main thread.
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

    /// The preloading limits. A value.
    public struct Prefetch: Sendable {
        /// The most clips after and before the page in view, at the usual pace.
        public var ahead = 6
        public var behind = 4
        /// The most clips that are being opened at once, the one in view among them.
        public var concurrent = 4
        /// How much of each is read ahead.
        public var buffer = Duration.seconds(2)
        /// The most bits a second of a variant that a clip begins with.
        public var bitrate: Int64 = 750_000
        /// Fewer and smaller ones while the user turns pages fast, better ones while he does not.
        public var isAdaptive = true

        public init() {}

        /// How many pages after and before the page in view `keepWarm` needs: those that are opened at any pace.
        public var reach: (ahead: Int, behind: Int) {
            isAdaptive ? (PreloadPlan.Limits.most(of: ahead), PreloadPlan.Limits.most(of: behind)) : (ahead, behind)
        }
    }

    /// A page near the one in view. A value.
    public struct Page: Sendable {
        public var index: Int
        public var item: Item

        public init(index: Int, item: Item) {
            self.index = index
            self.item = item
        }
    }

    let options: Options
    /// How long later downloads stay cached. What is already open keeps its initial setting.
    public var retention: Asset.Retention {
        didSet { (stills.retention, avatars.retention) = (retention, retention) }
    }
    let resources: PlayerResources
    let stills: StillMaker
    let avatars: AvatarMaker
    let seekStills: SeekStillMaker
    var settings: PlayerSettings
    var players: [Item.ID: ClipPlayer] = [:]
    /// The item of the page in view, and since when.
    private(set) var current: Item.ID?
    private(set) var stay = DwellTime()
    /// The item of a page that is being pulled into view.
    private var peeked: Item.ID?
    var viewStall = ViewStall()
    /// The pages around the one in view.
    var pages: [Item.ID: Page] = [:]
    var plan: PreloadPlan
    var pace = SkimDetector()
    var memory = MemoryPressure()
    var leftPlaces = LeftPlaces()
    var laterAttempts = AutoRetry()
    /// What was set for single clips, for as long as the pool exists.
    var tunings: [Item.ID: ClipTuning] = [:]
    /// Counts the requests for pictures (`setSurface`).
    public private(set) var generation: UInt32 = 0
    private var soundCheck = SoundCheck()
    /// When the throughput was last sent to the decoders.
    private var throughputSentAt: Duration?
    /// The events of the current call.
    var events: [PlayerEvent] = []

    /// - Parameter audio: nil where there is no sound device.
    /// - Parameter wake: called on any thread when `advance` has something to do.
    public init(
        options: Options, bytes: MediaBytes, audio: (any SoundOutput)?, wake: @escaping @Sendable () -> Void
    ) {
        self.options = options
        retention = options.retention
        settings = PlayerSettings(
            loop: options.loop, soundLanguages: options.soundLanguages, soundLevel: options.soundLevel,
            resumesOver: options.resumesOver)
        let prefetch = options.prefetch
        plan = PreloadPlan(
            limits: .init(ahead: prefetch.ahead, behind: prefetch.behind, concurrent: prefetch.concurrent))
        let decoders = DecoderPool(options: options, bytes: bytes, wake: wake)
        resources = PlayerResources(
            decoders: decoders, network: bytes.network, output: options.audio ? audio : nil, wake: wake)
        stills = StillMaker(decoders: decoders, retention: options.retention, cache: bytes.network)
        avatars = AvatarMaker(decoders: decoders, retention: options.retention, cache: bytes.network)
        seekStills = SeekStillMaker(decoders: decoders)
        settings.warm = warmLimits
    }

    // MARK: What happened

    /// Adds what a player did to what happened.
    func collect(_ player: ClipPlayer) { events += player.drainEvents() }

    /// All that happened in a call, at its end.
    func happened() -> [PlayerEvent] {
        for player in players.values { collect(player) }
        events += resources.decoders.drainEvents()
        events += stills.drainEvents()
        events += avatars.drainEvents()
        events += seekStills.drainEvents()
        guard !events.isEmpty else { return [] }
        defer { events = [] }
        return events
    }

    // MARK: Orders

    /// Starts the idle decoders. The sooner, the better: the first needs some 30 ms until it can open anything.
    public func startDecodersAhead(now: Duration) -> [PlayerEvent] {
        resources.decoders.startAhead(now: now)
        return happened()
    }

    /// The pictures wanted from now on. The generation in `request` is overwritten.
    public func setSurface(_ request: SurfaceRequest, now: Duration) -> [PlayerEvent] {
        generation += 1
        var request = request
        request.generation = generation
        settings.surface = request
        stills.setSurface(request)
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

    /// Plays this one of the item's sounds, a place in `ClipFacts.soundTracks`, where the clip is. From now on other
    /// clips are played in its language, if they have it.
    public func chooseSound(_ id: Item.ID, _ track: Int, now: Duration) -> [PlayerEvent] {
        guard let player = players[id] else { return [] }
        player.choose(sound: track, now: now)
        if let language = player.language(ofSound: track) {
            settings.soundLanguages = [language] + options.soundLanguages.filter { !Language.isSame($0, language) }
        }
        return settingsChanged(now: now)
    }

    /// Has the item's player report the cues of this one of its texts, a place in `ClipFacts.textTracks`; nil: of none.
    public func chooseText(_ id: Item.ID, _ track: Int?, now: Duration) -> [PlayerEvent] {
        players[id]?.choose(text: track, now: now)
        return happened()
    }

    func settingsChanged(now: Duration) -> [PlayerEvent] {
        for player in players.values { player.apply(settings, now: now) }
        return happened()
    }

    /// Plays an item, all others falling silent first. `index` is only for the trace.
    ///
    /// - Parameter slideEnd: until when the page that is left slides out of view; its picture moves on as long.
    public func play(
        _ item: Item, index: Int? = nil, slideEnd: Duration = .zero, now: Duration
    ) -> [PlayerEvent] {
        for (id, other) in players where id != item.id && (other.isInView || other.playback.isWanted) {
            other.leave(until: slideEnd, now: now)
            collect(other)
        }
        let player = players[item.id] ?? newPlayer(of: item)
        if current != item.id || player.phase == .closed {
            notePace(now: now)
            let how = claimKind(player)
            if let current { players[current]?.shown.claim = nil }
            current = item.id
            stay.begin(now: now, isTrusted: !options.prefetch.isAdaptive)
            resources.network?.focus(on: player.asset)
            viewStall = ViewStall()
            plan.note(.viewStalled(false), now: now)
            plan.note(.claimed(item.id), now: now)
            player.shown.claim = ShownPictures.Claim(at: now, how: how)
            events.append(.trace(.claim(item: item.id, index: index, how: how)))
        }
        player.index = index ?? player.index
        player.isInView = true
        player.play(now: now)
        return happened()
    }

    /// Reports once more what an item's clip is, if it is open.
    public func reportFacts(of id: Item.ID) -> [PlayerEvent] {
        players[id]?.reportFacts()
        return happened()
    }

    /// Plays an item's pictures without sound while its page is
    /// pulled into view; nil: no item's. `play` continues from there.
    public func peek(_ id: Item.ID?, now: Duration) -> [PlayerEvent] {
        if let peeked, peeked != id, peeked != current { players[peeked]?.endPeek(now: now) }
        peeked = id
        if let id, id != current { players[id]?.peek(now: now) }
        return happened()
    }

    private func claimKind(_ player: ClipPlayer) -> ClaimKind {
        guard player.decoder.handle != nil else { return .cold }
        if player.playback.hasBegun { return .resume }
        return plan.isReady(player.item.id) ? .pool : player.phase == .ready ? .warm : .cold
    }

    func newPlayer(of item: Item) -> ClipPlayer {
        let player = ClipPlayer(item: item, asset: asset(of: item), resources: resources, settings: settings)
        player.start = leftPlaces[item.id]
        if let tuning = tunings[item.id] { player.tuning = tuning }
        players[item.id] = player
        return player
    }

    // MARK: Where clips resume

    /// Long clips that were left in an earlier session resume at
    /// these places. Their places in this session take precedence.
    public func resume(at places: [Item.ID: Duration], now: Duration) -> [PlayerEvent] {
        for (id, place) in places where place > .zero && !leftPlaces.knows(id) {
            guard let player = players[id] else {
                leftPlaces.note(id, place.microseconds)
                continue
            }
            if player.resume(at: place.microseconds, now: now) { leftPlaces.note(id, place.microseconds) }
        }
        return happened()
    }

    /// Where a clip resumes when the user comes back to it; zero: at its beginning.
    /// nil if it was not played, or is so short that it always restarts.
    public func place(of id: Item.ID, now: Duration) -> Duration? {
        if let player = players[id] { return player.placeToResume(now: now).map { .microseconds($0) } }
        return leftPlaces.knows(id) ? .microseconds(leftPlaces[id]) : nil
    }

    /// Keeps the item's clip offline from now on, or no longer. Returns at once; its player reports how far that is.
    public func keepOffline(_ item: Item, _ isKept: Bool) {
        resources.network?.keepOffline(asset(of: item), isKept)
        players[item.id]?.noteOffline(isKept)
    }

    func asset(of item: Item) -> Asset { asset(of: item, at: item.url) }

    func asset(of item: Item, at url: String) -> Asset {
        Asset(
            url: url, feed: item.feed, headers: item.headers, retention: retention,
            resolver: url == item.url ? item.resolver : nil)
    }

    public func pause(_ id: Item.ID, now: Duration) -> [PlayerEvent] {
        players[id]?.pause(now: now)
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
            old.closeDecoder(keepsPictureOf: now)
            collect(old)
            player.inherit(old)
            // Bytes that did not come may come now; bytes that came and could not be played are not to be used again.
            if !old.supply.lacksBytes { resources.network?.reject(player.asset) }
        }
        if current == item.id { current = nil }
        plan.note(.reopened(item.id), now: now)
        return play(item, index: old?.index, now: now)
    }

    // MARK: Time

    /// Reads what decoders sent, and runs clocks, sound and watchdogs up to `now`.
    public func advance(now: Duration) -> [PlayerEvent] {
        checkSound(now: now)
        sendThroughput(now: now)
        if stay.hasBecomeLong(now: now) { resources.network?.stay() }
        for player in players.values { player.advance(now: now) }
        resources.decoders.advance(now: now)
        reportShapes(of: stills.advance(now: now))
        if avatars.advance(now: now) { events.append(.avatars(avatars.addresses)) }
        seekStills.advance(now: now)
        tryLater(now: now)
        checkStall(now: now)
        checkWarm(now: now)
        return happened()
    }

    /// When `advance` is to be called next at the latest; nil: only when woken.
    public func nextWake(now: Duration) -> Duration? {
        (players.values.map { $0.nextWake(after: now) }
            + [
                stills.nextWake, avatars.nextWake, seekStills.nextWake, nextWarmWake(after: now), stay.nextWake,
                laterAttempts.due, viewStall.due,
            ])
            .compactMap(\.self).min()
    }

    /// When the item that plays shows its next picture; nil while that is not known, or nothing plays.
    public var nextPicture: Duration? { current.flatMap { players[$0]?.nextPicture } }

    /// Sends the throughput to the decoders of remote clips, at most once a second.
    private func sendThroughput(now: Duration) {
        guard now - (throughputSentAt ?? .seconds(-1)) >= .seconds(1) else { return }
        let remote = players.values.filter { $0.supply.isRemote && $0.decoder.handle != nil }
        guard !remote.isEmpty else { return }
        throughputSentAt = now
        let throughput = resources.network?.throughput
        for player in remote { player.sendThroughput(throughput) }
    }

    /// Whether no clip can be heard: there is to be no sound, or no device was found and none has come back yet.
    public var lacksSound: Bool { resources.output == nil || soundCheck.isLost }

    /// Sees to a device that is not there, or has gone or come back.
    private func checkSound(now: Duration) {
        guard let output = resources.output else { return }
        let isWanted = players.values.contains { $0.playback.isWanted && $0.info?.hasAudio == true }
        for action in soundCheck.check(output.state, isWanted: isWanted, now: now) {
            switch action {
            case .lose: for player in players.values { player.loseSoundDevice() }
            case .resume: for player in players.values { player.findSoundDevice() }
            case .report(let error):
                events += [.notice(error.words), .trace(.error(what: "sound", why: error.detail))]
            case .open: output.open()
            }
        }
    }

    // MARK: Pictures

    /// Passes the current picture of an item to `body`: its newest due picture, or the copy of its
    /// last one. Returns nil without one. The picture is valid only during the call of `body`.
    public func withPicture<Result>(of id: Item.ID, _ body: (PictureView, PictureIdentity) -> Result) -> Result? {
        players[id]?.withPicture(body) ?? stills.withStill(of: id, body)
    }

    /// Passes the avatar at an address to `body`; nil without one. It is valid only during the call of `body`.
    public func withAvatar<Result>(at url: String, _ body: (PictureView, PictureIdentity) -> Result) -> Result? {
        avatars.withAvatar(at: url, body)
    }

    /// Passes the newest small still of a place in the clip in view to `body`; nil without one. It is valid only during
    /// the call of `body`.
    public func withSeekStill<Result>(of id: Item.ID, _ body: (PictureView, PictureIdentity) -> Result) -> Result? {
        seekStills.withStill(of: id, body)
    }

    /// Which picture `withPicture` would hand out.
    public func pictureIdentity(of id: Item.ID) -> PictureIdentity? { players[id]?.identity ?? stills.identity(of: id) }

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
        resources.network?.focus(on: nil)
        // First, so that nothing waits for a decoder that has not been created yet.
        resources.decoders.endNursery()
        for player in players.values { player.closeDecoder(keepsPictureOf: nil) }
        players = [:]
        stills.close()
        avatars.close()
        seekStills.close()
        resources.output?.clear()
        resources.decoders.close()
        resources.output?.close()
        events = []
    }

    /// How many decoders were killed and have not ended yet, for tests.
    var decodersEnding: Int { resources.decoders.endingCount }

    /// The decoders that have a clip, and those that make stills and avatars, for tests.
    var decodersInUse: [DecoderHandle] {
        players.values.compactMap(\.decoder.handle) + stills.decodersInUse
            + [avatars.worker.decoderInUse, seekStills.worker.decoderInUse].compactMap(\.self)
    }
}

extension Asset {
    /// Whether it comes over a network.
    var isRemote: Bool { URLParts(url)?.scheme.map { $0 == "http" || $0 == "https" } ?? false }
}
