import Cache
import Model

/// A loader's knowledge of its URL, its bytes in memory and on disk, and its
/// transfers. Pure: events go in, orders come out.
///
/// An *edition* is the version of the file that the server had at one time. Facts, window and cached bytes all belong
/// to the same edition. A source that has returned bytes of an older edition throws `changed`.
struct LoaderState {
    /// Orders that the loader carries out after it has unlocked its monitor.
    enum TransferOrder: Equatable {
        /// Start the transfer with that number.
        case start(Int)
        case stop(Int)
        /// The prefetch has ended: the beginning is there or cannot be fetched.
        /// It is cut short if bandwidth is conserved.
        case prefetched(isCutShort: Bool)
        /// The whole file is on disk, or cannot be fetched: the wish for it has ended.
        case wholeEnded
    }

    /// Orders that the loader adds to the cache's queue while its monitor is locked.
    enum DiskOrder {
        case save(Window.Piece)
        /// Drop the cache's entry, which belongs to an older edition.
        case discard
        /// The length became known.
        case learn(AssetFacts)
    }

    /// All orders since the last call of `drainOrders`, each list in order.
    struct Orders {
        var disk: [DiskOrder] = []
        var transfers: [TransferOrder] = []
    }

    /// A source that reads or is being opened.
    struct Reader {
        /// Where it reads next.
        var head: Int64
        /// Where it read before it jumped to `head`. If sound and pictures lie far apart in a file, a demuxer reads at
        /// both places in turn.
        var other: Int64?
        /// How often it jumped between the two places.
        var turns = 0
        /// Whether it waits at `head`.
        var waits = false
        /// Whether it has something else to do until it asks again, if what it waits for fails.
        var isPatient = false
        /// The end of the range that it announced.
        var end: Int64?
        /// The edition of the bytes that it has returned; nil if none yet.
        var edition: Int?
        /// Its place when the needs were last updated.
        var seen: Int64 = -1
        /// The read-ahead while bandwidth is conserved.
        var sparing = SparingReadAhead()
    }

    struct Transfer {
        let number: Int
        /// The last byte to request; nil for the end of the file.
        let to: Int64?
        /// The next byte that will arrive or must be requested.
        var position: Int64
        /// The largest `position` reached. Bytes that arrive again before it are not progress.
        var reached: Int64
        /// One past the last byte of the response; nil while there is no response, or if it has no length.
        var end: Int64?
        /// The response is the whole file although a part was requested.
        var isWhole = false
        /// Whether a reader waits for its bytes.
        var isUrgent = false
        /// Whether only a prefetch wants it.
        var isPrefetch = false
        var edition: Int

        init(number: Int, to: Int64?, position: Int64, edition: Int) {
            (self.number, self.to, self.edition) = (number, to, edition)
            (self.position, reached) = (position, position)
        }
    }

    /// How long readers have waited since the asset came into view.
    struct ViewWait {
        private(set) var total = Duration.zero
        /// When that was last looked at, if one waited then.
        private var since: Duration?

        mutating func note(isWaiting: Bool, now: Duration) {
            if let since { total += max(.zero, now - since) }
            since = isWaiting ? now : nil
        }
    }

    /// Counts responses that contradict earlier ones. One may be a mistake; a second one, before eight others have
    /// agreed, is how the server is.
    struct Contradictions {
        static let forgiving = 8
        private var count = 0
        /// Since the last contradiction.
        private var agreements = 0

        var arePersistent: Bool { count >= 2 }

        mutating func note(contradicts: Bool) {
            agreements = contradicts ? 0 : agreements + 1
            if contradicts { count += 1 } else if agreements >= Self.forgiving { count = 0 }
        }
    }

    enum Reading: Equatable {
        case copied(Int)
        case onDisk
        case failed(BytesError.Reason)
    }

    struct Settings {
        var pieceSize: Int
        /// Whether bytes may be cached on disk: there is a cache, and this is not a live segment.
        var caches: Bool
        var readAhead: ReadAhead
        /// Whether it is an item's own file, which may be fetched whole while in view.
        var isOwnFile: Bool
        /// Whether a reader's whole range is wanted at once, as for segments.
        var isSegment: Bool
        /// Whether it may be there in a moment although it is not now: a segment of a live stream.
        var isLive = false
        /// Whether bytes are saved only when their transfer ends, or when memory has no more room for them.
        var savesAtEnd = false

