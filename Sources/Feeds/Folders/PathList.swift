import Model

/// The clips at many paths: all names in one array of bytes, plus 8 bytes for each clip. Items are made on demand, so a
/// hundred thousand clips need a few megabytes. A value.
public struct PathList: ItemList {
    /// The common beginning of all paths: a folder with a slash at its end, or nothing.
    let root: [UInt8]
    /// The rest of every path, in the order in which they were found.
    var names: [UInt8] = []
    /// Where each name ends, in the order in which they were found.
    var ends: [UInt32] = []
    /// For each index the number of its name.
    var order: [UInt32] = []

    /// For each name what lies beside its clip; shorter, or empty, if that is nothing of the others.
    private var sidecars: [SidecarSet] = []
    /// By the number of a name: the suffixes of the subtitles beside its clip. Few clips have any.
    private var captions: [UInt32: [String]] = [:]
    private let reader = SidecarReader()

    /// Whether items name their folder.
    var namesFolders = true

    package init(root: [UInt8] = []) { self.root = root }

    public var count: Int { order.count }

    public subscript(index: Int) -> Item {
        let path = path(at: index)
        let url = FileURL.url(path: path)
        var item = Item(
            id: ItemID.hash(of: url), url: url, title: ClipTitle.of(path: path),
            folder: namesFolders ? ClipTitle.folder(ofPath: names[range(of: Int(order[index]))]) : nil)
        item.captions = CaptionSidecar.links(captions(at: index), beside: path)
        let beside = sidecars(at: index)
        guard !beside.isEmpty else { return item }
        item.thumbnail = beside.picture.map { FileURL.url(path: $0.path(of: path)) }
        for sidecar in reader.sidecars(order[index], beside: path, url: url, beside.texts) { sidecar.apply(to: &item) }
        return item
    }

    public func id(at index: Int) -> Item.ID { ItemID.hash(of: FileURL.url(path: path(at: index))) }

    /// The sidecars of a clip.
    package func sidecars(at index: Int) -> SidecarSet {
        let name = Int(order[index])
        return name < sidecars.count ? sidecars[name] : []
    }

    /// The suffixes of all subtitles beside a clip.
    package func captions(at index: Int) -> [String] { captions.isEmpty ? [] : captions[order[index]] ?? [] }

    /// The subtitles that a clip has of those.
    package func chosenCaptions(at index: Int) -> [CaptionSidecar] {
        CaptionSidecar.chosen(from: captions(at: index))
    }

    /// Finds out what of `files` lies beside the clips that were added last,
    /// from the name numbered `first` on; all are of one folder. Photos need no picture that stands for them.
    mutating func pair(from first: Int, with files: SidecarFiles, arePhotos: Bool = false) {
        guard !files.isEmpty else { return }
        for name in first..<ends.count {
            let own = fileName(name)
            let beside = files.beside(own)
            note(arePhotos ? beside.withoutPictures : beside, files.captions(beside: own), ofName: name)
        }
    }

    /// A name without its folder.
    func fileName(_ name: Int) -> ArraySlice<UInt8> {
        let path = names[range(of: name)]
        return path.lastIndex(of: UInt8(ascii: "/")).map { path[($0 + 1)...] } ?? path
    }

    private mutating func note(_ beside: SidecarSet, _ suffixes: [String], ofName name: Int) {
        if !suffixes.isEmpty { captions[UInt32(name)] = suffixes }
        guard !beside.isEmpty else { return }
        if sidecars.count <= name { sidecars += repeatElement([], count: name + 1 - sidecars.count) }
        sidecars[name] = beside
    }

    /// Whether all clips lie in one folder.
    var isOneFolder: Bool {
        func folder(_ name: Int) -> ArraySlice<UInt8> {
            let name = names[range(of: name)]
            return name[..<(name.lastIndex(of: UInt8(ascii: "/")) ?? name.startIndex)]
        }
        return ends.isEmpty || ends.indices.dropFirst().allSatisfy { folder($0) == folder(0) }
    }

    /// The path of a clip below `root`.
    package func relativePath(at index: Int) -> ArraySlice<UInt8> { names[range(of: Int(order[index]))] }

    /// The absolute path of a clip.
    func path(at index: Int) -> [UInt8] { root + names[range(of: Int(order[index]))] }

    func range(of name: Int) -> Range<Int> { (name == 0 ? 0 : Int(ends[name - 1]))..<Int(ends[name]) }

    /// Adds a path without `root`. Returns false if there are 4 GB of names already.
    package mutating func append(_ name: some Collection<UInt8>, beside: SidecarSet = [], captions: [String] = [])
        -> Bool
    {
        guard names.count + name.count < UInt32.max else { return false }
        names.append(contentsOf: name)
        order.append(UInt32(ends.count))
        ends.append(UInt32(names.count))
        note(beside, captions, ofName: ends.count - 1)
        return true
    }

    /// Drops the clips for whose index `isKept` returns false. Their names stay in memory.
    mutating func keep(_ isKept: (Int) -> Bool) {
        order = order.indices.filter(isKept).map { order[$0] }
    }

    /// Sorts the clips in natural order, folder by folder.
    package mutating func sortNaturally() {
        let list = self
        names.withUnsafeBufferPointer { names in
            order.sort { left, right in
                NaturalOrder.isBefore(
                    UnsafeBufferPointer(rebasing: names[list.range(of: Int(left))]),
                    UnsafeBufferPointer(rebasing: names[list.range(of: Int(right))]))
            }
        }
    }
}
