import Audio
import Bytes
import Model
import Wire

/// All players: the one that plays, those opened ahead, and the spare decoders. Belongs to the main thread, which must call `advance` when woken.
///
/// Every `now` is the time since the process began. No call waits for a decoder, a disk or the sound device.
@MainActor
public final class PlayerPool {
    public struct Options: Sendable {
        public var decoderPath: String
        public var loop: Bool
        /// Whether sound is wanted at all (`--no-audio`).
        public var audio: Bool
        /// Decoders started ahead of need.
        public var spares: Int
        /// How long what is fetched for the items is kept.
        public var retention: Asset.Retention
        /// How a decoder is started; nil starts `decoderPath`. Called on the main thread: a decoder dies with the thread that started it.
        public var spawn: (@Sendable () throws -> DecoderProcess)?

        public init(
            decoderPath: String, loop: Bool = true, audio: Bool = true, spares: Int = 1,
            retention: Asset.Retention = .lasting, spawn: (@Sendable () throws -> DecoderProcess)? = nil
        ) {
            self.decoderPath = decoderPath
            self.loop = loop
            self.audio = audio
            self.spares = spares
            self.retention = retention
            self.spawn = spawn
        }
    }

    let options: Options
    let audio: (any SoundOutput)?
    let wake: @Sendable () -> Void
    let trace: TraceSink
    let report: (Item.ID, PlayerReport) -> Void
    private let provider: any ByteProvider
    private let notice: (String) -> Void

    private var players: [Item.ID: ClipPlayer] = [:]
    private var current: Item.ID?
    /// What is to be opened ahead, in order of need.
    private var wanted: [Item] = []
    private var spares: [DecoderHandle] = []
    private var retired: [DecoderHandle] = []
    /// The last attempt to start a decoder failed.
    private var cannotSpawn = false
    private var saidNoSound = false
    private var generation: UInt32 = 0
    /// When it was last looked at what the network carries.
    private var linkSeenAt: Duration?

    private(set) var surface: SurfaceRequest?
    private(set) var speed = 1.0
    private(set) var volume = 1.0
    private(set) var loop: Bool
    /// The time of the call that is under way.
    private(set) var now: Duration = .zero

    /// `wake` is called on any thread when `advance` has something to do; `report` and `notice` on the main thread, within calls.
    public init(
        options: Options, provider: any ByteProvider, audio: (any SoundOutput)?, wake: @escaping @Sendable () -> Void,
        trace: @escaping TraceSink, report: @escaping (Item.ID, PlayerReport) -> Void,
        notice: @escaping (String) -> Void = { _ in }
    ) {
        self.options = options
        self.provider = provider
        self.audio = options.audio ? audio : nil
        self.wake = wake
        self.trace = trace
        self.report = report
        self.notice = notice
        loop = options.loop
    }

    // MARK: Decoders

    /// Starts the spare decoders. The sooner, the better: each needs some 30 ms until it can open anything.
    public func prespawn() {
        guard !cannotSpawn else { return }
        do {
            while spares.count < options.spares { spares.append(try spawn()) }
        } catch {
            // Not tried again before an item wants a decoder, which then has its own say.
            cannotSpawn = true
            trace(.error(what: "spare decoder", why: "\(error)"))
        }
    }

    private func spawn() throws -> DecoderHandle {
        let process = try options.spawn?() ?? DecoderProcess.spawn(path: options.decoderPath)
        let worker = DecoderHandle(process, provider: provider, wake: wake)
        trace(.worker(item: nil, pid: Int(worker.pid), state: .spawn, status: nil))
        return worker
    }

    func takeWorker() throws -> DecoderHandle {
        guard spares.isEmpty else { return spares.removeFirst() }
        let worker = try spawn()
        cannotSpawn = false
        return worker
    }

    func retire(_ worker: DecoderHandle) { retired.append(worker) }

    func traceReady(_ worker: DecoderHandle?) {
        guard let worker else { return }
        trace(.worker(item: nil, pid: Int(worker.pid), state: .ready, status: nil))
    }

    func traceExit(of worker: DecoderHandle, item: Item.ID?, status: Int32, wasKilled: Bool) {
        trace(
            .worker(
                item: item, pid: Int(worker.pid), state: wasKilled ? .killed : .exit, status: describe(status: status)))
    }

    // MARK: Wishes

    /// The pictures wanted from now on. The generation in `request` is overwritten.
    public func setSurface(_ request: SurfaceRequest, now: Duration) {
        self.now = now
        generation += 1
        var request = request
        request.generation = generation
        surface = request
        for player in players.values { player.surfaceChanged(request, now: now) }
    }

