/// Decides who needs which bytes, and which transfers bring them. Pure.
extension LoaderState {
    /// Missing bytes that are wanted: where they begin, and how far they are wanted.
    struct Need: Equatable {
        var offset: Int64
        /// One past the last wanted byte; nil for the end of the file.
        var end: Int64?
        var isUrgent = false
        var isPrefetch = false
    }

    /// Stops transfers that serve no need, and starts one for each need without a transfer.
    mutating func balance(now: Duration) {
        guard isLookedUp else { return }
        finishPrefetch(now: now)
        finishWhole(now: now)
        viewWait.note(isWaiting: isViewWaiting, now: now)
        for (number, reader) in readers { readers[number]?.seen = reader.head }
        var unserved: [Need] = []
        var served: [Int: (isUrgent: Bool, isPrefetch: Bool)] = [:]
        for need in needs() {
            // The closest of several transfers, so that none repeats what another brought.
            guard let transfer = transfers.filter({ serves($0, need) }).max(by: { $0.position < $1.position }) else {
                unserved.append(need)
                continue
            }
            let so = served[transfer.number] ?? (false, true)
            served[transfer.number] = (so.isUrgent || need.isUrgent, so.isPrefetch && need.isPrefetch)
        }
        for index in transfers.indices {
            guard let so = served[transfers[index].number] else { continue }
            (transfers[index].isUrgent, transfers[index].isPrefetch) = so
        }
        for transfer in transfers where served[transfer.number] == nil && !mustStay(transfer) { stop(transfer.number) }
        if let failure, now < failure.until { return }
        // The transfer that starts for one need can serve the next one too.
        for need in unserved where !transfers.contains(where: { serves($0, need) }) { start(need) }
    }

    /// Ordered by importance.
    func needs() -> [Need] {
        guard !isPlaylist else { return [] }
        var needs: [Need] = []
        for (_, reader) in readers.sorted(by: { $0.key < $1.key }) where isStarved(reader) {
            let goal = goal(of: reader).map { reader.head.advanced(upTo: $0) }
            // A reader may have read beyond the range that it announced.
            let end = reader.end.flatMap { $0 > reader.head ? $0 : nil }
            needs.append(Need(offset: reader.head, end: least(goal, end), isUrgent: true))
        }
        // As long as the server has to confirm what is known, only what is waited for is worth a request: who does not
        // wait may be about to leave.
        for (_, reader) in readers.sorted(by: { $0.key < $1.key }) where isKnown {
            if !isStarved(reader), let need = needAhead(of: reader.head, for: reader) { needs.append(need) }
            if reader.turns >= 2, let other = reader.other, let need = needAhead(of: other, for: reader) {
                needs.append(need)
            }
        }
        for range in expected {
            // Without a disk cache the bytes wait in memory, which has less room.
            let room = caches ? .max : range.lowerBound.advanced(upTo: ReadAhead.inMemory)
            let end = min(range.upperBound, room, facts.length ?? .max)
            if let offset = gap(from: range.lowerBound, below: end) {
                needs.append(Need(offset: offset, end: end == .max ? nil : end))
            }
        }
        if needs.isEmpty, !readers.isEmpty, let length = facts.length, isReadWhole,
            let offset = gap(from: 0, below: length)
        {
            needs.append(Need(offset: offset, end: nil))
        }
        if let wanted = prefetchEndNow, let end = least(wanted, facts.length), let offset = gap(from: 0, below: end) {
            needs.append(Need(offset: offset, end: end, isPrefetch: true))
        }
        if isWantedWhole, let offset = gap(from: 0, below: facts.length ?? .max) {
            needs.append(Need(offset: offset, end: nil, isPrefetch: true))
        }
        return needs
    }

    /// Whether a reader waits for a missing byte or for the first response. False once the byte is there, or the file
    /// is known to end before it, even if the reader has not read again yet.
    func isStarved(_ reader: Reader) -> Bool {
        reader.waits && (!isKnown || !isEnd(reader.head) && availablePrefix(from: reader.head) == 0)
    }

    /// Whether the file is known to have no byte at `offset` or after it.
    func isEnd(_ offset: Int64) -> Bool { doubted == nil && facts.length.map { offset >= $0 } ?? false }

    func least(_ one: Int64?, _ other: Int64?) -> Int64? { [one, other].compactMap { $0 }.min() }

    /// How many bytes ahead of a reader of the file are wanted; nil for the whole file.
    private func fileGoal(of reader: Reader) -> Int64? { conservesBandwidth ? reader.sparing.bytes : unsparedGoal }

    /// Readers get the whole file, wherever they are.
    private var isReadWhole: Bool { !conservesBandwidth && unsparedGoal == nil }

    private var unsparedGoal: Int64? {
        var readAhead = settings.readAhead
        if !caches { readAhead.cacheLimit = nil }
        readAhead.savesData = savesData
        return readAhead.goal(isFocused: isFocused, isOwnFile: settings.isOwnFile, length: facts.length)
    }

    private func goal(of reader: Reader) -> Int64? {
        // Segments are wanted whole; without a disk cache, as much as the window can take.
        guard settings.isSegment else { return fileGoal(of: reader) }
        return caches ? nil : ReadAhead.inMemory
    }

