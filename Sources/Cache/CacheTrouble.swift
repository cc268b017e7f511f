/// What keeps the cache from being used.
enum CacheTrouble: Error, Equatable {
    /// No room on the disk.
    case full
    /// The index is not what flick wrote.
    case damaged(String)
    /// Another process has it for longer than is waited.
    case busy
    case failed(String)
}