    /// Plays an item, all others falling silent first (C12). `index` is only for the trace.
    public func play(_ item: Item, index: Int? = nil, now: Duration) {
        self.now = now
        for (id, other) in players where id != item.id && other.wantsToPlay {
            other.pause(now: now)
            report(id, .paused)
        }
        let existing = players[item.id]
        let player = existing ?? ClipPlayer(item: item, pool: self)
        players[item.id] = player
        if current != item.id || player.phase == .closed {
            current = item.id
            provider.focus(on: asset(of: item))
            let how: TraceEvent.ClaimKind =
                player.worker == nil ? .cold : player.hasPlayed ? .resume : player.phase == .ready ? .warm : .cold
            player.claim = (now, how)
            trace(.claim(item: item.id, index: index, how: how))
        }
        player.play(now: now)
    }

    public func pause(_ id: Item.ID, now: Duration) {
        self.now = now
        players[id]?.pause(now: now)
    }

    /// Opens these items ahead, the most needed first, and lets go of all others but the one that plays.
    public func keepWarm(_ items: [Item], now: Duration) {
        self.now = now
        wanted = items
        let kept = Set(items.map(\.id))
        for (id, player) in players where id != current && !kept.contains(id) {
            player.dropWorker(keepingStill: false)
            players[id] = nil
        }
        if items.isEmpty, current.map({ players[$0]?.wantsToPlay != true }) ?? true { provider.focus(on: nil) }
    }

    /// Clips that may be wanted soon, the likeliest first: of those that come over a network the beginnings are fetched, without a decoder.
    public func prefetch(_ items: [Item], now: Duration) {
        self.now = now
        provider.prefetch(items.filter { $0.id != current }.map(asset).filter(\.isRemote))
    }

    /// Opens what is to be kept warm, and starts spare decoders: a few milliseconds' work a process, so call it once the terminal has what it waits for.
    ///
    /// The page in view comes first: nothing is opened ahead before its first picture is on the terminal.
    ///
    /// - Parameter isMoving: pages are moving. Then only spares are used: a new process spends 33 ms of a core on loading libav, which the pages need.
    public func openAhead(now: Duration, isMoving: Bool = false) {
        self.now = now
        if isMoving, spares.isEmpty { return }
        if let current, let player = players[current], player.phase != .failed, player.wantsToPlay,
            player.lastShown == nil, player.sound.frames == 0
        {
            return
        }
        guard let item = wanted.first(where: { players[$0.id] == nil }) else {
            if !isMoving { prespawn() }
            return
        }
        let player = ClipPlayer(item: item, pool: self)
        players[item.id] = player
        player.open(at: 0, now: now)
        // One a pass, so that keys and pictures come in between.
        wake()
    }

    public func preview(_ id: Item.ID, to time: Duration, now: Duration) {
        self.now = now
        players[id]?.preview(to: time.microseconds, now: now)
    }

    public func seek(_ id: Item.ID, to time: Duration, now: Duration) {
        self.now = now
        players[id]?.seek(to: time.microseconds, now: now)
    }

    /// One picture on (1) or back (-1), while paused.
    public func step(_ id: Item.ID, by count: Int, now: Duration) {
        self.now = now
        players[id]?.step(by: count, now: now)
    }

    /// 0.25 … 4.
    public func setSpeed(_ speed: Double, now: Duration) {
        self.now = now
        self.speed = min(max(speed, 0.25), 4)
        for player in players.values { player.applySpeed(now: now) }
    }

    /// 0 … 1.
    public func setVolume(_ volume: Double) {
        self.volume = min(max(volume, 0), 1)
        for player in players.values { player.retune() }
    }

    public func setLoop(_ loop: Bool) {
        self.loop = loop
        for player in players.values { player.worker?.send(.loop(loop)) }
    }

    /// Starts an item from nothing, its failures forgiven. Its last picture stays until there is another.
    public func retry(_ item: Item, now: Duration) {
        self.now = now
        let player = ClipPlayer(item: item, pool: self)
        if let old = players[item.id] {
            old.dropWorker(keepingStill: true)
            player.inherit(old)
            // What the server did not give may be asked for again; what it gave did not do.
            if !old.lacksBytes { distrust(item) }
        }
        players[item.id] = player
        if current == item.id { current = nil }
        play(item, now: now)
    }

    // MARK: Bytes

    func asset(of item: Item) -> Asset {
        Asset(url: item.url, feed: item.feed, headers: item.headers, retention: options.retention)
    }