    private func needAhead(of head: Int64, for reader: Reader) -> Need? {
        let end = least(reader.end, facts.length) ?? .max
        guard let offset = gap(from: head, below: end) else { return nil }
        let goal = goal(of: reader)
        let need = Need(offset: offset, end: least(goal.map { head.advanced(upTo: $0) }, end == .max ? nil : end))
        let isUnderWay = transfers.contains { serves($0, need) }
        return ReadAhead.wantsMore(ahead: offset - head, goal: goal, isUnderWay: isUnderWay) ? need : nil
    }

    /// Whether a transfer will bring the needed bytes soon enough.
    func serves(_ transfer: Transfer, _ need: Need) -> Bool {
        guard transfer.edition == edition, need.offset >= transfer.position else { return false }
        if let end = transfer.end, need.offset >= end { return false }
        if !transfer.isWhole, let to = transfer.to, need.offset > to { return false }
        return facts.servesRanges == false || need.offset - transfer.position <= reach
    }

    private mutating func start(_ need: Need) {
        if facts.servesRanges == false {
            // Without ranges there is one download from the beginning. A reader behind its position starts it again.
            guard transfers.isEmpty || (need.isUrgent && !transfers.contains(where: \.isUrgent)) else { return }
            for transfer in transfers { stop(transfer.number) }
            // Everything arrives again, and bytes far ahead in memory would be dropped before they are read.
            if !caches, !isBroadcast { window.removeAll() }
            let position = isBroadcast ? broadcastEnd : 0
            var transfer = Transfer(number: newNumber(), to: nil, position: position, edition: edition)
            // Bytes that arrive again before the missing one are not progress: the server may always end there.
            transfer.reached = max(position, need.offset)
            add(transfer, for: need)
            return
        }
        if transfers.count >= (need.isUrgent ? LoaderState.transferLimit : LoaderState.aheadLimit) {
            guard need.isUrgent, let idle = transfers.first(where: { !$0.isUrgent }) else { return }
            stop(idle.number)
        }
        var to = need.end.map { $0 - 1 }
        let others = transfers.map(\.position).filter { $0 > need.offset }.min()
        if let next = least(nextAvailable(after: need.offset), others) { to = min(to ?? .max, next - 1) }
        // Two bytes are enough to learn whether the cached ones are still valid.
        if doubted != nil { to = min(to ?? .max, need.offset.advanced(upTo: 1)) }
        add(Transfer(number: newNumber(), to: to, position: need.offset, edition: edition), for: need)
    }

    private mutating func add(_ transfer: Transfer, for need: Need) {
        var transfer = transfer
        transfer.isUrgent = need.isUrgent
        transfer.isPrefetch = need.isPrefetch
        transfers.append(transfer)
        order(.start(transfer.number))
    }

    /// A transfer that could not be continued with a range is not stopped when there is enough: it pauses until its
    /// readers come closer.
    private func mustStay(_ transfer: Transfer) -> Bool {
        facts.servesRanges == false && transfer.edition == edition
            && readers.values.contains { !isStarved($0) && $0.head <= transfer.position }
    }

    /// Ends a transfer that is no longer needed, and saves what it brought.
    mutating func stop(_ number: Int) {
        guard remove(number) else { return }
        order(.stop(number))
    }

    /// Whether a transfer must pause before it receives more.
    func mustPause(_ number: Int) -> Bool {
        guard let transfer = transfers.first(where: { $0.number == number }) else { return false }
        // A kill must lose one piece at most, so receive no more before that is written.
        if saves, window.unsaved >= settings.unsavedLimit { return true }
        if isViewFirst, !isFocused { return true }
        if transfer.isUrgent { return false }
        if transfer.isPrefetch && yields { return true }
        // The one response must not be cut for having paused.
        guard facts.servesRanges == false, !isWantedWhole, !isReadWhole, !(isFromOneResponse && caches) else {
            return false
        }
        return !readers.values.contains { reader in
            fileGoal(of: reader).map { transfer.position < reader.head.advanced(upTo: $0) } ?? true
        }
    }

    /// Where readers read; the bytes nearby stay in memory.
    var heads: [Int64] { readers.values.flatMap { [$0.head] + ($0.turns >= 2 ? [$0.other].compactMap { $0 } : []) } }

    /// Where the prefetched beginning is to end for now.
    private var prefetchEndNow: Int64? {
        prefetchEnd.map { conservesBandwidth ? min($0, ReadAhead.beginningWhileSparing) : $0 }
    }

    private mutating func finishPrefetch(now: Duration) {
        guard let wanted = prefetchEnd, let end = prefetchEndNow else { return }
        let isFetched = isKnown && gap(from: 0, below: min(end, facts.length ?? .max)) == nil
        guard isFetched || fetchesNoMore(now: now) else { return }
        order(.prefetched(isCutShort: end < wanted))
        prefetchEnd = nil
    }

    private mutating func finishWhole(now: Duration) {
        guard isWantedWhole, isWhollyCached || fetchesNoMore(now: now) else { return }
        isWantedWhole = false
        order(.wholeEnded)
    }

    /// Nothing more comes to the disk for now.
    private func fetchesNoMore(now: Duration) -> Bool {
        isPlaylist || !caches || failure.map { now < $0.until } ?? false
    }
}
