internal import CSDBus
import Model
import Platform
import Synchronization
import Threads

/// What flick is on D-Bus: a media player on the user's bus (MPRIS), and while it plays an inhibitor of sleep on the
/// system's. One thread does all of it and no one waits for that thread: a bus that is missing, slow or hostile costs
/// what it is for, and a line in the log. Any thread.
public final class MediaBus: Sendable {
    /// What of it is wanted. A value.
    public struct Options: Sendable {
        public var isPlayer: Bool
        public var inhibitsSleep: Bool

        public init(isPlayer: Bool, inhibitsSleep: Bool) {
            (self.isPlayer, self.inhibitsSleep) = (isPlayer, inhibitsSleep)
        }
    }

    struct Wanted {
        var playing = NowPlaying()
        /// `playing` was set, and not announced yet.
        var isNew = true
        var hasJumped = false
        var isClosed = false
    }

    private let wanted = Mutex(Wanted())
    private let pipe: Pipe

    /// Starts the thread.
    ///
    /// - Parameters:
    ///   - receive: called on the thread for each command of other programs; it must not block.
    ///   - failed: called on the thread, at most once for each bus.
    public init(
        _ options: Options, playing: NowPlaying, receive: @escaping @Sendable (DesktopRequest) -> Void,
        failed: @escaping @Sendable (DesktopError) -> Void
    ) throws(DesktopError) {
        do throws(SystemError) { pipe = try Pipe(waits: false) } catch { throw DesktopError("\(error)") }
        wanted.withLock { $0.playing = playing }
        BlockingThread.start { [self] in
            guard flick_bus_load() == 0 else {
                return failed(DesktopError("no D-Bus: \(String(cString: flick_bus_load_error()))", isCommon: true))
            }
            BusWork(options, receive: receive, failed: failed).run(pipe: pipe) { [self] in
                wanted.withLock { wanted in
                    defer { (wanted.isNew, wanted.hasJumped) = (false, false) }
                    return wanted
                }
            }
        }
    }

    /// What is shown has changed.
    ///
    /// - Parameter hasJumped: its position has changed by more than time.
    public func update(_ playing: NowPlaying, hasJumped: Bool) {
        wanted.withLock { wanted in
            (wanted.playing, wanted.isNew) = (playing, true)
            if hasJumped { wanted.hasJumped = true }
        }
        pipe.wake()
    }

    /// Ends the thread. Does not wait for it: what it holds ends with the process.
    public func close() {
        wanted.withLock { $0.isClosed = true }
        pipe.wake()
    }
}

/// The thread's part. On the thread only.
private final class BusWork {
    private let options: MediaBus.Options
    private let receive: @Sendable (DesktopRequest) -> Void
    private let failed: @Sendable (DesktopError) -> Void
    private var player: BusConnection?
    private var system: BusConnection?
    private var inhibitor: Descriptor?
    /// logind was asked, and has not answered.
    private var isAsking = false
    private var hasReportedSystem = false
    private var playing = NowPlaying()
    /// Commands that the main loop has not carried out yet.
    private let unanswered = Monitor(0)

    /// The most such commands. More are dropped: a client that sends without end must not fill the loop's inbox.
    private static let commandLimit = 32

    init(
        _ options: MediaBus.Options, receive: @escaping @Sendable (DesktopRequest) -> Void,
        failed: @escaping @Sendable (DesktopError) -> Void
    ) {
        (self.options, self.receive, self.failed) = (options, receive, failed)
    }

    func run(pipe: Pipe, next: () -> MediaBus.Wanted) {
        playing = next().playing
        openPlayer()
        while true {
            pipe.clear()
            let wanted = next()
            if wanted.isClosed { break }
            if wanted.isNew {
                playing = wanted.playing
                announce(hasJumped: wanted.hasJumped)
            }
            work()
            inhibit(playing.track > 0 && !playing.isPaused)
            // Nothing to do ever again.
            if player == nil, !options.inhibitsSleep || hasReportedSystem { break }
            wait(pipe)
        }
        inhibitor?.close()
        player?.close()
        system?.close()
    }

    private func wait(_ pipe: Pipe) {
        var sources = [pollfd(fd: pipe.reading.number, events: Int16(POLLIN), revents: 0)]
        var limit = Int32.max
        for connection in [player, system].compactMap(\.self) {
            sources.append(connection.source)
            limit = min(limit, connection.timeout)
        }
        _ = poll(&sources, nfds_t(sources.count), limit == .max ? -1 : limit)
    }