    /// What of a clip was kept is of no use, or seems so (C10).
    func distrust(_ item: Item) { provider.distrust(asset(of: item)) }

    func held(of item: Item, duration: Duration?) -> [ClosedRange<Double>] {
        provider.held(of: asset(of: item), duration: duration)
    }

    func delay(of item: Item) -> String? { provider.delay(of: asset(of: item)) }

    /// In bits a second, as the wire tells it.
    var throughput: Int64? { provider.throughput }

    /// Tells the decoders of network items what the network carries.
    private func tellLink() {
        guard now - (linkSeenAt ?? .seconds(-1)) >= .seconds(1) else { return }
        let remote = players.values.filter { $0.isRemote && $0.worker != nil }
        guard !remote.isEmpty else { return }
        linkSeenAt = now
        let throughput = throughput
        for player in remote { player.tellLink(throughput) }
    }

    // MARK: Sound

    /// Whether a decoder is asked for sound: not after it turned out that nothing can play it.
    var soundWorks: Bool {
        guard let audio else { return false }
        if case .unavailable = audio.state { return false }
        return true
    }

    /// Whether the page in view is this item's.
    func isCurrent(_ id: Item.ID) -> Bool { current == id }

    func openSound() { audio?.open() }

    private func checkSound() {
        guard !saidNoSound, let audio, case .unavailable(let why) = audio.state else { return }
        saidNoSound = true
        notice("no sound: \(why)")
        trace(.error(what: "sound", why: why))
        for player in players.values {
            player.isSounding = false
            // One without pictures goes on by the clock, and shows its levels.
            guard player.hasVideo else { continue }
            player.worker?.send(.sound(false))
            player.sound.clear()
        }
    }

    // MARK: Time

    /// Takes in what decoders sent, and runs clocks and watchdogs.
    public func advance(now: Duration) {
        self.now = now
        checkSound()
        tellLink()
        for player in players.values { player.advance(now: now) }
        readSpares()
        retired.removeAll { worker in
            worker.collect().letters.contains { letter in
                guard case .gone(_, let status, let wasKilled) = letter else { return false }
                traceExit(of: worker, item: nil, status: status, wasKilled: wasKilled)
                return true
            }
        }
    }

    /// A spare that dies is let go of.
    private func readSpares() {
        spares.removeAll { worker in
            worker.collect().letters.contains { letter in
                switch letter {
                case .message(.hello):
                    traceReady(worker)
                    return false
                case .message:
                    worker.kill()
                    retire(worker)
                    return true
                case .gone(_, let status, let wasKilled):
                    traceExit(of: worker, item: nil, status: status, wasKilled: wasKilled)
                    return true
                }
            }
        }
    }

    /// When `advance` is to be called next at the latest; nil: only when woken.
    public func nextWake(now: Duration) -> Duration? {
        players.values.compactMap { $0.nextWake(after: now) }.min()
    }

    // MARK: Pictures

    /// Hands out what is to be seen of an item now: its newest due picture, or the copy of its last one; nil if there is none.
    public func withPicture<Result>(
        of id: Item.ID, now: Duration, _ body: (PictureView, PictureIdentity) -> Result
    ) -> Result? {
        guard let player = players[id], let identity = player.identity else { return nil }
        if let current = player.presentation.current, let worker = player.worker {
            return body(player.view(of: current.header, in: worker.ring), identity)
        }
        return player.still?.withView { body($0, identity) }
    }

    /// Which picture `withPicture` would hand out.
    public func pictureIdentity(of id: Item.ID) -> PictureIdentity? { players[id]?.identity }

    /// The picture has been written to the terminal: the third signal of C8.
    public func pictureShown(
        of id: Item.ID, _ identity: PictureIdentity, now: Duration, bytes: Int, cells: Int, took: Duration
    ) {
        self.now = now
        guard let player = players[id] else { return }
        trace(.picture(item: id, pts: .microseconds(identity.pts), bytes: bytes, cells: cells, took: took))
        player.shown(identity, now: now)
    }

    /// Ends everything: no process, no sound is left. Waits a moment for processes to go, which all die at once.
    public func close() {
        provider.focus(on: nil)
        for worker in spares { worker.kill() }
        for player in players.values { player.dropWorker(keepingStill: false) }
        players = [:]
        audio?.clear()
        for worker in spares + retired { worker.end() }
        spares = []
        retired = []
        audio?.close()
    }
}

extension Asset {
    /// Whether it comes over a network.
    var isRemote: Bool { URLParts(url)?.scheme.map { $0 == "http" || $0 == "https" } ?? false }
}