        /// In bytes: once this many are unsaved, they are saved before more are received.
        var unsavedLimit: Int { savesAtEnd ? max(pieceSize, LoaderState.unsavedAtEndLimit) : pieceSize }
        /// How long a failure is reported to new readers before flick tries again.
        var failureLifetime: Duration { isLive ? LoaderState.liveFailureLifetime : LoaderState.failureLifetime }
    }

    /// In bytes: the most that a window has in memory.
    static let windowLimit = 6 << 20
    /// The same of unsaved bytes, if they are saved at the end.
    static let unsavedAtEndLimit = 16 << 20
    /// The most simultaneous transfers. Each serves a reader that waits; reading ahead never starts a second one.
    static let transferLimit = 4
    static let aheadLimit = 1
    /// How long a failure is reported to new readers before flick tries again.
    static let failureLifetime: Duration = .seconds(1)
    /// Less than the first pause of the decoder's `SegmentRetry`.
    static let liveFailureLifetime: Duration = .milliseconds(400)

    var settings: Settings
    var facts = AssetFacts()
    /// After all redirections.
    var url: String
    /// Whether the facts are known, from a response or the cache.
    var isKnown = false
    /// Whether it is known what this is: media or a playlist.
    var isKindKnown: Bool
    var isPlaylist = false
    /// Whether it is the live stream of a radio or a camera. Each response continues where the last one ended, as if it
    /// were one growing file. Its bytes are only in memory, and it has one reader (`LoaderRegistry.separate`).
    var isBroadcast = false
    /// How much of a broadcast has arrived.
    var broadcastEnd: Int64 = 0
    var isLookedUp = false
    var edition = 0

    /// The ranges on disk.
    var cached = ByteRanges()
    /// Ranges on disk that are doubtful until the server confirms them or cannot be reached.
    var doubted: ByteRanges?
    /// Whether requests bypass all caches on the way.
    var isFresh = false
    /// Whether all further ones do: the bytes of the URL have turned out bad.
    var staysFresh = false
    /// No byte from before is used again once the server has answered, whatever it says of the edition.
    var isRejected = false
    /// What is known and cached is not what readers want, and is dropped when the last reader closes or another opens.
    var isUseless = false
    /// Whether new bytes are cached on disk. False after a save failed.
    var caches: Bool
    var window: Window

    var readers: [Int: Reader] = [:]
    var transfers: [Transfer] = []
    var isFocused = false {
        didSet {
            guard isFocused != oldValue else { return }
            viewWait = ViewWait()
            for number in readers.keys { readers[number]?.sparing = SparingReadAhead() }
        }
    }
    var viewWait = ViewWait()
    /// Whether only little is fetched that no reader waits for: the link is slow, and the page may soon be left.
    var conservesLink = false
    /// Whether the user wants as little as possible fetched.
    var savesData = false
    /// Where the prefetched beginning ends; nil if there is no prefetch.
    var prefetchEnd: Int64?
    /// All of it is wanted on disk, whether it is read or not.
    var isWantedWhole = false
    /// Announced ranges, which will be opened soon.
    var expected: [Range<Int64>] = []
    /// Whether prefetches pause because the asset in view waits for bytes.
    var yields = false
    /// Whether the bytes of the asset in view come before all others, so that transfers of others pause.
    var isViewFirst = false
    /// In bytes. For a transfer this close to a wanted byte, waiting is faster than a new request.
    var reach: Int64 = 1 << 20
    /// The last one. `isHeldBack`: the last request was not made, perhaps only because all readers were patient.
    var failure: (reason: BytesError.Reason, until: Duration, isHeldBack: Bool)?
    /// Responses that did not fit their requests.
    var misfits = Contradictions()
    /// Responses that named another edition than the one before.
    var changes = Contradictions()
    /// Each response may name another edition, as of mirrors behind one name: all bytes come from one response, and
    /// stay in the cache only if they are the whole file.
    var isFromOneResponse = false

    private var orders = Orders()
    private var lastNumber = 0

