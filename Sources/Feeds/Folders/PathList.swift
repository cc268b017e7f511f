import Model

/// The clips at many paths: all names in one array of bytes, plus 4 bytes for each clip. Items are made on demand, so a
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

    /// Whether items tell their folder.
    var namesFolders = true

    package init(root: [UInt8] = []) { self.root = root }

    public var count: Int { order.count }

    public subscript(index: Int) -> Item {
        let path = path(at: index)
        let url = FileURL.url(path: path)
        return Item(
            id: ItemID.hash(of: url), url: url, title: ClipTitle.of(path: path),
            folder: namesFolders ? ClipTitle.folder(ofPath: names[range(of: Int(order[index]))]) : nil)
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
    package mutating func append(_ name: some Collection<UInt8>) -> Bool {
        guard names.count + name.count < UInt32.max else { return false }
        names.append(contentsOf: name)
        order.append(UInt32(ends.count))
        ends.append(UInt32(names.count))
        return true
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
