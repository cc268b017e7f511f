import Cache
import HTTP
import Model

/// Handles responses, bytes and failures of transfers. Pure.
extension LoaderState {
    /// The request of a transfer.
    struct Question: Equatable {
        var range: Transport.Request.Range?
        var ifRange: String?
        var isFresh: Bool
    }

    /// The head of a response.
    struct Heading {
        var status: Int
        var url: String
        var facts: AssetFacts
        var span: ClosedRange<Int64>?
        /// See `LoaderState.isBroadcast`.
        var isBroadcast = false
    }

    /// How to handle a response.
    enum Verdict: Equatable {
        /// Receive its body.
        case receive
        /// Send a new request with the current range and validators.
        case again
        /// End the transfer.
        case stop
        case failed(status: Int)
        /// The responses never fit the requests.
        case misfit
    }

    /// nil if the transfer is no longer needed.
    func question(of number: Int) -> Question? {
        guard let transfer = transfers.first(where: { $0.number == number }) else { return nil }
        guard facts.servesRanges != false, !isFromOneResponse else { return Question(isFresh: isFresh) }
        return Question(
            range: .init(from: transfer.position, to: transfer.to), ifRange: facts.ifRange,
            isFresh: isFresh)
    }

    /// The cache was read: what the server had said of the file, and the ranges on disk. Returns false if they belong
    /// to an outdated edition.
    @discardableResult
    mutating func lookedUp(_ stored: AssetFacts?, _ ranges: ByteRanges) -> Bool {
        isLookedUp = true
        guard let stored else {
            cached = ByteRanges()
            return true
        }
        if !facts.agrees(with: stored) {
            // Until something is confirmed, `facts` are the newest from the
            // server. Whatever contradicts them will be discarded.
            guard isKnown else { return false }
            beginEdition(stored)
        }
        facts.fill(from: stored)
        if doubted == nil, !isRejected {
            cached = ranges
            isKnown = true
        } else {
            doubted = ranges
        }
        // Playlists are not cached, so this is not one.
        isKindKnown = true
        return true
    }

    /// The server must confirm all that is known and cached.
    mutating func revalidate() {
        for transfer in transfers { stop(transfer.number) }
        doubted = doubted ?? (cached.isEmpty ? nil : cached)
        cached = ByteRanges()
        window.removeAll()
        isKindKnown = isKindKnown && !isPlaylist
        (isKnown, isFresh, isPlaylist, failure) = (false, true, false, nil)
    }

    /// The known and cached bytes are bad, although the server may confirm them. Fetches
    /// everything again, unless the server cannot be reached.
    mutating func reject() {
        revalidate()
        (isRejected, staysFresh) = (true, true)
    }

    /// Drops all that is known and cached, because it is useless.
    mutating func forget() {
        beginEdition(AssetFacts())
        order(.discard)
        (isKnown, isFresh) = (false, true)
    }

    /// The cached bytes are valid, or no server can be reached to ask.
    private mutating func confirm() {
        guard let doubted else { return }
        for range in doubted.ranges { cached.insert(range) }
        self.doubted = nil
    }

    /// The server has a new edition: nothing that was known, cached or buffered is valid.
    mutating func beginEdition(_ new: AssetFacts) {
        for transfer in transfers where transfer.edition == edition { stop(transfer.number) }
        edition += 1
        isUseless = false
        facts = new
        if facts.servesRanges == false { facts.servesRanges = nil }
        cached = ByteRanges()
        doubted = nil
        window.removeAll()
        caches = settings.caches
    }

