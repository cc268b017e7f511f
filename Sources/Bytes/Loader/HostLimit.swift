import Synchronization

/// Limits the transfers to one host at a time. The others wait in their order,
/// those that a reader waits for first. Any thread.
final class HostLimit: Sendable {
    private struct Waiter {
        let number: Int
        let isUrgent: Bool
        let go: CheckedContinuation<Void, Never>
    }

    private struct State {
        var under: [String: Int] = [:]
        var waiters: [String: [Waiter]] = [:]
        var lastNumber = 0
    }

    private let perHost: Int
    private let state = Mutex(State())

    init(perHost: Int) { self.perHost = perHost }

    /// How many transfers have a slot at a host, and how many wait for one.
    func load(of host: String) -> (underWay: Int, waiting: Int) {
        state.withLock { ($0.under[host] ?? 0, $0.waiters[host]?.count ?? 0) }
    }

    /// Waits for a slot. Throws `CancellationError` when the task is cancelled; it then has no slot.
    func enter(_ host: String, isUrgent: Bool) async throws {
        let number = state.withLock { state in
            state.lastNumber += 1
            return state.lastNumber
        }
        await withTaskCancellationHandler {
            await withCheckedContinuation { go in
                let isFree = state.withLock { state in
                    // A task that was cancelled already would not be woken by its handler.
                    guard !Task.isCancelled, state.under[host, default: 0] >= perHost else {
                        state.under[host, default: 0] += 1
                        return true
                    }
                    let waiter = Waiter(number: number, isUrgent: isUrgent, go: go)
                    let index = state.waiters[host]?.firstIndex { isUrgent && !$0.isUrgent }
                    state.waiters[host, default: []].insert(waiter, at: index ?? state.waiters[host]?.count ?? 0)
                    return false
                }
                if isFree { go.resume() }
            }
        } onCancel: {
            // The waiter gets a slot nevertheless and frees it immediately, so that no
            // other code has to distinguish the two cases.
            let waiter = state.withLock { state -> Waiter? in
                guard let index = state.waiters[host]?.firstIndex(where: { $0.number == number }) else { return nil }
                state.under[host, default: 0] += 1
                return state.waiters[host]?.remove(at: index)
            }
            waiter?.go.resume()
        }
        guard Task.isCancelled else { return }
        leave(host)
        throw CancellationError()
    }

    /// Frees a slot.
    func leave(_ host: String) {
        let next = state.withLock { state -> Waiter? in
            state.under[host, default: 1] -= 1
            if state.under[host, default: 0] < perHost, state.waiters[host]?.isEmpty == false {
                state.under[host, default: 0] += 1
                return state.waiters[host]?.removeFirst()
            }
            if state.under[host] == 0 { state.under[host] = nil }
            if state.waiters[host]?.isEmpty == true { state.waiters[host] = nil }
            return nil
        }
        next?.go.resume()
    }

    /// Takes a slot again after it was freed, without waiting, because a paused transfer continues.
    func reenter(_ host: String) { state.withLock { $0.under[host, default: 0] += 1 } }
}