    init(url: String, settings: Settings, mayBePlaylist: Bool) {
        self.url = url
        self.settings = settings
        caches = settings.caches
        isKindKnown = !mayBePlaylist
        window = Window(pieceSize: settings.pieceSize)
    }

    mutating func order(_ order: TransferOrder) { orders.transfers.append(order) }
    mutating func order(_ order: DiskOrder) { orders.disk.append(order) }

    /// Returns each order once.
    mutating func drainOrders() -> Orders {
        defer { orders = Orders() }
        return orders
    }

    mutating func newNumber() -> Int {
        lastNumber += 1
        return lastNumber
    }

    var isIdle: Bool {
        readers.isEmpty && expected.isEmpty && prefetchEnd == nil && !isWantedWhole && transfers.isEmpty
    }
    /// Whether a request that failed need not be repeated at once: who reads asks again, and what is only announced is
    /// not missing yet. A file that is wanted whole, or fetched before it is opened, is not asked for again.
    var isPatient: Bool {
        !isWantedWhole && (!readers.isEmpty || prefetchEnd == nil)
            && readers.values.allSatisfy { $0.isPatient || !isStarved($0) }
    }
    /// Whether the asset in view waits for bytes.
    var isViewWaiting: Bool { isFocused && readers.values.contains(where: isStarved) }

    /// Whether the whole file is on disk.
    var isWhollyCached: Bool {
        guard let length = facts.length else { return false }
        return cached.prefix(from: 0) >= length
    }

    /// Once readers in view have waited for long, bandwidth is no longer conserved: a stall is worse.
    var conservesBandwidth: Bool { conservesLink && viewWait.total < ReadAhead.patience }

    /// Whether any part can be read without waiting for everything before it.
    var isSeekable: Bool {
        guard !isBroadcast else { return false }
        return facts.servesRanges != false || facts.length.map { gap(from: 0, below: $0) == nil } ?? false
    }

    /// How many bytes from `offset` on need no network.
    func availablePrefix(from offset: Int64) -> Int64 {
        var end = offset
        while true {
            let more = max(cached.prefix(from: end), window.prefix(from: end))
            if more == 0 { return end - offset }
            end += more
        }
    }

    /// The next byte after `offset` that is in memory or on disk; `offset` itself must not be.
    func nextAvailable(after offset: Int64) -> Int64? {
        guard offset < .max else { return nil }
        let gap = cached.firstGap(in: offset...(.max - 1))
        let next = gap.flatMap { $0.upperBound < .max - 1 ? $0.upperBound + 1 : nil }
        return [next, window.next(after: offset)].compactMap { $0 }.min()
    }

    /// The first byte of a range that is neither in memory nor on disk; nil if the range is complete.
    func gap(from start: Int64, below end: Int64) -> Int64? {
        guard start < end else { return nil }
        let offset = start + availablePrefix(from: start)
        return offset < end ? offset : nil
    }
}

// MARK: - Reading

extension LoaderState {
    mutating func open(from offset: Int64, end: Int64?) -> Int {
        if isUseless { forgetUseless() }
        let number = newNumber()
        readers[number] = Reader(head: offset, end: end)
        return number
    }

    mutating func close(_ number: Int) {
        readers[number] = nil
        discardUselessPart()
    }

    /// Ends all reads.
    mutating func closeReaders() {
        readers = [:]
        discardUselessPart()
    }

    /// What is known and cached is useless, whatever the server says of it. Readers that are open keep it: they would
    /// have it fetched again.
    mutating func discard() {
        isUseless = true
        discardUselessPart()
    }

    private mutating func forgetUseless() {
        (isKindKnown, isPlaylist) = (isKindKnown && !isPlaylist, false)
        if prefetchEnd != nil {
            prefetchEnd = nil
            order(.prefetched(isCutShort: false))
        }
        forget()
    }

    /// Part of a file whose every response is another edition is useless: the rest would come from another one.
    private mutating func discardUselessPart() {
        guard readers.isEmpty else { return }
        if isUseless { return forgetUseless() }
        guard isFromOneResponse, !isWhollyCached else { return }
        beginEdition(AssetFacts())
        order(.discard)
        isKnown = false
    }