    mutating func answered(_ number: Int, _ heading: Heading) -> Verdict {
        guard var transfer = transfers.first(where: { $0.number == number }) else { return .stop }
        let asked = question(of: number)
        switch heading.status {
        case 200, 206: break
        case 416: return refused(transfer, heading)
        default: return .failed(status: heading.status)
        }
        var new = heading.facts
        // Whether a 200 means that the server has no ranges depends on the request: see `noteRanges`.
        new.servesRanges = nil
        let hasChanged = isRejected || !facts.agrees(with: new)
        noteEdition(hasChanged: hasChanged && !isRejected)
        isRejected = false
        if hasChanged {
            transfers.removeAll { $0.number == number }
            beginEdition(new)
            order(.discard)
            (transfer.edition, transfer.reached) = (edition, 0)
            transfers.append(transfer)
        }
        if isFromOneResponse, heading.status == 206 {
            facts.servesRanges = false
            replace(transfer)
            return .again
        }
        if heading.status == 206 {
            guard let span = heading.span, asked?.range != nil, span.lowerBound == transfer.position,
                span.upperBound <= transfer.to ?? .max
            else { return mismatched(number) }
            transfer.end = span.upperBound.advanced(upTo: 1)
            transfer.isWhole = false
        } else {
            if heading.isBroadcast { becomeBroadcast() }
            transfer.position = isBroadcast ? broadcastEnd : 0
            transfer.reached = max(transfer.reached, isBroadcast ? broadcastEnd : 0)
            transfer.isWhole = true
            transfer.end = heading.facts.length
        }
        facts.fill(from: new)
        if isBroadcast { facts.servesRanges = false }
        noteRanges(status: heading.status, asked: asked, hasChanged: hasChanged)
        if isFromOneResponse { facts.servesRanges = false }
        replace(transfer)
        (isKnown, isFresh, url) = (true, staysFresh, heading.url)
        confirm()
        settleKind(by: facts.type)
        // There are no bytes to identify the kind by.
        if facts.length == 0 { isKindKnown = true }
        return .receive
    }

    /// Mirrors behind one name can have the same file with other validators each. Whether the bytes are the same cannot
    /// be known, so no two editions are mixed; but with a new one at each request no clip would play.
    private mutating func noteEdition(hasChanged: Bool) {
        changes.note(contradicts: hasChanged)
        if changes.arePersistent { isFromOneResponse = true }
    }

    /// A 200 to a range request means that the server does not serve ranges. If it served them before, one such
    /// response is ignored.
    private mutating func noteRanges(status: Int, asked: Question?, hasChanged: Bool) {
        if status == 206 {
            facts.servesRanges = true
            misfits.note(contradicts: false)
        } else if asked?.range != nil, !(hasChanged && asked?.ifRange != nil) {
            misfits.note(contradicts: true)
            if facts.servesRanges != true || misfits.arePersistent { facts.servesRanges = false }
        }
    }

    /// The response does not fit the request. Forgets everything and requests again; the second time without a range.
    mutating func mismatched(_ number: Int) -> Verdict {
        guard var transfer = transfers.first(where: { $0.number == number }) else { return .stop }
        guard facts.servesRanges != false else { return .misfit }
        misfits.note(contradicts: true)
        transfers.removeAll { $0.number == number }
        forget()
        guard misfits.arePersistent else { return .stop }
        facts.servesRanges = false
        (transfer.edition, transfer.position, transfer.reached, transfer.end) = (edition, 0, 0, nil)
        transfers.append(transfer)
        return .again
    }

    /// A 416: beyond the end, if its length (RFC 9110, 15.5.17) is the known one; otherwise the file has changed.
    private mutating func refused(_ transfer: Transfer, _ heading: Heading) -> Verdict {
        let length = heading.facts.length
        if let length, length <= transfer.position, facts.length ?? length == length {
            finish(length: length)
            confirm()
            (isKnown, isKindKnown, isFresh, url) = (true, true, staysFresh, heading.url)
            remove(transfer.number)
            return .stop
        }
        // A server without ranges has no reason to send a 416.
        guard facts.servesRanges != false else { return .failed(status: 416) }
        return mismatched(transfer.number)
    }

    /// Bytes arrived. Returns how many of them are progress: a transfer that restarts at the beginning of the file
    /// makes no progress until it passes its old position. nil if the transfer is no longer needed.
    mutating func arrived(_ number: Int, _ bytes: UnsafeRawBufferPointer) -> Int64? {
        guard var transfer = transfers.first(where: { $0.number == number }) else { return nil }
        settleKind(byBytes: bytes, at: transfer.position)
        var rest = bytes
        if let end = transfer.end, end - transfer.position < rest.count {
            rest = UnsafeRawBufferPointer(rebasing: rest[..<Int(max(0, end - transfer.position))])
        }
        while !rest.isEmpty {
            // Skips the available part of a whole file that was requested again.
            let available = availablePrefix(from: transfer.position)
            var count = Int(min(available, Int64(rest.count)))
            if count == 0 {
                let gap = nextAvailable(after: transfer.position).map { $0 - transfer.position } ?? .max
                count = Int(min(gap, Int64(rest.count)))
                window.append(
                    UnsafeRawBufferPointer(rebasing: rest[..<count]), at: transfer.position,
                    end: transfer.end ?? transfer.to?.advanced(upTo: 1))
            }
            transfer.position += Int64(count)
            rest = UnsafeRawBufferPointer(rebasing: rest[count...])
        }
        let new = max(0, transfer.position - transfer.reached)
        transfer.reached += new
        if isBroadcast { broadcastEnd = max(broadcastEnd, transfer.position) }
        replace(transfer)
        save(all: false)
        trim()
        return new
    }

