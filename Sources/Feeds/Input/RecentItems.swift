import Model

/// Makes ids unique, because players and reactions find items by id. Remembers
/// only the last items, so that its size is limited.
struct RecentItems {
    /// How many items back a repetition is noticed.
    static let reach = 4_096

    private struct Entry {
        var id: UInt64
        var clip: UInt64
        var page: Int
    }

    private struct Uses {
        /// How many entries have the id.
        var count = 0
        /// The highest number that was added to the id.
        var number = 1
    }

    /// A ring: when it is full, `oldest` is overwritten next.
    private var entries: [Entry] = []
    private var oldest = 0
    private var ids: [UInt64: Uses] = [:]
    private struct Clip {
        var page: Int
        /// How many entries have the clip: a page may have it more than once.
        var count = 0
    }

    /// By id and URL.
    private var clips: [UInt64: Clip] = [:]

    /// The item with a unique id. nil if an earlier page had it: a feed whose cursor moves while it is read repeats
    /// items. Within one page a repetition is intended.
    mutating func distinct(_ item: Item, page: Int) -> Item? {
        let clip = ItemID.number(of: item.id + "\n" + item.url)
        if let earlier = clips[clip], earlier.page != page { return nil }
        var item = item
        let given = ItemID.number(of: item.id)
        if ids[given] != nil {
            let id = item.id
            var number = ids[given]?.number ?? 1
            repeat {
                number += 1
                item.id = "\(id)~\(number)"
            } while ids[ItemID.number(of: item.id)] != nil
            ids[given]?.number = number
        }
        note(Entry(id: ItemID.number(of: item.id), clip: clip, page: page))
        return item
    }

    private mutating func note(_ entry: Entry) {
        ids[entry.id, default: Uses()].count += 1
        clips[entry.clip, default: Clip(page: entry.page)].count += 1
        guard entries.count == RecentItems.reach else { return entries.append(entry) }
        let old = entries[oldest]
        entries[oldest] = entry
        oldest = (oldest + 1) % RecentItems.reach
        if let uses = ids[old.id] {
            ids[old.id] = uses.count > 1 ? Uses(count: uses.count - 1, number: uses.number) : nil
        }
        if let clip = clips[old.clip] {
            clips[old.clip] = clip.count > 1 ? Clip(page: clip.page, count: clip.count - 1) : nil
        }
    }
}
