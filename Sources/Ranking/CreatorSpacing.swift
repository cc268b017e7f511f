/// Keeps creators apart: no creator twice within five clips, nor three times within twenty. Clips are taken by their
/// ranks, the best (0) first; each creator is a queue of them.
///
/// All creators that may have the next clip are in a heap by the rank of their next clip, so a whole order takes
/// n log n steps, also if one creator made most of the clips. A value.
struct CreatorSpacing {
    static let apart = 5
    /// A creator has at most two of this many clips: twenty clips show at least ten creators, if there are that many.
    static let wideApart = 20

    private struct Creator {
        /// The rank of the next clip; the number of ranks after the last.
        var next: Int32
        /// The last two places, from 0; negative for those before the first.
        var last = Int.min / 2
        var beforeLast = Int.min / 2
        var isWaiting = false

        /// The first place that it may have again.
        var due: Int { max(last + CreatorSpacing.apart, beforeLast + CreatorSpacing.wideApart) }
    }

    /// For each rank, its creator; nil for clips without one, which are not kept apart.
    private let owners: [Int32?]
    /// For each rank, the next clip of the same creator, or of those without one.
    private var following: [Int32]
    private var isTaken: [Bool]
    private var creators: [Creator] = []
    /// Ranks of next clips, of creators that may have the next place.
    private var ready = Heap()
    /// Creators that have to wait, by the place at which they are due.
    private var waiting: [Int: [Int32]] = [:]
    private var place = 0
    private let end: Int32
    /// The next clip without a creator.
    private var anonymous: Int32

    /// - Parameters:
    ///   - ranked: the creators of all clips, the best clip first.
    ///   - recent: the creators of the clips that come right before, the last one last.
    init(_ ranked: [UInt64?], after recent: some BidirectionalCollection<UInt64?>) {
        end = Int32(ranked.count)
        var numbers: [UInt64: Int32] = [:]
        owners = ranked.map { creator in
            creator.map { creator in
                if let number = numbers[creator] { return number }
                defer { numbers[creator] = Int32(numbers.count) }
                return Int32(numbers.count)
            }
        }
        following = [Int32](repeating: end, count: ranked.count)
        isTaken = [Bool](repeating: false, count: ranked.count)
        anonymous = end
        creators = [Creator](repeating: Creator(next: end), count: numbers.count)
        for rank in owners.indices.reversed() {
            if let owner = owners[rank] {
                following[rank] = creators[Int(owner)].next
                creators[Int(owner)].next = Int32(rank)
            } else {
                following[rank] = anonymous
                anonymous = Int32(rank)
            }
        }
        for (back, creator) in recent.suffix(Self.wideApart).reversed().enumerated() {
            guard let number = creator.flatMap({ numbers[$0] }) else { continue }
            let place = -1 - back
            if creators[Int(number)].last < place - Self.wideApart {
                creators[Int(number)].last = place
            } else if creators[Int(number)].beforeLast < place - Self.wideApart {
                creators[Int(number)].beforeLast = place
            }
        }
        for number in creators.indices { enter(Int32(number)) }
    }

    /// Whether this clip may have the next place.
    func mayTake(_ rank: Int) -> Bool {
        guard !isTaken[rank] else { return false }
        return owners[rank].map { creators[Int($0)].due <= place } ?? true
    }

    /// The best clip that may have the next place, which it then has. If all that are left are of creators that have to
    /// wait, the one that was shown longest ago has it. nil if there is no clip left.
    mutating func takeBest() -> Int? {
        if let best = best() {
            take(best)
            return best
        }
        // At most as many wait as had one of the last twenty places.
        let longest = waiting.values.joined().min { creators[Int($0)].last < creators[Int($1)].last }
        guard let longest else { return nil }
        let rank = Int(creators[Int(longest)].next)
        take(rank)
        return rank
    }

    /// Gives the next place to a clip.
    mutating func take(_ rank: Int) {
        isTaken[rank] = true
        if let owner = owners[rank].map(Int.init) {
            if creators[owner].isWaiting {
                waiting[creators[owner].due]?.removeAll { $0 == Int32(owner) }
                if waiting[creators[owner].due]?.isEmpty == true { waiting[creators[owner].due] = nil }
                creators[owner].isWaiting = false
            }
            (creators[owner].beforeLast, creators[owner].last) = (creators[owner].last, place)
        }
        place += 1
        if let owner = owners[rank] { enter(owner) }
        for number in waiting.removeValue(forKey: place) ?? [] {
            creators[Int(number)].isWaiting = false
            enter(number)
        }
    }

    private mutating func best() -> Int? {
        while let anonymous = anonymous == end ? nil : Int(anonymous), isTaken[anonymous] {
            self.anonymous = following[anonymous]
        }
        while let rank = ready.first.map(Int.init) {
            // Entries of creators that had a place meanwhile are stale.
            let creator = owners[rank].map { creators[Int($0)] }
            guard let creator, creator.next == Int32(rank), !creator.isWaiting, !isTaken[rank] else {
                ready.removeFirst()
                continue
            }
            return anonymous < Int32(rank) ? Int(anonymous) : rank
        }
        return anonymous == end ? nil : Int(anonymous)
    }

    /// Puts a creator where it belongs: to those that may have the next place, or to those that wait.
    private mutating func enter(_ number: Int32) {
        var creator = creators[Int(number)]
        while creator.next != end, isTaken[Int(creator.next)] { creator.next = following[Int(creator.next)] }
        let hasMore = creator.next != end
        creator.isWaiting = hasMore && creator.due > place
        creators[Int(number)] = creator
        guard hasMore else { return }
        if creator.isWaiting { waiting[creator.due, default: []].append(number) } else { ready.insert(creator.next) }
    }
}

/// A binary heap, the least number first. A value.
private struct Heap {
    private var numbers: [Int32] = []

    var first: Int32? { numbers.first }

    mutating func insert(_ number: Int32) {
        numbers.append(number)
        var place = numbers.count - 1
        while place > 0, numbers[(place - 1) / 2] > numbers[place] {
            numbers.swapAt(place, (place - 1) / 2)
            place = (place - 1) / 2
        }
    }

    mutating func removeFirst() {
        numbers.swapAt(0, numbers.count - 1)
        numbers.removeLast()
        var place = 0
        while true {
            var least = place
            for child in [2 * place + 1, 2 * place + 2] where child < numbers.count && numbers[child] < numbers[least] {
                least = child
            }
            guard least != place else { return }
            numbers.swapAt(place, least)
            place = least
        }
    }
}
