/// What the terminal shows, and what is on its way there. A picture counts as shown once every byte of its update is
/// written. A value.
struct PendingFrame<Picture: Equatable> {
    /// An update of the screen.
    struct Update: Equatable {
        /// The pictures that the previous update did not have.
        var fresh: [Picture]
        var bytes: Int
        var cells: Int
        var begun: Duration
    }

    /// The pictures of the newest update, whether it has arrived or not.
    private(set) var newest: [Picture] = []
    /// Whether the caller waits for the arrival of the current update.
    private(set) var isAwaited = false
    private var underway: Update?

    /// An update was passed to the terminal. The previous one must have arrived.
    mutating func sent(_ pictures: [Picture], bytes: Int, cells: Int, begun: Duration, isAwaited: Bool = false) {
        precondition(underway == nil, "an update was sent while another was under way")
        self.isAwaited = isAwaited
        underway = Update(
            fresh: pictures.filter { !newest.contains($0) }, bytes: bytes, cells: cells, begun: begun)
        newest = pictures
    }

    /// Everything sent is written. Returns what has arrived with it, once.
    mutating func arrived() -> Update? {
        defer { (underway, isAwaited) = (nil, false) }
        return underway
    }

    /// The contents of the screen are lost, including the current update: all pictures of the next update count as new.
    mutating func lost() {
        (underway, isAwaited) = (nil, false)
        newest = []
    }
}
