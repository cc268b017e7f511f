/// What the terminal shows, and what is on its way there: a picture counts as shown once every byte of its update is written.
struct UpdateInFlight<Picture: Equatable> {
    /// An update of the screen.
    struct Update: Equatable {
        /// The pictures that were not in the update before.
        var fresh: [Picture]
        var bytes: Int
        var cells: Int
        var begun: Duration
    }

    /// The pictures of the newest update, whether or not it has arrived.
    private(set) var newest: [Picture] = []
    /// Somebody waits for the arrival of the update that is on its way.
    private(set) var isAwaited = false
    private var underway: Update?

    /// An update was handed to the terminal. The one before must have arrived.
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

    /// The screen was lost, and with it what was on its way: the next update's pictures are all fresh.
    mutating func lost() {
        (underway, isAwaited) = (nil, false)
        newest = []
    }
}
