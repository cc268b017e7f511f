import Feeds
import Model
import NIOPosix
import Platform

/// Deletes items and brings them back: their files wait in the trash. A value; any task.
struct ItemDeletion: Sendable {
    let keeper: FolderKeeper
    let queue: StoreQueue
    /// Where waiting for the disk blocks no other task.
    let pool: NIOThreadPool
    /// All deletions and restorations of the server, which must not overlap: each reads a state that the others change.
    let turns: SerialTasks

    static let notOperator = RequestError(.forbidden, "only the operator can delete clips; use the --admin-token")

    /// A clip's files that are moved together, and where to. A value.
    private struct Move: Sendable {
        /// Of the clip, or of a playlist's folder.
        var path: [UInt8]
        /// The names of what lies beside the clip.
        var companions: [[UInt8]] = []
    }

    /// Returns false if it was deleted already. Throws `RequestError` or `ServiceError`.
    func delete(_ id: String) async throws -> Bool { try await turns.run { try await deleteNow(id) } }

    private func deleteNow(_ id: String) async throws -> Bool {
        let index = try await wholeIndex()
        guard let place = index.index(ofID: id) else { return try await removedBefore(id) }
        let move = try await pool.runIfActive { try Self.move(at: place, of: index) }
        let known = try await queue.read { try $0.removal(of: id) }
        if let known, known.isRemoved, known.path == move.path {
            let isThere = try await pool.runIfActive { [keeper] in TrashFolder(of: keeper.root).hasLeft(move.path) }
            // It was moved before, and the walk has not seen that yet.
            guard isThere else { return false }
        }
        let slot = "\(id)-\(Int64(WallClock.now * 1_000))"
        // Noted first: after a crash in between, the item is still there, and the client asks again.
        var removal = ItemRemoval(item: id, isRemoved: true, path: move.path, place: slot)
        _ = try await queue.write(.removal(removal))
        do {
            try await pool.runIfActive { [keeper] in
                try TrashFolder(of: keeper.root).take(move.path, with: move.companions, to: slot)
            }
        } catch let error as TrashFolder.MoveError {
            removal.isRemoved = false
            _ = try await queue.write(.removal(known ?? removal))
            throw Self.error(error)
        }
        return true
    }

    /// An item that is not in the feed, maybe as it was deleted.
    private func removedBefore(_ id: String) async throws -> Bool {
        let known = try await queue.read { try $0.removal(of: id) }
        guard known?.isRemoved == true else { throw RequestError.unknownItem }
        return false
    }

    /// Returns false if it is there. Throws `RequestError` or `ServiceError`.
    func restore(_ id: String) async throws -> Bool {
        guard try await turns.run({ try await restoreNow(id) }) else { return false }
        // The client shows it next.
        _ = try await pool.runIfActive { [keeper] in
            keeper.waits(upTo: .seconds(3)) { $0.index(ofID: id) != nil }
        }
        return true
    }

    private func restoreNow(_ id: String) async throws -> Bool {
        guard var removal = try await queue.read({ try $0.removal(of: id) }) else {
            guard try await wholeIndex().index(ofID: id) != nil else { throw RequestError.unknownItem }
            return false
        }
        guard removal.isRemoved else { return false }
        let (path, place) = (removal.path, removal.place)
        do {
            try await pool.runIfActive { [keeper] in try TrashFolder(of: keeper.root).restore(path, from: place) }
        } catch let error as TrashFolder.MoveError {
            // It was moved back before, and the answer was lost.
            let isBack = try await pool.runIfActive { [keeper] in TrashFolder(of: keeper.root).hasLeft(path) }
            guard error == .missing, isBack else { throw Self.error(error) }
        }
        removal.isRemoved = false
        _ = try await queue.write(.removal(removal))
        return true
    }

    /// Only all items show what belongs to one of them alone. Throws `RequestError` if the first walk has not ended.
    private func wholeIndex() async throws -> FolderIndex {
        var index = keeper.index
        if !index.isWhole { index = try await pool.runIfActive { [keeper] in keeper.index(waitingUpTo: .seconds(1)) } }
        guard index.isWhole else {
            throw RequestError(
                .serviceUnavailable, "the folder is still being read; try again later", headers: [.retryAfter: "5"])
        }
        return index
    }

    /// What goes with an item: a playlist's whole folder, as its segments lie there; else the clip, and what lies
    /// beside it and belongs to no other clip. Some of the companions may not exist. Slow for a large index.
    private static func move(at place: Int, of index: FolderIndex) throws(RequestError) -> Move {
        let path = Array(index.paths.relativePath(at: place))
        let folder = path.lastIndex(of: UInt8(ascii: "/")).map { path[...$0] } ?? []
        func others(_ belongs: (ArraySlice<UInt8>) -> Bool) -> Bool {
            (0..<index.count).contains { $0 != place && belongs(index.paths.relativePath(at: $0)) }
        }
        if ServedPlaylist.isOne(path) {
            guard !folder.isEmpty, !others({ $0.starts(with: folder) }) else {
                throw RequestError(
                    .forbidden, "this playlist shares its folder with other clips; delete it on the server")
            }
            return Move(path: Array(folder.dropLast()))
        }
        // With the dot.
        let stem = Array(path.dropLast(path.reversed().prefix { $0 != UInt8(ascii: ".") }.count))
        // All that may stand for the clip: without it, the next walk would list such a photo as an item.
        let endings: [[UInt8]] = ClipTypes.photos.keys.flatMap { [Array($0.utf8), Array($0.uppercased().utf8)] }
        var beside: [[UInt8]] = endings.map { path + [UInt8(ascii: ".")] + $0 }
        if !others({ $0.starts(with: stem) }) {
            beside += endings.map { stem + $0 }
            beside += index.sidecars(at: place).map(\.path)
            beside += index.paths.captions(at: place).map { Array(stem.dropLast()) + Array($0.utf8) }
        }
        let names = Set(beside.map { Array($0.dropFirst(folder.count)) })
        return Move(path: path, companions: Array(names.filter { !$0.contains(UInt8(ascii: "/")) }))
    }

    private static func error(_ error: TrashFolder.MoveError) -> RequestError {
        switch error {
        case .missing: RequestError.unknownItem
        case .taken: RequestError(.forbidden, "a file with this name exists")
        case .elsewhere:
            RequestError(
                .forbidden,
                "its folder is reached through a symbolic link or is on another disk; delete it on the server")
        case .failed(EACCES), .failed(EPERM), .failed(EROFS):
            RequestError(.forbidden, "permission denied: the server cannot write to its folder")
        case .failed(let code):
            RequestError(
                .serviceUnavailable, "cannot move its files: \(SystemError.text(code)); try again later",
                headers: [.retryAfter: "5"])
        }
    }
}

/// Runs operations one after the other, in the order in which they arrive. An operation that has begun is finished,
/// even if its caller is cancelled. Any task.
actor SerialTasks {
    private var last: Task<Void, Never>?

    /// Returns once the operations before this one, and then this one, are done.
    func run<Value: Sendable>(_ operation: @escaping @Sendable () async throws -> Value) async throws -> Value {
        let before = last
        let task = Task<Value, any Error> {
            await before?.value
            return try await operation()
        }
        last = Task<Void, Never> { _ = await task.result }
        return try await task.value
    }
}
