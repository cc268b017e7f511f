extension PageSink {
    /// The next entry, as an item. Throws why it cannot be used. One without media is left out.
    mutating func add(_ entry: FeedEntry, _ links: FeedLinks, _ need: MediaNeed) throws(ItemError) {
        guard let item = ItemMapper.item(entry, need: need) else { return leaveOut() }
        add(try links.checked(item))
    }
}
