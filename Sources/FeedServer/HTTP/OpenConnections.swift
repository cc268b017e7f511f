import NIOCore
import Synchronization

/// Counts connections, and knows them so that they can be closed. Any thread.
///
/// At the limit, a new connection replaces one that keeps the server waiting: a client that opens connections and sends
/// nothing must not lock others out.
final class OpenConnections: Sendable {
    private struct State {
        var channels: [ObjectIdentifier: Connection] = [:]
        var cut: [ConnectionWatch.Excess: Int] = [:]
        var tooMany = 0
        var refused: [Int: Int] = [:]
    }

    private struct Connection {
        var channel: any Channel
        var wait: ConnectionWatch.Wait?
    }

    /// The most connections at a time.
    let limit: Int
    private let state = Mutex(State())

    init(limit: Int) { self.limit = limit }

    /// The monotonic clock.
    static var now: Duration { .nanoseconds(Int64(NIODeadline.now().uptimeNanoseconds)) }

    /// A connection has begun. Above the limit, the one that has kept the server waiting for longest is closed: first
    /// of those that have sent nothing, then of those between two requests or within one. If all others are
    /// being answered, the new one is closed.
    func entered(_ channel: any Channel, _ wait: ConnectionWatch.Wait?) {
        let superfluous: (any Channel)? = state.withLock { state in
            var dropped: (any Channel)?
            if state.channels.count >= limit {
                state.tooMany += 1
                let waiting = state.channels.compactMap { key, value in value.wait.map { (key: key, wait: $0) } }
                guard let longest = waiting.min(by: { $0.wait < $1.wait })?.key else { return channel }
                dropped = state.channels.removeValue(forKey: longest)?.channel
            }
            state.channels[ObjectIdentifier(channel)] = Connection(channel: channel, wait: wait)
            return dropped
        }
        if let superfluous { superfluous.eventLoop.execute { superfluous.close(promise: nil) } }
    }

    /// A connection waits for something else now.
    func changed(_ channel: any Channel, _ wait: ConnectionWatch.Wait?) {
        state.withLock { $0.channels[ObjectIdentifier(channel)]?.wait = wait }
    }

    func left(_ channel: any Channel) {
        state.withLock { _ = $0.channels.removeValue(forKey: ObjectIdentifier(channel)) }
    }

    func cut(_ excess: ConnectionWatch.Excess) { state.withLock { $0.cut[excess, default: 0] += 1 } }

    /// Something was answered that no route saw.
    func refused(_ status: Int) { state.withLock { $0.refused[status, default: 0] += 1 } }

    func closeAll() {
        for channel in state.withLock({ $0.channels.values.map(\.channel) }) { channel.close(promise: nil) }
    }

    /// How many have sent nothing. For tests.
    var silent: Int { state.withLock { $0.channels.values.count { $0.wait?.hasSpoken == false } } }

    var figures: (open: Int, cut: [ConnectionWatch.Excess: Int], tooMany: Int, refused: [Int: Int]) {
        state.withLock { ($0.channels.count, $0.cut, $0.tooMany, $0.refused) }
    }
}
