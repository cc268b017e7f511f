/// The bytes of one URL that are in memory: those that came and were not saved or read yet, and some around the readers.
///
/// They lie in runs of at most one piece each, so that a run is what is saved at a time. The loader's monitor is locked while a window is used.
struct Window {
    /// A piece's memory. What is below the run's `count` never changes, so that it may be read without the lock.
    // @unchecked: bytes are only appended under the owner's lock, and only those appended before are read elsewhere.
    final class Memory: @unchecked Sendable {
        private let bytes: UnsafeMutableRawBufferPointer

        init(capacity: Int) { bytes = .allocate(byteCount: capacity, alignment: 16) }
        deinit { bytes.deallocate() }

        fileprivate var capacity: Int { bytes.count }

        fileprivate func put(_ source: UnsafeRawBufferPointer, at place: Int) {
            UnsafeMutableRawBufferPointer(rebasing: bytes[place..<place + source.count]).copyMemory(from: source)
        }

        func withBytes<Result>(_ part: Range<Int>, _ body: (UnsafeRawBufferPointer) -> Result) -> Result {
            body(UnsafeRawBufferPointer(rebasing: bytes[part]))
        }
    }

    /// Bytes to be saved.
    struct Piece: Sendable {
        let offset: Int64
        let memory: Memory
        /// Of the memory.
        let part: Range<Int>
        let edition: Int
    }

    private struct Run {
        let start: Int64
        let memory: Memory
        var count = 0
        /// How many bytes saves were ordered for.
        var ordered = 0
        /// Saves that were ordered and are not done.
        var underWay = 0
        /// How many bytes were saved, or will never be.
        var saved = 0
        var end: Int64 { start + Int64(count) }
        var isFull: Bool { count == memory.capacity }
    }

    /// In order, and disjoint.
    private var runs: [Run] = []
    let pieceSize: Int

    init(pieceSize: Int) { self.pieceSize = pieceSize }

    var isEmpty: Bool { runs.isEmpty }
    /// How many bytes are in memory.
    var total: Int { runs.reduce(0) { $0 + $1.count } }
    /// How many of them are not on disk: what a kill would lose.
    var unsaved: Int { runs.reduce(0) { $0 + $1.count - $1.saved } }

    private func index(of offset: Int64) -> Int? { runs.firstIndex { $0.start <= offset && offset < $0.end } }

    /// How many bytes from `offset` on are there without a gap.
    func prefix(from offset: Int64) -> Int64 {
        guard var index = index(of: offset) else { return 0 }
        while index + 1 < runs.count, runs[index + 1].start == runs[index].end { index += 1 }
        return runs[index].end - offset
    }

    /// The first byte after `offset` that is there, where `offset` itself is not.
    func next(after offset: Int64) -> Int64? { runs.first { $0.start > offset }?.start }

    /// All bytes that are there.
    var ranges: [ClosedRange<Int64>] { runs.filter { $0.count > 0 }.map { $0.start...$0.end - 1 } }

    /// Copies what is there from `offset` on, without a gap.
    func copy(at offset: Int64, into buffer: UnsafeMutableRawBufferPointer) -> Int {
        var copied = 0
        guard var index = index(of: offset) else { return 0 }
        while copied < buffer.count {
            let run = runs[index]
            let from = Int(offset + Int64(copied) - run.start)
            let count = min(run.count - from, buffer.count - copied)
            run.memory.withBytes(from..<from + count) { bytes in
                UnsafeMutableRawBufferPointer(rebasing: buffer[copied..<copied + count]).copyMemory(from: bytes)
            }
            copied += count
            index += 1
            guard index < runs.count, runs[index].start == offset + Int64(copied) else { break }
        }
        return copied
    }

    /// Adds bytes that are not there yet. `end`: where those that follow without a gap will end, if that is known.
    mutating func append(_ bytes: UnsafeRawBufferPointer, at offset: Int64, end: Int64?) {
        var rest = bytes
        var offset = offset
        while !rest.isEmpty {
            let index = runs.firstIndex { $0.end == offset && !$0.isFull } ?? begin(at: offset, end: end)
            let count = min(rest.count, runs[index].memory.capacity - runs[index].count)
            runs[index].memory.put(UnsafeRawBufferPointer(rebasing: rest[..<count]), at: runs[index].count)
            runs[index].count += count
            rest = UnsafeRawBufferPointer(rebasing: rest[count...])
            offset += Int64(count)
        }
    }

    /// A run ends where a piece does, counted from the asset's beginning, so that pieces of different transfers tile.
    private mutating func begin(at offset: Int64, end: Int64?) -> Int {
        let piece = Int64(pieceSize)
        var room = piece - offset % piece
        if let end, end > offset { room = min(room, end - offset) }
        let place = runs.firstIndex { $0.start > offset } ?? runs.count
        // It must not grow into a run that is there already, further on.
        if place < runs.count { room = min(room, runs[place].start - offset) }
        runs.insert(Run(start: offset, memory: Memory(capacity: Int(max(room, 1)))), at: place)
        return place
    }

    /// Returns what is to be saved now: full runs, or (at a transfer's end) all. Their saves are under way from here on.
    mutating func beginSaving(all: Bool, edition: Int) -> [Piece] {
        var pieces: [Piece] = []
        for index in runs.indices where runs[index].ordered < runs[index].count && (all || runs[index].isFull) {
            let part = runs[index].ordered..<runs[index].count
            pieces.append(
                Piece(
                    offset: runs[index].start + Int64(part.lowerBound), memory: runs[index].memory, part: part,
                    edition: edition))
            runs[index].ordered = part.upperBound
            runs[index].underWay += 1
        }
        return pieces
    }

    /// A piece was saved, or will never be.
    mutating func saved(_ piece: Piece) {
        guard let index = runs.firstIndex(where: { $0.memory === piece.memory }) else { return }
        runs[index].underWay -= 1
        runs[index].saved += piece.part.count
    }

    /// Drops runs until no more than `limit` bytes are left: those farthest from the readers first, and those behind them before those ahead.
    ///
    /// Where bytes are `cached` on disk, only saved runs go; else only those that are not within `ahead` bytes of a reader.
    mutating func trim(to limit: Int, heads: [Int64], ahead: Int64, cached: Bool) {
        var total = total
        while total > limit {
            var farthest: (index: Int, distance: Int64)?
            for (index, run) in runs.enumerated() where run.underWay == 0 {
                if cached, run.ordered < run.count { continue }
                let distance = Window.distance(of: run.start..<run.end, from: heads)
                if !cached, distance < 2 * ahead,
                    heads.contains(where: { run.end > $0 && run.start < $0.advanced(upTo: ahead) })
                {
                    continue
                }
                if distance > farthest?.distance ?? -1 { farthest = (index, distance) }
            }
            guard let farthest else { return }
            total -= runs[farthest.index].count
            runs.remove(at: farthest.index)
        }
    }

    private static func distance(of run: Range<Int64>, from heads: [Int64]) -> Int64 {
        heads.map { head in
            // A head may be anywhere: what cannot be doubled is far enough.
            run.upperBound <= head
                ? (head - run.upperBound).advanced(upTo: head - run.upperBound) : max(0, run.lowerBound - head)
        }.min() ?? .max
    }

    mutating func removeAll() { runs = [] }
}
