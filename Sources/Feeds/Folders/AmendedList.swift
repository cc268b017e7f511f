import Model

/// A list from which some items went, and to whose end files came. Needs nothing for items that stay, until one goes;
/// then four bytes for each. A value.
struct AmendedList: ItemList {
    private let base: any ItemList
    /// The places of those items of `base` that are left; nil while all are.
    private var left: [UInt32]?
    private var added: PathList

    /// - Parameter root: of all files that come, with a slash at its end; empty if they have none in common.
    init(_ base: any ItemList, root: [UInt8]) {
        self.base = base
        added = PathList(root: root)
    }

    private var leftCount: Int { left?.count ?? base.count }
    var count: Int { leftCount + added.count }

    subscript(index: Int) -> Item {
        index < leftCount ? base[left.map { Int($0[index]) } ?? index] : added[index - leftCount]
    }

    func id(at index: Int) -> Item.ID {
        index < leftCount ? base.id(at: left.map { Int($0[index]) } ?? index) : added.id(at: index - leftCount)
    }

    mutating func remove(_ ids: Set<Item.ID>) {
        guard !ids.isEmpty else { return }
        let places = left ?? (0..<UInt32(clamping: base.count)).map(\.self)
        left = places.filter { !ids.contains(base.id(at: Int($0))) }
        let before = added
        added.keep { !ids.contains(before.id(at: $0)) }
    }

    /// Adds files that lie below the root.
    mutating func append(_ clips: [FolderArrivals.Clip]) {
        for clip in clips {
            _ = added.append(clip.path[added.root.count...], beside: clip.beside, captions: clip.captions)
        }
    }
}
