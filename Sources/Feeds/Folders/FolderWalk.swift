import Model
import Platform

/// Finds the clips in a folder and its subfolders. Skips hidden names, and what `.flickignore` leaves out. Follows
/// symbolic links, but visits every folder once, so that cycles end. Blocks.
///
/// `readdir` returns each name with its file type, so no file has to be examined: that keeps 100,000 files fast.
package struct FolderWalk {
    package private(set) var clips: PathList
    package private(set) var warnings: [String] = []
    /// Whether there was any entry, hidden or not.
    private(set) var sawAnything = false

    private struct Identity: Hashable {
        let device: UInt64
        let node: UInt64
    }
    private let root: [UInt8]
    private var visited: Set<Identity> = []
    /// The folders that are still to be listed, relative to `root`, each with a
    /// slash at its end; and the rules of the folder above.
    private var waiting: [(folder: [UInt8], scope: Int?)] = []
    private var ignored = IgnoreScopes()
    /// Whether a symbolic link may be followed, by its path below the root. nil: all are.
    private let admits: (@Sendable ([UInt8]) -> Bool)?
    /// The folders that were listed, relative to the root, each with a slash at its end.
    package private(set) var folders: [[UInt8]] = []

    /// - Parameter path: an absolute path. Blocks.
    init(path: [UInt8]) throws(BytesError) {
        try self.init(beginningAt: path, admits: nil)
        while listNext() {}
    }

    /// Lists the folder itself; `listNext` lists what is below it. Blocks.
    package init(
        beginningAt path: [UInt8], admits: (@Sendable ([UInt8]) -> Bool)?
    ) throws(BytesError) {
        root = path.last == UInt8(ascii: "/") ? path : path + [UInt8(ascii: "/")]
        clips = PathList(root: root)
        self.admits = admits
        try list([], in: nil)
    }

    /// Lists one more folder. Returns false if all are listed. Blocks.
    package mutating func listNext() -> Bool {
        guard let (folder, scope) = waiting.popLast() else { return false }
        do throws(BytesError) {
            try list(folder, in: scope)
        } catch {
            warnings.append(error.description)
        }
        return true
    }

    /// Lists the folder `relative` (empty, or with a slash at its end), and adds its subfolders to `waiting`.
    private mutating func list(_ relative: [UInt8], in above: Int?) throws(BytesError) {
        let path = root + relative
        guard let folder = path.withCString({ opendir($0) }) else {
            throw BytesError(verb: .open, url: FileURL.url(path: path), reason: .system(errno))
        }
        defer { closedir(folder) }
        var facts = stat()
        guard fstat(dirfd(folder), &facts) == 0,
            visited.insert(Identity(device: UInt64(facts.st_dev), node: UInt64(facts.st_ino))).inserted
        else { return }
        folders.append(relative)
        let (scope, warning) = ignored.enter(relative, of: root, above: above)
        if let warning { warnings.append(warning) }
        var found = Found(first: clips.ends.count)
        while let entry = readdir(folder) {
            name(of: entry) { name in
                guard name.first != UInt8(ascii: ".") else {
                    // Skip "." and "..", which every folder has.
                    if name.count > 2 || (name.count == 2 && name[1] != UInt8(ascii: ".")) { sawAnything = true }
                    return
                }
                sawAnything = true
                let kind = kind(Int32(entry.pointee.d_type), relative: relative, name: name)
                guard kind != .other,
                    scope == nil || !ignored.leavesOut(relative + name, isFolder: kind == .folder, scope: scope)
                else { return }
                if kind == .folder {
                    waiting.append((relative + name + [UInt8(ascii: "/")], scope))
                } else {
                    found.add(name, into: &clips, relative: relative)
                }
            }
        }
        found.finish(into: &clips, relative: relative)
    }

    private enum Kind { case file, folder, other }

    private func kind(_ type: Int32, relative: [UInt8], name: UnsafeBufferPointer<UInt8>) -> Kind {
        switch type {
        case Int32(DT_REG): return .file
        case Int32(DT_DIR): return .folder
        case Int32(DT_LNK), Int32(DT_UNKNOWN):
            if type != Int32(DT_UNKNOWN), let admits, !admits(relative + name) { return .other }
            var facts = stat()
            guard (root + relative + name).withCString({ stat($0, &facts) }) == 0 else { return .other }
            if facts.st_mode & S_IFMT == S_IFDIR { return .folder }
            return facts.st_mode & S_IFMT == S_IFREG ? .file : .other
        default: return .other
        }
    }
}

/// The clips of one folder. If there is an HLS playlist, its segments are not clips. Of several playlists, the master
/// playlist is the clip. An image that stands for another clip, or for an album, is no clip.
private struct Found {
    /// How many clips there were before.
    let first: Int
    private var playlists: [[UInt8]] = []
    private var pieces: [[UInt8]] = []
    private var photos: [[UInt8]] = []
    private var sidecars = SidecarFiles()

    init(first: Int) { self.first = first }

    mutating func add(_ name: UnsafeBufferPointer<UInt8>, into clips: inout PathList, relative: [UInt8]) {
        switch ClipName.ending(of: name) {
        case "m3u8": playlists.append(Array(name))
        case "ts": pieces.append(Array(name))
        case "json", "vtt", "srt": sidecars.add(name)
        case let ending? where ClipTypes.photos[ending] != nil:
            sidecars.add(name)
            photos.append(Array(name))
        case let ending?:
            if ClipName.extensions.contains(ending) { _ = clips.append(relative + name) }
        case nil: break
        }
    }

    func finish(into clips: inout PathList, relative: [UInt8]) {
        let masters = playlists.filter { ["master.m3u8", "index.m3u8"].contains(String(decoding: $0, as: UTF8.self)) }
        for name in playlists.isEmpty ? pieces : masters.isEmpty ? playlists : masters {
            _ = clips.append(relative + name)
        }
        clips.pair(from: first, with: sidecars)
        guard !photos.isEmpty else { return }
        let last = clips.ends.count
        var others = Set<UInt64>()
        for clip in first..<last {
            let name = clips.fileName(clip)
            others.formUnion([ItemID.number(ofBytes: name), ItemID.number(ofBytes: SidecarName.stem(of: name))])
        }
        for name in photos {
            let stem = SidecarName.stem(of: name)
            let isArtwork = last > first && Self.artwork.contains(String(decoding: stem, as: UTF8.self).lowercased())
            if !isArtwork, !others.contains(ItemID.number(ofBytes: stem)) { _ = clips.append(relative + name) }
        }
        clips.pair(from: last, with: sidecars, arePhotos: true)
    }

    /// The names that music and film players use for album images.
    private static let artwork: Set = [
        "albumart", "albumartsmall", "back", "backdrop", "banner", "cover", "fanart", "folder", "front", "logo",
        "poster", "thumb", "thumbnail",
    ]
}

/// The name in a directory entry, without a copy.
package func name(of entry: UnsafeMutablePointer<dirent>, _ body: (UnsafeBufferPointer<UInt8>) -> Void) {
    withUnsafePointer(to: &entry.pointee.d_name) { tuple in
        let start = UnsafeRawPointer(tuple).assumingMemoryBound(to: UInt8.self)
        body(
            UnsafeBufferPointer(
                start: start, count: strlen(UnsafeRawPointer(start).assumingMemoryBound(to: CChar.self))))
    }
}

extension FolderWalk {
    package mutating func sortNaturally() { clips.sortNaturally() }

    /// Clips in the folder itself name it as well, by this name.
    mutating func nameRoot(_ name: String?) { clips.rootName = name }
}
