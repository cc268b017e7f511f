import Model
import Platform
import Synchronization

/// Stores items in blocks of an unnamed temporary file instead of memory. A million items need 0.4 MB of memory; a
/// hundred often need no file at all.
///
/// One thread at a time appends; any thread reads at the same time.
final class ItemSpool: Sendable {
    private struct Shared {
        var index = SpoolIndex()
        /// The most recently used blocks as items, by the index of their first item, the newest at the end.
        var ready: [(first: Int, items: [Item])] = []
        /// Counts the changes that make `ready` outdated.
        var generation = 0
        /// The page that links to the items from an index on, for `URLAccessPolicy`; in order.
        var leaders: [(first: Int, url: String)] = []
    }

    /// How many blocks are in memory as items.
    static let readyBlocks = 8

    private let folder: String
    private let shared = Mutex(Shared())
    /// -1 until the first block is written.
    private let file = Atomic<Int32>(-1)

    /// - Parameter folder: where the temporary file is created when it is needed.
    init(folder: String) { self.folder = folder }

    deinit {
        let descriptor = file.load(ordering: .acquiring)
        if descriptor >= 0 { close(descriptor) }
    }

    var count: Int { shared.withLock(\.index.count) }

    /// The items appended so far. Later ones are not included.
    var list: SpooledList { list(of: count) }

    /// The first `count` items.
    func list(of count: Int) -> SpooledList { SpooledList(spool: self, count: count) }

    /// The page at `url` comes next. Each item names one page that `URLAccessPolicy` asks (`Item.feed`): normally the
    /// first page of the feed. If that is a local file, which may lead further than the network may, it is the first
    /// page from the network from then on.
    func lead(_ url: String) {
        shared.withLock { shared in
            if let last = shared.leaders.last {
                guard FileURL.path(of: last.url) != nil, FileURL.path(of: url) == nil else { return }
            }
            shared.leaders.append((shared.index.count, url))
        }
    }

    /// The page that links to items that are appended now, for `URLAccessPolicy`.
    var leader: String? { shared.withLock { $0.leaders.last?.url } }

    /// Throws `.cannotSpool` if the temporary file cannot be created, or the disk is full.
    func append(_ item: Item) throws(FeedsError) {
        var bytes: [UInt8] = []
        ItemCode.append(item, to: &bytes)
        guard let block = shared.withLock({ $0.index.add(bytes) }) else { return }
        try write(block.bytes, at: block.offset)
        shared.withLock { $0.index.closeBlock() }
    }

    /// The current end of the spool, for `goBack`.
    var mark: SpoolIndex { shared.withLock(\.index) }

    /// Removes the items appended since `mark`, and reuses their room in the
    /// file. Only for items that have not been read yet.
    func goBack(to mark: SpoolIndex) { put(mark) }

    /// Changes the items from `first` on, or removes those for which `change` returns
    /// nil. Only for items that have not been read yet.
    func rewrite(from first: Int, _ change: (Item) -> Item?) throws(FeedsError) {
        let old = shared.withLock { $0.index }
        var new = old.cut(beforeBlockOf: first)
        var place = new.count
        while place < old.count {
            let part = old.part(with: place)
            for item in try items(of: part) {
                if let item = place < first ? item : change(item) {
                    var bytes: [UInt8] = []
                    ItemCode.append(item, to: &bytes)
                    if let block = new.add(bytes) {
                        try write(block.bytes, at: block.offset)
                        new.closeBlock()
                    }
                }
                place += 1
            }
        }
        put(new)
    }

    private func put(_ index: SpoolIndex) {
        shared.withLock { shared in
            shared.index = index
            shared.ready = []
            shared.generation += 1
        }
    }

    /// Blocks for a read of the file, unless the item was used recently. If
    /// reading fails, returns an item that says so.
    fileprivate func item(at place: Int) -> Item {
        let (known, part, generation) = shared.withLock { shared in
            let part = shared.index.part(with: place)
            let ready = shared.ready.firstIndex { $0.first == part.first && place - part.first < $0.items.count }
            guard let ready else { return (nil as Item?, part, shared.generation) }
            let block = shared.ready.remove(at: ready)
            shared.ready.append(block)
            return (block.items[place - part.first], part, shared.generation)
        }
        if let known { return known }
        let items: [Item]
        do throws(FeedsError) { items = try self.items(of: part) } catch {
            // The block was removed and overwritten in the meantime, so the item is elsewhere now.
            if shared.withLock({ $0.generation != generation }) { return item(at: place) }
            return Item(id: "lost-\(place)", url: "", title: error.description)
        }
        shared.withLock { shared in
            guard shared.generation == generation else { return }
            shared.ready.removeAll { $0.first == part.first }
            shared.ready.append((part.first, items))
            if shared.ready.count > ItemSpool.readyBlocks { shared.ready.removeFirst() }
        }
        return items[place - part.first]
    }

    // MARK: The file

    private func items(of part: SpoolIndex.Part) throws(FeedsError) -> [Item] {
        let bytes =
            switch part.place {
            case .memory(let bytes): bytes
            case .file(let offset, let length): try read(length, at: offset)
            }
        guard var items = ItemCode.items(bytes), items.count == part.count else {
            throw .cannotSpool(folder, EIO)
        }
        for leader in shared.withLock(\.leaders) {
            for index in items.indices.dropFirst(max(0, leader.first - part.first)) { items[index].feed = leader.url }
        }
        return items
    }

    private func read(_ length: Int, at offset: Int64) throws(FeedsError) -> [UInt8] {
        let spooled = Descriptor(file.load(ordering: .acquiring))
        var code = EIO
        let bytes = [UInt8](unsafeUninitializedCapacity: length) { buffer, count in
            let room = UnsafeMutableRawBufferPointer(rebasing: UnsafeMutableRawBufferPointer(buffer)[..<length])
            do throws(SystemError) { count = try spooled.read(into: room, at: offset) } catch { code = error.code }
        }
        guard bytes.count == length else { throw .cannotSpool(folder, code) }
        return bytes
    }

    private func write(_ bytes: [UInt8], at offset: Int64) throws(FeedsError) {
        if file.load(ordering: .relaxed) < 0 { file.store(try makeFile(), ordering: .releasing) }
        let spooled = Descriptor(file.load(ordering: .relaxed))
        let code: Int32 = bytes.withUnsafeBytes { bytes in
            do throws(SystemError) { try spooled.write(bytes, at: offset) } catch { return error.code }
            return 0
        }
        guard code == 0 else { throw .cannotSpool(folder, code) }
    }

    private func makeFile() throws(FeedsError) -> Int32 {
        var template = Array("\(folder)/flick-feed-XXXXXX".utf8CString)
        let descriptor = mkstemp(&template)
        guard descriptor >= 0 else { throw .cannotSpool(folder, errno) }
        // Without a name the file disappears with the process, however that ends.
        unlink(template)
        _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC)
        return descriptor
    }
}

/// The first items of a spool. Reading one that was not used recently blocks for about 0.1 ms.
struct SpooledList: ItemList {
    fileprivate let spool: ItemSpool
    let count: Int

    subscript(place: Int) -> Item {
        precondition(place >= 0 && place < count, "item \(place) of \(count)")
        return spool.item(at: place)
    }
}
