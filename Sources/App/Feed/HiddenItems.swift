import Engagement
import Model
import Ranking
import Synchronization

/// What the user hides: by the rules of the configuration, which stay, and by those that were made on the page, which
/// the library keeps. Any thread.
final class HiddenItems: Sendable {
    /// The rules at some moment, and how often they changed before. A value.
    struct Snapshot: Sendable {
        var rules: HiddenRules
        var generation: Int
    }

    private struct Shared {
        /// Those of the library, once it is read, and those of this session; the newest first.
        var own: [HideRule] = []
        /// What was decided in this session, which counts more than what the library has.
        var decided: [HideRule.ID: Bool] = [:]
        /// The rules that leave out items which were deleted in this session; no list shows them.
        var deleted: [Item.ID: HideRule] = [:]
        /// Those of them that are shown after all.
        var restored: Set<Item.ID> = []
        var snapshot: Snapshot
    }

    /// The rules of the configuration.
    let configured: [HideRule]
    /// nil if flick remembers nothing.
    private let libraryPath: String?
    private let shared: Mutex<Shared>

    /// Reads nothing yet.
    init(configured: [HideRule] = [], libraryPath: String? = nil) {
        (self.configured, self.libraryPath) = (configured, libraryPath)
        shared = Mutex(Shared(snapshot: Snapshot(rules: HiddenRules(configured), generation: 0)))
    }

    var snapshot: Snapshot { shared.withLock(\.snapshot) }

    /// Rises with each change.
    var generation: Int { shared.withLock(\.snapshot.generation) }

    /// The rules that were made on the page, the newest first.
    var own: [HideRule] { shared.withLock(\.own) }

    /// Hides something from now on, or no longer.
    func set(_ rule: HideRule, hides: Bool) {
        shared.withLock { shared in
            shared.decided[rule.id] = hides
            var own = shared.own.filter { $0.id != rule.id }
            if hides { own.insert(rule, at: 0) }
            renew(own, &shared)
        }
    }

    /// An item was deleted from its service, or came back.
    func delete(_ item: Item, _ isDeleted: Bool) {
        shared.withLock { $0.deleted[item.id] = HideRule(clip: item) }
        showDeleted(item.id, !isDeleted)
    }

    /// Whether an item of those is to be shown.
    func showDeleted(_ id: Item.ID, _ isShown: Bool) {
        shared.withLock { shared in
            if isShown { shared.restored.insert(id) } else { shared.restored.remove(id) }
            renew(shared.own, &shared)
        }
    }

    /// Reads the rules of the library, which another flick may have changed. What cannot be read changes nothing.
    /// Returns whether there is a change. Blocks on the disk.
    @discardableResult
    func read() -> Bool {
        guard let libraryPath, Store.exists(at: libraryPath) else { return false }
        let stored: [HideRule]
        do throws(StoreError) {
            stored = try Store(reading: libraryPath).hidden().map(\.rule)
        } catch {
            // The recorder reports a file that cannot be used.
            return false
        }
        return shared.withLock { shared in
            let known = Set(stored.map(\.id))
            let new = shared.own.filter { shared.decided[$0.id] == true && !known.contains($0.id) }
            let own = new + stored.filter { shared.decided[$0.id] != false }
            guard own != shared.own else { return false }
            renew(own, &shared)
            return true
        }
    }

    private func renew(_ own: [HideRule], _ shared: inout Shared) {
        shared.own = own
        let gone = shared.deleted.filter { !shared.restored.contains($0.key) }.map(\.value)
        shared.snapshot = Snapshot(
            rules: HiddenRules(own + configured + gone), generation: shared.snapshot.generation + 1)
    }
}
