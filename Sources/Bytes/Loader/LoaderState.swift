import Cache
import Model

/// What a loader knows of its URL, has of it in memory and on disk, and is fetching. Pure: events go in, orders come out.
///
/// An *edition* is what the server had under the URL at one time. Facts, window and cached bytes belong to one edition only; a source that was handed
/// bytes of an older one throws `changed`.
struct LoaderState {
    /// For the loader to carry out once its monitor is unlocked.
    enum TransferOrder: Equatable {
        /// Begin the transfer of that number.
        case start(Int)
        case stop(Int)
        /// The prefetch is over: the beginning is there, or cannot be had.
        case prefetched
    }

    /// For the cache's queue, which the loader puts it into while its monitor is locked.
    enum DiskOrder {
        case save(Window.Piece)
        /// Drop the cache's entry: it is of an older edition.
        case discard
        /// The length is known at last.
        case learn(AssetFacts)
    }

    /// All orders since the last time, each list in its order.
    struct Orders {
        var disk: [DiskOrder] = []
        var transfers: [TransferOrder] = []
    }

    /// A source that reads, or is being opened.
    struct Reader {
        /// Where it reads next.
        var head: Int64
        /// Where it read before it jumped to `head`: of files whose sound and pictures lie far apart, both places are read in turn.
        var other: Int64?
        /// How often it went between the two.
        var turns = 0
        /// Whether it waits at `head`.
        var waits = false
        /// Where what it asked for ends.
        var end: Int64?
        /// The edition whose bytes it got; nil: none yet.
        var edition: Int?
        /// Where it was when needs were last looked at.
        var seen: Int64 = -1
    }

    struct Transfer {
        let number: Int
        /// The last byte to ask for; nil: to the end.
        let to: Int64?
        /// The next byte that will come, or is to be asked for.
        var position: Int64
        /// The farthest `position` so far. What comes again before it is no progress.
        var reached: Int64
        /// One past the last byte that the answer brings; nil while there is no answer, or no length.
        var end: Int64?
        /// The answer is the whole file from its beginning, though a part was asked for.
        var isWhole = false
        /// Whether somebody waits for its bytes.
        var isUrgent = false
        /// Whether it is on behalf of a prefetch only.
        var isPrefetch = false
        var edition: Int

        init(number: Int, to: Int64?, position: Int64, edition: Int) {
            (self.number, self.to, self.edition) = (number, to, edition)
            (self.position, reached) = (position, position)
        }
    }

    enum Reading: Equatable {
        case copied(Int)
        case onDisk
        case failed(BytesError.Reason)
    }

    struct Settings {
        var pieceSize: Int
        /// Whether bytes may be cached on disk at all: there is a cache, and this is no live segment.
        var caches: Bool
        var readAhead: ReadAhead
        /// Whether it is an item's own file, which may be fetched whole while in view.
        var isOwnFile: Bool
        /// Whether a reader's whole range is wanted at once: segments.
        var isSegment: Bool
    }

    /// In bytes: the most that a window has in memory.
    static let windowLimit = 6 << 20
    /// At most this many transfers at a time, each for a reader that waits; fetching ahead does not begin another.
    static let transferLimit = 4
    static let aheadLimit = 1
    /// After so many good answers odd ones are forgotten.
    static let forgiving = 8
    /// For how long a failure is reported to new readers before it is tried again.
    static let failureLifetime: Duration = .seconds(1)

    var settings: Settings
    var facts = AssetFacts()
    /// After all redirections.
    var url: String
    /// Whether the facts are known, from an answer or the cache.
    var isKnown = false
    /// Whether it is saved what kind of thing this is: media, or a playlist.
    var isKindKnown: Bool
    var isPlaylist = false
    var isLookedUp = false
    var edition = 0

    /// On disk.
    var cached = ByteRanges()
    /// On disk, but doubtful until the server confirms it or nobody answers.
    var doubted: ByteRanges?
    /// Whether requests pass all caches on the way.
    var isFresh = false
    /// Whether what comes is saved. False once saving failed.
    var caches: Bool
    var window: Window

    var readers: [Int: Reader] = [:]
    var transfers: [Transfer] = []
    var isFocused = false
    /// The end of the beginning that is prefetched; nil: none is (C3).
    var prefetchEnd: Int64?
    /// Ranges that were announced: they will soon be opened.
    var expected: [Range<Int64>] = []
    /// Whether prefetches pause, as the asset in view waits for bytes.
    var yields = false
    /// In bytes: a transfer so far before a wanted byte is worth waiting for.
    var reach: Int64 = 1 << 20
    var failure: (reason: BytesError.Reason, until: Duration)?
    /// Answers that did not fit their questions, and answers since then that did.
    var oddAnswers = 0
    var goodAnswers = 0

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

