/// Where the items of a spool are: full blocks in the file, the newest items in memory. A value.
struct SpoolIndex {
    /// A block is written once it has this many items, or bytes.
    static let blockItems = 64
    static let blockBytes = 256 << 10

    private struct Block {
        /// The index of its first item.
        var first: Int
        var offset: Int64
        var length: Int
    }

    /// Items that lie together.
    struct Part {
        enum Place {
            case memory([UInt8])
            case file(offset: Int64, length: Int)
        }
        var first: Int
        var count: Int
        var place: Place
    }

    private(set) var count = 0
    private var blocks: [Block] = []
    /// Where the next block goes. Blocks that were cut off before it stay in the file, unused.
    private(set) var end: Int64 = 0
    /// The items of the last block, which is not full yet.
    private var tail: [UInt8] = []
    private var tailFirst = 0

    /// Adds an item. If that fills a block, returns the bytes to write; call `closeBlock` once they are written.
    mutating func add(_ item: [UInt8]) -> (bytes: [UInt8], offset: Int64)? {
        tail += item
        count += 1
        let isFull = count - tailFirst >= SpoolIndex.blockItems || tail.count >= SpoolIndex.blockBytes
        return isFull ? (tail, end) : nil
    }

    mutating func closeBlock() {
        blocks.append(Block(first: tailFirst, offset: end, length: tail.count))
        end += Int64(tail.count)
        tail = []
        tailFirst = count
    }

    /// The part with the item at `place`, which must be less than `count`.
    func part(with place: Int) -> Part {
        if place >= tailFirst { return Part(first: tailFirst, count: count - tailFirst, place: .memory(tail)) }
        var (low, high) = (0, blocks.count)
        while high - low > 1 {
            let middle = (low + high) / 2
            if blocks[middle].first <= place { low = middle } else { high = middle }
        }
        let block = blocks[low]
        let next = low + 1 == blocks.count ? tailFirst : blocks[low + 1].first
        return Part(
            first: block.first, count: next - block.first, place: .file(offset: block.offset, length: block.length))
    }

    /// The index without the part that contains `place`, and without all later parts. New blocks go behind the existing
    /// ones, because other threads may still read those.
    func cut(beforeBlockOf place: Int) -> SpoolIndex {
        var cut = self
        cut.tail = []
        while cut.tailFirst > place, let block = cut.blocks.popLast() { cut.tailFirst = block.first }
        cut.count = cut.tailFirst
        return cut
    }
}
