import Model

/// The clips at many paths: one blob of names and 4 bytes a clip, from which items are made when asked for.
/// A hundred thousand clips need a few megabytes.
public struct PathList: ItemList {
    /// What all paths begin with: a folder with its closing slash, or nothing.
    let root: [UInt8]
    /// The rest of every path, one after the other in the order they were found.
    var names: [UInt8] = []
    /// Where each name ends, in the order they were found.
    var ends: [UInt32] = []
    /// The order: for each index, which name.
    var order: [UInt32] = []

    init(root: [UInt8] = []) { self.root = root }

    public var count: Int { order.count }

    public subscript(index: Int) -> Item {
        let url = FileURL.url(path: path(at: index))
        return Item(id: ItemID.hash(of: url), url: url, title: ClipName.title(ofPath: path(at: index)))
    }

    /// The absolute path of a clip.
    func path(at index: Int) -> [UInt8] { root + names[range(of: Int(order[index]))] }

    func range(of name: Int) -> Range<Int> { (name == 0 ? 0 : Int(ends[name - 1]))..<Int(ends[name]) }

    /// Adds a path, given without `root`. Refuses (false) once the blob is full, at 4 GB of names.
    mutating func append(_ name: some Collection<UInt8>) -> Bool {
        guard names.count + name.count < UInt32.max else { return false }
        names.append(contentsOf: name)
        order.append(UInt32(ends.count))
        ends.append(UInt32(names.count))
        return true
    }

    /// Puts the clips in natural order, folder by folder.
    mutating func sortNaturally() {
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
