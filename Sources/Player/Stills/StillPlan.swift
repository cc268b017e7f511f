import Model
import Wire

/// Decides which still is made next. Pure: the caller reports what is wanted, what exists and how jobs ended.
///
/// The item in view comes first, then those near it, ahead before behind. If the feed has
/// a thumbnail for an item, that is made, else its first frame; and its first frame too if
/// its thumbnail is unusable. What has failed is not retried while the item stays near.
struct StillPlan: Sendable {
    /// An item near the one in view.
    struct Wish: Sendable, Equatable {
        var item: Item.ID
        /// Pages from the one in view: 1 is the next, -1 the one before.
        var offset: Int
        var hasThumbnail: Bool
        /// It is in view, however far that is: a tile of a grid.
        var isInView = false

        fileprivate var mayHaveThumbnail: Bool { hasThumbnail && (isInView || StillPlan.thumbnails.contains(offset)) }
        fileprivate var mayHaveFrame: Bool { isInView || StillPlan.firstFrames.contains(offset) }
    }

    /// A still to be made.
    struct Job: Sendable, Equatable {
        var item: Item.ID
        var kind: Still.Kind
        /// Where in the clip.
        var time: Microseconds
        /// How often the same frozen frame was blank.
        var attempt = 0
    }

    /// How far from the page in view stills are made.
    static let thumbnails = -8...20
    static let firstFrames = -4...8
    /// Several, so that one that comes slowly holds up no other.
    static let maxAtOnce = 2
    /// By how much later a blank frozen frame is retried, and how many times.
    static let retryStep: Microseconds = 150_000
    static let maxRetries = 8

    private var wishes: [Wish] = []
    private var failed: [Item.ID: Set<Still.Kind>] = [:]
    private(set) var running: [Job] = []
    /// Frozen frames that were blank, to be taken again elsewhere.
    private var retries: [Job] = []

    /// Names the items near the one in view, in any order. All others are forgotten.
    mutating func setWishes(_ wishes: [Wish]) {
        self.wishes = wishes.sorted { Self.order($0.offset) < Self.order($1.offset) }
        let near = Set(wishes.map(\.item))
        failed = failed.filter { near.contains($0.key) }
        retries.removeAll { !near.contains($0.item) }
    }

    /// 0, 1, 2, 3, -1, 4, 5, -2, 6, …: three ahead, then two ahead for one behind.
    static func order(_ offset: Int) -> Int {
        offset >= 0 ? (offset <= 3 ? 2 * offset : 3 * offset - 3) : 7 - 6 * (offset + 1)
    }

    /// The next still to be made, which then runs; nil if nothing
    /// is to be made, or the maximum number of jobs is running.
    ///
    /// - Parameter furthest: the largest distance in pages at which stills are made.
    /// - Parameter has: the kind of still that exists of an item; nil if none fits the surface.
    /// - Parameter isCovered: whether a player has a picture of the item.
    mutating func next(
        furthest: Int, has: (Item.ID) -> Still.Kind?, frozenTime: (Item.ID) -> Microseconds?,
        isCovered: (Item.ID) -> Bool
    ) -> Job? {
        guard running.count < Self.maxAtOnce else { return nil }
        for wish in wishes where (wish.isInView || abs(wish.offset) <= furthest) && !isCovered(wish.item) {
            guard !running.contains(where: { $0.item == wish.item }),
                let job = job(for: wish, has: has(wish.item), frozenTime: frozenTime(wish.item))
            else { continue }
            retries.removeAll { $0.item == wish.item }
            running.append(job)
            return job
        }
        return nil
    }

    private func job(for wish: Wish, has: Still.Kind?, frozenTime: Microseconds?) -> Job? {
        let failed = failed[wish.item] ?? []
        if let retry = retries.first(where: { $0.item == wish.item }) { return retry }
        if has == .frozen { return nil }
        if let frozenTime, !failed.contains(.frozen), wish.mayHaveFrame {
            return Job(item: wish.item, kind: .frozen, time: frozenTime)
        }
        if wish.mayHaveThumbnail, !failed.contains(.thumbnail) {
            return has ?? .blurHash >= .thumbnail ? nil : Job(item: wish.item, kind: .thumbnail, time: 0)
        }
        guard !failed.contains(.firstFrame), wish.mayHaveFrame, has ?? .blurHash < .firstFrame else { return nil }
        return Job(item: wish.item, kind: .firstFrame, time: Still.firstFrameTime)
    }

    /// A still was made.
    mutating func finish(_ job: Job) { running.removeAll { $0 == job } }

    /// There is no such still. It is not tried again while the item is near.
    mutating func fail(_ job: Job) {
        running.removeAll { $0 == job }
        guard wishes.contains(where: { $0.item == job.item }) else { return }
        failed[job.item, default: []].insert(job.kind)
    }

    /// A frozen frame was blank: it is taken again a little later in the clip, a few times.
    mutating func refuseBlank(_ job: Job) {
        guard job.attempt < Self.maxRetries else { return fail(job) }
        running.removeAll { $0 == job }
        retry(job.item, after: job.time, attempt: job.attempt + 1)
    }

    /// An item's last visible picture was blank, at this time of the clip.
    mutating func retry(_ item: Item.ID, after time: Microseconds, attempt: Int = 1) {
        guard wishes.contains(where: { $0.item == item }) else { return }
        retries.removeAll { $0.item == item }
        retries.append(Job(item: item, kind: .frozen, time: time + Self.retryStep, attempt: attempt))
    }
}
