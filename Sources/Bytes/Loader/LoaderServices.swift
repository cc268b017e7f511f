import Cache
import HTTP
import Model
import Synchronization
import Threads

/// The services that all loaders share: the network, the cache's thread, the clock and the measured speed. Any thread.
final class LoaderServices: Sendable {
    let transport: Transport
    let writer: CacheWriter
    let hosts = HostLimit(perHost: 6)
    /// Stills are small and many: they have their own slots, so stills and clips do not wait for each other.
    let stillHosts = HostLimit(perHost: 16)
    /// Feeds are small and can be hundreds at one server, as of the creators that the user follows there: a clip does
    /// not wait for them.
    let feedHosts = HostLimit(perHost: 8)
    let delays = Delays()
    let titles = RadioTitles()
    let budgets: RequestBudgets
    /// Called on threads that may block; others use `reporter`. nil without a listener.
    let report: (@Sendable (Fetch) -> Void)?
    let reporter: Reporter
    let throughput = Mutex(Throughput())
    let viewPriority = Mutex(ViewPriority())
    private let clock: @Sendable () -> Duration
    private let stays = Atomic(true)
    private let isSavingData = Atomic(false)
    private let waiting = Mutex<Set<ObjectIdentifier>>([])
    private let prefetching = Mutex<[ObjectIdentifier: Loader]>([:])

    /// - Parameter clock: the time since these services began; nil: the system's.
    init(
        cache: CacheOptions?, network: NetworkOptions, report: (@Sendable (Fetch) -> Void)?,
        notice: @escaping @Sendable (String) -> Void, clock: (@Sendable () -> Duration)? = nil
    ) {
        let began = ContinuousClock.now
        let clock = clock ?? { .now - began }
        self.clock = clock
        transport = Transport(network)
        budgets = RequestBudgets(now: clock)
        writer = CacheWriter(cache, notice: notice)
        self.report = report
        reporter = Reporter(report)
    }

    /// Time since these services began.
    var now: Duration { clock() }

    /// Reports what a network request brought. Returns at once.
    func report(
        _ request: Transport.Request, got: Int64, status: Int, since began: Duration
    ) {
        reporter.add(
            Fetch(
                asset: request.asset.url, url: SafeURL.text(request.url), from: request.range?.from ?? 0,
                to: request.range?.to, got: got, source: .network, status: status, time: now - began))
    }

    /// In bytes: about what arrives during one round trip. For a transfer this close to a wanted byte, waiting is
    /// faster than a new request.
    var reach: Int64 {
        guard let bits = throughput.withLock(\.estimate) else { return 1 << 20 }
        return min(1 << 20, max(64 << 10, bits / 8 / 2))
    }

    /// Whether the user stays with the asset in view, so that what follows may be wanted; true if none is.
    func setStays(_ stays: Bool) { self.stays.store(stays, ordering: .relaxed) }

    /// Whether the user wants as little as possible fetched.
    var savesData: Bool { isSavingData.load(ordering: .relaxed) }

    func setSavesData(_ savesData: Bool) { isSavingData.store(savesData, ordering: .relaxed) }

    /// Whether prefetching is kept small. On a slow link most of it would be wasted, because most pages are left soon.
    var conservesBandwidth: Bool {
        savesData || !stays.load(ordering: .relaxed) && throughput.withLock { $0.isBelow(ReadAhead.ample) }
    }

    /// When paused transfers of assets out of view continue if nothing arrives for
    /// the one in view before; nil if they need not pause.
    func viewPriorityEnd(after now: Duration) -> Duration? { viewPriority.withLock { $0.end(after: now) } }

    /// Sets whether the clip in view is stalled for lack of bytes. Returns whether that is new.
    func setViewStalled(_ isStalled: Bool) -> Bool { viewPriority.withLock { $0.note(isStalled: isStalled, now: now) } }

    /// Bytes of the asset in view have arrived.
    func arrivedInView() { viewPriority.withLock { $0.arrived(now: now) } }

    /// Whether the asset in view waits for bytes. Prefetches pause meanwhile.
    var isViewWaiting: Bool { waiting.withLock { !$0.isEmpty } }

    func setViewWaiting(_ isViewWaiting: Bool, _ loader: Loader) {
        let changed = waiting.withLock { set in
            let before = set.isEmpty
            if isViewWaiting { set.insert(ObjectIdentifier(loader)) } else { set.remove(ObjectIdentifier(loader)) }
            return before != set.isEmpty
        }
        guard changed else { return }
        for loader in prefetching.withLock({ Array($0.values) }) { loader.update { $0.yields = self.isViewWaiting } }
    }

    func setPrefetching(_ isPrefetching: Bool, _ loader: Loader) {
        prefetching.withLock { $0[ObjectIdentifier(loader)] = isPrefetching ? loader : nil }
    }
}

/// Reports fetches in order on its own thread, because reports are written to files and the network must not wait
/// for those. Any thread.
final class Reporter: Sendable {
    private let report: (@Sendable (Fetch) -> Void)?
    private let thread = SerialThread()

    /// - Parameter report: nil without a listener; then the reporter has no thread either.
    init(_ report: (@Sendable (Fetch) -> Void)?) { self.report = report }

    /// Returns at once. Reports nothing after `end`.
    func add(_ fetch: Fetch) {
        guard let report else { return }
        if thread.put({ report(fetch) }) { thread.wake() }
    }

    /// Waits until all earlier fetches are reported or `limit` has passed; ignores later ones. Blocks.
    func end(within limit: Duration) {
        thread.end()
        thread.drain(upTo: limit)
    }
}

/// The current titles of the radios that are being read, by the URLs of their assets. Any thread.
final class RadioTitles: Sendable {
    private let titles = Mutex<[String: String]>([:])

    subscript(asset: String) -> String? { titles.withLock { $0[asset] } }

    /// nil: the radio does not say.
    func set(_ title: String?, of asset: String) { titles.withLock { $0[asset] = title } }

    func remove(_ asset: String) { set(nil, of: asset) }
}

/// Whether the asset in view has priority over all others: while its clip is stalled for
/// lack of bytes, and they arrive. Pure; times are given.
///
/// Transfers of other assets then pause, because they share the link. A server that sends
/// nothing, or little for long, delays only its own page.
struct ViewPriority: Equatable {
    /// The time after the last byte at which the others continue.
    var patience = Duration.seconds(1)
    /// The longest pause of the others.
    var longest = Duration.seconds(10)

    /// When the clip stalled; nil if it plays, or needs nothing.
    private var stalledSince: Duration?
    private var arrivedAt = Duration.zero

    /// The clip in view stands still, or no longer does. Returns whether that is new.
    mutating func note(isStalled: Bool, now: Duration) -> Bool {
        guard isStalled != (stalledSince != nil) else { return false }
        stalledSince = isStalled ? now : nil
        return true
    }

    /// Bytes of the asset in view have arrived.
    mutating func arrived(now: Duration) { arrivedAt = now }

    /// When the others continue if nothing arrives before; nil if they are not paused.
    func end(after now: Duration) -> Duration? {
        guard let stalledSince else { return nil }
        let end = min(max(stalledSince, arrivedAt) + patience, stalledSince + longest)
        return end > now ? end : nil
    }
}
