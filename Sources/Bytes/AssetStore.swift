/// The cache on disk: sparse files and an index (C2–C5). Blocks on files and SQLite: not for the shared pool, nor the main thread.
///
/// It never fails its users: where the folder cannot be used (read-only, full, gone, of another version in use) it says so once, keeps nothing, and
/// finds nothing. Any thread; two processes may share a folder.
final class AssetStore: Sendable {
    /// Opens the folder, dropping a cache of another version, and what has expired. `notice` is called once at most for each kind of trouble, on any thread.
    init(_ options: CacheOptions, notice: @escaping @Sendable (String) -> Void) { fatalError("to come") }

    /// What is kept under a key; nil if nothing is. Counts as a use (C5: noted in memory only).
    func asset(_ key: AssetKey) -> StoredAsset? { fatalError("to come") }

    /// A place to keep bytes under a key, whatever was kept there before being dropped. nil if nothing can be kept.
    func make(_ key: AssetKey, facts: AssetFacts, shelf: Asset.Shelf) -> StoredAsset? { fatalError("to come") }

    /// A few kilobytes that belong to a key, not counted among its bytes: what is known of a finished playlist, for when the network is away. nil forgets it.
    func setOutline(_ bytes: [UInt8]?, for key: AssetKey) { fatalError("to come") }
    func outline(for key: AssetKey) -> [UInt8]? { fatalError("to come") }

    /// Writes down what is only in memory (last uses). Blocks.
    func settle() { fatalError("to come") }
}

/// What is kept of one resource. It can be used as long as it is held, also when it was evicted meanwhile: it then keeps and finds nothing.
final class StoredAsset: Sendable {
    var facts: AssetFacts { fatalError("to come") }
    /// What is kept, as this process knows it.
    var ranges: ByteRanges { fatalError("to come") }

    /// Copies what is kept from `offset` on, without a gap and found whole by its checksum, into `buffer`; 0 if that byte is not kept (or was found
    /// damaged, and dropped).
    func read(at offset: Int64, into buffer: UnsafeMutableRawBufferPointer) -> Int { fatalError("to come") }

    /// Writes bytes to the file and then records them in the index. False if they were not kept (the disk is full, the entry was evicted or replaced).
    func save(_ bytes: UnsafeRawBufferPointer, at offset: Int64) -> Bool { fatalError("to come") }

    /// Learns facts that were not known before (a length). They must agree with those that were.
    func learn(_ facts: AssetFacts) { fatalError("to come") }

    /// Drops all of it: the server has something else now.
    func drop() { fatalError("to come") }
}
