import Bytes
import Model
import Wire

/// Makes and stores avatars: small square pictures of the creators whose pages are near.
///
/// They are read and decoded like thumbnails, one after the other by one decoder,
/// which ends when there is nothing to do. An address without a usable picture is
/// not retried while a page of its creator is near. Main thread; no call waits.
@MainActor
final class AvatarMaker {
    /// The pages whose avatars are made, in this order: their distances from the one in view.
    static let offsets = [0, 1, -1, 2, 3]
    /// In pixels: twice as high as two rows of an ordinary font, so that no terminal shows less than there is.
    static let side = 96
    /// How many are stored, of 36 KB each.
    static let most = 64

    /// A square out of the picture's middle.
    private static let surface = StillWorker.surface(side: side, fit: .fill)

    private struct Wish {
        var item: Item.ID
        var asset: Asset
    }

    let worker: StillWorker
    private let cache: (any AssetCache)?
    var retention: Asset.Retention
    /// Nearest first, each address once.
    private var wishes: [Wish] = []
    /// By their addresses.
    private var pictures: [String: NumberedStill] = [:]
    private var failed: Set<String> = []
    private var making: Wish?
    private var made = 0
    private var events: [PlayerEvent] = []

    /// - Parameter cache: of the avatars' bytes; nil if all are local.
    init(decoders: DecoderPool, retention: Asset.Retention, cache: (any AssetCache)?) {
        worker = StillWorker(decoders: decoders, surface: Self.surface)
        (self.retention, self.cache) = (retention, cache)
    }

    /// Names the items near the one in view, with the number of pages to each (1: the next one).
    func want(_ items: [(item: Item, offset: Int)]) {
        wishes = []
        for offset in Self.offsets {
            guard let item = items.first(where: { $0.offset == offset })?.item, let url = item.creator?.avatar,
                !url.isEmpty, !wishes.contains(where: { $0.asset.url == url })
            else { continue }
            let asset = Asset(url: url, feed: item.feed, headers: item.headers, retention: retention)
            wishes.append(Wish(item: item.id, asset: asset))
        }
        failed.formIntersection(wishes.map(\.asset.url))
    }

    /// Begins the avatar that is most wanted, if none is being made. It is called after every picture, and costs next
    /// to nothing then.
    func begin(now: Duration) {
        guard making == nil, worker.isFree(now: now) else { return }
        let next = wishes.first { pictures[$0.asset.url] == nil && !failed.contains($0.asset.url) }
        guard let next else { return worker.end() }
        do {
            try worker.begin(StillPlan.Job(item: next.item, kind: .thumbnail, time: 0), of: next.asset, now: now)
            making = next
        } catch {
            // The page in view shows why there are no decoders.
            failed.insert(next.asset.url)
        }
    }

    /// Takes what the decoder has made. Whether there is another avatar now.
    func advance(now: Duration) -> Bool {
        guard let result = worker.advance(now: now), let wish = making else { return false }
        making = nil
        if let picture = result.picture {
            keep(picture, from: wish.asset.url)
        } else {
            if result.isUseless { cache?.discard(wish.asset) }
            failed.insert(wish.asset.url)
        }
        events.append(.trace(.still(item: wish.item, kind: "avatar", took: result.took, why: result.why)))
        return result.picture != nil
    }

    private func keep(_ picture: Picture, from url: String) {
        made += 1
        pictures[url] = NumberedStill(picture: picture, number: made)
        guard pictures.count > Self.most else { return }
        let near = Set(wishes.map(\.asset.url))
        let oldest = pictures.filter { !near.contains($0.key) }.min { $0.value.number < $1.value.number }
        if let oldest { pictures[oldest.key] = nil }
    }

    /// When `advance` is to be called next at the latest; nil: only when woken.
    var nextWake: Duration? { worker.deadline }

    /// The addresses of those that there are.
    var addresses: Set<String> { Set(pictures.keys) }

    func drainEvents() -> [PlayerEvent] {
        defer { events = [] }
        return events
    }

    func close() {
        worker.close()
        making = nil
    }

    /// Passes the avatar at an address to `body`; nil without one. It is valid only during the call of `body`.
    func withAvatar<Result>(at url: String, _ body: (PictureView, PictureIdentity) -> Result) -> Result? {
        pictures[url]?.withView(as: url, body)
    }
}
