import Feeds
import Platform

/// Where the files of deleted items wait: `.flick-trash` in the served folder, which no walk lists and no address
/// reaches. An item's files have a folder of their own there, so nothing is ever overwritten. A value; calls block on
/// the disk.
struct TrashFolder: Sendable {
    static let name = ".flick-trash"

    /// Why files stay where they are. A value.
    enum MoveError: Error, Equatable {
        /// It is not there, or not any more.
        case missing
        /// Another file has its name by now.
        case taken
        /// The path leads over a link, or to another disk.
        case elsewhere
        /// `errno` of the system's refusal.
        case failed(Int32)

        fileprivate init(_ code: Int32) {
            self =
                switch code {
                case ENOENT: .missing
                case EEXIST: .taken
                case ELOOP, ENOTDIR, EXDEV: .elsewhere
                default: .failed(code)
                }
        }
    }

    /// The served folder, open.
    private let root: Int32

    init(of root: Int32) { self.root = root }

    /// Moves a file or folder, and then what lies beside it, to a folder of the trash. Companions that cannot be
    /// moved stay.
    ///
    /// - Parameters:
    ///   - path: below the served folder.
    ///   - companions: names in the same folder.
    ///   - place: the name of the trash's folder.
    func take(_ path: [UInt8], with companions: [[UInt8]] = [], to place: String) throws(MoveError) {
        let (parent, name) = Self.parts(of: path)
        let from = try folder(parent)
        defer { close(from) }
        // Before anything is made for what is not there.
        guard Self.exists(name, in: from) else { throw .missing }
        let trash = try folder(Array(Self.name.utf8), makes: true)
        defer { close(trash) }
        let to = try Self.open(Array(place.utf8), in: trash, makes: true)
        defer { close(to) }
        do throws(MoveError) {
            try Self.move(name, from: from, to: to)
        } catch {
            // It is empty, unless an earlier deletion has used it.
            _ = place.withCString { unlinkat(trash, $0, AT_REMOVEDIR) }
            throw error
        }
        for companion in companions {
            // The clip is gone already, and a description without it is no item.
            do throws(MoveError) { try Self.move(companion, from: from, to: to) } catch {}
        }
    }

    /// Moves all that `take` has moved back to the folder of `path`. Overwrites nothing.
    func restore(_ path: [UInt8], from place: String) throws(MoveError) {
        let (parent, name) = Self.parts(of: path)
        let trash = try folder(Array(Self.name.utf8))
        defer { close(trash) }
        let from = try Self.open(Array(place.utf8), in: trash, makes: false)
        defer { close(from) }
        let to = try folder(parent)
        defer { close(to) }
        guard Self.exists(name, in: from) else { throw .missing }
        // Before anything is moved: what lies beside a new file of that name is its own.
        guard !Self.exists(name, in: to) else { throw .taken }
        guard let entries = Self.names(in: from) else { throw .failed(errno) }
        // The clip last: an item is there with all that belongs to it.
        for entry in entries where entry != name {
            do throws(MoveError) { try Self.move(entry, from: from, to: to) } catch {}
        }
        try Self.move(name, from: from, to: to)
        // What could not be moved keeps it.
        _ = place.withCString { unlinkat(trash, $0, AT_REMOVEDIR) }
    }

    /// Whether a file or folder is at its path in the served folder.
    func hasLeft(_ path: [UInt8]) -> Bool {
        let (parent, name) = Self.parts(of: path)
        do throws(MoveError) {
            let folder = try folder(parent)
            defer { close(folder) }
            return Self.exists(name, in: folder)
        } catch {
            return false
        }
    }

    // MARK: Names and folders

    private static func parts(of path: [UInt8]) -> (parent: [UInt8], name: [UInt8]) {
        guard let slash = path.lastIndex(of: UInt8(ascii: "/")) else { return ([], path) }
        return (Array(path[..<slash]), Array(path[(slash + 1)...]))
    }

    /// A folder below the served one, step by step and over no link.
    private func folder(_ path: [UInt8], makes: Bool = false) throws(MoveError) -> Int32 {
        var current = fcntl(root, F_DUPFD_CLOEXEC, 0)
        guard current >= 0 else { throw MoveError(errno) }
        for step in path.split(separator: UInt8(ascii: "/")) {
            let parent = current
            defer { close(parent) }
            guard Array(step) != Array("..".utf8) else { throw .elsewhere }
            current = try Self.open(Array(step), in: parent, makes: makes)
        }
        return current
    }

    private static func open(_ name: [UInt8], in folder: Int32, makes: Bool) throws(MoveError) -> Int32 {
        let opened = name.withCString { name -> Int32 in
            // Readable by the server's user only. It may be there already.
            if makes { _ = mkdirat(folder, name, 0o700) }
            return openat(folder, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC)
        }
        guard opened >= 0 else { throw MoveError(errno) }
        return opened
    }

    private static func exists(_ name: [UInt8], in folder: Int32) -> Bool {
        var facts = stat()
        return name.withCString { fstatat(folder, $0, &facts, AT_SYMLINK_NOFOLLOW) } == 0
    }

    private static func move(_ name: [UInt8], from: Int32, to: Int32) throws(MoveError) {
        let code = Folders.move(name, from: from, to: to)
        guard code == 0 else { throw MoveError(code) }
    }

    /// All names in a folder but "." and ".."; nil, with errno, if it cannot be read.
    private static func names(in folder: Int32) -> [[UInt8]]? {
        let copy = fcntl(folder, F_DUPFD_CLOEXEC, 0)
        guard copy >= 0, let list = fdopendir(copy) else {
            if copy >= 0 { close(copy) }
            return nil
        }
        defer { closedir(list) }
        var names: [[UInt8]] = []
        while let entry = readdir(list) {
            Feeds.name(of: entry) { name in
                guard !name.elementsEqual(".".utf8), !name.elementsEqual("..".utf8) else { return }
                names.append(Array(name))
            }
        }
        return names
    }
}
