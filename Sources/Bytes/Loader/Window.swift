/// The bytes of one URL in memory: those that are not saved or read yet, and some around the readers. A value, used
/// under the loader's monitor.
///
/// They lie in runs of at most one piece each: a run is saved at once.
struct Window {
    /// The memory of a run. Bytes below the run's `count` never change, so they can be read without the lock.
    // @unchecked: bytes are only appended under the owner's lock; other threads read only those appended before.
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

    /// Bytes to save.
    struct Piece: Sendable {
        let offset: Int64
        let memory: Memory
        /// The part of `memory` to save.
        let part: Range<Int>
        let edition: Int
    }

    private struct Run {
        let start: Int64
        let memory: Memory
        var count = 0
        /// How many bytes have an ordered save.
        var ordered = 0
        /// Ordered saves that are not done.
        var underWay = 0
        /// How many bytes are saved, or will never be.
        var saved = 0
        var end: Int64 { start + Int64(count) }
        var isFull: Bool { count == memory.capacity }
    }

    /// In order and disjoint.
    private var runs: [Run] = []
    let pieceSize: Int

    init(pieceSize: Int) { self.pieceSize = pieceSize }

    var isEmpty: Bool { runs.isEmpty }
    /// How many bytes are in memory.
    var total: Int { runs.reduce(0) { $0 + $1.count } }
    /// How many of them are not on disk: a kill would lose these.
    var unsaved: Int { runs.reduce(0) { $0 + $1.count - $1.saved } }

    private func index(of offset: Int64) -> Int? { runs.firstIndex { $0.start <= offset && offset < $0.end } }

    /// How many bytes from `offset` on are in memory without a gap.
    func prefix(from offset: Int64) -> Int64 {
        guard var index = index(of: offset) else { return 0 }
        while index + 1 < runs.count, runs[index + 1].start == runs[index].end { index += 1 }
        return runs[index].end - offset
    }

    /// The next byte after `offset` in memory; `offset` itself must not be.
    func next(after offset: Int64) -> Int64? { runs.first { $0.start > offset }?.start }

    /// All ranges in memory.
    var ranges: [ClosedRange<Int64>] { runs.filter { $0.count > 0 }.map { $0.start...$0.end - 1 } }

    /// Copies the bytes from `offset` on, up to the first gap.
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

    /// Adds bytes that are not there yet. `end`: where the bytes that follow without a gap will end, if known.
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

    /// Runs end where pieces do, counted from the beginning of the file, so
    /// that the pieces of different transfers fit together.
    private mutating func begin(at offset: Int64, end: Int64?) -> Int {
        let piece = Int64(pieceSize)
        var room = piece - offset % piece
        if let end, end > offset { room = min(room, end - offset) }
        let place = runs.firstIndex { $0.start > offset } ?? runs.count
        // It must not grow into the next run.
        if place < runs.count { room = min(room, runs[place].start - offset) }
        runs.insert(Run(start: offset, memory: Memory(capacity: Int(max(room, 1)))), at: place)
        return place
    }

    /// Returns the pieces to save now: full runs, or all runs at the end of a transfer. Marks their saves as ordered.
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

    /// A piece was saved, or never will be.
    mutating func saved(_ piece: Piece) {
        guard let index = runs.firstIndex(where: { $0.memory === piece.memory }) else { return }
        runs[index].underWay -= 1
        runs[index].saved += piece.part.count
    }

    /// Drops runs until at most `limit` bytes are left: those farthest from the
    /// readers first, those behind them before those ahead.
    ///
    /// If bytes are `cached` on disk, drops saved runs only; otherwise only
    /// runs that are not within `ahead` bytes of a reader.
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
            // A reader can be at any offset: if doubling overflows, the distance is large enough.
            run.upperBound <= head
                ? (head - run.upperBound).advanced(upTo: head - run.upperBound) : max(0, run.lowerBound - head)
        }.min() ?? .max
    }

    mutating func removeAll() { runs = [] }
}