    /// Sends and receives what is due.
    private func work() {
        if let player {
            if let why = player.process() {
                refusedName = nil
                losePlayer(why)
            } else if let why = refusedName {
                refusedName = nil
                // A connection that ends refuses what is under way, too.
                if player.isReady {
                    failed(DesktopError("cannot claim a name on D-Bus: \(CleanText.line(why, limit: 200))"))
                } else {
                    losePlayer(why)
                }
            }
        }
        if let system {
            if let why = system.process() {
                loseSystem(why)
            } else if let refusal = refusedInhibitor, !system.isReady {
                loseSystem(refusal)
            } else if let refusal = refusedInhibitor {
                refusedInhibitor = nil
                hasReportedSystem = true
                // A system without logind has a bus that knows no such service.
                let why = CleanText.line(refusal, limit: 200)
                failed(DesktopError("cannot keep the machine awake: \(why)", isCommon: true))
            }
        }
    }

    // MARK: The player

    private func openPlayer() {
        guard options.isPlayer else { return }
        do throws(DesktopError) {
            let connection = try BusConnection(isSystem: false)
            player = connection
            let name = "org.mpris.MediaPlayer2.flick.instance\(getpid())"
            let context = Unmanaged.passUnretained(self).toOpaque()
            let code = playing.withPlayer { player in
                flick_bus_offer_player(
                    connection.bus, name, player,
                    { context, request, time, number in
                        // `flick_bus_process` calls it, which only `work` does.
                        Unmanaged<BusWork>.fromOpaque(context!).takeUnretainedValue().handle(request, time, number)
                    },
                    { context, why in
                        let work = Unmanaged<BusWork>.fromOpaque(context!).takeUnretainedValue()
                        work.refusedName = String(cString: why!)
                    }, context)
            }
            if code < 0 { losePlayer(SystemError.text(-code)) }
        } catch {
            failed(DesktopError("cannot register with D-Bus as a media player: \(error)", isCommon: error.isCommon))
        }
    }

    /// The bus gave the name to no one, or to another process: other programs do not find flick.
    fileprivate var refusedName: String?

    private func announce(hasJumped: Bool) {
        guard let player else { return }
        let code = playing.withPlayer { flick_bus_update_player(player.bus, $0, hasJumped ? 1 : 0) }
        if code < 0 { losePlayer(SystemError.text(-code)) }
    }

    private func losePlayer(_ why: String) {
        player?.close()
        player = nil
        failed(DesktopError("D-Bus lost; media keys do not work: \(CleanText.line(why, limit: 200))"))
    }

    private func handle(_ request: Int32, _ time: Int64, _ number: Double) {
        // Longer than any clip; it fits a Duration.
        let time = Duration.microseconds(min(max(time, -1 << 50), 1 << 50))
        let command: DesktopCommand =
            switch Int(request) {
            case FLICK_PLAYER_NEXT: .next
            case FLICK_PLAYER_PREVIOUS: .previous
            case FLICK_PLAYER_PLAY: .play
            case FLICK_PLAYER_PAUSE: .pause
            case FLICK_PLAYER_PLAY_PAUSE: .playPause
            case FLICK_PLAYER_STOP: .stop
            case FLICK_PLAYER_QUIT: .quit
            case FLICK_PLAYER_SEEK: .seek(by: time)
            case FLICK_PLAYER_SET_POSITION: .seekTo(time)
            // A rate of 0 is a pause (MPRIS, Rate).
            case FLICK_PLAYER_SET_RATE: number == 0 ? .pause : .setSpeed(number)
            case FLICK_PLAYER_SET_VOLUME: .setVolume(number)
            default: .status
            }
        let isTaken = unanswered.withLock { count in
            guard count < Self.commandLimit else { return false }
            count += 1
            return true
        }
        guard isTaken else { return }
        receive(DesktopRequest(command) { [unanswered] _ in unanswered.withLock { $0 -= 1 } })
    }

    // MARK: The inhibitor

