/// Why the cache cannot be used. A value.
enum CacheError: Error, Equatable {
    /// The disk is full.
    case full
    /// The index is not what flick wrote.
    case damaged(String)
    /// Another process has locked it for too long.
    case busy
    case failed(String)
}
