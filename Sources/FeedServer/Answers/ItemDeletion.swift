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

    static let notOperator = RequestError(
        .forbidden, "only who runs the server may delete its clips: use the token of --admin-token")

    /// A clip's files that are moved together, and where to. A value.
    private struct Move: Sendable {
        /// Of the clip, or of a playlist's folder.
        var path: [UInt8]
        /// The names of what lies beside the clip.
        var companions: [[UInt8]] = []
    }

    /// Returns false if it was deleted already. Throws `RequestError` or `ServiceError`.
    func delete(_ id: String) async throws -> Bool {
        let index = try await indexWith(id)
        guard let place = index.index(ofID: id) else { return try await removedBefore(id) }
        let move = try await pool.runIfActive { [keeper] in try Self.move(at: place, of: index, root: keeper.root) }
        let slot = "\(id)-\(Int64(WallClock.now * 1_000))"
        // Noted first: after a crash in between, the item is still there, and the client asks again.
        let known = try await queue.read { try $0.removal(of: id) }
        var removal = ItemRemoval(item: id, isRemoved: true, path: move.path, place: slot)
        _ = try await queue.write(.removal(removal))
        do {
            try await pool.runIfActive { [keeper] in
                try TrashFolder(of: keeper.root).take(move.path, with: move.companions, to: slot)
            }
        } catch let error as TrashFolder.MoveError {
            removal.isRemoved = false
            _ = try await queue.write(.removal(known ?? removal))
            // It was moved before, and the walk has not seen that yet.
            guard error == .missing, known?.isRemoved == true else { throw Self.error(error) }
            return false
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
        guard var removal = try await queue.read({ try $0.removal(of: id) }) else {
            guard try await indexWith(id).index(ofID: id) != nil else { throw RequestError.unknownItem }
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

    private func indexWith(_ id: String) async throws -> FolderIndex {
        let index = keeper.index
        guard index.index(ofID: id) == nil, !index.isWhole else { return index }
        return try await pool.runIfActive { [keeper] in keeper.index(waitingUpTo: .seconds(1)) }
    }

    /// What goes with an item: a playlist's whole folder, as its segments lie there; else the clip, and what lies
    /// beside it and belongs to no other clip. Blocks.
    private static func move(at place: Int, of index: FolderIndex, root: Int32) throws(RequestError) -> Move {
        let path = Array(index.paths.relativePath(at: place))
        let folder = path.lastIndex(of: UInt8(ascii: "/")).map { path[...$0] } ?? []
        func others(_ belongs: (ArraySlice<UInt8>) -> Bool) -> Bool {
            (0..<index.count).contains { $0 != place && belongs(index.paths.relativePath(at: $0)) }
        }
        if ServedPlaylist.isOne(path) {
            guard !folder.isEmpty, !others({ $0.starts(with: folder) }) else {
                throw RequestError(.forbidden, "this playlist shares its folder with other clips: delete it there")
            }
            return Move(path: Array(folder.dropLast()))
        }
        let stem = path.dropLast(path.reversed().prefix { $0 != UInt8(ascii: ".") }.count)
        guard !others({ $0.starts(with: stem) }) else { return Move(path: path) }
        let beside =
            index.sidecars(at: place).map(\.path) + index.paths.chosenCaptions(at: place).map { $0.path(of: path) }
            + [Poster.find(beside: path[...], below: root)?.path].compactMap(\.self)
        let names = Set(beside.map { Array($0.dropFirst(folder.count)) })
        return Move(path: path, companions: Array(names.filter { !$0.contains(UInt8(ascii: "/")) }))
    }

    private static func error(_ error: TrashFolder.MoveError) -> RequestError {
        switch error {
        case .missing: RequestError.unknownItem
        case .taken: RequestError(.forbidden, "a file with its name is there")
        case .elsewhere: RequestError(.forbidden, "its folder is behind a link or on another disk: delete it there")
        case .failed(EACCES), .failed(EPERM), .failed(EROFS):
            RequestError(.forbidden, "the server may not change its folder")
        case .failed(let code):
            RequestError(
                .serviceUnavailable, "cannot move its files: \(SystemError.text(code)); try again later",
                headers: [.retryAfter: "5"])
        }
    }
}
