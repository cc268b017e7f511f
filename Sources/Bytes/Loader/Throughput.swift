import Model
import Platform

/// Estimates the network's speed from transfers (as hls.js and dash.js do). Pure.
///
/// Counts only the time in which some transfer waits for bytes. Each sample's rate
/// goes into two moving means, weighted by its time, so that a mean is bytes divided
/// by time. The lower mean is the estimate: it falls at once and rises slowly.
struct Throughput: Sendable {
    private struct Mean: Sendable {
        /// After this much measured time a sample weighs half, in seconds.
        let halfLife: Double
        private var sum = 0.0
        private var weight = 0.0

        init(halfLife: Double) { self.halfLife = halfLife }

        mutating func add(rate: Double, seconds: Double) {
            let faded = exp2(-seconds / halfLife)
            sum = sum * faded + rate * (1 - faded)
            weight = weight * faded + (1 - faded)
        }

        /// The mean of what was measured: times without samples do not count as zero.
        var value: Double { weight > 0 ? sum / weight : 0 }
    }

    /// The shortest sample: bursts out of buffers say nothing about the network.
    static let shortest: Duration = .milliseconds(50)
    /// Fewer bytes give no estimate.
    static let fewest: Int64 = 32 << 10

    private var fast = Mean(halfLife: 3)
    private var slow = Mean(halfLife: 9)
    private var waiting = 0
    private var since: Duration = .zero
    private var bytes: Int64 = 0
    private var time: Duration = .zero
    private var seen: Int64 = 0
    /// How long it was measured, in seconds.
    private var seconds = 0.0

    /// The measured time in seconds that makes the estimate certain: the first bytes of transfers
    /// come slowly on a fast network, too, and while decoders start.
    static let certain = 1.0

    /// Whether the network is certain to be slower than `bits` per second.
    func isBelow(_ bits: Int64) -> Bool { seconds >= Throughput.certain && (estimate ?? bits) < bits }

    /// In bits a second; nil until enough was measured.
    var estimate: Int64? {
        guard seen >= Throughput.fewest else { return nil }
        return Int64(min(fast.value, slow.value, 1e15) * 8)
    }

    /// A transfer begins to wait for bytes.
    mutating func waits(at now: Duration) {
        pass(to: now)
        waiting += 1
    }

    /// A transfer's wait is over; `count` bytes arrived.
    mutating func got(_ count: Int, at now: Duration) {
        pass(to: now)
        waiting = max(0, waiting - 1)
        bytes += Int64(count)
        seen += Int64(count)
        if time >= Throughput.shortest { close() }
    }

    /// A transfer has ended. A short one counts too if it brought enough bytes.
    mutating func ended() {
        if bytes >= Throughput.fewest { close() }
    }

    private mutating func pass(to now: Duration) {
        if waiting > 0, now > since { time += now - since }
        since = max(since, now)
    }

    private mutating func close() {
        let seconds = max(time, Throughput.shortest).seconds
        let rate = Double(bytes) / seconds
        fast.add(rate: rate, seconds: seconds)
        slow.add(rate: rate, seconds: seconds)
        self.seconds += seconds
        bytes = 0
        time = .zero
    }
}
