import Feeds
import Model

/// The result of a walk of the served folder, in the feed's order. A value
/// that never changes: another walk makes another.
///
/// A hundred thousand clips need about 12 MB: their names, an id for each, and lists of numbers by creator and topic.
struct FolderIndex: Sendable {
    struct Creator: Sendable {
        var facts: Item.Creator
        /// Its items, rising.
        var items: [UInt32]
    }

    /// The facts of a sidecar that concern more than its own item.
    struct SidecarFacts: Sendable {
        var tags: [String]
        var creator: Item.Creator?
    }

    let paths: PathList
    /// Whether the walk has ended. Until then the feed has the clips that were found up to now.
    let isWhole: Bool
    private let numbers: [UInt64: UInt32]
    private let facts: [UInt32: SidecarFacts]
    private let tags: [UInt64: ContainerTags]
    /// The items with a topic, rising.
    let topics: [String: [UInt32]]
    /// By id.
    let creators: [String: Creator]

    static let empty = FolderIndex(paths: PathList(), isWhole: false)

    /// - Parameters:
    ///   - paths: sorted.
    ///   - facts: what sidecars say that were read, by the index of their items.
    ///   - tags: what clips' files say of themselves, by the number of their id. A sidecar's word goes before.
    init(
        paths: PathList, isWhole: Bool, facts: [UInt32: SidecarFacts] = [:], tags: [UInt64: ContainerTags] = [:]
    ) {
        self.paths = paths
        self.isWhole = isWhole
        (self.facts, self.tags) = (facts, tags)
        var numbers: [UInt64: UInt32] = [:]
        numbers.reserveCapacity(paths.count)
        var creators: [String: Creator] = [:]
        var topics: [String: [UInt32]] = [:]
        var last: (folder: ArraySlice<UInt8>, id: String)?
        for index in 0..<UInt32(paths.count) {
            let path = paths.relativePath(at: Int(index))
            // Two paths with the same hash: the first one keeps it, and the other cannot be had.
            let number = ItemID.number(ofBytes: path)
            if numbers[number] == nil { numbers[number] = index }
            var said = facts[index]
            if let tags = tags[number] {
                said = SidecarFacts(
                    tags: said?.tags.isEmpty == false ? said?.tags ?? [] : tags.topics,
                    creator: said?.creator ?? tags.creator)
            }
            for tag in Set(said?.tags ?? []) { topics[tag, default: []].append(index) }
            if let facts = said?.creator, let id = facts.id ?? facts.name.map(Self.creatorID) {
                creators[id, default: Creator(facts: facts, items: [])].items.append(index)
                continue
            }
            guard let folder = Self.creatorFolder(of: path) else { continue }
            if last?.folder != folder { last = (folder, Self.creatorID(String(decoding: folder, as: UTF8.self))) }
            // Set just now, if it was not before.
            creators[last!.id, default: Creator(facts: Self.creator(ofFolder: folder), items: [])].items.append(index)
        }
        (self.numbers, self.creators, self.topics) = (numbers, creators, topics)
    }

    /// The same with other words of clips' files of themselves.
    func with(_ tags: [UInt64: ContainerTags]) -> FolderIndex {
        FolderIndex(paths: paths, isWhole: isWhole, facts: facts, tags: tags)
    }

    /// The tags of the item's file; nil until they are read.
    func tags(at index: Int) -> ContainerTags? { tags[ItemID.number(ofBytes: paths.relativePath(at: index))] }

    var count: Int { paths.count }

    static func id(ofPath path: some Sequence<UInt8>) -> String { ItemID.text(of: ItemID.number(ofBytes: path)) }

    func id(at index: Int) -> String { Self.id(ofPath: paths.relativePath(at: index)) }

    /// nil for what is no id of an item here.
    func index(ofID id: String) -> Int? {
        guard id.utf8.count == 16, id.utf8.allSatisfy({ (0x30...0x39).contains($0) || (0x61...0x66).contains($0) }),
            let number = UInt64(id, radix: 16)
        else { return nil }
        return numbers[number].map(Int.init)
    }

    func hasCreator(_ id: String) -> Bool { creators[id] != nil }

    // MARK: Creators

    static func creatorID(_ name: String) -> String { ItemID.hash(of: name) }

    static func creator(ofFolder folder: some Collection<UInt8>) -> Item.Creator {
        let name = String(decoding: folder, as: UTF8.self)
        return Item.Creator(id: creatorID(name), name: name)
    }

    /// The creator that an item has by its path: the folder right below the served one.
    func creatorByFolder(at index: Int) -> Item.Creator? {
        Self.creatorFolder(of: paths.relativePath(at: index)).map(Self.creator)
    }

    /// nil for a path directly in the served folder. A playlist's own folder names its clip, not a creator.
    private static func creatorFolder(of path: ArraySlice<UInt8>) -> ArraySlice<UInt8>? {
        guard let slash = path.firstIndex(of: UInt8(ascii: "/")) else { return nil }
        if ServedPlaylist.isOne(path), path.lastIndex(of: UInt8(ascii: "/")) == slash { return nil }
        return path[..<slash]
    }

    // MARK: Sidecars

    /// The paths of an item's sidecars when the folder was walked, and what
    /// they are read as; what counts more comes last.
    func sidecars(at index: Int) -> [(path: [UInt8], kind: Sidecar.Kind)] {
        paths.sidecars(at: index).texts.compactMap { name in
            name.kind.map { (name.path(of: paths.relativePath(at: index)), $0) }
        }
    }

    // MARK: Pages

    /// The indices of a page's items, and whether more follow.
    ///
    /// - Parameter path: of the item that the page comes after; it need not be there any more.
    func page(after path: [UInt8]?, limit: Int, topic: String?, creator: String?) -> (items: [Int], hasMore: Bool) {
        var list: [UInt32]?
        if let topic { list = topics[topic] ?? [] }
        if let creator {
            let its = creators[creator]?.items ?? []
            list = list.map { list in its.filter(Set(list).contains) } ?? its
        }
        let count = list?.count ?? paths.count
        func index(_ place: Int) -> Int { list.map { Int($0[place]) } ?? place }
        // The first item that comes after `path`.
        var (low, high) = (0, path == nil ? 0 : count)
        while low < high {
            let middle = (low + high) / 2
            if isAfter(index(middle), path ?? []) { high = middle } else { low = middle + 1 }
        }
        let end = min(count, low + limit)
        return ((low..<end).map(index), end < count)
    }

    private func isAfter(_ index: Int, _ path: [UInt8]) -> Bool {
        paths.relativePath(at: index).withUnsafeBufferPointer { own in
            path.withUnsafeBufferPointer { NaturalOrder.isBefore($0, own) }
        }
    }
}