    /// Whether there is anything to read; nil while unknown.
    mutating func opening(_ number: Int, isPatient: Bool = false, now: Duration) -> Reading? {
        readers[number]?.isPatient = isPatient
        let isOpen = isPlaylist || (isLookedUp && isKnown && isKindKnown)
        if !isOpen, let reason = freshFailure(of: number, at: readers[number]?.head ?? 0, now: now) {
            return .failed(reason)
        }
        readers[number]?.waits = !isOpen
        return isOpen ? .copied(0) : nil
    }

    /// Copies bytes from memory, or reports that they are on disk; nil if the reader has to wait.
    mutating func read(
        _ number: Int, at offset: Int64, into buffer: UnsafeMutableRawBufferPointer, now: Duration
    ) -> Reading? {
        guard let edition = readers[number]?.edition ?? Optional(edition), edition == self.edition else {
            readers[number]?.waits = false
            return .failed(.changed)
        }
        if isEnd(offset) {
            readers[number]?.waits = false
            return .copied(0)
        }
        let copied = window.copy(at: offset, into: buffer)
        if copied > 0 {
            arrive(number, at: offset + Int64(copied), from: offset)
            return .copied(copied)
        }
        if cached.prefix(from: offset) > 0 {
            arrive(number, at: offset, from: offset)
            return .onDisk
        }
        if let reason = freshFailure(of: number, at: offset, now: now) {
            readers[number]?.waits = false
            return .failed(reason)
        }
        noteWait(of: number, at: offset)
        return nil
    }

    /// Whether this reader causes no change of needs: it has its bytes and has not moved far.
    func isSettled(_ number: Int) -> Bool {
        guard let reader = readers[number], !reader.waits, reader.seen >= 0 else { return false }
        return abs(reader.head - reader.seen) < (conservesBandwidth ? ReadAhead.minWhileConserving / 4 : 128 << 10)
    }

    /// The reader has read more bytes from the disk.
    mutating func advance(_ number: Int, to offset: Int64) { readers[number]?.head = offset }

    /// Bytes on disk were found missing or damaged.
    mutating func lost(at offset: Int64, keeping ranges: ByteRanges) {
        guard isKnown else {
            if doubted != nil { doubted = ranges }
            return
        }
        cached = ranges
        if cached.prefix(from: offset) > 0 {
            cached.remove(offset...offset.advanced(upTo: Int64(settings.pieceSize)))
        }
    }

    private mutating func arrive(_ number: Int, at head: Int64, from offset: Int64) {
        move(number, to: offset)
        readers[number]?.head = head
        readers[number]?.waits = false
        readers[number]?.edition = edition
    }

    /// The reader waits: it outran the read-ahead, unless it has just begun or jumped. In view a wait alone means
    /// nothing: the reader consumes what comes until it has enough, and `viewWait` counts.
    private mutating func noteWait(of number: Int, at offset: Int64) {
        if !isFocused, let reader = readers[number], reader.head == offset, reader.edition != nil, !reader.waits {
            readers[number]?.sparing.waits(at: offset)
        }
        move(number, to: offset)
        readers[number]?.waits = true
    }

    /// Notes where a reader reads now, and whether it alternates between two places.
    private mutating func move(_ number: Int, to offset: Int64) {
        guard var reader = readers[number], reader.head != offset else { return }
        func isNear(_ place: Int64) -> Bool { offset >= place && offset - place <= reach }
        if !isNear(reader.head) {
            if let other = reader.other, isNear(other) {
                reader.turns += 1
            } else {
                reader.turns = 0
                reader.sparing = SparingReadAhead()
            }
            reader.other = reader.head
        }
        reader.head = offset
        readers[number] = reader
    }

    /// A failure too recent to try again, unless a running transfer will bring the byte. A request that was held
    /// back is made for a reader that is not patient.
    private mutating func freshFailure(of reader: Int, at offset: Int64, now: Duration) -> BytesError.Reason? {
        guard let failure else { return nil }
        let isPatient = readers[reader]?.isPatient ?? false
        guard now < failure.until, isPatient || !failure.isHeldBack else {
            self.failure = nil
            return nil
        }
        let need = Need(offset: offset, end: nil, isUrgent: true)
        return transfers.contains { serves($0, need) } ? nil : failure.reason
    }
}