    /// The body has ended. Returns whether it had all announced bytes.
    mutating func ended(_ number: Int) -> Bool {
        guard let transfer = transfers.first(where: { $0.number == number }) else { return true }
        if let end = transfer.end, transfer.position < end { return false }
        if transfer.isWhole, facts.length == nil { finish(length: transfer.position) }
        isKindKnown = true
        remove(number)
        return true
    }

    /// The transfer has failed. The next one starts at `until`, or at once if the request was only held back (see
    /// `failure`) and a reader waits that is not patient.
    mutating func failed(
        _ number: Int, _ reason: BytesError.Reason, isUnreachable: Bool, isHeldBack: Bool = false, until: Duration
    ) {
        guard remove(number) else { return }
        if isUnreachable, doubted != nil {
            confirm()
            isKnown = facts != AssetFacts()
        }
        // A reader that began to wait meanwhile does not read again by itself: the next transfer starts now.
        failure = isHeldBack && !isPatient ? nil : (reason, until, isHeldBack)
    }

    /// A piece was written, or could not be.
    mutating func saved(_ piece: Window.Piece, _ isSaved: Bool) {
        window.saved(piece)
        guard piece.edition == edition else { return }
        let range = piece.offset...piece.offset + Int64(piece.part.count) - 1
        if !isSaved {
            caches = false
        } else if isKnown {
            cached.insert(range)
        } else {
            // It was being written when all cached bytes became doubtful.
            doubted = doubted ?? ByteRanges()
            doubted?.insert(range)
        }
        trim()
    }

    /// Whether new bytes are saved.
    var saves: Bool { caches && isKindKnown && !isPlaylist }

    /// Orders saves: of full pieces; of all unsaved bytes if `all`, or if they amount to a piece together.
    mutating func save(all: Bool) {
        guard saves else { return }
        let all = all || window.unsaved >= settings.unsavedLimit
        guard all || !settings.savesAtEnd else { return }
        for piece in window.beginSaving(all: all, edition: edition) { order(.save(piece)) }
    }

    /// Drops bytes from memory until at most `limit` are left.
    mutating func trim(to limit: Int = windowLimit) {
        window.trim(to: limit, heads: heads, ahead: ReadAhead.inMemory, cached: caches)
    }

    /// Removes a transfer and saves what it brought. False if it is gone already.
    @discardableResult
    mutating func remove(_ number: Int) -> Bool {
        guard let index = transfers.firstIndex(where: { $0.number == number }) else { return false }
        transfers.remove(at: index)
        save(all: true)
        return true
    }

    private mutating func replace(_ transfer: Transfer) {
        guard let index = transfers.firstIndex(where: { $0.number == transfer.number }) else { return }
        transfers[index] = transfer
    }

    private mutating func finish(length: Int64) {
        guard facts.length == nil else { return }
        facts.length = length
        if !isBroadcast { order(.learn(facts)) }
    }

    /// Nothing of a broadcast is cached, and nothing that was cached of its URL belongs to it.
    private mutating func becomeBroadcast() {
        caches = false
        guard !isBroadcast else { return }
        isBroadcast = true
        if !cached.isEmpty || doubted != nil { order(.discard) }
        (cached, doubted) = (ByteRanges(), nil)
    }

    // MARK: - Playlists

    private mutating func settleKind(by type: String?) {
        guard !isKindKnown, let type else { return }
        if PlaylistKind.isPlaylist(type: type) {
            becomePlaylist()
        } else if type.hasPrefix("video/") || type.hasPrefix("audio/") {
            isKindKnown = true
        }
    }

    private mutating func settleKind(byBytes bytes: UnsafeRawBufferPointer, at offset: Int64) {
        guard !isKindKnown else { return }
        if offset == 0, PlaylistKind.isPlaylist(beginning: bytes) {
            becomePlaylist()
        } else {
            isKindKnown = true
        }
    }

    private mutating func becomePlaylist() {
        (isKindKnown, isPlaylist) = (true, true)
        window.removeAll()
    }
}