    /// Holds an inhibitor, or lets it go.
    private func inhibit(_ wanted: Bool) {
        guard options.inhibitsSleep, !hasReportedSystem else { return }
        guard wanted else {
            inhibitor?.close()
            inhibitor = nil
            return
        }
        guard inhibitor == nil, !isAsking, refusedInhibitor == nil else { return }
        do throws(DesktopError) {
            let connection = if let system { system } else { try BusConnection(isSystem: true) }
            system = connection
            let context = Unmanaged.passUnretained(self).toOpaque()
            let code = flick_bus_inhibit(
                connection.bus, "sleep:idle", "flick", "A clip is playing",
                { context, descriptor, why in
                    Unmanaged<BusWork>.fromOpaque(context!).takeUnretainedValue()
                        .inhibited(descriptor < 0 ? nil : Descriptor(descriptor), why.map { String(cString: $0) })
                }, context)
            isAsking = code >= 0
            if code < 0 { loseSystem(SystemError.text(-code)) }
        } catch {
            hasReportedSystem = true
            failed(DesktopError("cannot keep the machine awake: \(error)", isCommon: error.isCommon))
        }
    }

    private func inhibited(_ descriptor: Descriptor?, _ why: String?) {
        (isAsking, inhibitor, refusedInhibitor) = (false, descriptor, why)
    }

    /// Why logind gave none.
    private var refusedInhibitor: String?

    private func loseSystem(_ why: String) {
        system?.close()
        (system, isAsking, hasReportedSystem, refusedInhibitor) = (nil, false, true, nil)
        failed(DesktopError("cannot keep the machine awake: \(CleanText.line(why, limit: 200))"))
    }
}

/// A connection to a bus. On the thread only.
private struct BusConnection {
    /// `flick_bus *`.
    let bus: OpaquePointer
    private let opened = ContinuousClock.now

    /// How long the bus may take to accept the connection.
    private static let patience = Duration.seconds(10)

    init(isSystem: Bool) throws(DesktopError) {
        var code: Int32 = 0
        guard let bus = flick_bus_open(isSystem ? 1 : 0, &code) else {
            let why = code == 0 ? "the D-Bus address is not set" : SystemError.text(code)
            // So it is without a desktop.
            throw DesktopError(why, isCommon: [0, ENOENT, ECONNREFUSED].contains(code))
        }
        self.bus = bus
    }

    func close() { flick_bus_close(bus) }

    var isReady: Bool { flick_bus_is_ready(bus) != 0 }

    var source: pollfd {
        pollfd(fd: flick_bus_descriptor(bus), events: Int16(truncatingIfNeeded: flick_bus_events(bus)), revents: 0)
    }

    /// In milliseconds, for poll; the highest number for no limit.
    var timeout: Int32 {
        let own = flick_bus_timeout(bus)
        let wait = own < 0 ? Int32.max : own
        guard !isReady else { return wait }
        let left = opened + Self.patience - .now
        return min(wait, max(Int32(clamping: Int((left / .milliseconds(1)).rounded(.up))), 0))
    }

    /// Sends and receives what is due, up to a limit: a bus that sends without end must not hold up the rest. Returns
    /// why the connection is lost, or nil.
    func process() -> String? {
        for _ in 0..<100 {
            let code = flick_bus_process(bus)
            if code < 0 { return SystemError.text(-code) }
            if code == 0 { break }
        }
        let isLate = !isReady && ContinuousClock.now >= opened + Self.patience
        return isLate ? "no response" : nil
    }
}

extension NowPlaying {
    /// Calls `body` with the same for the bus.
    fileprivate func withPlayer<Result>(_ body: (UnsafePointer<flick_player>) -> Result) -> Result {
        let texts = [track > 0 ? "/org/flick/track/\(track)" : nil, title, creator, url, artwork]
        let copies = texts.map { $0.flatMap { strdup($0) } }
        defer { for copy in copies { free(copy) } }
        var player = flick_player()
        player.track = UnsafePointer(copies[0])
        player.title = UnsafePointer(copies[1])
        player.artist = UnsafePointer(copies[2])
        player.url = UnsafePointer(copies[3])
        player.artwork = UnsafePointer(copies[4])
        player.length = duration?.microseconds ?? 0
        player.position = position.microseconds
        player.rate = speed
        player.volume = isMuted ? 0 : volume
        player.status = Int32(track == 0 ? FLICK_PLAYER_STOPPED : isPaused ? FLICK_PLAYER_PAUSED : FLICK_PLAYER_PLAYING)
        player.is_moving = isMoving ? 1 : 0
        player.has_next = page < pages ? 1 : 0
        player.has_previous = page > 1 ? 1 : 0
        player.can_seek = isSeekable ? 1 : 0
        return body(&player)
    }
}