    /// Returns the orders, each once.
    mutating func drainOrders() -> Orders {
        defer { orders = Orders() }
        return orders
    }

    mutating func newNumber() -> Int {
        lastNumber += 1
        return lastNumber
    }

    var isIdle: Bool { readers.isEmpty && expected.isEmpty && prefetchEnd == nil && transfers.isEmpty }
    /// Whether the asset in view waits for bytes.
    var isViewWaiting: Bool { isFocused && readers.values.contains(where: isStarved) }

    /// Whether all of the file is on disk.
    var isWhollyCached: Bool {
        guard let length = facts.length else { return false }
        return cached.prefix(from: 0) >= length
    }

    var isSeekable: Bool { facts.servesRanges != false || isWhollyCached }

    /// How many bytes from `offset` on need no network.
    func availablePrefix(from offset: Int64) -> Int64 {
        var end = offset
        while true {
            let more = max(cached.prefix(from: end), window.prefix(from: end))
            if more == 0 { return end - offset }
            end += more
        }
    }

    /// The first byte after `offset` that is in memory or on disk, where `offset` is not.
    func nextAvailable(after offset: Int64) -> Int64? {
        guard offset < .max else { return nil }
        let gap = cached.firstGap(in: offset...(.max - 1))
        let next = gap.flatMap { $0.upperBound < .max - 1 ? $0.upperBound + 1 : nil }
        return [next, window.next(after: offset)].compactMap { $0 }.min()
    }

    /// The first byte of a range that is neither in memory nor on disk; nil if all are.
    func gap(from start: Int64, below end: Int64) -> Int64? {
        guard start < end else { return nil }
        let offset = start + availablePrefix(from: start)
        return offset < end ? offset : nil
    }
}

// MARK: - Reading

extension LoaderState {
    mutating func open(from offset: Int64, end: Int64?) -> Int {
        let number = newNumber()
        readers[number] = Reader(head: offset, end: end)
        return number
    }

    mutating func close(_ number: Int) { readers[number] = nil }

    /// Whether there is anything to read; nil: that is not known yet.
    mutating func opening(_ number: Int, now: Duration) -> Reading? {
        let isOpen = isPlaylist || (isLookedUp && isKnown && isKindKnown)
        if !isOpen, let reason = freshFailure(at: readers[number]?.head ?? 0, now: now) { return .failed(reason) }
        readers[number]?.waits = !isOpen
        return isOpen ? .copied(0) : nil
    }

    /// Copies bytes from memory, or says that they are on disk; nil: the reader has to wait.
    mutating func read(
        _ number: Int, at offset: Int64, into buffer: UnsafeMutableRawBufferPointer, now: Duration
    ) -> Reading? {
        guard let edition = readers[number]?.edition ?? Optional(edition), edition == self.edition else {
            readers[number]?.waits = false
            return .failed(.changed)
        }
        if let length = facts.length, offset >= length, doubted == nil {
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
        if let reason = freshFailure(at: offset, now: now) {
            readers[number]?.waits = false
            return .failed(reason)
        }
        move(number, to: offset)
        readers[number]?.waits = true
        return nil
    }

    /// Whether needs are as they were for this reader: it has what it reads, and has not gone far.
    func isSettled(_ number: Int) -> Bool {
        guard let reader = readers[number], !reader.waits, reader.seen >= 0 else { return false }
        return abs(reader.head - reader.seen) < 128 << 10
    }

    /// The reader has read on, from the disk.
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

    /// Notes where a reader reads now, and whether it goes to and fro between two places.
    private mutating func move(_ number: Int, to offset: Int64) {
        guard var reader = readers[number], reader.head != offset else { return }
        func isNear(_ place: Int64) -> Bool { offset >= place && offset - place <= reach }
        if !isNear(reader.head) {
            if let other = reader.other, isNear(other) {
                reader.turns += 1
            } else {
                reader.turns = 0
            }
            reader.other = reader.head
        }
        reader.head = offset
        readers[number] = reader
    }

    /// A failure that is too recent to be tried again, unless a transfer under way will bring the byte.
    private mutating func freshFailure(at offset: Int64, now: Duration) -> BytesError.Reason? {
        guard let failure else { return nil }
        guard now < failure.until else {
            self.failure = nil
            return nil
        }
        let need = Need(offset: offset, end: nil, isUrgent: true)
        return transfers.contains { serves($0, need) } ? nil : failure.reason
    }
}
