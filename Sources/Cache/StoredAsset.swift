import Model
import Platform
import Synchronization

/// The cached bytes of one URL. Can still be used after its eviction: it then saves and finds nothing. Blocks on its
/// file. Any thread.
package final class StoredAsset: Sendable {
    private struct State {
        var facts: AssetFacts
        var table: PieceTable
        var isGone = false
        /// `drop` has yet to remove it.
        var isOutdated = false
        /// Rises before bytes are removed from the file: whatever was being read then may be holes.
        var losses = 0
        /// Where it was last read.
        var position: Int64 = 0
        var used: Double
    }

    /// No clip is longer, and some file systems do not allow longer files.
    private static let longest: Int64 = 1 << 43

    let hash: String
    let edition: Int64
    private let store: AssetStore
    private let folder: CacheFolder
    private let file: SparseFile
    private let pieceSize: Int
    private let state: Mutex<State>

    init(
        store: AssetStore, folder: CacheFolder, file: SparseFile, row: CacheIndex.Row, pieces: [Piece], saves: Int
    ) {
        self.store = store
        self.folder = folder
        self.file = file
        hash = row.hash
        edition = row.edition
        pieceSize = min(max(saves, 1), Piece.limit)
        var table = PieceTable()
        for piece in pieces { table.insert(piece, isVerified: false) }
        state = Mutex(State(facts: row.facts, table: table, used: row.used))
    }

    deinit { store.release(ObjectIdentifier(self), hash: hash, edition: edition, used: used) }

    package var facts: AssetFacts { state.withLock(\.facts) }

    /// The cached ranges that this process knows of.
    package var ranges: ByteRanges { state.withLock(\.table.ranges) }

    /// The last use, in seconds since 1970.
    var used: Double { state.withLock(\.used) }

    /// Notes a use now.
    func touch() {
        let now = store.now()
        state.withLock { $0.used = now }
    }

    /// Whether this process knows that it was replaced, dropped or evicted.
    var isGone: Bool { state.withLock(\.isGone) }

    /// Whether `markOutdated` was called, and `drop` has not returned since.
    package var isOutdated: Bool { state.withLock(\.isOutdated) }

    // MARK: - Reading

    /// Copies cached, verified bytes from `offset` on into `buffer`, up to the first gap. Returns how many; 0 if that
    /// byte is not cached, or was damaged and dropped.
    package func read(at offset: Int64, into buffer: UnsafeMutableRawBufferPointer) -> Int {
        guard offset >= 0, offset < Self.longest, let base = buffer.baseAddress else { return 0 }
        var done = 0
        while done < buffer.count {
            let rest = UnsafeMutableRawBufferPointer(start: base + done, count: buffer.count - done)
            let count = readSome(at: offset + Int64(done), into: rest)
            if count == 0 { break }
            done += count
        }
        let (end, now) = (offset + Int64(done), store.now())
        state.withLock { state in
            state.position = end
            state.used = now
        }
        return done
    }

    private enum Step {
        /// This many bytes are verified and lie in the file in plain text.
        case plain(Int)
        case check(Piece)
        case nothing
    }

    private func readSome(at offset: Int64, into buffer: UnsafeMutableRawBufferPointer) -> Int {
        while true {
            let (step, losses): (Step, Int) = state.withLock { state in
                guard let found = state.table.piece(at: offset) else { return (.nothing, 0) }
                let isPlain = found.isVerified && folder.sealing == nil
                return (
                    isPlain ? .plain(state.table.verified(from: offset, upTo: buffer.count)) : .check(found.piece),
                    state.losses
                )
            }
            switch step {
            case .nothing: return 0
            case .plain(let count):
                let part = UnsafeMutableRawBufferPointer(rebasing: buffer[..<count])
                let isWhole = file.read(at: offset, into: part)
                guard state.withLock({ $0.losses == losses }) else { continue }
                if isWhole { return count }
                // The file was cut short, so its pieces must be verified again.
                state.withLock { $0.table.markUnverified(offset...offset + Int64(count) - 1) }
            case .check(let piece):
                let count = verify(piece, readingAt: offset, into: buffer)
                guard state.withLock({ $0.losses == losses }) else { continue }
                if let count { return count }
                forget(in: piece.range)
            }
        }
    }

    /// Verifies a piece and copies its bytes from `offset` on; nil if it is damaged.
    private func verify(_ piece: Piece, readingAt offset: Int64, into buffer: UnsafeMutableRawBufferPointer) -> Int? {
        let start = Int(offset - piece.start)
        let count = min(buffer.count, piece.length - start)
        switch piece.check {
        // The piece was not sealed with the key. Anyone who can write to the
        // folder can write a checksum, so it is not trusted.
        case .sum where folder.sealing != nil: return nil
        case .sum where start == 0 && count == piece.length:
            // The caller wants the whole piece: read it without a copy.
            let part = UnsafeMutableRawBufferPointer(rebasing: buffer[..<count])
            guard Self.isWhole(piece, in: file, part) else { return nil }
        case .sum:
            let scratch = UnsafeMutableRawBufferPointer.allocate(byteCount: piece.length, alignment: 16)
            defer { scratch.deallocate() }
            guard Self.isWhole(piece, in: file, scratch) else { return nil }
            buffer.copyMemory(from: UnsafeRawBufferPointer(rebasing: scratch[start..<start + count]))
        case .seal:
            guard let plain = store.opened.plain(piece, of: edition) ?? open(piece) else { return nil }
            store.opened.keep(plain, of: piece, of: edition)
            plain.withUnsafeBytes {
                buffer.copyMemory(from: UnsafeRawBufferPointer(rebasing: $0[start..<start + count]))
            }
        }
        state.withLock { $0.table.markVerified(piece) }
        return count
    }

    private func open(_ piece: Piece) -> [UInt8]? {
        Self.plain(of: piece, in: file, sealing: folder.sealing, hash: hash, edition: edition)
    }

    /// Reads a piece into a buffer of its length. Returns whether it is unchanged.
    private static func isWhole(_ piece: Piece, in file: SparseFile, _ buffer: UnsafeMutableRawBufferPointer) -> Bool {
        file.read(at: piece.start, into: buffer) && .sum(Checksum.of(UnsafeRawBufferPointer(buffer))) == piece.check
    }

    /// The plain bytes of a piece; nil if it is damaged, or sealed with another key.
    static func plain(
        of piece: Piece, in file: SparseFile, sealing: Sealing?, hash: String, edition: Int64
    ) -> [UInt8]? {
        var bytes = [UInt8](repeating: 0, count: piece.length)
        switch piece.check {
        case .sum:
            guard sealing == nil, bytes.withUnsafeMutableBytes({ isWhole(piece, in: file, $0) }) else { return nil }
            return bytes
        case .seal(let seal):
            let name = sealedName(hash: hash, edition: edition, start: piece.start, length: piece.length)
            guard let sealing, bytes.withUnsafeMutableBytes({ file.read(at: piece.start, into: $0) }) else {
                return nil
            }
            return bytes.withUnsafeBytes { sealing.open($0, seal: seal, as: name) }
        }
    }

    private static func sealedName(hash: String, edition: Int64, start: Int64, length: Int) -> String {
        "piece \(hash) \(edition) \(start) \(length)"
    }

    /// Drops damaged pieces, here and in the index.
    private func forget(in range: ClosedRange<Int64>) {
        let pieces = state.withLock { state in
            let pieces = state.table.pieces.filter { $0.range.overlaps(range) }
            state.table.remove(overlapping: range)
            return pieces
        }
        do { try folder.index.forget(pieces, of: edition) } catch { store.handle(error, with: folder) }
    }

    // MARK: - Saving

    /// Writes bytes to the file, then enters them into the index. Leaves bytes that are there already. False if they
    /// were not saved because the disk is full or the entry was evicted or replaced.
    package func save(_ bytes: UnsafeRawBufferPointer, at offset: Int64) -> Bool {
        guard store.isKeeping, !bytes.isEmpty, offset >= 0, offset <= Self.longest - Int64(bytes.count)
        else { return false }
        let range = offset...offset + Int64(bytes.count) - 1
        let (isRefused, isThere) = state.withLock { state in
            (
                state.isGone || (state.facts.length.map { range.upperBound >= $0 } ?? false),
                state.table.ranges.firstGap(in: range) == nil
            )
        }
        guard !isRefused else { return false }
        if isThere { return true }
        do {
            let saved = try store.makingRoom(in: folder) {
                try store.noting { uses in
                    // Also asks about the byte before the range: a small piece there gets merged.
                    try folder.index.save(max(offset - 1, 0)...range.upperBound, of: edition, noting: uses) { present in
                        try write(bytes, to: range, around: present, pieceSize: pieceSize)
                    }
                }
            }
            guard let saved else {
                retire()
                return false
            }
            let isSaved = state.withLock { state in
                if state.isGone { return false }
                // Another process may have saved some of the range.
                for piece in saved.present where state.table.piece(at: piece.start)?.piece != piece {
                    state.table.insert(piece, isVerified: false)
                }
                for piece in saved.added { state.table.insert(piece, isVerified: true) }
                return true
            }
            store.grown(to: saved.total)
            return isSaved
        } catch {
            store.handle(error, with: folder)
            return false
        }
    }

    /// Writes those parts of `range` that no piece covers, as pieces of at most `pieceSize` bytes.
    private func write(
        _ bytes: UnsafeRawBufferPointer, to range: ClosedRange<Int64>, around present: [Piece], pieceSize: Int
    ) throws -> [Piece] {
        var there = ByteRanges()
        for piece in present { there.insert(piece.range) }
        var added: [Piece] = []
        for gap in there.gaps(in: range) {
            for start in stride(from: gap.lowerBound, through: gap.upperBound, by: pieceSize) {
                let length = Int(min(Int64(pieceSize), gap.upperBound - start + 1))
                let first = Int(start - range.lowerBound)
                let part = UnsafeRawBufferPointer(rebasing: bytes[first..<first + length])
                let before = added.last ?? present.last { $0.start < start }
                let piece = try write(part, at: start, after: before, pieceSize: pieceSize)
                if added.last?.start == piece.start { added.removeLast() }
                added.append(piece)
            }
        }
        return added
    }

    private func write(
        _ part: UnsafeRawBufferPointer, at start: Int64, after before: Piece?, pieceSize: Int
    ) throws -> Piece {
        var bytes: [UInt8]?
        var check: Piece.Check
        if let sealing = folder.sealing {
            let name = Self.sealedName(hash: hash, edition: edition, start: start, length: part.count)
            let (sealed, seal) = sealing.seal(part, as: name)
            (bytes, check) = (sealed, .seal(seal))
        } else {
            check = .sum(Checksum.of(part))
        }
        let code = bytes?.withUnsafeBytes { file.save($0, at: start) } ?? file.save(part, at: start)
        guard code == 0 else { throw CacheFolder.systemError(code, "cannot write to '\(folder.path)/assets'") }
        // Merges consecutive small pieces into one row. Sealed ones stay apart,
        // because they would have to be encrypted again.
        if folder.sealing == nil, let before, before.range.upperBound == start - 1,
            before.length + part.count <= pieceSize,
            let earlier = Self.plain(of: before, in: file, sealing: nil, hash: hash, edition: edition)
        {
            check = (earlier + part).withUnsafeBytes { .sum(Checksum.of($0)) }
            if let merged = Piece(start: before.start, length: before.length + part.count, check: check) {
                return merged
            }
        }
        guard let piece = Piece(start: start, length: part.count, check: check) else {
            throw CacheError.failed("a piece of \(part.count) bytes")
        }
        return piece
    }

    /// Adds new facts (a length). Ignores facts that contradict the known ones.
    package func learn(_ facts: AssetFacts) {
        let changed: AssetFacts? = state.withLock { state in
            guard !state.isGone, state.facts.agrees(with: facts) else { return nil }
            let old = state.facts
            state.facts = AssetFacts(
                length: old.length ?? facts.length, type: old.type ?? facts.type, etag: old.etag ?? facts.etag,
                lastModified: old.lastModified ?? facts.lastModified,
                servesRanges: facts.servesRanges ?? old.servesRanges)
            return state.facts == old ? nil : state.facts
        }
        guard let changed else { return }
        do { try folder.index.learn(changed, of: edition) } catch { store.handle(error, with: folder) }
    }

    // MARK: - Going

    /// The server has another edition now: the store no longer finds the entry, which `drop` then removes. Does not
    /// block.
    package func markOutdated() { state.withLock { $0.isOutdated = true } }

    /// Removes the entry, because the server has another edition now. Blocks.
    package func drop() {
        retire()
        do { try folder.drop(hash: hash, edition: edition) } catch { store.handle(error, with: folder) }
        state.withLock { $0.isOutdated = false }
    }

    /// From now on it saves and finds nothing.
    func retire() {
        state.withLock { state in
            state.losses += 1
            state.isGone = true
            state.table.removeAll()
        }
    }

    /// Drops the bytes farthest from where it is read, unless another process uses
    /// the entry. Returns how many. Throws `CacheError`.
    ///
    /// Removes rows first, then makes holes where no row is, while no bytes are saved. If
    /// this is interrupted, the index never claims a hole.
    func shrink(by bytes: Int64) throws -> Int64 {
        // Another process may evict the asset just now. Its rows are then gone, and saving is refused.
        defer { _ = file.lock(.shared) }
        guard file.lock(.exclusive) else { return 0 }
        let chosen = state.withLock { state in
            let chosen = Eviction.farthest(state.table.pieces, from: state.position, bytes: bytes)
            state.losses += 1
            for piece in chosen { state.table.remove(overlapping: piece.range) }
            return chosen
        }
        let freed = try folder.index.forget(chosen, of: edition)
        try folder.index.forEachFree(chosen.map(\.range), of: edition) { file.punch($0) }
        return freed
    }
}
