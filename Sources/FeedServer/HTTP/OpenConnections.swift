import NIOCore
import Synchronization

/// Counts connections, and knows them so that they can be closed. Any thread.
final class OpenConnections: Sendable {
    private struct State {
        var channels: [ObjectIdentifier: any Channel] = [:]
        var cut: [ConnectionWatch.Excess: Int] = [:]
        var tooMany = 0
        var refused: [Int: Int] = [:]
    }

    /// The most connections at a time.
    let limit: Int
    private let state = Mutex(State())

    init(limit: Int) { self.limit = limit }

    /// The monotonic clock.
    static var now: Duration { .nanoseconds(Int64(NIODeadline.now().uptimeNanoseconds)) }

    /// A connection has begun; one too many is closed.
    func entered(_ channel: any Channel) {
        let isTooMuch = state.withLock { state in
            guard state.channels.count < limit else {
                state.tooMany += 1
                return true
            }
            state.channels[ObjectIdentifier(channel)] = channel
            return false
        }
        if isTooMuch { channel.eventLoop.execute { channel.close(promise: nil) } }
    }

    func left(_ channel: any Channel) {
        state.withLock { _ = $0.channels.removeValue(forKey: ObjectIdentifier(channel)) }
    }

    func cut(_ excess: ConnectionWatch.Excess) { state.withLock { $0.cut[excess, default: 0] += 1 } }

    /// Something was answered that no route saw.
    func refused(_ status: Int) { state.withLock { $0.refused[status, default: 0] += 1 } }

    func closeAll() {
        for channel in state.withLock({ Array($0.channels.values) }) { channel.close(promise: nil) }
    }

    var figures: (open: Int, cut: [ConnectionWatch.Excess: Int], tooMany: Int, refused: [Int: Int]) {
        state.withLock { ($0.channels.count, $0.cut, $0.tooMany, $0.refused) }
    }
}
